package web_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// inMemory is a listener without a network.
type inMemory struct {
	conns chan net.Conn
	over  chan struct{}
}

func (l *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *inMemory) Close() error   { close(l.over); return nil }
func (l *inMemory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// TestPatience: who says nothing loses the connection, and over TCP who does not read
// the answer.
func TestPatience(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		local, reads bool
		within       time.Duration
	}{
		{"idle", false, true, 3 * time.Minute},
		{"idle on the unix socket", true, true, 3 * time.Minute},
		{"slow", false, false, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			l := &inMemory{conns: make(chan net.Conn), over: make(chan struct{})}
			ended := make(chan error, 1)
			go func() { ended <- newServer(busy(), nil).Serve(ctx, l, tt.local) }()
			here, there := net.Pipe()
			l.conns <- there
			if _, err := here.Write([]byte("GET / HTTP/1.1\r\nHost: xon\r\n\r\n")); err != nil {
				t.Fatal(err)
			}
			if err := here.SetReadDeadline(time.Now().Add(tt.within + time.Second)); err != nil {
				t.Fatal(err)
			}
			if !tt.reads {
				time.Sleep(tt.within)
			}
			n, err := io.Copy(io.Discard, here)
			if err != nil || (n > 0) != tt.reads {
				t.Errorf("%s: %d bytes, %v", tt.name, n, err)
			}
			cancel()
			if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
	}
}
