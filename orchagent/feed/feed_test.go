package feed_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent/feed"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// sink keeps rows as the agent does.
type sink struct {
	mu    sync.Mutex
	mark  uint64
	rows  map[configdb.RowKey]configdb.Fields
	loads int
	early []configdb.RowKey // changes before the first load
	fail  int               // so many calls fail
	own   configdb.RowKey
	taken chan struct{} // has an element when something was taken in
}

func newSink() *sink { return &sink{taken: make(chan struct{}, 1)} }

func (s *sink) Mark() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark
}

func (s *sink) LoadAsOf(_ context.Context, mark uint64, rows []configdb.Change) ([]configdb.RowKey, error) {
	s.mu.Lock()
	s.rows = map[configdb.RowKey]configdb.Fields{}
	s.loads++
	s.mu.Unlock()
	return s.take(mark, rows)
}

func (s *sink) ChangeAsOf(_ context.Context, mark uint64, rows []configdb.Change) ([]configdb.RowKey, error) {
	s.mu.Lock()
	if s.loads == 0 {
		for _, r := range rows {
			s.early = append(s.early, r.Row)
		}
	}
	s.mu.Unlock()
	return s.take(mark, rows)
}

func (s *sink) take(mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail--; s.fail >= 0 {
		return nil, errors.New("not now")
	}
	for _, r := range rows {
		switch {
		case r.Row == s.own && mark < 1:
			again = append(again, r.Row)
			s.mark = 1
		case r.Fields == nil:
			delete(s.rows, r.Row)
		default:
			s.rows[r.Row] = r.Fields
		}
	}
	select {
	case s.taken <- struct{}{}:
	default:
	}
	return again, nil
}

// has waits until the sink has just these rows.
func (s *sink) has(t *testing.T, want map[configdb.RowKey]configdb.Fields) {
	t.Helper()
	redistest.Eventually(t, "the sink has "+cmp.Diff(nil, want), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.rows != nil && maps.EqualFunc(s.rows, want, func(a, b configdb.Fields) bool { return maps.Equal(a, b) })
	})
}

func start(t testing.TB, cfg feed.Config) (stop func() error) {
	t.Helper()
	if cfg.Log == nil {
		log := logrus.New()
		log.SetOutput(io.Discard)
		cfg.Log = log
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- feed.Run(ctx, cfg) }()
	stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return stop
}

func write(t testing.TB, d *redisdb.DB, f func(b *redisdb.Batch)) {
	t.Helper()
	var b redisdb.Batch
	f(&b)
	redistest.Eventually(t, "the database is there", func() bool { return d.Write(t.Context(), &b) == nil })
}

// redisCLI sends a command as a stranger would.
func redisCLI(t testing.TB, server *redisdb.Server, args ...string) {
	t.Helper()
	cmd := exec.Command("redis-cli", append([]string{"-s", strings.TrimPrefix(server.Addr(), "unix:")}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// mark says that the rows are complete.
func mark(t testing.TB, d *redisdb.DB) {
	t.Helper()
	write(t, d, func(b *redisdb.Batch) { b.SetText(feed.Initialized, "1") })
}

type rows = map[configdb.RowKey]configdb.Fields

func TestFeed(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ConfigDB)
	write(t, d, func(b *redisdb.Batch) {
		b.Set("PORT|Ethernet0", redisdb.Fields{"lanes": "1,2"})
		b.Set("LOOPBACK_INTERFACE|Loopback0|10.0.0.1/32", nil)
		b.SetText("CONFIG_DB_INITIALIZED", "1")
		b.Set("NOT_A_ROW", redisdb.Fields{"a": "b"})
		b.SetText("PORT|Ethernet8", "text")
	})
	s := newSink()
	stop := start(t, feed.Config{Client: c, Sink: s})
	s.has(t, rows{
		"PORT|Ethernet8": configdb.NotHash(),
		"PORT|Ethernet0": {"lanes": "1,2"},
		"LOOPBACK_INTERFACE|Loopback0|10.0.0.1/32": {"NULL": "NULL"},
	})

	write(t, d, func(b *redisdb.Batch) {
		b.SetField("PORT|Ethernet0", "mtu", "9100")
		b.SetField("PORT|Ethernet4", "lanes", "5")
		b.Delete("LOOPBACK_INTERFACE|Loopback0|10.0.0.1/32", "PORT|Ethernet8")
		b.SetText("PORT|Ethernet12", "text")
	})
	s.has(t, rows{"PORT|Ethernet0": {"lanes": "1,2", "mtu": "9100"}, "PORT|Ethernet4": {"lanes": "5"}, "PORT|Ethernet12": configdb.NotHash()})

	if err := stop(); err != nil {
		t.Error(err)
	}
	if s.loads != 1 {
		t.Errorf("%d loads, want 1", s.loads)
	}
}

func TestAwaitInitialized(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ConfigDB)
	s := newSink()
	stop := start(t, feed.Config{Client: c, Sink: s})
	write(t, d, func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "lanes", "1") })
	write(t, d, func(b *redisdb.Batch) { b.SetText("CONFIG_DB_INITIALIZED", "1") })
	s.has(t, rows{"PORT|Ethernet0": {"lanes": "1"}})
	if err := stop(); err != nil {
		t.Error(err)
	}
	if len(s.early) != 0 {
		t.Errorf("changes of %v before the load", s.early)
	}
}

// TestEmptied: a database that was emptied is not one whose rows were removed, until
// it is marked complete again.
func TestEmptied(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	c := redistest.Connect(t, server.Addr())
	d := c.DB(redisdb.ConfigDB)
	mark(t, d)
	write(t, d, func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "lanes", "1") })
	s := newSink()
	stop := start(t, feed.Config{Client: c, Sink: s})
	s.has(t, rows{"PORT|Ethernet0": {"lanes": "1"}})
	redisCLI(t, server, "-n", "4", "flushdb")
	write(t, d, func(b *redisdb.Batch) { b.SetField("PORT|Ethernet4", "lanes", "2") })
	mark(t, d)
	s.has(t, rows{"PORT|Ethernet4": {"lanes": "2"}})
	if err := stop(); err != nil {
		t.Error(err)
	}
	if s.loads != 2 {
		t.Errorf("%d loads, want 2: none while it was not complete", s.loads)
	}
}

// TestTrouble: whatever happens to the database or in the sink, the sink ends up
// with what the database has.
func TestTrouble(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	c := redistest.Connect(t, server.Addr())
	d := c.DB(redisdb.ConfigDB)
	mark(t, d)
	s := newSink()
	s.fail = 2
	start(t, feed.Config{Client: c, Sink: s})
	write(t, d, func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "lanes", "1") })
	s.has(t, rows{"PORT|Ethernet0": {"lanes": "1"}})

	for i, harm := range []func(){
		func() { _ = syscall.Kill(server.PID(), syscall.SIGKILL) },
		func() { s.mu.Lock(); s.fail = 1; s.mu.Unlock() },
		func() {},
	} {
		harm()
		n := strconv.Itoa(i)
		write(t, d, func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "index", n) })
		s.has(t, rows{"PORT|Ethernet0": {"lanes": "1", "index": n}})
	}
}

// TestOwnWrite: a row that the sink wrote itself while it was being read is read
// again.
func TestOwnWrite(t *testing.T) {
	t.Parallel()
	c := redistest.Open(t)
	d := c.DB(redisdb.ConfigDB)
	mark(t, d)
	s := newSink()
	s.own = "PORT|Ethernet0"
	write(t, d, func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "lanes", "1") })
	start(t, feed.Config{Client: c, Sink: s})
	s.has(t, rows{"PORT|Ethernet0": {"lanes": "1"}})
}

// BenchmarkLoad reads 20,000 rows.
func BenchmarkLoad(b *testing.B) {
	c := redistest.Open(b)
	d := c.DB(redisdb.ConfigDB)
	mark(b, d)
	write(b, d, func(batch *redisdb.Batch) {
		for i := range 20000 {
			batch.Set("BUFFER_QUEUE|Ethernet"+strconv.Itoa(i)+"|3-4", redisdb.Fields{"profile": "egress_lossless_profile"})
		}
	})
	for b.Loop() {
		s := newSink()
		stop := start(b, feed.Config{Client: c, Sink: s})
		<-s.taken
		b.StopTimer()
		if err := stop(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkChange is the way of one row from the write to the sink and back.
func BenchmarkChange(b *testing.B) {
	c := redistest.Open(b)
	d := c.DB(redisdb.ConfigDB)
	mark(b, d)
	s := newSink()
	start(b, feed.Config{Client: c, Sink: s})
	<-s.taken
	n := 0
	for b.Loop() {
		n++
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
		var batch redisdb.Batch
		batch.SetField("WRED_PROFILE|x", "green_min_threshold", strconv.Itoa(n))
		if err := d.Write(ctx, &batch); err != nil {
			b.Fatal(err)
		}
		select {
		case <-s.taken:
		case <-ctx.Done():
			b.Fatal("the change did not arrive")
		}
		cancel()
	}
}
