package orchagent_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// give gives the chip a limit, as tests of SONiC do.
func (r *rig) give(a sai.Attribute) {
	r.t.Helper()
	if err := r.chip.SetReadOnly(r.sw.ID.OID(), a); err != nil {
		r.t.Fatal(err)
	}
}

// TestLimitsNow: rows meet the limits that the chip has now, not those of its start, and
// the chip itself goes by them.
func TestLimitsNow(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key   configdb.RowKey
		row   fields
		more  sai.Attribute
		less  sai.Attribute
		field string
		says  string
	}{
		"forwarding classes": {
			"DSCP_TO_FC_MAP|m",
			fields{"1": "40"},
			sai.SwitchAttrMaxNumberOfForwardingClasses.Is(63).Attribute,
			sai.SwitchAttrMaxNumberOfForwardingClasses.Is(40).Attribute, "1", "forwarding classes 0 to 39",
		},
		"traffic classes": {
			"DSCP_TO_TC_MAP|m",
			fields{"1": "12"},
			sai.SwitchAttrQoSMaxNumberOfTrafficClasses.Is(16).Attribute,
			sai.SwitchAttrQoSMaxNumberOfTrafficClasses.Is(8).Attribute, "1", "traffic classes 0 to 7",
		},
		"queues": {
			"SWITCH_TRIMMING|GLOBAL",
			fields{"size": "256", "dscp_value": "48", "queue_index": "6"},
			sai.SwitchAttrNumberOfUnicastQueues.Is(8).Attribute,
			sai.SwitchAttrNumberOfUnicastQueues.Is(5).Attribute, "queue_index", "unicast queues 0 to 4",
		},
		"memory": {
			"BUFFER_POOL|p",
			fields{"type": "ingress", "mode": "dynamic", "size": "40000000000"},
			sai.SwitchAttrTotalBufferSize.Is(50_000_000).Attribute,
			sai.SwitchAttrTotalBufferSize.Is(30_000_000).Attribute, "size", "the chip has 30720000000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			defer r.stop()
			r.load(nil)
			r.give(tt.more)
			r.change(rows{tt.key: tt.row})
			if f := r.agent.Fates()[tt.key]; f.State != statedb.Applied {
				t.Errorf("%+v", f)
			}
			r.change(rows{tt.key: nil})
			r.give(tt.less)
			r.change(rows{tt.key: tt.row})
			if f := r.agent.Fates()[tt.key]; f.State != statedb.Refused || f.Field != tt.field || !strings.Contains(f.Reason, tt.says) {
				t.Errorf("%+v", f)
			}
			r.give(tt.more)
			if err := r.agent.LimitsChanged(t.Context()); err != nil {
				t.Fatal(err)
			}
			if f := r.agent.Fates()[tt.key]; f.State != statedb.Applied {
				t.Errorf("after the limit changed: %+v", f)
			}
			writes := r.chip.Writes()
			if err := r.agent.LimitsChanged(t.Context()); err != nil || r.chip.Writes() != writes {
				t.Error("nothing changed, but something was written", err)
			}
		})
	}
}

// TestLimitsOfTransaction: so do rows of a transaction.
func TestLimitsOfTransaction(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	defer r.stop()
	r.load(small())
	set := func() error {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(rows{"DSCP_TO_FC_MAP|m": {"1": "40"}})})
		return err
	}
	if err := set(); err == nil || !strings.Contains(err.Error(), "forwarding classes 0 to 15") {
		t.Error(err)
	}
	r.give(sai.SwitchAttrMaxNumberOfForwardingClasses.Is(63).Attribute)
	if err := set(); err != nil {
		t.Error(err)
	}
	for k, f := range r.agent.Fates() {
		if f.State != statedb.Applied {
			t.Errorf("%s: %+v", k, f)
		}
	}
}

// TestLimitsUnread: limits that can't be read stay what they were.
func TestLimitsUnread(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	defer r.stop()
	r.load(nil)
	r.give(sai.SwitchAttrMaxNumberOfForwardingClasses.Is(63).Attribute)
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if !c.Op.Write() {
			return sai.StatusFailure
		}
		return 0
	})
	r.change(rows{"DSCP_TO_FC_MAP|m": {"1": "40"}})
	r.chip.OnCall(nil)
	if f := r.agent.Fates()["DSCP_TO_FC_MAP|m"]; f.State != statedb.Refused || !strings.Contains(f.Reason, "0 to 15") {
		t.Errorf("%+v", f)
	}
	if err := r.agent.LimitsChanged(t.Context()); err != nil {
		t.Error(errors.Unwrap(err))
	}
	if f := r.agent.Fates()["DSCP_TO_FC_MAP|m"]; f.State != statedb.Applied {
		t.Errorf("%+v", f)
	}
}

// TestLimitsThatCanNotBeRead: a chip that does not tell its memory for a moment takes no
// pool away whose size comes from that.
func TestLimitsThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	pool := configdb.RowKey("BUFFER_POOL|ingress_lossless_pool")
	r.load(configdb.RawRows{
		"DEVICE_METADATA|localhost": {"buffer_model": "dynamic"},
		pool:                        {"type": "ingress", "mode": "dynamic"},
	})
	lossless := graph.Key{Type: sai.ObjectTypeBufferPool, Name: pool.Key()}
	before := r.actual()[lossless]
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpGet && slices.ContainsFunc(c.Attrs, func(a sai.Attribute) bool { return a.AttrMeta == sai.SwitchAttrTotalBufferSize.AttrMeta }) {
			return sai.StatusNotSupported
		}
		return sai.StatusSuccess
	})
	r.change(rows{"BUFFER_POOL|other": {"type": "egress", "mode": "dynamic", "size": "1024"}})
	if got := r.actual()[lossless]; before == nil || got == nil || !slices.Equal(got.Attrs, before.Attrs) {
		t.Errorf("the chip has the pool %v, and had %v", got, before)
	}
}
