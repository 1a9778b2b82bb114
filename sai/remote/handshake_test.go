package remote_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xon/sai/remote"
	"xon/sai/vsai"
)

// TestHandshake: a peer that is not a chip process, or not an agent, of this build is
// rejected at once with a reason.
func TestHandshake(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{})
	for _, x := range []struct{ name, says, want string }{
		{"a web browser", "GET / HTTP/1.1\r\n\r\n", ""},
		{"nothing", "", ""},
		{"another protocol", frame(0, 0, []byte("xonchip\x00\x63\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")), "protocol 99"},
		{"no hello", frame(0, 0, []byte("something else")), "no hello"},
	} {
		conn, err := net.Dial("unix", p.path)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.WriteString(conn, x.says); err != nil {
			t.Fatal(err)
		}
		if x.says == "" {
			_ = conn.Close()
			continue
		}
		got, _ := io.ReadAll(conn)
		if !strings.Contains(string(got), x.want) {
			t.Errorf("%s: %q", x.name, got)
		}
		_ = conn.Close()
	}
	p.dial(t) // the chip process is none the worse

	for _, x := range []struct{ name, says string }{
		{"a web server", "HTTP/1.1 400 Bad Request\r\n\r\n"},
		{"gone at once", ""},
		{"other words", frame(0, 0, []byte{9, 0})},
	} {
		path := filepath.Join(t.TempDir(), "other.sock")
		ln, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1000))
			_, _ = io.WriteString(conn, x.says)
			_ = conn.Close()
		}()
		if _, err = remote.Dial(t.Context(), path); !errors.Is(err, remote.ErrVersion) {
			t.Errorf("%s: %v", x.name, err)
		}
		_ = ln.Close()
	}
}

// TestDialContext: a chip process that does not answer is not waited for longer
// than the context says.
func TestDialContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deaf.sock")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := remote.Dial(ctx, path); err == nil {
		t.Error("connected to nobody")
	}
	ctx, cancel2 := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel2)
	if _, err := remote.Dial(ctx, path); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := remote.Dial(t.Context(), filepath.Join(t.TempDir(), "none.sock")); err == nil {
		t.Error("connected to nothing")
	}
}

// frame is a message as it is on the wire.
func frame(request uint32, op byte, body []byte) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(5+len(body)))
	b = binary.LittleEndian.AppendUint32(b, request)
	return string(append(append(b, op), body...))
}

func send(t testing.TB, conn net.Conn, request uint32, op byte, body []byte) {
	t.Helper()
	if _, err := io.WriteString(conn, frame(request, op, body)); err != nil {
		t.Fatal(err)
	}
}

func reply(t testing.TB, conn net.Conn) []byte {
	t.Helper()
	var n [4]byte
	if _, err := io.ReadFull(conn, n[:]); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, binary.LittleEndian.Uint32(n[:]))
	if _, err := io.ReadFull(conn, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// hello shakes hands by hand.
func hello(t testing.TB, conn net.Conn) {
	t.Helper()
	send(t, conn, 0, 0, remote.Hello("test"))
	if b := reply(t, conn); b[5] != 0 {
		t.Fatalf("%q", b)
	}
}
