package redisdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settings are those that SONiC's tools rely on, and those that keep a private
// server private and its data safe.
var settings = []string{
	"unixsocketperm 660",
	"daemonize no",
	"databases 100",
	"notify-keyspace-events " + wantEvents,
	// A reader that falls behind must not lose events.
	"client-output-buffer-limit pubsub 0 0 0",
	"appendonly yes",
	// With everysec the server holds writes back for up to two seconds while a sync
	// goes on, although it has answered: a kill would lose them. So it writes at once,
	// and the sync is for syncNow.
	"appendfsync no",
	"aof-load-truncated yes",
	// Counters are written over and over: rewriting a small file often costs more
	// than a somewhat larger file.
	"auto-aof-rewrite-min-size 256mb",
	`save ""`,
	"stop-writes-on-bgsave-error no",
	"loglevel warning",
	"logfile redis.log",
	"always-show-logo no",
}

func (s *Server) config() string {
	lines := append([]string{
		"# Written by xond at every start.",
		fmt.Sprintf("dir %q", s.dir),
		fmt.Sprintf("unixsocket %q", s.socket()),
		fmt.Sprintf("port %d", s.port),
		"bind 127.0.0.1",
	}, settings...)
	return strings.Join(lines, "\n") + "\n"
}

func (s *Server) logPath() string { return filepath.Join(s.dir, "redis.log") }

func (s *Server) logSize() int64 {
	st, err := os.Stat(s.logPath())
	if err != nil {
		return 0
	}
	return st.Size()
}

// explain adds what the server logged since a moment.
func (s *Server) explain(err error, since int64) error {
	text, readErr := os.ReadFile(s.logPath())
	if readErr != nil || int64(len(text)) <= since {
		return err
	}
	return fmt.Errorf("%w; its log says: %s", err, strings.TrimSpace(string(text[since:])))
}

// healthy is how long a server must have lived for its end to be an accident
// and not the next of a series.
const healthy = 10 * time.Second

// supervise starts the server again whenever it ends, until ctx ends.
func (s *Server) supervise(ctx context.Context) {
	defer close(s.done)
	sync := time.NewTicker(syncEvery)
	defer sync.Stop()
	var pause, unsafe backoff
	for born := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-s.run.over:
		case <-sync.C:
			if err := s.syncNow(); err != nil {
				unsafe.complain(s.log, err, "bring the database to the disk; a loss of power would lose changes")
			}
			continue
		}
		if time.Since(born) > healthy {
			pause = backoff{}
		}
		s.log.WithField("pid", s.PID()).Warn("redis-server ended, starting it again")
		s.set(nil)
		p, err := s.again(ctx, &pause)
		if err != nil {
			return
		}
		s.set(p)
		born = time.Now()
	}
}

// syncEvery is how much a loss of power may cost, as with Redis' own everysec.
const syncEvery = time.Second

// aofs are the append-only files, as Redis 7 and later, and as Redis 6 names them.
var aofs = []string{"appendonlydir/*", "appendonly.aof"}

// syncNow brings the append-only files from the system's memory to the disk.
func (s *Server) syncNow() error {
	var failed error
	found := false
	for _, pattern := range aofs {
		names, err := filepath.Glob(filepath.Join(s.dir, pattern))
		failed = errors.Join(failed, err)
		for _, name := range names {
			err := syncFile(name)
			if errors.Is(err, os.ErrNotExist) { // a rewrite removes files
				continue
			}
			found, failed = true, errors.Join(failed, err)
		}
	}
	if !found && failed == nil {
		return fmt.Errorf("%s has no append-only file (%s)", s.dir, strings.Join(aofs, ", "))
	}
	return failed
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	return unix.Fdatasync(int(f.Fd()))
}

func (s *Server) set(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = p
}

// again tries until it succeeds; its error is that of ctx.
func (s *Server) again(ctx context.Context, pause *backoff) (*process, error) {
	for {
		if err := pause.sleep(ctx); err != nil {
			return nil, err
		}
		p, err := s.attempt(ctx)
		if err == nil {
			return p, nil
		}
		pause.complain(s.log, err, "redis-server does not start, trying again")
	}
}

func (s *Server) attempt(ctx context.Context) (*process, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if s.alive == nil { // the one that ended was adopted
		return s.begin(ctx)
	}
	return s.spawn(ctx)
}

// Stop ends the server in good order: what it was told is on disk. When ctx ends
// first it is killed, and the last second may be lost; the error says so.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	<-s.done
	defer s.unlock()
	p := s.run
	if p == nil {
		return nil
	}
	if err := syscall.Kill(p.pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop redis-server: %w", err)
	}
	select {
	case <-p.over:
		return nil
	case <-ctx.Done():
	}
	err := fmt.Errorf("stop redis-server: it did not end in time and was killed: %w", ctx.Err())
	if kill := syscall.Kill(p.pid, syscall.SIGKILL); kill != nil && !errors.Is(kill, syscall.ESRCH) {
		return errors.Join(err, kill)
	}
	<-p.over
	return err
}
