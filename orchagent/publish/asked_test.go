package publish_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/test/scale"
)

// TestAsked: what rows ask for is in ASIC_DB also where the chip has it so already, whoever
// made or emptied the database: after a restart, and after everything was lost.
func TestAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	rows := scale.Load(2)
	rows["SWITCH_HASH|GLOBAL"] = configdb.Fields{"ecmp_hash_algorithm": "CRC"}
	rows["PORT|Ethernet0"]["autoneg"] = "off"
	rows["BUFFER_PROFILE|queue3_profile"]["packet_discard_action"] = "drop"
	writes := r.chip.Writes()
	r.load(rows)
	read := func() map[string]redisdb.Fields {
		return r.all(redisdb.ASICDB, redisdb.ASICDB.Pattern(asicdb.StateTable))
	}
	want := read()
	for attr, text := range map[string]string{
		"SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_ALGORITHM":          "SAI_HASH_ALGORITHM_CRC",
		"SAI_PORT_ATTR_AUTO_NEG_MODE":                          "false",
		"SAI_BUFFER_PROFILE_ATTR_PACKET_ADMISSION_FAIL_ACTION": "SAI_BUFFER_PROFILE_PACKET_ADMISSION_FAIL_ACTION_DROP",
	} {
		n := 0
		for _, f := range want {
			if f[attr] == text {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d objects have %s=%s, want 1", n, attr, text)
		}
	}
	r.check()
	writes = r.chip.Writes() - writes
	same := func(what string) {
		t.Helper()
		if diff := cmp.Diff(want, read()); diff != "" {
			t.Errorf("ASIC_DB (-at first +%s):\n%s", what, diff)
		}
	}
	before := r.chip.Writes()
	r.stop()
	r.start()
	r.load(rows)
	same("after a restart")
	r.clear(redisdb.ASICDB)
	r.load(rows)
	redistest.Eventually(t, "ASIC_DB is whole again", func() bool { return len(read()) == len(want) })
	same("after it was emptied")
	if n := r.chip.Writes() - before; n > 0 || writes == 0 {
		t.Errorf("%d writes to the chip, want none beside the first %d", n, writes)
	}
}
