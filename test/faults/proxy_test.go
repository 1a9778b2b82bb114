package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// fault is what a proxy does to what passes through it.
type fault struct {
	delay   time.Duration // of every piece
	stall   time.Duration // in the middle of every piece of an answer
	cut     *atomic.Int64 // bytes until the connection is cut, once; nil: it is not
	garbage []byte        // said to the client before it is cut
}

// proxy stands between a client and a server on unix sockets.
type proxy struct {
	server string
	ln     net.Listener
	fault  atomic.Pointer[fault]
	wg     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func newProxy(t testing.TB, path, server string) *proxy {
	t.Helper()
	ln, err := net.Listen("unix", path)
	must(t, err)
	p := &proxy{server: server, ln: ln, conns: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		_ = ln.Close()
		p.hangUp()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) accept() {
	for {
		client, err := p.ln.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		p.wg.Go(func() { p.pump(server, client, false) })
		p.wg.Go(func() { p.pump(client, server, true) })
	}
}

// hangUp ends all connections.
func (p *proxy) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

// pump passes on what comes from one side until either ends.
func (p *proxy) pump(to, from net.Conn, answers bool) {
	defer func() {
		_, _ = to.Close(), from.Close()
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && p.pass(to, buf[:n], answers) != nil || err != nil {
			return
		}
	}
}

var errCut = errors.New("cut")

func (p *proxy) pass(to net.Conn, piece []byte, answers bool) error {
	f := p.fault.Load()
	if f == nil {
		_, err := to.Write(piece)
		return err
	}
	time.Sleep(f.delay)
	if f.cut != nil {
		if left := f.cut.Add(int64(-len(piece))); left <= 0 && p.fault.CompareAndSwap(f, nil) {
			_, _ = to.Write(piece[:max(0, int64(len(piece))+left)])
			if answers {
				_, _ = to.Write(f.garbage)
			}
			return errCut
		}
	}
	if answers && f.stall > 0 {
		if _, err := to.Write(piece[:len(piece)/2]); err != nil {
			return err
		}
		time.Sleep(f.stall)
		piece = piece[len(piece)/2:]
	}
	_, err := to.Write(piece)
	return err
}

// drawFault draws something to do to a connection; what says it for people.
func drawFault(rng *rand.Rand) (f *fault, what string) {
	switch rng.IntN(4) {
	case 0:
		f = &fault{delay: time.Duration(rng.IntN(20)) * time.Millisecond}
		return f, fmt.Sprintf("delayed by %v", f.delay)
	case 1:
		f = &fault{stall: time.Duration(rng.IntN(300)) * time.Millisecond}
		return f, fmt.Sprintf("stalled for %v", f.stall)
	}
	f = &fault{cut: new(atomic.Int64)}
	after := rng.Int64N(1 << (4 + rng.IntN(13)))
	f.cut.Store(after)
	what = fmt.Sprintf("cut after %d bytes", after)
	if rng.IntN(3) == 0 {
		f.garbage = make([]byte, 1+rng.IntN(300))
		for i := range f.garbage {
			f.garbage[i] = byte(rng.IntN(256))
		}
		what += " with garbage"
	}
	return f, what
}

// joined is a site whose agent joins a database and a chip process, each by way of a
// proxy.
type joined struct {
	*site
	toRedis, toChip *proxy
}

func newJoined(t testing.TB, rows configdb.RawRows) *joined {
	t.Helper()
	s := newSite(t, rows)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	server, err := redisdb.StartServer(ctx, redisdb.ServerConfig{Dir: filepath.Join(s.dir, "redis")}, nil)
	must(t, err)
	t.Cleanup(func() { must(t, server.Stop(context.Background())) })
	config, toRedis, toChip := filepath.Join(s.dir, "first.json"), filepath.Join(s.dir, "to-redis"), filepath.Join(s.dir, "to-chip")
	chip := launch(t, filepath.Join(s.dir, "chip.log"), nil, "xond", "chip", "--socket", s.chip, "--ports", config, "--record", s.record)
	t.Cleanup(chip.kill)
	eventually(t, "start a chip", func() error {
		if listener(s.chip) == 0 {
			return errors.New("nobody listens")
		}
		return nil
	})
	s.args = []string{"--dir", s.dir, "--gnmi", "", "--config", config, "--redis", "unix:" + toRedis, "--chip", "unix:" + toChip}
	return &joined{site: s, toRedis: newProxy(t, toRedis, s.redis), toChip: newProxy(t, toChip, s.chip)}
}

// TestConnections: a database that answers slowly, stops in the middle of an answer or
// talks nonsense, and a chip process whose socket does, cost nothing but time.
func TestConnections(t *testing.T) {
	e := extentOf(t, 6)
	if e.soak() {
		e.least = 100
	}
	rng := rand.New(rand.NewPCG(e.seed, 3))
	rows := load(8)
	j := newJoined(t, rows)
	j.begin()
	w, l := newWriter(rand.New(rand.NewPCG(e.seed, 4)), rows), newLedger(j.site, rand.New(rand.NewPCG(e.seed, 5)), rows)
	for cycle := range e.least {
		traffic := j.drive(w, l)
		var done []string
		for range 1 + rng.IntN(4) {
			pause(rng, 60)
			p, name := j.toRedis, "redis"
			if rng.IntN(2) == 0 {
				p, name = j.toChip, "chip"
			}
			f, what := drawFault(rng)
			done = append(done, name+" "+what)
			p.fault.Store(f)
			pause(rng, 400)
			p.fault.Store(nil)
		}
		j.babble(rng)
		traffic.end()
		_, err := j.checkAll()
		if err == nil {
			err = l.check(j.rows(), false)
		}
		if err != nil {
			t.Fatalf("XON_SEED=%d, cycle %d, after %q: %v\n%s", e.seed, cycle, done, err, j.tail())
		}
	}
	t.Logf("seed %d: %d transactions OK, %d refused, %d without an answer", e.seed, l.oks, l.faults, l.open)
}

// babble is a stranger at the chip's socket, whom nothing comes of.
func (j *joined) babble(rng *rand.Rand) {
	conn, err := net.Dial("unix", j.chip)
	must(j, err)
	defer conn.Close()
	junk := make([]byte, 4+rng.IntN(500))
	for i := range junk {
		junk[i] = byte(rng.IntN(256))
	}
	_, _ = conn.Write(junk) // it may have hung up
}
