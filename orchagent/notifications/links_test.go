package notifications_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent/notifications"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/redistest"
)

func of(id sai.OID, up bool) sai.Notification {
	s := sai.PortOperStatusNotification{PortID: id, PortState: sai.PortOperStatusDown}
	if up {
		s.PortState = sai.PortOperStatusUp
	}
	return sai.Notification{NotifyMeta: sai.OnPortStateChange, Data: sai.Bytes(s)}
}

// TestLinks: news that comes while other news is taken up is put together; what can't be
// taken up is told again, with what came since.
func TestLinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, ctx, busy, told := notifications.NewLinks(), t.Context(), make(chan error), make(chan map[sai.OID]bool, 10)
		go func() {
			_ = l.Run(ctx, func(_ context.Context, up map[sai.OID]bool) error {
				told <- up
				return <-busy
			})
		}()
		hear := func(id sai.OID, up bool) { l.Hear(of(id, up)); synctest.Wait() }
		expect := func(what string, want ...map[sai.OID]bool) {
			t.Helper()
			synctest.Wait()
			var got []map[sai.OID]bool
			for len(told) > 0 {
				got = append(got, <-told)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		hear(1, true)
		expect("the first news", map[sai.OID]bool{1: true})
		for i := range 100_001 {
			l.Hear(of(1, i%2 > 0))
			l.Hear(of(2, i%2 == 0))
		}
		expect("while that is taken up")
		busy <- nil
		expect("a storm", map[sai.OID]bool{1: false, 2: true})
		hear(2, false)
		busy <- errors.New("not now")
		expect("right after a failure")
		time.Sleep(2 * time.Second)
		expect("a failure", map[sai.OID]bool{1: false, 2: false})
		busy <- nil
		time.Sleep(time.Hour)
		expect("nothing new")
	})
}

// quiet is a chip that loses notifications; tell gets one through.
type quiet struct {
	*vsai.Chip
	tell func(sai.Notification)
}

func (q *quiet) Notify(n *sai.NotifyMeta, f func(sai.Notification)) sai.Value {
	if f != nil {
		q.tell = f
	}
	return q.Chip.Notify(n, func(sai.Notification) {})
}

// listening is a hub that listens to a quiet chip of two ports, the first of which is up.
func listening(t *testing.T) (chip *quiet, set func(sai.OID, bool), heard chan sai.Notification, h *notifications.Hub) {
	t.Helper()
	chip = &quiet{Chip: vsai.New(vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{1}, SpeedMbps: 10000}, {Lanes: []uint32{2}, SpeedMbps: 10000}}})}
	sw := &sai.Switch{Driver: chip}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	h = notifications.New(notifications.Config{Switch: sw, Client: redistest.Open(t), Log: log, Compare: time.Millisecond})
	heard = make(chan sai.Notification, 10)
	h.On(sai.OnPortStateChange, func(n sai.Notification) { heard <- n })
	set = func(id sai.OID, up bool) {
		if err := sai.Set(sw, sai.ID[sai.Port](id), sai.PortAttrAdminState.Is(up)); err != nil {
			t.Error(err)
		}
	}
	a, b := chip.Ports()[0], chip.Ports()[1]
	set(a, true)
	up, err := h.Listen()
	if diff := cmp.Diff(map[sai.OID]bool{a: true, b: false}, up); err != nil || diff != "" {
		t.Fatalf("%v, links at the start (-want +got):\n%s", err, diff)
	}
	return chip, set, heard, h
}

// hears checks the next news.
func hears(t *testing.T, heard chan sai.Notification, id sai.OID, up bool) {
	t.Helper()
	got := sai.Elems[sai.PortOperStatusNotification](next(t, heard))
	if diff := cmp.Diff(sai.Elems[sai.PortOperStatusNotification](of(id, up)), got); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}

// TestLost: a link whose notification is lost is told of all the same, once.
func TestLost(t *testing.T) {
	t.Parallel()
	chip, set, heard, h := listening(t)
	a, b := chip.Ports()[0], chip.Ports()[1]
	go func() { _ = h.Run(t.Context()) }()
	for _, step := range []struct {
		id sai.OID
		up bool
	}{{b, true}, {a, false}, {b, false}, {b, true}} {
		set(step.id, step.up)
		hears(t, heard, step.id, step.up)
	}
}

// TestOvertaken: what was read of a link is no news when a notification came meanwhile.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	chip, set, heard, h := listening(t)
	a, b := chip.Ports()[0], chip.Ports()[1]
	overtake := sync.OnceFunc(func() {
		set(a, false)
		chip.tell(of(a, false))
	})
	chip.AfterCall(func(c vsai.Call) {
		if c.Op == vsai.OpGet && c.Object == (sai.Port{}).Meta() && c.IsBulk() {
			overtake()
		}
	})
	go func() { _ = h.Run(t.Context()) }()
	hears(t, heard, a, false)
	set(b, true) // which the next look finds
	hears(t, heard, b, true)
}
