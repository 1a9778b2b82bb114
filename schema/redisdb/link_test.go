package redisdb_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	locked := standalone(t, "requirepass secret")
	gone, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	tests := []struct {
		name, addr, want string
		ctx              context.Context
	}{
		{"no port", "localhost", `redis address "localhost": want unix:/path or host:port`, t.Context()},
		{"bad port", "localhost:99999", `redis address "localhost:99999": port "99999" is not in 1..65535`, t.Context()},
		{"relative path", "unix:redis.sock", `redis address "unix:redis.sock": want unix:/absolute/path`, t.Context()},
		{"nobody there", "unix:/nowhere/redis.sock", "connect to redis at unix:/nowhere/redis.sock: dial unix /nowhere/redis.sock: connect: no such file or directory", gone},
		{"no password", locked, "NOAUTH Authentication required.", t.Context()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := redisdb.Open(tt.ctx, tt.addr, redisdb.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := redisdb.Open(t.Context(), locked, redisdb.Options{Password: "wrong"}); err == nil || !strings.Contains(err.Error(), "WRONGPASS") {
		t.Errorf("a wrong password: %v", err)
	}
	c, err := redisdb.Open(t.Context(), locked, redisdb.Options{Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenWaits(t *testing.T) {
	t.Parallel()
	p := newProxy(t, redistest.Start(t).Addr())
	p.mu.Lock()
	p.loading = 3
	p.mu.Unlock()
	d := redistest.Connect(t, p.addr).DB(redisdb.StateDB)
	if _, err := d.Row(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// watch starts a watch and takes its first Resync.
func watch(t testing.TB, d *redisdb.DB, pattern string) *redisdb.Watch {
	t.Helper()
	w := d.Watch(t.Context(), pattern)
	t.Cleanup(w.Stop)
	resync(t, w)
	return w
}

func resync(t testing.TB, w *redisdb.Watch) {
	t.Helper()
	if e := next(t, w); !e.Resync || e.Keys != nil {
		t.Fatalf("got %v, want a resync", e)
	}
}

func next(t testing.TB, w *redisdb.Watch) redisdb.Events {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	e, err := w.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// collect takes events until all keys were among them, and no others.
func collect(t testing.TB, w *redisdb.Watch, want ...string) {
	t.Helper()
	seen := map[string]bool{}
	for len(seen) < len(want) {
		for _, k := range next(t, w).Keys {
			if !slices.Contains(want, k) {
				t.Fatalf("event of %q, want those of %v", k, want)
			}
			seen[k] = true
		}
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ConfigDB)
	w := watch(t, d, redisdb.ConfigDB.Pattern("T"))
	write := func(d *redisdb.DB, f func(b *redisdb.Batch)) {
		t.Helper()
		var b redisdb.Batch
		f(&b)
		if err := d.WriteAtomic(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	// Neither another table nor another database.
	write(d, func(b *redisdb.Batch) { b.Set("U|a", nil) })
	write(c.DB(redisdb.StateDB), func(b *redisdb.Batch) { b.Set("T|z", nil) })
	write(d, func(b *redisdb.Batch) { b.Set("T|a", nil) })
	collect(t, w, "T|a")
	write(d, func(b *redisdb.Batch) { b.Delete("T|a") })
	collect(t, w, "T|a")

	// A transaction's rows come together, each once.
	var want []string
	write(d, func(b *redisdb.Batch) {
		for i := range 150 {
			key := fmt.Sprintf("T|%d", i)
			want = append(want, key)
			b.SetField(key, "a", "1")
			b.SetField(key, "b", "1")
		}
	})
	if diff := cmp.Diff(want, next(t, w).Keys); diff != "" {
		t.Error(diff)
	}

	// So do rows that nobody asked for meanwhile.
	for range 100 {
		write(d, func(b *redisdb.Batch) { b.Set("T|x", nil) })
		write(d, func(b *redisdb.Batch) { b.SetField("T|y", "a", "b") })
	}
	write(d, func(b *redisdb.Batch) { b.Set("T|z", nil) })
	collect(t, w, "T|x", "T|y", "T|z")

	w.Stop()
	if _, err := w.Next(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("after Stop: %v", err)
	}
}

func TestWatchEndsWithClient(t *testing.T) {
	t.Parallel()
	c, err := redisdb.Open(t.Context(), redistest.Start(t).Addr(), redisdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, c.DB(redisdb.ConfigDB), redisdb.Everything)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if _, err := w.Next(t.Context()); !errors.Is(err, redisdb.ErrClosed) {
			t.Errorf("error %v, want %v", err, redisdb.ErrClosed)
		}
	}
}

func TestWatchLosesNothing(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	c := redistest.Connect(t, s.Addr())
	d := c.DB(redisdb.ConfigDB)
	w := watch(t, d, redisdb.Everything)
	set := func(key string) {
		t.Helper()
		redistest.Eventually(t, "a write succeeds", func() bool {
			var b redisdb.Batch
			b.SetField(key, "a", "b")
			return d.Write(t.Context(), &b) == nil
		})
	}
	set("T|a")
	collect(t, w, "T|a")

	for what, harm := range map[string]func(){
		"connections are closed":  func() { raw(t, s.Addr(), 0, "CLIENT", "KILL", "TYPE", "pubsub") },
		"the server is killed":    func() { _ = syscall.Kill(s.PID(), syscall.SIGKILL) },
		"the database is emptied": func() { raw(t, s.Addr(), redisdb.ConfigDB, "FLUSHDB") },
		"everything is emptied":   func() { raw(t, s.Addr(), redisdb.ApplDB, "FLUSHALL") },
	} {
		before, changed := c.Session()
		harm()
		resync(t, w)
		if !strings.HasSuffix(what, "emptied") {
			<-changed
			if now, _ := c.Session(); now <= before {
				t.Errorf("%s: session %d, was %d", what, now, before)
			}
		}
		set("T|b")
		for { // a kill may be noticed twice, by a ping and by a read
			if e := next(t, w); !e.Resync {
				if diff := cmp.Diff([]string{"T|b"}, e.Keys); diff != "" {
					t.Errorf("after %s: %s", what, diff)
				}
				break
			}
		}
	}
}

func TestWatchNeedsEvents(t *testing.T) {
	t.Parallel()
	addr := standalone(t, `rename-command CONFIG ""`)
	w := redistest.Connect(t, addr).DB(redisdb.ConfigDB).Watch(t.Context(), redisdb.Everything)
	defer w.Stop()
	_, err := w.Next(t.Context())
	want := "redis does not send keyspace events: " + addr + " does not allow CONFIG GET (ERR unknown command 'config', with args beginning with: 'get' 'notify-keyspace-events' ); set notify-keyspace-events \"AKE\" in its configuration and allow the command"
	if !errors.Is(err, redisdb.ErrNoEvents) || err.Error() != want {
		t.Errorf("error %v,\nwant  %s", err, want)
	}
}

// TestEventsSwitchedOff: somebody else switches the events off. They are switched on
// again, and what was missed is read.
func TestEventsSwitchedOff(t *testing.T) {
	t.Parallel()
	addr := standalone(t, "notify-keyspace-events AKE")
	c, err := redisdb.Open(t.Context(), addr, redisdb.Options{EventsCheck: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	config, counters := watch(t, c.DB(redisdb.ConfigDB), redisdb.Everything), watch(t, c.DB(redisdb.CountersDB), redisdb.Everything)
	other := exec.CommandContext(t.Context(), "redis-cli", "-s", strings.TrimPrefix(addr, "unix:"), "config", "set", "notify-keyspace-events", "")
	if out, err := other.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, w := range []*redisdb.Watch{config, counters} {
		if e := next(t, w); !e.Resync {
			t.Errorf("got %+v, want a resync", e)
		}
	}
	var b redisdb.Batch
	b.SetField("T|a", "f", "1")
	if err := c.DB(redisdb.ConfigDB).Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if e := next(t, config); e.Resync || len(e.Keys) != 1 || e.Keys[0] != "T|a" {
		t.Errorf("got %+v", e)
	}
}

func TestWatchSwitchesEventsOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ was, want string }{
		{`""`, "AKE"},
		{"Ex", "AKE"},
		{"Kg$hm", "g$hKm"},
		{"KA", "AK"},
	} {
		addr := standalone(t, "notify-keyspace-events "+tt.was)
		d := redistest.Connect(t, addr).DB(redisdb.ConfigDB)
		w := watch(t, d, redisdb.Everything)
		raw(t, addr, redisdb.ConfigDB, "HSET", "T|a", "b", "c")
		collect(t, w, "T|a")
		if flags := setting(t, addr, "notify-keyspace-events"); flags != tt.want {
			t.Errorf("%s: now %v, want %s", tt.was, flags, tt.want)
		}
	}
}

// TestCommitRace: of several who build on the same row, one wins each time.
func TestCommitRace(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ConfigDB)
	var wins, losses int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				have, err := d.Row(t.Context(), "T|n")
				if err == nil {
					err = d.Commit(t.Context(), map[string]redisdb.Fields{"T|n": have},
						map[string]redisdb.Fields{"T|n": {"count": have["count"] + "x"}})
				}
				mu.Lock()
				switch {
				case err == nil:
					wins++
				case errors.Is(err, redisdb.ErrConflict):
					losses++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if have, err := d.Row(t.Context(), "T|n"); len(have["count"]) != wins || err != nil {
		t.Errorf("%d commits succeeded, %d are there (%v)", wins, len(have["count"]), err)
	}
	if losses == 0 {
		t.Log("no conflict came up")
	}
}

// TestCommitUnanswered: whoever commits must know what became of it, even if the
// answer was lost.
func TestCommitUnanswered(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	for _, swallow := range []bool{false, true} {
		p := newProxy(t, s.Addr())
		d := redistest.Connect(t, p.addr).DB(redisdb.ConfigDB)
		fill(t, d, nil)
		p.mu.Lock()
		p.cut, p.swallow = "EXEC", swallow
		p.mu.Unlock()
		err := d.Commit(t.Context(), map[string]redisdb.Fields{"T|a": nil}, map[string]redisdb.Fields{"T|a": {"x": "1"}})
		if (err == nil) == swallow {
			t.Errorf("the server hears: %v; error %v", !swallow, err)
		}
		if errors.Is(err, redisdb.ErrUnknown) || errors.Is(err, redisdb.ErrConflict) {
			t.Error(err)
		}
		have, err := d.Row(t.Context(), "T|a")
		if (have != nil) == swallow || err != nil {
			t.Errorf("the server hears: %v; row %v, %v", !swallow, have, err)
		}
	}
}
