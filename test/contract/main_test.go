// Package contract runs the real xond with the configuration of SONiC's virtual switch
// and checks, key by key, what each of SONiC's tools reads from the databases, and what
// comes of what it writes there.
//
// A tool's reads are lines of a table (read): database, key, and what must be found. Keys
// are found as the tools find them: "COUNTERS:{queue Ethernet0:3}" goes by
// COUNTERS_QUEUE_NAME_MAP.
package contract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// programs is the folder of xond and xonctl.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "xon-bin-")
	if err == nil {
		programs = dir
		var out []byte
		if out, err = exec.Command("go", "build", "-o", dir+"/", "xon/cmd/...").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the programs:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// site is a whole agent in a directory of its own.
type site struct {
	testing.TB
	dir   string
	agent *exec.Cmd
	db    *redisdb.Client
}

// newSite starts xond with a configuration, and returns when all of it is taken up.
func newSite(t testing.TB, rows configdb.RawRows, args ...string) *site {
	t.Helper()
	dir, err := os.MkdirTemp("", "xon-") //nolint:usetesting // the test's own folder has a name too long for sockets
	must(t, err)
	s := &site{TB: t, dir: dir}
	config := filepath.Join(dir, "first.json")
	must(t, configdb.WriteFile(config, rows))
	s.start(append([]string{"--config", config}, args...)...)
	t.Cleanup(s.clean)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s.db, err = redisdb.Open(ctx, s.addr(), redisdb.Options{})
	must(t, err)
	s.eventually("xond takes its configuration up", func() error {
		f, err := s.row(redisdb.StateDB, statedb.AgentKey)
		if err == nil && f == nil {
			err = errors.New("the agent has published nothing")
		}
		return err
	})
	return s
}

func (s *site) addr() string { return "unix:" + filepath.Join(s.dir, "redis/redis.sock") }

// start starts xond, which may find what an earlier one left.
func (s *site) start(args ...string) {
	s.Helper()
	log, err := os.OpenFile(filepath.Join(s.dir, "xond.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(s, err)
	defer log.Close()
	s.agent = exec.Command(filepath.Join(programs, "xond"), append([]string{"--dir", s.dir, "--gnmi", "", "--web", "", "--stop-chip"}, args...)...)
	s.agent.Stdout, s.agent.Stderr = log, log
	must(s, s.agent.Start())
}

// stop ends xond in good order, with its database and chip process.
func (s *site) stop() {
	s.Helper()
	must(s, s.agent.Process.Signal(syscall.SIGTERM))
	must(s, s.agent.Wait())
}

// restart ends xond and starts it again.
func (s *site) restart() {
	s.Helper()
	s.stop()
	s.start()
	s.eventually("the database is back", func() error {
		_, err := s.row(redisdb.StateDB, statedb.AgentKey)
		return err
	})
}

// clean ends what is left. The directory of a failed test stays.
func (s *site) clean() {
	if s.db != nil {
		_ = s.db.Close() // nothing was left to write
	}
	s.stop()
	if s.Failed() {
		s.Logf("left for you to look at: %s", s.dir)
		return
	}
	must(s, os.RemoveAll(s.dir))
}

// xonctl runs a command and returns what it prints.
func (s *site) xonctl(args ...string) string {
	s.Helper()
	cmd := exec.Command(filepath.Join(programs, "xonctl"), args...)
	cmd.Env = append(os.Environ(), "XON_ADDR=unix:"+filepath.Join(s.dir, "gnmi.sock"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.Fatalf("xonctl %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (s *site) row(db redisdb.ID, key string) (redisdb.Fields, error) {
	return s.db.DB(db).Row(s.Context(), key)
}

// write writes to a database as a tool does.
func (s *site) write(id redisdb.ID, fill func(b *redisdb.Batch)) {
	s.Helper()
	var b redisdb.Batch
	fill(&b)
	must(s, s.db.DB(id).Write(s.Context(), &b))
}

// set is HSET of a row of CONFIG_DB.
func (s *site) set(key string, f redisdb.Fields) {
	s.Helper()
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) { b.Set(key, f) })
}

// remove is DEL of rows of CONFIG_DB.
func (s *site) remove(keys ...string) {
	s.Helper()
	s.write(redisdb.ConfigDB, func(b *redisdb.Batch) { b.Delete(keys...) })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patience is how long anything may take to come right.
const patience = 10 * time.Second

// eventually waits until something holds; why says what is still wrong.
func (s *site) eventually(what string, why func() error) {
	s.Helper()
	if err := s.await(why); err != nil {
		s.Fatalf("%s: %v", what, err)
	}
}

func (s *site) await(why func() error) (err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if err = why(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("not within %v: %w", patience, err)
}
