package redisdb_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// rows are n rows of eight fields.
func rows(n int) map[string]redisdb.Fields {
	all := make(map[string]redisdb.Fields, n)
	for i := range n {
		f := redisdb.Fields{}
		for j := range 8 {
			f["SAI_PORT_ATTR_"+strconv.Itoa(j)] = strconv.Itoa(i + j)
		}
		all[fmt.Sprintf("ASIC_STATE:SAI_OBJECT_TYPE_PORT:oid:0x%x", i)] = f
	}
	return all
}

// raw sends a command as a stranger would.
func raw(t testing.TB, addr string, db redisdb.ID, args ...any) any {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Network: "unix", Addr: strings.TrimPrefix(addr, "unix:"), DB: int(db)})
	defer rdb.Close()
	v, err := rdb.Do(context.Background(), args...).Result()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// setting asks for one of the server's settings.
func setting(t testing.TB, addr, option string) any {
	t.Helper()
	all, ok := raw(t, addr, 0, "CONFIG", "GET", option).(map[any]any)
	if !ok {
		t.Fatalf("no setting %s", option)
	}
	return all[option]
}

// standalone starts a redis-server with a configuration of the test's own, and returns
// its address.
func standalone(t testing.TB, lines ...string) string {
	t.Helper()
	socket := filepath.Join(redistest.Dir(t), "redis.sock")
	cmd := exec.CommandContext(t.Context(), "redis-server", "-")
	cmd.Stdin = strings.NewReader(strings.Join(append(lines, "port 0", "unixsocket "+socket, `save ""`), "\n"))
	if err := cmd.Start(); err != nil {
		t.Fatalf("this test needs redis-server (Debian: apt-get install redis-server): %v", err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	redistest.Eventually(t, "the server is there", func() bool {
		_, err := os.Stat(socket)
		return err == nil
	})
	return "unix:" + socket
}

// proxy stands between client and server.
type proxy struct {
	addr, server string
	mu           sync.Mutex
	conns        []net.Conn
	loading      int    // so many connections hear that the server is loading
	cut          string // what the client says before the connection is cut
	swallow      bool   // the server does not hear it
}

func newProxy(t testing.TB, server string) *proxy {
	t.Helper()
	p := &proxy{addr: filepath.Join(redistest.Dir(t), "p.sock"), server: strings.TrimPrefix(server, "unix:")}
	l, err := net.Listen("unix", p.addr)
	if err != nil {
		t.Fatal(err)
	}
	p.addr = "unix:" + p.addr
	t.Cleanup(func() { l.Close(); p.drop() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(conn)
		}
	}()
	return p
}

// drop closes all connections.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	if p.isLoading() {
		refuse(client)
		return
	}
	server, err := net.Dial("unix", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	go func() {
		defer client.Close()
		_, _ = io.Copy(client, server)
	}()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil || !p.pass(client, server, buf[:n]) {
			return
		}
	}
}

func (p *proxy) isLoading() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.loading--
	return p.loading >= 0
}

// refuse answers once as a server does that is loading, and hangs up.
func refuse(client net.Conn) {
	buf := make([]byte, 1<<12)
	n, err := client.Read(buf)
	if err != nil {
		return
	}
	for range bytes.Count(buf[:n], []byte("*")) {
		fmt.Fprint(client, "-LOADING Redis is loading the dataset in memory\r\n")
	}
}

// pass hands on what the client said, or cuts.
func (p *proxy) pass(client, server net.Conn, b []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	cut := p.cut != "" && bytes.Contains(bytes.ToUpper(b), []byte(p.cut))
	if cut {
		client.Close()
		p.cut = ""
	}
	if !cut || !p.swallow {
		if _, err := server.Write(b); err != nil {
			return false
		}
	}
	if cut { // the server has read it when it sees the end of what we say
		if c, ok := server.(*net.UnixConn); ok {
			_ = c.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, server)
	}
	return !cut
}
