package notify_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"pgregory.net/rapid"

	"xon/gnmi/gnmitest"
	"xon/gnmi/notify"
)

// mirror keeps what a client knows who applies all that it is sent.
type mirror struct {
	mu     sync.Mutex
	leaves map[string]string
	gate   chan struct{} // holds a token while the client reads
}

func (m *mirror) send(r *gpb.SubscribeResponse) error {
	<-m.gate
	defer func() { m.gate <- struct{}{} }()
	m.mu.Lock()
	defer m.mu.Unlock()
	n := r.GetUpdate()
	for _, d := range n.GetDelete() {
		gone := full(n.GetPrefix(), d)
		maps.DeleteFunc(m.leaves, func(at, _ string) bool { return at == gone || strings.HasPrefix(at, gone+"/") })
	}
	for _, u := range n.GetUpdate() {
		m.leaves[full(n.GetPrefix(), u.GetPath())] = u.GetVal().GetStringVal()
	}
	return nil
}

// step is one thing that happens.
type step struct {
	what string // "put", "stall", "wait" or "lose"
	name string
	row  map[string]string // nil: gone
}

var steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	s := step{what: rapid.SampledFrom([]string{"put", "put", "put", "remove", "stall", "wait", "lose"}).Draw(t, "what")}
	s.name = rapid.SampledFrom([]string{"PORT|Ethernet0", "PORT|Ethernet4", "PORT|Ethernet8"}).Draw(t, "name")
	if s.what == "put" {
		s.row = rapid.MapOfN(rapid.SampledFrom([]string{"mtu", "speed", "fec"}), rapid.SampledFrom([]string{"1", "2"}), 0, 3).Draw(t, "row")
	}
	return s
}), 1, 40)

// Whatever happens in the database, and however slowly the client reads, in the
// end it knows what is there.
func TestMirror(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		story := steps.Draw(rt, "story")
		var want, got map[string]string
		synctest.Test(t, func(t *testing.T) { want, got = mirrored(t, story) })
		if d := cmp.Diff(want, got); d != "" {
			rt.Errorf("the client knows (-want +got):\n%s", d)
		}
	})
}

// mirrored plays a story and returns what is in the database in the end, and what
// the client knows.
func mirrored(t *testing.T, story []step) (want, got map[string]string) {
	t.Helper()
	dbs := &gnmitest.Databases{}
	plan, err := notify.Parse(list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT")), notify.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	m := &mirror{leaves: map[string]string{}, gate: make(chan struct{}, 1)}
	m.gate <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- notify.New(dbs, nolog).Stream(ctx, plan, m.send) }()
	stalled := false
	for _, s := range story {
		switch s.what {
		case "put", "remove":
			dbs.Put("CONFIG_DB", s.name, s.row)
		case "wait":
			synctest.Wait()
		case "lose":
			dbs.Lose("CONFIG_DB")
		case "stall":
			if stalled = !stalled; stalled {
				<-m.gate
			} else {
				m.gate <- struct{}{}
			}
		}
	}
	if stalled {
		m.gate <- struct{}{}
	}
	synctest.Wait()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
	return leavesOf(t, dbs), m.leaves
}

func leavesOf(t *testing.T, dbs *gnmitest.Databases) map[string]string {
	t.Helper()
	rows, err := dbs.Scan(t.Context(), "CONFIG_DB", "")
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[string]string{}
	for name, f := range rows {
		at := strings.ReplaceAll(name, "|", "/")
		for field, text := range f {
			leaves[at+"/"+field] = text
		}
		if len(f) == 0 {
			leaves[at+"/NULL"] = "NULL"
		}
	}
	return leaves
}
