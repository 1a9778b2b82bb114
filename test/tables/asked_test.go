package tables_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/redisdb"
)

// asDefault are rows that ask for what the chip has anyhow, and other the same with other
// values.
var (
	asDefault = map[string]redisdb.Fields{
		"SWITCH_HASH|GLOBAL":     {"ecmp_hash_algorithm": "CRC", "lag_hash_algorithm": "CRC"},
		"SWITCH_TRIMMING|GLOBAL": {"size": "128", "dscp_value": "0", "queue_index": "0"},
		"SWITCH_TABLE|switch":    {"ecmp_hash_seed": "0"},
		"PORT|Ethernet0":         {"lanes": lanes(0), "speed": "100000", "fec": "none", "autoneg": "off", "link_training": "off", "tpid": "0x8100", "admin_status": "down", "mtu": "1492"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": ""},
		"SCHEDULER|s":            {"type": "WRR", "weight": "1", "meter_type": "bytes", "pir": "0"},
		"WRED_PROFILE|w":         {"wred_green_enable": "false", "green_min_threshold": "0", "green_drop_probability": "100"},
		"BUFFER_POOL|p":          {"type": "egress", "mode": "dynamic", "size": "1048576", "xoff": "0"},
		"BUFFER_PROFILE|f":       {"pool": "p", "size": "0", "dynamic_th": "0", "packet_discard_action": "drop"},
	}
	other = map[string]redisdb.Fields{
		"SWITCH_HASH|GLOBAL":     {"ecmp_hash_algorithm": "XOR", "lag_hash_algorithm": "RANDOM"},
		"SWITCH_TRIMMING|GLOBAL": {"size": "200", "dscp_value": "from-tc", "queue_index": "dynamic"},
		"SWITCH_TABLE|switch":    {"ecmp_hash_seed": "7"},
		"PORT|Ethernet0":         {"lanes": lanes(0), "speed": "40000", "fec": "rs", "autoneg": "on", "link_training": "on", "tpid": "0x9100", "admin_status": "up", "mtu": "9000"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "6"},
		"SCHEDULER|s":            {"type": "DWRR", "weight": "9", "meter_type": "packets", "pir": "8"},
		"WRED_PROFILE|w":         {"wred_green_enable": "true", "green_min_threshold": "9", "green_drop_probability": "5"},
		"BUFFER_POOL|p":          {"type": "egress", "mode": "dynamic", "size": "2097152", "xoff": "4096"},
		"BUFFER_PROFILE|f":       {"pool": "p", "size": "512", "dynamic_th": "3", "packet_discard_action": "trim"},
	}
)

// TestHistory: what ASIC_DB shows of rows does not depend on what they said before, nor on
// whether a call was needed.
func TestHistory(t *testing.T) {
	t.Parallel()
	want := newRig(t)
	want.atOnce(asDefault)
	for name, before := range map[string][]map[string]redisdb.Fields{
		"other values first": {other},
		"there and back":     {asDefault, other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			for _, rows := range append(before, asDefault) {
				r.atOnce(rows)
			}
			if diff := cmp.Diff(want.named(), r.named()); diff != "" {
				t.Errorf("ASIC_DB (-alone +after others):\n%s", diff)
			}
		})
	}
}

// TestGoneAndBack: rows that go leave the attributes as the chip has them then, and when
// they come back it is as at first.
func TestGoneAndBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.atOnce(asDefault)
	want := r.named()
	var b redisdb.Batch
	for k := range asDefault {
		if !isPort(k) {
			b.Delete(k)
		}
	}
	b.DeleteFields("PORT|Ethernet0", "fec", "autoneg", "link_training", "tpid", "admin_status", "mtu")
	r.write(&b)
	gone := r.named()
	for _, attr := range []string{"FEC_MODE", "AUTO_NEG_MODE", "LINK_TRAINING_ENABLE", "TPID", "ADMIN_STATE"} {
		attr = "SAI_PORT_ATTR_" + attr
		if was, now := want["PORT Ethernet0"][attr], gone["PORT Ethernet0"][attr]; was == "" || now != was {
			t.Errorf("%s is %q, and was %q", attr, now, was)
		}
	}
	r.atOnce(asDefault)
	if diff := cmp.Diff(want, r.named()); diff != "" {
		t.Errorf("ASIC_DB (-at first +again):\n%s", diff)
	}
}
