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

// TestSharedHeadroomTold: who makes groups need more shared headroom together than there
// is hears how many it is enough for, once; who does not hears nothing.
func TestSharedHeadroomTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	all := small()
	all["BUFFER_POOL|ingress"] = with("BUFFER_POOL|ingress", fields{"xoff": "100000"})
	r.load(all)
	for _, tt := range []struct {
		change rows
		want   string
	}{
		{rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "50000"})}, ""}, // two of them
		{
			rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "50001"})},
			"BUFFER_POOL|ingress: 2 lossless priority groups may need 100002 bytes of shared headroom together, the pool has 100000: certainly enough for 1 of them at a time (before: 100000 of 100000)",
		},
		{rows{"PORT|Ethernet0": with("PORT|Ethernet0", fields{"mtu": "1500"})}, ""},
		{
			rows{"BUFFER_POOL|ingress": with("BUFFER_POOL|ingress", fields{"xoff": "90000"})},
			"BUFFER_POOL|ingress: 2 lossless priority groups may need 100002 bytes of shared headroom together, the pool has 90000: certainly enough for 1 of them at a time (before: 100002 of 100000)",
		},
	} {
		req := orchagent.Request{Ops: ops(tt.change)}
		plan, err := r.agent.Plan(t.Context(), req)
		if got := strings.Join(plan.Warnings, "; "); err != nil || got != tt.want {
			t.Errorf("%v is planned with %q, want %q; %v", tt.change, got, tt.want, err)
		}
		out, err := r.agent.Transact(t.Context(), req)
		if got := strings.Join(out.Warnings, "; "); err != nil || got != tt.want {
			t.Errorf("%v is warned of with %q, want %q; %v", tt.change, got, tt.want, err)
		}
	}
}
