package vstest_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent/vstest"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// rig is a chip with somebody who listens to tests.
type rig struct {
	c    *redisdb.Client
	chip *vsai.Chip
	sw   *sai.Switch
	logs *test.Hook
	// changes counts how often the agent would have been told.
	changes atomic.Int32
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{c: redistest.Open(t), chip: vsai.New(vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{1}, SpeedMbps: 10000}}})}
	r.sw = &sai.Switch{Driver: r.chip}
	var err error
	if r.sw.ID, err = sai.Create(r.sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	log, logs := test.NewNullLogger()
	log.SetLevel(logrus.DebugLevel)
	r.logs = logs
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := vstest.Run(ctx, vstest.Config{Client: r.c, Chip: r.chip, Changed: r.changed, Log: log}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); wg.Wait() })
	return r
}

func (r *rig) changed(context.Context) error {
	r.changes.Add(1)
	return nil
}

// ask sends a message and waits until it was done or refused.
func (r *rig) ask(t *testing.T, text string) (done bool) {
	t.Helper()
	n, err := redisdb.ParseNotification(text)
	if err != nil {
		t.Fatal(err)
	}
	before := len(r.logs.AllEntries())
	redistest.Eventually(t, "somebody hears "+text, func() bool {
		heard, err := r.c.Notify(t.Context(), vstest.Channel, n)
		return heard > 0 && err == nil
	})
	redistest.Eventually(t, "the answer to "+text, func() bool { return len(r.logs.AllEntries()) > before })
	return r.logs.LastEntry().Level == logrus.DebugLevel
}

func (r *rig) queue(t *testing.T) sai.OID {
	t.Helper()
	keys, st := r.chip.Objects(r.sw.ID.OID(), sai.Queue{}.Meta())
	if st != 0 || len(keys) == 0 {
		t.Fatal(st, keys)
	}
	return keys[0].OID
}

func TestInject(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q := r.queue(t)
	if !r.ask(t, fmt.Sprintf(`["set_stats","%v","SAI_QUEUE_STAT_PACKETS","17","SAI_QUEUE_STAT_BYTES","18446744073709551615"]`, q)) {
		t.Error(r.logs.LastEntry())
	}
	out := make([]uint64, 2)
	if err := sai.Stats(r.sw, sai.ID[sai.Queue](q), []sai.Stat[sai.Queue]{sai.QueueStatPackets, sai.QueueStatBytes}, out); err != nil || out[0] != 17 || out[1] != 1<<64-1 {
		t.Error(out, err)
	}
	set := fmt.Sprintf(`["set_ro","SAI_OBJECT_TYPE_SWITCH:%v","SAI_SWITCH_ATTR_NUMBER_OF_UNICAST_QUEUES","5"]`, r.sw.ID.OID())
	if r.ask(t, set) {
		t.Error("an attribute was set although nobody had enabled that")
	}
	if !r.ask(t, `["enable_unittests","true"]`) || !r.ask(t, set) {
		t.Error(r.logs.LastEntry())
	}
	if n, err := sai.Get(r.sw, r.sw.ID, sai.SwitchAttrNumberOfUnicastQueues); n != 5 || err != nil {
		t.Error(n, err)
	}
	redistest.Eventually(t, "the agent hears of the attribute", func() bool { return r.changes.Load() == 1 })
	if !r.ask(t, `["enable_unittests","false"]`) || r.ask(t, set) {
		t.Error("an attribute was set although that was disabled again")
	}
}

// TestBadMessages: what can't be done is told, and changes nothing.
func TestBadMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	q, sw := r.queue(t), r.sw.ID.OID()
	r.ask(t, `["enable_unittests","true"]`)
	before := r.chip.Dump()
	for _, text := range []string{
		`["set_stats","nothing","SAI_QUEUE_STAT_PACKETS","1"]`,
		`["set_stats","oid:0x15000000ffffff","SAI_QUEUE_STAT_PACKETS","1"]`,
		fmt.Sprintf(`["set_stats","%v","SAI_QUEUE_STAT_NOTHING","1"]`, q),
		fmt.Sprintf(`["set_stats","%v","SAI_PORT_STAT_IF_IN_OCTETS","1"]`, q),
		fmt.Sprintf(`["set_stats","%v","SAI_QUEUE_STAT_PACKETS","-1"]`, q),
		`["set_ro","SAI_OBJECT_TYPE_SWITCH","SAI_SWITCH_ATTR_PORT_NUMBER","1"]`,
		fmt.Sprintf(`["set_ro","SAI_OBJECT_TYPE_NOTHING:%v","SAI_SWITCH_ATTR_PORT_NUMBER","1"]`, sw),
		fmt.Sprintf(`["set_ro","SAI_OBJECT_TYPE_SWITCH:%v","SAI_SWITCH_ATTR_NOTHING","1"]`, sw),
		fmt.Sprintf(`["set_ro","SAI_OBJECT_TYPE_SWITCH:%v","SAI_SWITCH_ATTR_NUMBER_OF_UNICAST_QUEUES","many"]`, sw),
		fmt.Sprintf(`["set_ro","SAI_OBJECT_TYPE_SWITCH:%v","SAI_SWITCH_ATTR_FDB_AGING_TIME","1"]`, sw),
		`["dance","now"]`,
	} {
		if r.ask(t, text) {
			t.Errorf("%s: done", text)
		}
	}
	if after := r.chip.Dump(); after != before {
		t.Errorf("the chip changed:\n%s\n%s", before, after)
	}
}

// TestPeer: a test takes the peer of a port down, which the chip notifies, and back up.
func TestPeer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	port := sai.ID[sai.Port](r.chip.Ports()[0])
	if err := sai.Set(r.sw, port, sai.PortAttrAdminState.Is(true)); err != nil {
		t.Fatal(err)
	}
	states := make(chan sai.PortOperStatus, 8)
	token := r.chip.Notify(sai.OnPortStateChange, func(n sai.Notification) {
		for _, e := range sai.Elems[sai.PortOperStatusNotification](n) {
			states <- e.PortState
		}
	})
	if st := r.sw.Set(sai.SwitchObject{}.Meta(), sai.Key{OID: r.sw.ID.OID()}, sai.Attribute{AttrMeta: sai.SwitchAttrPortStateChangeNotify.AttrMeta, Value: token}); st != 0 {
		t.Fatal(st)
	}
	r.ask(t, `["enable_unittests","true"]`)
	say := func(state string) bool {
		return r.ask(t, fmt.Sprintf(`["set_ro","SAI_OBJECT_TYPE_PORT:%v","SAI_PORT_ATTR_OPER_STATUS","SAI_PORT_OPER_STATUS_%s"]`, port.OID(), state))
	}
	for _, tt := range []struct {
		state string
		want  sai.PortOperStatus
	}{{"DOWN", sai.PortOperStatusDown}, {"UP", sai.PortOperStatusUp}} {
		if !say(tt.state) {
			t.Error(r.logs.LastEntry())
		}
		if got := <-states; got != tt.want {
			t.Errorf("%s: notified %v", tt.state, got)
		}
		if got, err := sai.Get(r.sw, port, sai.PortAttrOperStatus); got != tt.want || err != nil {
			t.Errorf("%s: the port is %v %v", tt.state, got, err)
		}
	}
	if say("TESTING") {
		t.Error("a peer is neither up nor down")
	}
}
