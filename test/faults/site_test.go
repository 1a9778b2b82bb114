package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// site is a whole agent in a directory of its own: xond, its redis-server, its chip
// process. Each can be killed; only xond is started again by the test.
type site struct {
	testing.TB
	dir     string   // of the test
	state   string   // of xond; the same, or on another disk
	buffers string   // the folder of the buffer manager's files
	args    []string // of xond, beside those that every site has
	redis   string   // the socket
	chip    string   // the socket
	record  string   // the file of the chip's record
	agent   *process
	db      *redisdb.Client
	fences  int
}

// process is a program that the test started.
type process struct {
	cmd  *exec.Cmd
	over chan struct{} // closed when it has ended
}

// launch starts a program; what it says goes to the end of a file.
func launch(t testing.TB, log string, env []string, name string, args ...string) *process {
	t.Helper()
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	must(t, err)
	defer f.Close()
	p := &process{cmd: exec.Command(filepath.Join(programs, name), args...), over: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = f, f
	p.cmd.Env = append(os.Environ(), env...)
	must(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait() // how it ended is asked of ProcessState
		close(p.over)
	}()
	return p
}

func (p *process) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// kill ends a process, and waits until it has.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.over
}

// newSite makes a site with a configuration that is loaded at the first start.
func newSite(t testing.TB, rows configdb.RawRows) *site {
	t.Helper()
	dir, err := os.MkdirTemp("", "xon-") //nolint:usetesting // the test's own folder has a name too long for sockets
	must(t, err)
	s := &site{
		TB: t, dir: dir, state: dir, redis: filepath.Join(dir, "redis/redis.sock"), chip: filepath.Join(dir, "chip.sock"),
		record: filepath.Join(dir, "record"),
	}
	config := filepath.Join(dir, "first.json")
	must(t, configdb.WriteFile(config, rows))
	s.buffers = filepath.Join(dir, "buffers")
	must(t, os.Mkdir(s.buffers, 0o755))
	must(t, os.WriteFile(filepath.Join(s.buffers, "pg_profile_lookup.ini"), []byte(lookupFile), 0o600))
	s.args = []string{"--dir", dir, "--gnmi", "", "--web", "", "--config", config, "--buffers", s.buffers}
	t.Cleanup(s.clean)
	return s
}

// clean ends all that is left. The directory of a failed test stays.
func (s *site) clean() {
	if s.db != nil {
		_ = s.db.Close() // nothing was left to write
	}
	if s.agent != nil {
		s.agent.kill()
	}
	for _, socket := range []string{s.redis, s.chip} {
		if pid := listener(socket); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGCONT)
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
	if s.Failed() {
		s.Logf("left for you to look at: %s", s.dir)
		return
	}
	if err := os.RemoveAll(s.dir); err != nil {
		s.Error(err)
	}
}

// forget has later starts go without --config, which is for the first: a database that
// is empty then gets what was saved last.
func (s *site) forget() {
	s.Helper()
	i := slices.Index(s.args, "--config")
	if i < 0 {
		s.Fatalf("no --config in %q", s.args)
	}
	s.args = slices.Delete(s.args, i, i+2)
}

func (s *site) log() string { return filepath.Join(s.dir, "xond.log") }

// start starts xond, which may find what an earlier one left.
func (s *site) start() {
	s.Helper()
	s.agent = launch(s, s.log(), []string{"XON_RECORD=" + s.record}, "xond", s.args...)
}

// begin starts the site for the first time, and returns when its configuration is
// in force.
func (s *site) begin() {
	s.Helper()
	s.start()
	s.open()
	eventually(s, "start", func() error {
		f, err := s.db.DB(redisdb.StateDB).Row(s.Context(), statedb.AgentKey)
		if err == nil && f == nil {
			err = errors.New("the agent has published nothing")
		}
		return err
	})
	s.fence()
}

// open connects the test to the database.
func (s *site) open() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	var err error
	s.db, err = redisdb.Open(ctx, "unix:"+s.redis, redisdb.Options{})
	must(s, err)
}

// listener returns the process that listens on a unix socket; 0 if none does.
func listener(socket string) int {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return 0
	}
	defer conn.Close()
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return 0
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	err = raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	if err != nil {
		return 0
	}
	return pid
}

// fenceTable is none of xon's: its rows get the fate "ignored".
const fenceTable = "FENCE"

// fence returns when all that was written before has been taken up, put on the chip
// and published: rows are taken in the order in which they are written, and fates
// are published last.
func (s *site) fence() {
	s.Helper()
	s.fences++
	row := configdb.Key(fenceTable, fmt.Sprint(s.fences))
	for _, there := range []bool{true, false} {
		s.write(func(b *redisdb.Batch) {
			if there {
				b.Set(string(row), redisdb.Fields{"n": "1"})
			} else {
				b.Delete(string(row))
			}
		})
		eventually(s, "take up what was written", func() error {
			if err := s.lives(); err != nil {
				return err
			}
			f, err := s.db.DB(redisdb.StateDB).Row(s.Context(), statedb.FateKey(row))
			if err == nil && (f != nil) != there {
				err = fmt.Errorf("%s has the fate %v", row, f)
			}
			return err
		})
	}
}

// write writes to CONFIG_DB, as soon as the database is there.
func (s *site) write(fill func(b *redisdb.Batch)) {
	s.Helper()
	var b redisdb.Batch
	fill(&b)
	eventually(s, "write to the database", func() error {
		err := s.db.DB(redisdb.ConfigDB).WriteAtomic(s.Context(), &b)
		if err == nil {
			return nil
		}
		return errors.Join(err, s.lives())
	})
}

// lives is an error if xond ended, which it never does by itself.
func (s *site) lives() error {
	if s.agent.ended() {
		return fmt.Errorf("%w: %v\n%s", errEnded, s.agent.cmd.ProcessState, s.tail())
	}
	return nil
}

// content reads a database.
func (s *site) content(id redisdb.ID, pattern string) map[string]redisdb.Fields {
	s.Helper()
	var all map[string]redisdb.Fields
	eventually(s, "read the database", func() (err error) {
		all, err = s.db.DB(id).AllAsFound(s.Context(), pattern)
		return err
	})
	return all
}

// rows is CONFIG_DB without what is no row.
func (s *site) rows() map[string]redisdb.Fields {
	s.Helper()
	all := s.content(redisdb.ConfigDB, redisdb.Everything)
	for k := range all {
		if !strings.Contains(k, "|") {
			delete(all, k)
		}
	}
	return all
}

// fates are the states of all rows.
func (s *site) fates() map[string]statedb.Fate {
	s.Helper()
	out := map[string]statedb.Fate{}
	for k, f := range s.content(redisdb.StateDB, redisdb.StateDB.Pattern(statedb.FateTable)) {
		row, _ := statedb.ParseFateKey(k)
		fate, err := statedb.ParseFate(f)
		must(s, err)
		out[string(row)] = fate
	}
	return out
}

// dial makes a gNMI client. Whether anybody answers shows with its first call.
func (s *site) dial() *client.Client {
	s.Helper()
	c, err := client.Dial(client.Options{Addr: "unix:" + filepath.Join(s.state, "gnmi.sock")})
	must(s, err)
	return c
}
