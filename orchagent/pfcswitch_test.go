package orchagent_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestPFCSwitchRefused: what the chip says to XON_PFC is put down to that row, not to
// the rows of ports whose pausing it changes; and 802.3x that the chip refuses leaves
// PFC on.
func TestPFCSwitchRefused(t *testing.T) {
	t.Parallel()
	refusing := func(a *sai.AttrMeta) func(vsai.Call) sai.Status {
		return func(c vsai.Call) sai.Status {
			if c.Op == vsai.OpSet && !c.IsBulk() && c.Attrs[0].AttrMeta == a {
				return sai.StatusInvalidAttrValue0
			}
			return 0
		}
	}
	const xonPFC, maps, whole = configdb.XonPFCKey, configdb.RowKey("PORT_QOS_MAP|Ethernet0"), configdb.RowKey("XON_PORT|Ethernet0")
	off := rows{xonPFC: {"enabled": "false"}}
	for _, tt := range []struct {
		name          string
		before, after rows
		refused       configdb.RowKey
		paused        uint64 // by Ethernet0
		attr          *sai.AttrMeta
	}{
		{"off", nil, off, xonPFC, 0x8, sai.PortAttrPriorityFlowControl.AttrMeta},
		{"on", off, rows{xonPFC: {"enabled": "true"}}, xonPFC, 0, sai.PortAttrPriorityFlowControl.AttrMeta},
		{"gone", off, rows{xonPFC: nil}, xonPFC, 0, sai.PortAttrPriorityFlowControl.AttrMeta},
		{"802.3x", rows{maps: with(maps, fields{"pfc_enable": ""})}, rows{whole: {"flow_control": "both"}}, whole, 0, sai.PortAttrGlobalFlowControlMode.AttrMeta},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small())
			if tt.before != nil {
				r.change(tt.before)
			}
			r.chip.OnCall(refusing(tt.attr))
			r.change(tt.after)
			for k, f := range r.agent.Fates() {
				if (k == tt.refused) != (f.State == statedb.Refused) {
					t.Errorf("%s: %+v", k, f)
				}
			}
			if m := r.paused(r.pfcPorts(2)["Ethernet0"]); m != tt.paused {
				t.Errorf("Ethernet0 pauses %#x, want %#x", m, tt.paused)
			}
		})
	}
}
