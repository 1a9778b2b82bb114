package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
)

// socket is a link to a chip in what could be another process.
func socket(t testing.TB, chip *vsai.Chip) (sai.Driver, sai.Names) {
	c := dial(t, serve(t, chip))
	return c, c
}

// serve puts a chip behind a socket and returns where.
func serve(t testing.TB, chip *vsai.Chip) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chip")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- remote.Serve(ctx, ln, chip, chip, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return path
}

// dial connects, as soon as the chip has noticed that the agent before is gone.
func dial(t testing.TB, path string) *remote.Client {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		c, err := remote.Dial(t.Context(), path)
		if err == nil {
			t.Cleanup(func() { _ = c.Close() })
			return c
		}
		if !errors.Is(err, remote.ErrBusy) || time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// TestLostConnection cuts the connection at one write after the other of a
// transition. Whatever was done till then, an agent that connects again must find
// it, and arrive.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	for n := 1; ; n += 2 {
		var path string
		var client *remote.Client
		over := func(t testing.TB, chip *vsai.Chip) (sai.Driver, sai.Names) {
			path = serve(t, chip)
			client = dial(t, path)
			return client, client
		}
		r := newRigOver(t, over, "default", 2)
		r.watch()
		o := twoClass(r)
		r.mustApply(o.graph())
		o = violent(r, o)
		var mu sync.Mutex
		left := n
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			mu.Lock()
			defer mu.Unlock()
			if c.Op.Write() {
				left--
			}
			if left == 0 {
				client.Close()
			}
			return 0
		})
		res := r.apply(o.graph(), reconcile.Mode(n/2%2), reconcile.Options{})
		r.chip.OnCall(nil)
		mu.Lock()
		done := left > 0
		mu.Unlock()
		if done {
			if res.Err() != nil {
				t.Fatal(res.Err())
			}
			return
		}
		if !res.Dirty || res.Err() == nil {
			t.Fatalf("write %d: dirty %v, undone %v: %v", n, res.Dirty, res.RolledBack, res.Err())
		}
		client = dial(t, path)
		r.sw.Driver, r.names = client, client
		r.rec = r.readback()
		r.mustApply(o.graph())
		r.arrived(fmt.Sprintf("write %d", n), o.graph())
	}
}
