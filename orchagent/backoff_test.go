package orchagent_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xon/orchagent/bufmgr"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// noRoom has the chip have no room for what one index of a range asks for, and counts what
// is written to objects of the type.
type noRoom struct {
	full   atomic.Bool
	asked  atomic.Int32 // times that the one was refused
	others atomic.Int32 // successful writes of others
}

func (n *noRoom) call(typ sai.ObjectType, of func() sai.OID) func(vsai.Call) sai.Status {
	return func(c vsai.Call) sai.Status {
		if c.Op != vsai.OpSet || c.Object.Type != typ || c.IsBulk() {
			return 0
		}
		if c.Key.OID == of() && n.full.Load() && c.Attrs[0].Num != 0 {
			n.asked.Add(1)
			return sai.StatusInsufficientResources
		}
		n.others.Add(1)
		return 0
	}
}

// TestRangeWithoutRoom: of a range one index finds no room. The retries ask for that one
// alone, and a change of other rows brings none forward; with room all of it is there. Of
// priority groups the others have theirs at once.
func TestRangeWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		row    configdb.RowKey
		fields configdb.Fields
		typ    sai.ObjectType
		list   *sai.AttrMeta
		last   int32 // writes that it takes when there is room
	}{
		{"BUFFER_QUEUE|Ethernet0|0-7", configdb.Fields{"profile": "queue"}, sai.ObjectTypeQueue, sai.PortAttrQoSQueueList.AttrMeta, 8},
		{"QUEUE|Ethernet0|0-7", configdb.Fields{"wred_profile": "ecn"}, sai.ObjectTypeQueue, sai.PortAttrQoSQueueList.AttrMeta, 8},
		{"BUFFER_PG|Ethernet0|0-7", configdb.Fields{"profile": "lossy"}, sai.ObjectTypeIngressPriorityGroup, sai.PortAttrIngressPriorityGroupList.AttrMeta, 1},
	} {
		t.Run(string(tt.row), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { rangeWithoutRoom(t, tt.row, tt.fields, tt.typ, tt.list, tt.last) })
		})
	}
}

func rangeWithoutRoom(t *testing.T, row configdb.RowKey, f configdb.Fields, typ sai.ObjectType, list *sai.AttrMeta, last int32) {
	t.Helper()
	r := newRig(t, 2)
	start := small()
	for k := range start {
		if k.Table() == row.Table() && k.Key()[:9] == "Ethernet0" {
			delete(start, k)
		}
	}
	start["WRED_PROFILE|ecn"] = configdb.Fields{"ecn": "ecn_all", "green_min_threshold": "1000", "green_max_threshold": "2000", "green_drop_probability": "5", "wred_green_enable": "true"}
	delete(start, "PORT_QOS_MAP|Ethernet0")
	r.load(start)
	n := &noRoom{}
	n.full.Store(true)
	fifth := func() sai.OID {
		attrs := []sai.Attribute{{AttrMeta: list}}
		_ = r.chip.Get(sai.Port{}.Meta(), sai.Key{OID: r.chip.Ports()[0]}, attrs)
		ids, _ := attrs[0].Ref.([]sai.OID)
		return ids[5]
	}
	id := fifth()
	r.chip.OnCall(n.call(typ, func() sai.OID { return id }))
	r.change(rows{row: f})
	if s := r.agent.Fates()[row]; s.State != statedb.Waiting {
		t.Fatalf("%+v", s)
	}
	n.others.Store(0)
	time.Sleep(100 * time.Second)
	if asked := n.asked.Load(); n.others.Load() > 0 || asked < 5 || asked > 9 {
		t.Errorf("in 100 s the one was asked for %d times, the others written to %d times", asked, n.others.Load())
	}
	n.asked.Store(0)
	for i := range 30 {
		r.change(rows{"SCHEDULER|other": {"weight": fmt.Sprint(1 + i)}})
		time.Sleep(2 * time.Second)
	}
	if n.others.Load() > 0 || n.asked.Load() > 2 {
		t.Errorf("with changes of other rows the one was asked for %d times in 60 s, the others written to %d times", n.asked.Load(), n.others.Load())
	}
	n.full.Store(false)
	time.Sleep(2 * time.Minute)
	if s := r.agent.Fates()[row]; s.State != statedb.Applied || n.others.Load() != last {
		t.Errorf("with room %+v, %d writes", s, n.others.Load())
	}
	r.stop()
}

// TestPoolWithoutRoom: what rests on a pool that the chip has no room for says that it is
// not in force, not that it does not exist.
func TestPoolWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 1)
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if c.Op == vsai.OpCreate && c.Object.Type == sai.ObjectTypeBufferPool {
				return sai.StatusInsufficientResources
			}
			return 0
		})
		r.load(rows{
			"PORT|Ethernet0":                    {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
			"PORT_QOS_MAP|Ethernet0":            {"pfc_enable": "3"},
			"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"},
			"CABLE_LENGTH|AZURE":                {"Ethernet0": "5m"},
		})
		want := "BUFFER_PG|Ethernet0|3 is not made: BUFFER_POOL|ingress_lossless_pool is not in force"
		if w := r.agent.Fates()["PORT_QOS_MAP|Ethernet0"].Warnings; !slices.Contains(w, want) {
			t.Errorf("warnings %q, want %q", w, want)
		}
		_, err := r.agent.Headroom(t.Context(), "Ethernet0", bufmgr.Override{})
		if want := "; not counted, as they are not in force: BUFFER_POOL|ingress_lossless_pool"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("explained: %v, want an error that ends with %q", err, want)
		}
		r.stop()
	})
}
