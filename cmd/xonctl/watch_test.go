package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"xon/gnmi/server"
)

// lines reads what a running command prints, without the times and how often a value
// came while the reader was slow.
type lines struct {
	t    *testing.T
	scan *bufio.Scanner
}

var clock = regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d\d\d  |"time":"[^"]*"|"duplicates":\d+,`)

func (l *lines) want(text string) {
	l.t.Helper()
	if !l.scan.Scan() {
		l.t.Fatalf("ended before %q", text)
	}
	if got := clock.ReplaceAllString(l.scan.Text(), ""); got != text {
		l.t.Errorf("printed %q, want %q", got, text)
	}
}

func (r *rig) watch(t *testing.T, story func(l *lines), args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"--addr", r.addr, "watch"}, args...), strings.NewReader(""), in, io.Discard)
		_ = in.Close()
	}()
	story(&lines{t: t, scan: bufio.NewScanner(out)})
	cancel()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if c := <-code; c != 0 {
		t.Errorf("an interrupted watch ends with %d", c)
	}
}

// TestWatchNothing: a watch of what is not there says so, instead of a silent wait.
func TestWatchNothing(t *testing.T) {
	t.Parallel()
	r := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	said, errout := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"--addr", r.addr, "watch", "STATE_DB/NOPE"}, strings.NewReader(""), io.Discard, errout)
		_ = errout.Close()
	}()
	if line, _ := bufio.NewReader(said).ReadString('\n'); !strings.Contains(line, "nothing is there yet") {
		t.Errorf("a watch of nothing says %q", line)
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("an interrupted watch ends with %d", c)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.watch(t, func(l *lines) {
		l.want("CONFIG_DB/SCHEDULER/lossless/type = DWRR")
		l.want("CONFIG_DB/SCHEDULER/lossless/weight = 50")
		r.dbs.Put("CONFIG_DB", "SCHEDULER|lossless", fields{"type": "STRICT"})
		l.want("CONFIG_DB/SCHEDULER/lossless/weight is gone")
		l.want("CONFIG_DB/SCHEDULER/lossless/type = STRICT")
	}, "SCHEDULER")
	r.watch(t, func(l *lines) {
		l.want(`{"path":"COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_RX_PKTS",,"value":"12"}`)
		l.want(`{"path":"COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_RX_PKTS",,"value":"12"}`)
	}, "--json", "--sample", "100ms", "COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_RX_PKTS")
}

func TestWatchErrors(t *testing.T) {
	t.Parallel()
	r := start(t)
	code, said := r.xonctl(t, "", "watch", "--sample", "1ms", "PORT")
	if code != 1 || !strings.Contains(said, "sample_interval of 1ms: at least 100ms") {
		t.Errorf("%d %s", code, said)
	}
}

// Over TCP the agent's certificate is checked.
func TestTLS(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	own := &server.TLS{Dir: dir}
	if _, err := own.Credentials(); err != nil {
		t.Fatal(err)
	}
	r := serve(t, l, l.Addr().String(), own)
	for hint, args := range map[string][]string{
		"":                       {"--ca", filepath.Join(dir, server.OwnCertFile)},
		" ":                      {"--skip-verify"},
		"--ca":                   {},
		"nobody answers at ADDR": {"--insecure"},
	} {
		code, said := r.xonctl(t, "", append(args, "get", "PORT/Ethernet0/mtu")...)
		if (strings.TrimSpace(hint) == "") != (code == 0) || !strings.Contains(said, strings.TrimSpace(hint)) {
			t.Errorf("%v: %d %s", args, code, said)
		}
	}
	if code, said := r.xonctl(t, "", "--ca", "/nonexistent", "status"); code != 2 || !strings.Contains(said, "no such file") {
		t.Errorf("%d %s", code, said)
	}
}

func TestNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for addr, tt := range map[string]struct {
		code int
		want string
	}{
		"unix:" + dir + "/s": {1, "Start the agent with xond, or say where it is with --addr"},
		"unix:s":             {2, "want unix:/absolute/path"},
		"nowhere":            {2, "want unix:/path or host:port"},
	} {
		code, said := (&rig{addr: addr}).xonctl(t, "", "status")
		if code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%s: %d %s", addr, code, said)
		}
	}
}
