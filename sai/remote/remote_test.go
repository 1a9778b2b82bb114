package remote_test

import (
	"errors"
	"net"
	"strings"
	"sync"
	"testing"

	"xon/sai"
	"xon/sai/remote"
	"xon/sai/saitest"
	"xon/sai/vsai"
)

// TestSuite runs what every driver passes, through the socket.
func TestSuite(t *testing.T) {
	t.Parallel()
	saitest.Run(t, func(t *testing.T) sai.Driver {
		return startChip(t, vsai.Config{Ports: layout(3)}).dial(t)
	})
}

// TestOneAgent: a second agent is rejected with the name of the first; when the first
// is gone the next is served, and finds everything unchanged.
func TestOneAgent(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{Ports: layout(2)})
	a := p.dial(t)
	sw := boot(t, a)
	id, err := sai.Create(sw, sai.SchedulerAttrSchedulingWeight.Is(7))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetNames(map[string]sai.OID{"s": id.OID()}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = remote.Dial(t.Context(), p.path)
	if !errors.Is(err, remote.ErrBusy) || !strings.Contains(err.Error(), "remote.test[") {
		t.Fatal(err)
	}
	dump := p.chip.Dump()
	_ = a.Close()
	if err := a.Err(); !errors.Is(err, remote.ErrClosed) {
		t.Error(err)
	}
	b := p.redial(t)
	if p.chip.Dump() != dump {
		t.Error("the chip changed when its agent went")
	}
	names, err := b.Names()
	if err != nil || names["s"] != id.OID() {
		t.Error(names, err)
	}
	keys, st := b.Objects(0, sai.SwitchObject{}.Meta())
	if st != 0 || len(keys) != 1 || keys[0].OID != sw.ID.OID() {
		t.Error(keys, st)
	}
}

// TestManyAgents: of many that come at once one is served.
func TestManyAgents(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{})
	var wg sync.WaitGroup
	clients := make(chan *remote.Client, 10)
	for range 10 {
		wg.Go(func() {
			c, err := remote.Dial(t.Context(), p.path)
			if err == nil {
				clients <- c
			} else if !errors.Is(err, remote.ErrBusy) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	close(clients)
	if len(clients) != 1 {
		t.Fatal(len(clients), "served")
	}
	_ = (<-clients).Close()
}

// TestChipGone: calls return, those under way too, and say that it is lost.
func TestChipGone(t *testing.T) {
	t.Parallel()
	chip := vsai.New(vsai.Config{Ports: layout(2)})
	p := start(t, chip, chip)
	c := p.dial(t)
	sw := boot(t, c)
	entered, leave := make(chan struct{}), make(chan struct{})
	chip.OnCall(func(call vsai.Call) sai.Status {
		if call.Op == vsai.OpClearStats {
			close(entered)
			<-leave
		}
		return 0
	})
	under := make(chan sai.Status, 1)
	go func() { under <- c.ClearStats(sai.Queue{}.Meta(), sai.Key{OID: 1}, nil) }()
	<-entered
	go p.stop() // waits for the call
	if err := lost(t, c); !strings.Contains(err.Error(), "chip process") {
		t.Error(err)
	}
	if st := <-under; st != remote.StatusLost {
		t.Error(st)
	}
	close(leave)
	st := []sai.Status{9, 9}
	ids := []sai.OID{9, 9}
	if s := c.BulkCreate(sai.Scheduler{}.Meta(), sw.ID.OID(), make([][]sai.Attribute, 2), true, ids, st); s != remote.StatusLost || st[1] != remote.StatusLost || ids[1] != 0 {
		t.Error(s, st, ids)
	}
	if _, err := sai.Get(sw, sw.ID, sai.SwitchAttrCPUPort); !errors.Is(err, remote.StatusLost) {
		t.Error(err)
	}
	if _, err := c.Names(); err == nil || !strings.Contains(err.Error(), "chip process") {
		t.Error(err)
	}
	if v := c.Notify(sai.OnPortStateChange, func(sai.Notification) {}); v.Num != 0 {
		t.Error(v)
	}
	_ = c.Close()
}

// TestVanishedAgent: one that is killed in the middle of a message leaves
// nothing behind, not even what it subscribed to.
func TestVanishedAgent(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{Ports: layout(2)})
	raw, err := net.Dial("unix", p.path)
	if err != nil {
		t.Fatal(err)
	}
	hello(t, raw)
	send(t, raw, 1, 16, []byte{2, 1}) // subscribe to port states
	reply(t, raw)
	if _, err := raw.Write([]byte{200, 0, 0, 0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	_ = raw.Close()
	c := p.redial(t)
	sw := boot(t, c)
	got := make(chan sai.Notification, 10)
	token := c.Notify(sai.OnPortStateChange, func(n sai.Notification) { got <- n })
	arm := sai.Attribute{AttrMeta: sai.SwitchAttrPortStateChangeNotify.AttrMeta, Value: token}
	if st := c.Set(sai.SwitchObject{}.Meta(), sai.Key{OID: sw.ID.OID()}, arm); st != 0 {
		t.Fatal(st)
	}
	port := p.chip.Ports()[1]
	if err := sai.Set(sw, sai.ID[sai.Port](port), sai.PortAttrAdminState.Is(true)); err != nil {
		t.Fatal(err)
	}
	n := <-got
	e := sai.Elems[sai.PortOperStatusNotification](n)
	if n.NotifyMeta != sai.OnPortStateChange || n.Switch != sw.ID.OID() || len(e) != 1 || e[0].PortID != port {
		t.Error(n, e)
	}
}

// TestUnsubscribed: after an agent is gone or has unsubscribed, nothing is sent.
func TestUnsubscribed(t *testing.T) {
	t.Parallel()
	d := &subscriptions{Driver: vsai.New(vsai.Config{})}
	p := start(t, d, nil)
	c := p.dial(t)
	c.Notify(sai.OnPortStateChange, func(sai.Notification) {})
	c.Notify(sai.OnQueuePFCDeadlock, func(sai.Notification) {})
	if d.count() != 2 {
		t.Error(d.count())
	}
	c.Notify(sai.OnPortStateChange, nil)
	if d.count() != 1 {
		t.Error(d.count())
	}
	_ = c.Close()
	eventually(t, "unsubscribe", func() bool { return d.count() == 0 })
	if _, err := p.redial(t).Names(); !errors.Is(err, sai.StatusNotSupported) {
		t.Error(err)
	}
}

// subscriptions counts them.
type subscriptions struct {
	sai.Driver
	mu sync.Mutex
	on map[*sai.NotifyMeta]bool
}

func (d *subscriptions) Notify(n *sai.NotifyMeta, f func(sai.Notification)) sai.Value {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.on == nil {
		d.on = map[*sai.NotifyMeta]bool{}
	}
	if f != nil {
		d.on[n] = true
	} else {
		delete(d.on, n)
	}
	return sai.Value{Num: 1}
}

func (d *subscriptions) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.on)
}

// TestNotificationFlood: none is lost or reordered, and calls continue meanwhile.
func TestNotificationFlood(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{Ports: layout(2)})
	c := p.dial(t)
	sw := boot(t, c)
	const n = 5000
	got := make(chan uint64, n)
	token := c.Notify(sai.OnQueuePFCDeadlock, func(x sai.Notification) {
		got <- uint64(sai.Elems[sai.QueueDeadlockNotificationData](x)[0].QueueID)
	})
	arm := sai.Attribute{AttrMeta: sai.SwitchAttrQueuePFCDeadlockNotify.AttrMeta, Value: token}
	if st := c.Set(sai.SwitchObject{}.Meta(), sai.Key{OID: sw.ID.OID()}, arm); st != 0 {
		t.Fatal(st)
	}
	for i := range n {
		p.chip.Post(sai.Notification{NotifyMeta: sai.OnQueuePFCDeadlock, Data: sai.Bytes(sai.QueueDeadlockNotificationData{QueueID: sai.OID(i)})})
		if i%100 == 0 {
			if _, err := sai.Get(sw, sw.ID, sai.SwitchAttrCPUPort); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range uint64(n) {
		if x := <-got; x != i {
			t.Fatalf("event %d came as %d", x, i)
		}
	}
}

// TestUrgentCall: a call does not wait for a slow one.
func TestUrgentCall(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{Ports: layout(2)})
	c := p.dial(t)
	sw := boot(t, c)
	entered, leave := make(chan struct{}), make(chan struct{})
	p.chip.OnCall(func(call vsai.Call) sai.Status {
		if call.Op == vsai.OpClearStats {
			close(entered)
			<-leave
		}
		return 0
	})
	done := make(chan sai.Status, 1)
	go func() {
		done <- c.ClearStats(sai.SwitchObject{}.Meta(), sai.Key{OID: sw.ID.OID()}, nil)
	}()
	<-entered
	if err := sai.Set(sw, sw.ID, sai.SwitchAttrFDBAgingTime.Is(9)); err != nil {
		t.Error(err)
	}
	close(leave)
	if st := <-done; st != 0 {
		t.Error(st)
	}
}

// TestPanic: a driver that panics fails that call; the chip keeps running.
func TestPanic(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{})
	c := p.dial(t)
	p.chip.OnCall(func(vsai.Call) sai.Status { panic("a bug") })
	if st := c.Remove(sai.Queue{}.Meta(), sai.Key{}); st != sai.StatusFailure {
		t.Error(st)
	}
	each := make([]sai.Status, 3)
	if st := c.BulkRemove(sai.Queue{}.Meta(), make([]sai.Key, 3), true, each); st != sai.StatusFailure || each[2] != sai.StatusFailure {
		t.Error(st, each)
	}
	p.chip.OnCall(nil)
	boot(t, c)
}

// TestBadValues: values that their kinds cannot have are refused by the driver,
// as they would be in process.
func TestBadValues(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{})
	c := p.dial(t)
	sw := boot(t, c)
	create := func(o sai.Object, a ...sai.Attribute) sai.Status {
		_, st := c.Create(o.Meta(), sw.ID.OID(), sai.Key{}, a)
		return st
	}
	meter := sai.SchedulerAttrMeterType.Is(sai.MeterTypeBytes).Attribute
	wide := sai.Attribute{AttrMeta: sai.SchedulerAttrSchedulingWeight.AttrMeta, Value: sai.Value{Num: 300}}
	if st := create(sai.Scheduler{}, meter, wide); st != sai.StatusInvalidAttrValue0-1 {
		t.Error(st)
	}
	typ := sai.QoSMapAttrType.Is(0).Attribute
	kind := sai.Attribute{AttrMeta: sai.QoSMapAttrMapToValueList.AttrMeta, Value: sai.Value{Ref: "x"}}
	if st := create(sai.QoSMap{}, typ, kind); st != sai.StatusInvalidAttrValue0-1 {
		t.Error(st)
	}
	if st := create(sai.Scheduler{}, sai.Attribute{}); st != sai.StatusUnknownAttribute0 {
		t.Error(st)
	}
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

// TestHuge: a message that is too large is refused without harm.
func TestHuge(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{})
	c := p.dial(t)
	sw := boot(t, c)
	if err := c.SetNames(map[string]sai.OID{strings.Repeat("x", 70<<20): sw.ID.OID()}, nil); !errors.Is(err, sai.StatusBufferOverflow) {
		t.Error(err)
	}
	keys := make([]sai.OID, 40_000) // times 250 counters: 80 MB
	for i := range keys {
		keys[i] = p.chip.Ports()[0]
	}
	var ids []uint32
	for _, s := range (sai.Port{}.Meta()).Stats[:250] {
		ids = append(ids, s.ID)
	}
	each := make([]sai.Status, len(keys))
	if st := c.BulkStats(sai.Port{}.Meta(), sw.ID.OID(), keys, ids, sai.StatsModeBulkRead, each, make([]uint64, len(keys)*len(ids))); st != sai.StatusBufferOverflow || each[5] != st {
		t.Error(st)
	}
	if n := c.Version(); n != sai.FactsVersion {
		t.Error(n)
	}
	if err := sai.Set(sw, sw.ID, sai.SwitchAttrFDBAgingTime.Is(9)); err != nil {
		t.Error(err)
	}
}
