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
	"PORT|Ethernet0":                             {"lanes": lanes(0), "speed": "100000", "fec": "none", "autoneg": "off", "link_training": "off", "tpid": "0x8100", "pfc_asym": "off"},
	"PORT_QOS_MAP|Ethernet4":                     {"mpls_tc_to_tc_map": "A", "tc_to_pg_map": "A", "pfc_to_queue_map": "A", "pfc_to_pg_map": "A", "tc_to_dscp_map": "A", "tc_to_dot1p_map": "A", "dscp_to_fc_map": "A", "exp_to_fc_map": "A"},
	"SCHEDULER|dwrr":                             {"type": "DWRR", "weight": "14"},
	"SCHEDULER|strict":                           {"type": "STRICT", "meter_type": "bytes", "cir": "0"},
	"SCHEDULER|port":                             {"pir": "1000000000"},
	"WRED_PROFILE|A":                             {"wred_green_enable": "true", "green_min_threshold": "1000", "green_max_threshold": "2000", "ecn": "ecn_all"},
	"QUEUE|Ethernet0,Ethernet4|3-4":              {"scheduler": "dwrr", "wred_profile": "A"},
	"QUEUE|Ethernet0|3":                          {"scheduler": "strict"},
	"BUFFER_POOL|in":                             {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "65536"},
	"BUFFER_POOL|out":                            {"type": "egress", "mode": "static", "size": "1048576"},
	"BUFFER_PROFILE|lossless":                    {"pool": "in", "size": "4096", "dynamic_th": "-1", "xon": "2048", "xoff": "8192"},
	"BUFFER_PROFILE|lossy":                       {"pool": "in", "size": "0", "dynamic_th": "3"},
	"BUFFER_PROFILE|trim":                        {"pool": "out", "size": "0", "static_th": "65536", "packet_discard_action": "trim"},
	"BUFFER_PROFILE|out":                         {"pool": "out", "size": "1024", "static_th": "65536", "packet_discard_action": "drop"},
	"BUFFER_PG|Ethernet0,Ethernet4|3-4":          {"profile": "lossless"},
	"BUFFER_PG|Ethernet4|3":                      {"profile": "lossy"},
	"BUFFER_QUEUE|Ethernet0|3-4":                 {"profile": "out"},
	"BUFFER_QUEUE|Ethernet4|0-2":                 {"profile": "trim"},
	"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list@": "lossy,lossless"},
	"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0":  {"profile_list@": "out"},
	"SWITCH_TABLE|switch":                        {"ecmp_hash_seed": "10", "lag_hash_seed": "0", "fdb_aging_time": "600"},
	"XON_PFC|GLOBAL":                             {"enabled": "true"},
	"XON_PORT|Ethernet4":                         {"flow_control": "rx"},
	"XON_WRED|A":                                 {"mark": "dequeue"},
	"FLEX_COUNTER_TABLE|PORT":                    {"FLEX_COUNTER_STATUS": "enable"},
	"DEVICE_METADATA|localhost":                  {"hostname": "leaf1", "buffer_model": "traditional"},
}

// forwarding are rows of VLANs, interfaces, neighbours and routes.
var forwarding = map[string]redisdb.Fields{
	"DEVICE_METADATA|localhost":                {"mac": "02:00:00:00:10:00"},
	"VLAN|Vlan100":                             {"vlanid": "100"},
	"VLAN|Vlan200":                             {"vlanid": "200", "mtu": "1500"},
	"VLAN_MEMBER|Vlan100|Ethernet0":            {"tagging_mode": "untagged"},
	"VLAN_MEMBER|Vlan200|Ethernet0":            {"tagging_mode": "tagged"},
	"VLAN_INTERFACE|Vlan100":                   {"NULL": "NULL"},
	"VLAN_INTERFACE|Vlan200":                   {"mac_addr": "02:00:00:00:02:00"},
	"VLAN_INTERFACE|Vlan100|10.1.0.1/24":       {"NULL": "NULL"},
	"VLAN_INTERFACE|Vlan100|10.1.0.2/24":       {"NULL": "NULL"},
	"INTERFACE|Ethernet4":                      {"NULL": "NULL"},
	"INTERFACE|Ethernet4|10.0.0.0/31":          {"NULL": "NULL"},
	"INTERFACE|Ethernet4|fc00::1/126":          {"NULL": "NULL"},
	"LOOPBACK_INTERFACE|Loopback0":             {"NULL": "NULL"},
	"LOOPBACK_INTERFACE|Loopback0|10.9.0.1/32": {"NULL": "NULL"},
	"NEIGH|Ethernet4|10.0.0.1":                 {"neigh": "02:00:00:00:00:01", "family": "IPv4"},
	"NEIGH|Ethernet4|fc00::2":                  {"neigh": "02:00:00:00:00:01", "family": "IPv6"},
	"NEIGH|Vlan100|10.1.0.5":                   {"neigh": "02:00:00:00:01:05"},
	"STATIC_ROUTE|default|0.0.0.0/0":           {"nexthop": "10.0.0.1,10.1.0.5"},
	"STATIC_ROUTE|::/0":                        {"nexthop": "fc00::2", "ifname": "Ethernet4"},
	"STATIC_ROUTE|10.2.0.0/16":                 {"nexthop": "10.3.0.1,10.1.0.5", "distance": "1,5"},
	"STATIC_ROUTE|10.4.0.0/16":                 {"blackhole": "true"},
	"STATIC_ROUTE|10.5.0.0/16":                 {"ifname": "Ethernet4"},
}

// traditional and dynamic are rows of the buffer models.
var (
	traditional = map[string]redisdb.Fields{
		"DEVICE_METADATA|localhost":            {"buffer_model": "traditional"},
		"PORT|Ethernet4":                       {"lanes": lanes(1), "speed": "40000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":                   {"Ethernet0": "300m", "Ethernet4": "5m"},
		"PORT_QOS_MAP|Ethernet0":               {"pfc_enable": "2,3,4,6"},
		"PORT_QOS_MAP|Ethernet4":               {"pfc_enable": "3,4"},
		"BUFFER_POOL|ingress_lossless_pool":    {"type": "ingress", "mode": "dynamic", "size": "1048576"},
		"BUFFER_PROFILE|ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
		"BUFFER_PG|Ethernet0,Ethernet4|0":      {"profile": "ingress_lossy_profile"},
		"BUFFER_PG|Ethernet4|4":                {"profile": "ingress_lossy_profile"},
	}
	dynamic = map[string]redisdb.Fields{
		"DEVICE_METADATA|localhost":                  {"buffer_model": "dynamic", "platform": "vs"},
		"PORT|Ethernet0":                             {"lanes": lanes(0), "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":                         {"Ethernet0": "5m", "Ethernet4": "40m"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE":    {"default_dynamic_th": "0", "over_subscribe_ratio": "2"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":             {"mtu": "1024", "small_packet_percentage": "100"},
		"BUFFER_POOL|ingress_lossless_pool":          {"type": "ingress", "mode": "dynamic"},
		"BUFFER_POOL|egress_lossy_pool":              {"type": "egress", "mode": "dynamic", "size": "1048576"},
		"BUFFER_PROFILE|ingress_lossy_profile":       {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
		"BUFFER_PROFILE|egress_lossy_profile":        {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"},
		"BUFFER_PROFILE|mine":                        {"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "dynamic_th": "-2"},
		"BUFFER_PG|Ethernet0,Ethernet4|3-4":          {"profile": "NULL"},
		"BUFFER_PG|Ethernet0|6":                      {"profile": "mine"},
		"BUFFER_PG|Ethernet0|0":                      {"profile": "ingress_lossy_profile"},
		"BUFFER_QUEUE|Ethernet0,Ethernet4|0-2":       {"profile": "egress_lossy_profile"},
		"BUFFER_QUEUE|Ethernet4|8":                   {"profile": "egress_lossy_profile"},
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4": {"profile_list@": "ingress_lossy_profile"},
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet4":  {"profile_list@": "egress_lossy_profile"},
	}
)

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
func (r *rig) shuffled(rng *rand.Rand, rows map[string]redisdb.Fields, each func(b *redisdb.Batch, key string)) {
	r.t.Helper()
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(rows)), isPort)
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

// TestAnyOrder: the same rows in any order and batching end in the same ASIC_DB and
// APPL_DB, and when they are gone, in whatever order, nothing is left of them, nor of
// what was made because of them.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]map[string]redisdb.Fields{"several": several, "traditional": traditional, "dynamic": dynamic, "forwarding": forwarding} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			anyOrder(t, rows)
		})
	}
}

func anyOrder(t *testing.T, rows map[string]redisdb.Fields) {
	t.Helper()
	once := newModelRig(t, rows)
	once.atOnce(rows)
	want, fates, others := once.named(), once.fates(), once.others()
	for k, f := range fates {
		if f != "applied" && !strings.HasPrefix(f, "applied\n") {
			t.Errorf("%s %s", k, f)
		}
	}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 4))
		r := newModelRig(t, rows)
		initial, objects := r.named(), r.chip.ObjectCounts()
		r.shuffled(rng, rows, func(b *redisdb.Batch, k string) { b.Set(k, rows[k]) })
		for _, c := range []struct {
			what      string
			want, got any
		}{{"ASIC_DB", want, r.named()}, {"fates", fates, r.fates()}, {"derived rows and APPL_DB", others, r.others()}} {
			if diff := cmp.Diff(c.want, c.got); diff != "" {
				t.Errorf("seed %d: %s (-at once +in random order):\n%s", seed, c.what, diff)
			}
		}
		r.shuffled(rng, rows, func(b *redisdb.Batch, k string) { b.Delete(k) })
		r.isAgain(initial)
		if diff := cmp.Diff(objects, r.chip.ObjectCounts()); diff != "" {
			t.Errorf("seed %d: the chip's objects (-before +after):\n%s", seed, diff)
		}
		if others := r.others(); len(others) != 0 {
			t.Errorf("seed %d: left in CONFIG_DB and APPL_DB: %v", seed, others)
		}
		r.onlyPorts(seed)
	}
}

// onlyPorts checks that only the rows of ports and marks are left, and their fates.
func (r *rig) onlyPorts(seed uint64) {
	r.t.Helper()
	left, err := r.client.DB(redisdb.ConfigDB).All(r.t.Context(), "*|*")
	if err != nil {
		r.t.Fatal(err)
	}
	fates := r.fates()
	for _, keys := range [][]string{slices.Collect(maps.Keys(left)), slices.Collect(maps.Keys(fates))} {
		for _, k := range keys {
			table, _, _ := strings.Cut(k, "|")
			if table != "PORT" && table != "TABLES_TEST" && table != "DEVICE_METADATA" {
				r.t.Errorf("seed %d: %s is left", seed, k)
			}
		}
	}
}

// isPort reports whether a row is that of a port, which stays: without it there is no port.
func isPort(key string) bool { return strings.HasPrefix(key, "PORT|") }

// newModelRig is a rig that works by the model of rows, as which that is does not change
// while an agent runs, and has their ports.
func newModelRig(t *testing.T, rows map[string]redisdb.Fields) *rig {
	t.Helper()
	r := newRig(t)
	var b redisdb.Batch
	for k, f := range rows {
		if isPort(k) || k == "DEVICE_METADATA|localhost" {
			b.Set(k, f)
		}
	}
	r.write(&b)
	return r
}

func (r *rig) atOnce(rows map[string]redisdb.Fields) {
	r.t.Helper()
	var b redisdb.Batch
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		b.Set(k, rows[k])
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
