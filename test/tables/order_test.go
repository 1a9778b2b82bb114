package tables_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/sai"
	"xon/schema/redisdb"
)

// several are rows of every table that makes or sets something and lets go of it again.
var several = map[string]redisdb.Fields{
	"DSCP_TO_TC_MAP|A":                           {"3": "3", "46": "5"},
	"DOT1P_TO_TC_MAP|A":                          {"NULL": "NULL"},
	"MPLS_TC_TO_TC_MAP|A":                        {"1": "1"},
	"TC_TO_QUEUE_MAP|A":                          {"3": "3"},
	"TC_TO_PRIORITY_GROUP_MAP|A":                 {"3": "3"},
	"MAP_PFC_PRIORITY_TO_QUEUE|A":                {"3": "3"},
	"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|A":       {"3": "3"},
	"TC_TO_DSCP_MAP|A":                           {"3": "24"},
	"TC_TO_DOT1P_MAP|A":                          {"3": "4"},
	"DSCP_TO_FC_MAP|A":                           {"46": "2"},
	"EXP_TO_FC_MAP|A":                            {"5": "1"},
	"PORT_QOS_MAP|global":                        {"dscp_to_tc_map": "A"},
	"PORT_QOS_MAP|Ethernet0":                     {"dscp_to_tc_map": "A", "dot1p_to_tc_map": "A", "tc_to_queue_map": "A", "pfc_enable": "3", "scheduler": "port"},
	"PORT_QOS_MAP|Ethernet4":                     {"mpls_tc_to_tc_map": "A", "tc_to_pg_map": "A", "pfc_to_queue_map": "A", "pfc_to_pg_map": "A", "tc_to_dscp_map": "A", "tc_to_dot1p_map": "A", "dscp_to_fc_map": "A", "exp_to_fc_map": "A"},
	"SCHEDULER|dwrr":                             {"type": "DWRR", "weight": "14"},
	"SCHEDULER|strict":                           {"type": "STRICT"},
	"SCHEDULER|port":                             {"pir": "1000000000"},
	"WRED_PROFILE|A":                             {"wred_green_enable": "true", "green_min_threshold": "1000", "green_max_threshold": "2000", "ecn": "ecn_all"},
	"QUEUE|Ethernet0,Ethernet4|3-4":              {"scheduler": "dwrr", "wred_profile": "A"},
	"QUEUE|Ethernet0|3":                          {"scheduler": "strict"},
	"BUFFER_POOL|in":                             {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "65536"},
	"BUFFER_POOL|out":                            {"type": "egress", "mode": "static", "size": "1048576"},
	"BUFFER_PROFILE|lossless":                    {"pool": "in", "size": "4096", "dynamic_th": "-1", "xon": "2048", "xoff": "8192"},
	"BUFFER_PROFILE|lossy":                       {"pool": "in", "size": "0", "dynamic_th": "3"},
	"BUFFER_PROFILE|trim":                        {"pool": "out", "size": "0", "static_th": "65536", "packet_discard_action": "trim"},
	"BUFFER_PROFILE|out":                         {"pool": "out", "size": "1024", "static_th": "65536"},
	"BUFFER_PG|Ethernet0,Ethernet4|3-4":          {"profile": "lossless"},
	"BUFFER_PG|Ethernet4|3":                      {"profile": "lossy"},
	"BUFFER_QUEUE|Ethernet0|3-4":                 {"profile": "out"},
	"BUFFER_QUEUE|Ethernet4|0-2":                 {"profile": "trim"},
	"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list@": "lossy,lossless"},
	"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0":  {"profile_list@": "out"},
	"SWITCH_TABLE|switch":                        {"ecmp_hash_seed": "10", "fdb_aging_time": "600"},
	"XON_PFC|GLOBAL":                             {"enabled": "true"},
	"XON_PORT|Ethernet4":                         {"flow_control": "rx"},
	"FLEX_COUNTER_TABLE|PORT":                    {"FLEX_COUNTER_STATUS": "enable"},
	"DEVICE_METADATA|localhost":                  {"hostname": "leaf1", "buffer_model": "traditional"},
}

// named is ASIC_DB by the names of objects, which don't depend on who came first.
func (r *rig) named() map[string]map[string]string {
	r.t.Helper()
	out := map[string]map[string]string{}
	others := 0
	for id, o := range r.asic() {
		name := o.name
		if strings.HasSuffix(name, " of the chip") { // in the order in which the chip made them
			name += " " + id
			others++
		}
		out[name] = o.fields
	}
	if others == 0 {
		r.t.Error("the chip made nothing of its own")
	}
	return out
}

// shuffled writes or removes all rows in random order, some at a time.
func (r *rig) shuffled(rng *rand.Rand, each func(b *redisdb.Batch, key string)) {
	r.t.Helper()
	keys := slices.Sorted(maps.Keys(several))
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for len(keys) > 0 {
		var b redisdb.Batch
		n := min(len(keys), 1+rng.IntN(8))
		for _, k := range keys[:n] {
			each(&b, k)
		}
		keys = keys[n:]
		r.write(&b)
	}
}

// TestAnyOrder: the same rows in any order and batching end in the same ASIC_DB, and
// when they are gone, in whatever order, nothing is left of them.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	once := newRig(t)
	once.atOnce()
	want, fates := once.named(), once.fates()
	for k, f := range fates {
		if f != "applied" && !strings.HasPrefix(f, "applied\n") {
			t.Errorf("%s %s", k, f)
		}
	}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 4))
		r := newRig(t)
		initial := r.named()
		r.shuffled(rng, func(b *redisdb.Batch, k string) { b.Set(k, several[k]) })
		if diff := cmp.Diff(want, r.named()); diff != "" {
			t.Errorf("seed %d: ASIC_DB (-at once +in random order):\n%s", seed, diff)
		}
		if diff := cmp.Diff(fates, r.fates()); diff != "" {
			t.Errorf("seed %d: fates (-at once +in random order):\n%s", seed, diff)
		}
		r.shuffled(rng, func(b *redisdb.Batch, k string) { b.Delete(k) })
		r.isAgain(initial)
		if fates := r.fates(); len(fates) != ports {
			t.Errorf("seed %d: fates of rows that are gone: %v", seed, fates)
		}
	}
}

func (r *rig) atOnce() {
	r.t.Helper()
	var b redisdb.Batch
	for _, k := range slices.Sorted(maps.Keys(several)) {
		b.Set(k, several[k])
	}
	r.write(&b)
}

// isAgain checks that ASIC_DB has the objects of before, and of their attributes no
// value that is neither what it was nor the default.
func (r *rig) isAgain(before map[string]map[string]string) {
	r.t.Helper()
	now := r.named()
	if diff := cmp.Diff(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(now))); diff != "" {
		r.t.Errorf("objects (-before +after):\n%s", diff)
	}
	for name, fields := range now {
		typ, _, _ := strings.Cut(name, " ")
		t, ok := sai.ObjectTypeByName(typ)
		if !ok {
			r.t.Fatalf("an object of type %s", typ)
		}
		for attr, text := range fields {
			m := sai.ByType(t).AttrByName(attr)
			n, _ := m.DefaultNum()
			if text != before[name][attr] && text != m.Format(sai.Value{Num: n}) {
				r.t.Errorf("%s: %s is %s, was %q", name, attr, text, before[name][attr])
			}
		}
	}
}
