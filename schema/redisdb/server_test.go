package redisdb_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// helperDir is set for the process that TestServerOutlivesAgent kills.
const helperDir = "REDISDB_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		s, err := redisdb.StartServer(context.Background(), redisdb.ServerConfig{Dir: dir}, nil)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.PID())
		select {}
	}
	os.Exit(m.Run())
}

func TestServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(redistest.Dir(t), "new")
	s := redistest.StartIn(t, dir)
	if want := "unix:" + filepath.Join(dir, "redis.sock"); s.Addr() != want {
		t.Errorf("address %s, want %s", s.Addr(), want)
	}
	for option, want := range map[string]string{
		"port": "0", "databases": "100", "appendonly": "yes", "appendfsync": "no", "notify-keyspace-events": "AKE",
		"client-output-buffer-limit": "normal 0 0 0 slave 268435456 67108864 60 pubsub 0 0 0",
	} {
		if got := setting(t, s.Addr(), option); got != want {
			t.Errorf("%s is %v, want %s", option, got, want)
		}
	}
	st, err := os.Stat(filepath.Join(dir, "redis.sock"))
	if err != nil || st.Mode().Perm() != 0o660 {
		t.Errorf("socket: %v, %v", st.Mode(), err)
	}
	if group, err := syscall.Getpgid(s.PID()); err != nil || group == syscall.Getpgrp() {
		t.Errorf("the server is in our process group, and Ctrl-C would end it first (%v)", err)
	}
	if _, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: dir}, nil); !errors.Is(err, redisdb.ErrTaken) {
		t.Errorf("a second server in the same directory: %v", err)
	}
}

// TestServerPort: by TCP too, for this machine alone, if that is asked for.
func TestServerPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: redistest.Dir(t), Port: port}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := redistest.Connect(t, addr).DB(redisdb.ConfigDB).Row(t.Context(), "x"); err != nil {
		t.Error(err)
	}
	if got := setting(t, s.Addr(), "bind"); got != "127.0.0.1" {
		t.Errorf("it listens on %v", got)
	}
}

func TestServerRefuses(t *testing.T) {
	t.Parallel()
	old := filepath.Join(redistest.Dir(t), "old-redis")
	script := "#!/bin/sh\necho it is broken >>\"$(dirname \"$1\")/redis.log\"; exit 1\n"
	if err := os.WriteFile(old, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(redistest.Dir(t), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(redistest.Dir(t), strings.Repeat("x", 100))
	tests := []struct {
		name string
		cfg  redisdb.ServerConfig
		want string
	}{
		{"no program", redisdb.ServerConfig{Dir: redistest.Dir(t), Binary: "/nowhere/redis-server"}, "private redis-server: no redis-server found; install the package redis-server, or join a running one with --redis"},
		{"long path", redisdb.ServerConfig{Dir: long}, fmt.Sprintf("private redis-server: the path %s/redis.sock has %d bytes, a unix socket's has at most 107", long, len(long)+11)},
		{"no directory", redisdb.ServerConfig{Dir: file}, "not a directory"},
		{"it fails", redisdb.ServerConfig{Dir: redistest.Dir(t), Binary: old}, "it ended; its log says: it is broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := redisdb.StartServer(t.Context(), tt.cfg, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// TestServerIsKept: a server that dies comes back, with its data, until it is
// stopped; then nothing is left running.
func TestServerIsKept(t *testing.T) {
	t.Parallel()
	dir := redistest.Dir(t)
	s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	raw(t, s.Addr(), redisdb.ConfigDB, "HSET", "T|a", "x", "1")
	d := redistest.Connect(t, s.Addr()).DB(redisdb.ConfigDB)
	for range 2 {
		old := s.PID()
		if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		redistest.Eventually(t, "another server runs", func() bool { return s.PID() != 0 && s.PID() != old })
		if f, err := d.Row(t.Context(), "T|a"); f["x"] != "1" || err != nil {
			t.Errorf("after a kill: %v, %v", f, err)
		}
	}
	pid := s.PID()
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}

	again := redistest.StartIn(t, dir)
	if f, err := redistest.Connect(t, again.Addr()).DB(redisdb.ConfigDB).Row(t.Context(), "T|a"); f["x"] != "1" || err != nil {
		t.Errorf("after an orderly stop: %v, %v", f, err)
	}
}

// TestServerOutlivesAgent kills the process that started a server; the next one
// takes the server over.
func TestServerOutlivesAgent(t *testing.T) {
	t.Parallel()
	dir := redistest.Dir(t)
	pid := orphan(t, dir)
	raw(t, "unix:"+filepath.Join(dir, "redis.sock"), redisdb.ConfigDB, "HSET", "T|a", "x", "1")

	s := redistest.StartIn(t, dir)
	if s.PID() != pid {
		t.Fatalf("process %d, want the old one, %d", s.PID(), pid)
	}
	// A connection that ends is no end of the server.
	raw(t, s.Addr(), 0, "CLIENT", "KILL", "TYPE", "normal")
	d := redistest.Connect(t, s.Addr()).DB(redisdb.ConfigDB)
	if f, err := d.Row(t.Context(), "T|a"); f["x"] != "1" || err != nil || s.PID() != pid {
		t.Errorf("%v, %v, process %d", f, err, s.PID())
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "another server runs", func() bool { return s.PID() != 0 && s.PID() != pid })
	if f, err := d.Row(t.Context(), "T|a"); f["x"] != "1" || err != nil {
		t.Errorf("after a kill: %v, %v", f, err)
	}
}

// TestServerEndsWhileTakenOver: a server that is killed while it is taken over is
// not waited for.
func TestServerEndsWhileTakenOver(t *testing.T) {
	t.Parallel()
	dir := redistest.Dir(t)
	pid := orphan(t, dir)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil { // it holds the lock and does not answer
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	from := time.Now()
	s := redistest.StartIn(t, dir)
	if took := time.Since(from); s.PID() == pid || took > 15*time.Second {
		t.Errorf("process %d after %v, the old one was %d", s.PID(), took, pid)
	}
}

// TestServerKilledAtStart: a server that is killed while it starts is no fault of its
// settings, and is started again.
func TestServerKilledAtStart(t *testing.T) {
	t.Parallel()
	dir := redistest.Dir(t)
	program, mark := filepath.Join(dir, "redis"), filepath.Join(dir, "killed")
	script := "#!/bin/sh\n[ -e " + mark + " ] || { : >" + mark + "; kill -KILL $$; }\nexec redis-server \"$@\"\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: filepath.Join(dir, "data"), Binary: program}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
}

// TestServerStopsWhatItAdopted: so does Stop.
func TestServerStopsWhatItAdopted(t *testing.T) {
	t.Parallel()
	dir := redistest.Dir(t)
	pid := orphan(t, dir)
	s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if alive(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

// alive tells a process from one that has ended and that nobody has asked about.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// orphan has another process start a server in dir, kills that process, and
// returns the server's process id.
func orphan(t *testing.T, dir string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the helper said %q", line)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return pid
}
