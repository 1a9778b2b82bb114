// Package redistest gives tests a real redis-server. Tests of what needs no
// events, transactions or lost connections may use a server in memory instead.
package redistest

import (
	"context"
	"os"
	"testing"
	"time"

	"xon/schema/redisdb"
)

// Start runs a server of the test's own until the test ends. It fails the test
// if redis-server is not installed.
func Start(t testing.TB) *redisdb.Server {
	t.Helper()
	return StartIn(t, Dir(t))
}

// StartIn is Start with the server's data in a directory of the caller's.
func StartIn(t testing.TB, dir string) *redisdb.Server {
	t.Helper()
	s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: dir}, nil)
	if err != nil {
		t.Errorf("this test needs redis-server (Debian: apt-get install redis-server): %v", err)
		t.FailNow()
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Dir is an empty directory with a name short enough for a socket in it, which
// those of t.TempDir are not always.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "xon") //nolint:usetesting // the test's own folder has a name too long for sockets
	if err != nil {
		t.Error(err)
		t.FailNow()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Open starts a server and connects to it.
func Open(t testing.TB) *redisdb.Client {
	t.Helper()
	return Connect(t, Start(t).Addr())
}

// Connect connects to a server until the test ends.
func Connect(t testing.TB, addr string) *redisdb.Client {
	t.Helper()
	c, err := redisdb.Open(t.Context(), addr, redisdb.Options{})
	if err != nil {
		t.Error(err)
		t.FailNow()
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Eventually waits until something holds, and fails the test if it does not
// within ten seconds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for pause := time.Millisecond; !holds(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("not within ten seconds: %s", what)
			t.FailNow()
		}
		time.Sleep(pause)
	}
}
