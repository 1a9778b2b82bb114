package remote_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
)

// process is a chip process without the process: a chip behind a socket.
type process struct {
	chip *vsai.Chip
	path string
	stop func() // and wait
}

func start(t testing.TB, drv sai.Driver, names sai.Names) *process {
	t.Helper()
	p := &process{path: filepath.Join(t.TempDir(), "chip.sock")}
	p.chip, _ = drv.(*vsai.Chip)
	ln, err := net.Listen("unix", p.path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- remote.Serve(ctx, ln, drv, names, nil) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(p.stop)
	return p
}

func startChip(t testing.TB, cfg vsai.Config) *process {
	t.Helper()
	c := vsai.New(cfg)
	return start(t, c, c)
}

func (p *process) dial(t testing.TB) *remote.Client {
	t.Helper()
	c, err := remote.Dial(t.Context(), p.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// boot makes the switch.
func boot(t testing.TB, d sai.Driver) *sai.Switch {
	t.Helper()
	sw := &sai.Switch{Driver: d}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	return sw
}

func layout(n int) []vsai.PortLayout {
	out := make([]vsai.PortLayout, n)
	for i := range out {
		l := uint32(4 * i)
		out[i] = vsai.PortLayout{Lanes: []uint32{l, l + 1, l + 2, l + 3}, SpeedMbps: 100000}
	}
	return out
}

// lost waits for a client to notice that its connection is gone.
func lost(t testing.TB, c *remote.Client) error {
	t.Helper()
	select {
	case <-c.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the lost connection was not noticed")
	}
	if c.Err() == nil {
		t.Fatal("no reason")
	}
	return c.Err()
}

// eventually polls a condition of another goroutine.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 10 s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// redial connects as soon as the former agent is gone.
func (p *process) redial(t testing.TB) (c *remote.Client) {
	t.Helper()
	eventually(t, "connect again", func() bool {
		var err error
		c, err = remote.Dial(t.Context(), p.path)
		if err != nil && !errors.Is(err, remote.ErrBusy) {
			t.Fatal(err)
		}
		return err == nil
	})
	t.Cleanup(func() { _ = c.Close() })
	return c
}
