package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/gnmitest"
	"xon/gnmi/notify"
	"xon/gnmi/path"
	"xon/gnmi/translate"
)

type fields = translate.Fields

// sink writes down what a stream sends, a line for each update or delete.
type sink struct {
	mu    sync.Mutex
	lines []string
	block chan struct{} // while not nil, sends wait for it
}

func (s *sink) send(r *gpb.SubscribeResponse) error {
	s.mu.Lock()
	block := s.block
	s.mu.Unlock()
	if block != nil {
		<-block
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.GetSyncResponse() {
		s.lines = append(s.lines, "sync")
		return nil
	}
	n := r.GetUpdate()
	for _, d := range n.GetDelete() {
		s.lines = append(s.lines, "- "+full(n.GetPrefix(), d))
	}
	for _, u := range n.GetUpdate() {
		line := full(n.GetPrefix(), u.GetPath()) + "=" + u.GetVal().GetStringVal()
		if u.GetDuplicates() > 0 {
			line += fmt.Sprintf(" x%d", u.GetDuplicates()+1)
		}
		s.lines = append(s.lines, line)
	}
	return nil
}

func full(prefix, p *gpb.Path) string {
	f, err := path.Full(&gpb.Path{Elem: prefix.GetElem()}, &gpb.Path{Elem: p.GetElem()})
	if err != nil {
		panic(err)
	}
	return strings.TrimPrefix(path.String(f), "/CONFIG_DB/")
}

func (s *sink) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.block = make(chan struct{})
}

func (s *sink) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.block)
	s.block = nil
}

// take returns what was sent since the last call.
func (s *sink) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

// rig is a stream in a bubble of time.
type rig struct {
	t    *testing.T
	dbs  *gnmitest.Databases
	sink *sink
	done chan error
}

func sub(mode gpb.SubscriptionMode, at string) *gpb.Subscription {
	p, err := path.Parse(at)
	if err != nil {
		panic(err)
	}
	return &gpb.Subscription{Path: p, Mode: mode}
}

func list(subs ...*gpb.Subscription) *gpb.SubscriptionList {
	return &gpb.SubscriptionList{Encoding: gpb.Encoding_PROTO, Subscription: subs}
}

// stream runs story beside a stream, and sees to it that nothing is left of it.
func stream(t *testing.T, dbs *gnmitest.Databases, l *gpb.SubscriptionList, story func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		plan, err := notify.Parse(l, notify.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, dbs: dbs, sink: &sink{}, done: make(chan error, 1)}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { r.done <- notify.New(dbs, nolog).Stream(ctx, plan, r.sink.send) }()
		synctest.Wait()
		story(r)
		cancel()
		synctest.Wait()
		if n := dbs.Watchers(); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
}

func (r *rig) want(lines ...string) {
	r.t.Helper()
	synctest.Wait()
	if d := cmp.Diff(lines, r.sink.take()); d != "" {
		r.t.Errorf("sent (-want +got):\n%s", d)
	}
}

func ports() *gnmitest.Databases {
	d := &gnmitest.Databases{}
	d.PutAll("CONFIG_DB", map[string]fields{
		"PORT|Ethernet0":  {"mtu": "9100", "speed": "100"},
		"PORT|Ethernet10": {"mtu": "9100"},
		"PORT|Ethernet4":  {"mtu": "9100"},
	})
	return d
}

func TestOnChange(t *testing.T) {
	t.Parallel()
	l := list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT"))
	stream(t, ports(), l, func(r *rig) {
		r.want("PORT/Ethernet0/mtu=9100", "PORT/Ethernet0/speed=100", "PORT/Ethernet4/mtu=9100", "PORT/Ethernet10/mtu=9100", "sync")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": "1500", "speed": "100"})
		r.want("PORT/Ethernet0/mtu=1500")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": "1500", "alias": "e0"})
		r.want("- PORT/Ethernet0/speed", "PORT/Ethernet0/alias=e0")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": "1500", "alias": "e0"}) // the same again
		r.dbs.Put("CONFIG_DB", "QUEUE|Ethernet0|3", fields{"scheduler": "x"})          // another table
		r.want()
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", nil)
		r.want("- PORT/Ethernet0")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{})
		r.want("PORT/Ethernet0/NULL=NULL")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": "1"})
		r.want("- PORT/Ethernet0/NULL", "PORT/Ethernet0/mtu=1")
	})
}

// What is not there yet is no error.
func TestAbsent(t *testing.T) {
	t.Parallel()
	l := list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT/Ethernet8/mtu"))
	stream(t, ports(), l, func(r *rig) {
		r.want("sync")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet8", fields{"mtu": "1", "speed": "2"})
		r.want("PORT/Ethernet8/mtu=1")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet8", fields{"speed": "2"})
		r.want("- PORT/Ethernet8")
	})
}

func TestUpdatesOnly(t *testing.T) {
	t.Parallel()
	l := list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT"))
	l.UpdatesOnly = true
	stream(t, ports(), l, func(r *rig) {
		r.want("sync")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet4", fields{"mtu": "1"})
		r.want("PORT/Ethernet4/mtu=1")
	})
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	s := sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT/Ethernet0")
	s.HeartbeatInterval = uint64(time.Minute)
	stream(t, ports(), list(s), func(r *rig) {
		r.want("PORT/Ethernet0/mtu=9100", "PORT/Ethernet0/speed=100", "sync")
		time.Sleep(59 * time.Second)
		r.want()
		time.Sleep(time.Second)
		r.want("PORT/Ethernet0/mtu=9100", "PORT/Ethernet0/speed=100")
	})
}

func TestSample(t *testing.T) {
	t.Parallel()
	s := sub(gpb.SubscriptionMode_SAMPLE, "/CONFIG_DB/PORT/Ethernet0")
	s.SampleInterval = uint64(10 * time.Second)
	stream(t, ports(), list(s), func(r *rig) {
		r.want("PORT/Ethernet0/mtu=9100", "PORT/Ethernet0/speed=100", "sync")
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": "1500"})
		time.Sleep(9 * time.Second)
		r.want()
		time.Sleep(time.Second)
		r.want("- PORT/Ethernet0/speed", "PORT/Ethernet0/mtu=1500")
		r.dbs.Fail(errors.New("away")) // a sample that can't be had is left out
		time.Sleep(10 * time.Second)
		r.want()
		r.dbs.Fail(nil)
		time.Sleep(10 * time.Second)
		r.want("PORT/Ethernet0/mtu=1500")
	})
}

func TestSuppressRedundant(t *testing.T) {
	t.Parallel()
	s := sub(gpb.SubscriptionMode_SAMPLE, "/CONFIG_DB/PORT/Ethernet0")
	s.SampleInterval, s.SuppressRedundant, s.HeartbeatInterval = uint64(time.Second), true, uint64(3500*time.Millisecond)
	stream(t, ports(), list(s), func(r *rig) {
		r.want("PORT/Ethernet0/mtu=9100", "PORT/Ethernet0/speed=100", "sync")
		time.Sleep(time.Second)
		r.want()
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": "1500", "speed": "100"})
		time.Sleep(time.Second)
		r.want("PORT/Ethernet0/mtu=1500")
		time.Sleep(1500 * time.Millisecond)
		r.want("PORT/Ethernet0/mtu=1500", "PORT/Ethernet0/speed=100")
	})
}

// The target samples counters and tells of changes of all else.
func TestTargetDefined(t *testing.T) {
	t.Parallel()
	dbs := ports()
	dbs.Put("COUNTERS_DB", "COUNTERS_PORT_NAME_MAP", fields{"Ethernet0": "oid:0x1"})
	dbs.Put("COUNTERS_DB", "COUNTERS:oid:0x1", fields{"IN": "1"})
	l := list(
		sub(gpb.SubscriptionMode_TARGET_DEFINED, "/CONFIG_DB/PORT/Ethernet4"),
		sub(gpb.SubscriptionMode_TARGET_DEFINED, "/COUNTERS_DB/COUNTERS/Ethernet*/IN"),
	)
	stream(t, dbs, l, func(r *rig) {
		r.want("PORT/Ethernet4/mtu=9100", "/COUNTERS_DB/COUNTERS/Ethernet0/IN=1", "sync")
		r.dbs.Put("COUNTERS_DB", "COUNTERS:oid:0x1", fields{"IN": "2"})
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet4", fields{"mtu": "1"})
		r.want("PORT/Ethernet4/mtu=1")
		time.Sleep(time.Second)
		r.want("/COUNTERS_DB/COUNTERS/Ethernet0/IN=2")
	})
}

// On change, ports that come and go are followed by name.
func TestByName(t *testing.T) {
	t.Parallel()
	dbs := ports()
	dbs.Put("COUNTERS_DB", "COUNTERS_PORT_NAME_MAP", fields{"Ethernet0": "oid:0x1"})
	dbs.Put("COUNTERS_DB", "COUNTERS:oid:0x1", fields{"IN": "1"})
	l := list(sub(gpb.SubscriptionMode_ON_CHANGE, "/COUNTERS_DB/COUNTERS/Ethernet*"))
	stream(t, dbs, l, func(r *rig) {
		r.want("/COUNTERS_DB/COUNTERS/Ethernet0/IN=1", "sync")
		r.dbs.Put("COUNTERS_DB", "COUNTERS:oid:0x2", fields{"IN": "5"}) // nobody's yet
		r.want()
		r.dbs.Put("COUNTERS_DB", "COUNTERS_PORT_NAME_MAP", fields{"Ethernet0": "oid:0x1", "Ethernet4": "oid:0x2"})
		r.want("/COUNTERS_DB/COUNTERS/Ethernet4/IN=5")
		r.dbs.Put("COUNTERS_DB", "COUNTERS:oid:0x2", fields{"IN": "6"})
		r.want("/COUNTERS_DB/COUNTERS/Ethernet4/IN=6")
		r.dbs.Put("COUNTERS_DB", "COUNTERS_PORT_NAME_MAP", fields{"Ethernet4": "oid:0x2"})
		r.want("- /COUNTERS_DB/COUNTERS/Ethernet0")
	})
}

func TestOnce(t *testing.T) {
	t.Parallel()
	dbs := ports()
	l := list(sub(gpb.SubscriptionMode_TARGET_DEFINED, "/CONFIG_DB/PORT/*/speed"), sub(gpb.SubscriptionMode_SAMPLE, "/CONFIG_DB/NONE"))
	l.Mode = gpb.SubscriptionList_ONCE
	for _, only := range []bool{false, true} {
		l.UpdatesOnly = only
		plan, err := notify.Parse(l, notify.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		s := &sink{}
		if err := notify.New(dbs, nolog).Once(t.Context(), plan, s.send); err != nil {
			t.Fatal(err)
		}
		want := []string{"PORT/Ethernet0/speed=100", "sync"}
		if only {
			want = want[1:]
		}
		if d := cmp.Diff(want, s.take()); d != "" {
			t.Error(d)
		}
	}
	dbs.Fail(errors.New("away"))
	l.UpdatesOnly = false
	plan, _ := notify.Parse(l, notify.DefaultLimits)
	if err := notify.New(dbs, nolog).Once(t.Context(), plan, (&sink{}).send); status.Code(err) != codes.Unavailable {
		t.Error(err)
	}
}
