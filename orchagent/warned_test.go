package orchagent_test

import (
	"errors"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
)

// TestWarnsOfOthers: a transaction is told what it makes look wrong elsewhere, once.
func TestWarnsOfOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	for _, want := range []string{"PORT_QOS_MAP|Ethernet0: pfc_enable: priority 3 has no headroom on Ethernet0", ""} {
		out, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"BUFFER_PG|Ethernet0|3": {"profile": "lossy"}})})
		if got := strings.Join(out.Warnings, "; "); err != nil || got != want {
			t.Errorf("warned of %q, want %q; %v", got, want, err)
		}
	}
}

// TestChipLostInTransaction: that the chip went away is said once, and blames no row.
func TestChipLostInTransaction(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	n := 0
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op.Write() {
			n++
		}
		if n > 1 {
			return sai.StatusUninitialized
		}
		return 0
	})
	change := rows{
		"BUFFER_PG|Ethernet0|3": {"profile": "lossy"}, "BUFFER_PG|Ethernet4|3": {"profile": "lossy"},
		"PORT|Ethernet0": with("PORT|Ethernet0", fields{"mtu": "1500"}),
	}
	_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(change)})
	if !errors.Is(err, orchagent.ErrChipLost) {
		t.Errorf("error %v", err)
	}
	for k, f := range change {
		if r.db.snapshot()[k]["profile"] == "lossy" || f["mtu"] != "" && r.db.snapshot()[k]["mtu"] == f["mtu"] {
			t.Errorf("%s is stored", k)
		}
	}
}
