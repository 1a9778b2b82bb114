package orchagent_test

import (
	"strings"
	"testing"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestBadCable: a port's length that is none harms no other port when it is found in
// the database, and refuses the transaction that brings it, but no other.
func TestBadCable(t *testing.T) {
	t.Parallel()
	const key = "CABLE_LENGTH|AZURE"
	r := newRig(t, 2)
	r.load(small(), rows{key: {"Ethernet0": "3,4", "Ethernet4": "5m"}})
	f := r.agent.Fates()[key]
	if w := strings.Join(f.Warnings, "; "); f.State == statedb.Refused || !strings.Contains(w, `field "Ethernet0" has no effect: "3,4" is not a length`) {
		t.Errorf("%s, warned of %q", f.State, w)
	}
	set := func(port, length string) error {
		_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: []configdb.Op{
			{Kind: configdb.Update, Table: "CABLE_LENGTH", Key: "AZURE", Fields: configdb.Fields{port: length}},
		}})
		return err
	}
	if err := set("Ethernet4", "40 m"); err == nil || !strings.Contains(err.Error(), `field "Ethernet4": "40 m" is not a length`) {
		t.Errorf("set to no length: %v", err)
	}
	if err := set("Ethernet4", "40m"); err != nil {
		t.Errorf("set beside a bad length: %v", err)
	}
}

// TestNewOriginBlamed: what the chip says against headroom is put down to the row that
// changed, not to another that it comes from too and that was in force with it.
func TestNewOriginBlamed(t *testing.T) {
	t.Parallel()
	const port, cable = "PORT|Ethernet0", "CABLE_LENGTH|AZURE"
	for _, changed := range []configdb.Change{
		{Row: port, Fields: configdb.Fields{"lanes": "1,2,3,4", "speed": "40000", "admin_status": "up"}},
		{Row: cable, Fields: configdb.Fields{"Ethernet0": "40m"}},
	} {
		r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
		r.load(rows{
			port:  {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
			cable: {"Ethernet0": "5m"}, "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"},
			"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "131072"},
		})
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if c.Op == vsai.OpCreate && c.Object.Type == sai.ObjectTypeBufferProfile {
				return sai.StatusInvalidParameter
			}
			return 0
		})
		if err := r.agent.Change(t.Context(), []configdb.Change{changed}); err != nil {
			t.Fatal(err)
		}
		for _, k := range []configdb.RowKey{port, cable, "PORT_QOS_MAP|Ethernet0"} {
			want := statedb.Applied
			if k == changed.Row {
				want = statedb.Refused
			}
			if f := r.agent.Fates()[k]; f.State != want {
				t.Errorf("after a change of %s, %s is %s: %s", changed.Row, k, f.State, f.Reason)
			}
		}
	}
}

// TestComputedHeadroomHoldsPool: a pool stays while priority groups have computed headroom
// in it, although their rows do not name it, and goes with them.
func TestComputedHeadroomHoldsPool(t *testing.T) {
	t.Parallel()
	const pool, pg = "BUFFER_POOL|ingress_lossless_pool", "BUFFER_PG|Ethernet0|3-4"
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
	r.load(rows{
		"DEVICE_METADATA|localhost":               {"buffer_model": configdb.Dynamic},
		"PORT|Ethernet0":                          {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		"CABLE_LENGTH|AZURE":                      {"Ethernet0": "5m"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
		pool:                                      {"type": "ingress", "mode": "dynamic", "size": "1048576"},
		pg:                                        {"profile": configdb.DynamicHeadroom},
	})
	if f := r.agent.Fates()[pg]; f.State != statedb.Applied {
		t.Fatalf("%+v", f)
	}
	before := r.actual().String()
	r.change(rows{pool: nil})
	if f := r.agent.Fates()[pool]; f.State != statedb.Waiting || f.On != pg {
		t.Errorf("removed: %+v", f)
	}
	if got := r.actual().String(); got != before {
		t.Errorf("the chip has\n%s\nand had\n%s", got, before)
	}
	r.change(rows{pg: nil})
	if f, there := r.agent.Fates()[pool]; there {
		t.Errorf("no longer needed: %+v", f)
	}
	if strings.Contains(r.actual().String(), "BUFFER_POOL") {
		t.Error("the pool is still there")
	}
}
