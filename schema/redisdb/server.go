package redisdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"
)

// ServerConfig says how to run a private server.
type ServerConfig struct {
	// Dir holds the server's data, its socket redis.sock, its configuration and
	// its log. It is made if it does not exist.
	Dir string
	// Binary is the program; "" looks for redis-server in PATH.
	Binary string
	// Port is one of 127.0.0.1 to listen on beside the socket, 1..65535; 0: none. A
	// server that is taken over keeps to what it was started with.
	Port int
}

// Server is a redis-server of our own: on a unix socket, and by TCP only if asked to, with its data kept
// in an append-only file. It outlives a kill of this process, and is then taken
// over by the next StartServer in the same directory.
type Server struct {
	dir, binary string
	port        int
	log         logrus.FieldLogger
	owner       *os.File // locked: this process may start and stop the server
	alive       *os.File // locked as long as a server lives, which inherits it

	stop context.CancelFunc // of the supervision
	done chan struct{}      // supervision has ended

	mu  sync.Mutex
	run *process
}

// process is one life of the server. over is closed when it has ended.
type process struct {
	pid  int
	over chan struct{}
}

// ErrNoServer says that there is no redis-server program.
var ErrNoServer = errors.New("no redis-server found; install the package redis-server, or join a running one with --redis")

// ErrTaken says that another process runs the server of a directory.
var ErrTaken = errors.New("in use by another process")

// startTime is how long a server may take until it answers. Loading a large
// append-only file counts, at some hundred megabytes a second.
const startTime = 60 * time.Second

// longestSocket is what fits into a unix socket's address.
const longestSocket = 107

// StartServer starts the server of a directory, or takes over the one that a
// killed process left running there, and keeps it running until Stop. ctx counts
// for the start only.
func StartServer(ctx context.Context, cfg ServerConfig, log logrus.FieldLogger) (*Server, error) {
	silence()
	s, err := newServer(cfg, log)
	if err != nil {
		return nil, fmt.Errorf("private redis-server: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	p, err := s.begin(ctx)
	if err != nil {
		s.unlock()
		return nil, fmt.Errorf("private redis-server in %s: %w", s.dir, err)
	}
	s.run = p
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	go s.supervise(watch)
	return s, nil
}

func newServer(cfg ServerConfig, log logrus.FieldLogger) (*Server, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if cfg.Port < 0 || cfg.Port > 65535 {
		return nil, fmt.Errorf("port %d is not in 1..65535", cfg.Port)
	}
	s := &Server{dir: dir, port: cfg.Port, log: orDiscard(log).WithField("component", "redis-server"), done: make(chan struct{})}
	if n := len(s.socket()); n > longestSocket {
		return nil, fmt.Errorf("the path %s has %d bytes, a unix socket's has at most %d", s.socket(), n, longestSocket)
	}
	if s.binary, err = program(cfg.Binary); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	if s.owner, err = lock(filepath.Join(dir, "owner.lock")); err != nil {
		return nil, err
	}
	return s, nil
}

func program(binary string) (string, error) {
	if binary == "" {
		binary = "redis-server"
	}
	path, err := exec.LookPath(binary)
	if err != nil {
		return "", fmt.Errorf("%w (%w)", ErrNoServer, err)
	}
	return path, nil
}

// lock opens a file and locks it, for as long as any process has it open.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrTaken
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return f, nil
}

func (s *Server) unlock() {
	s.owner.Close()
	if s.alive != nil {
		s.alive.Close()
	}
}

func (s *Server) socket() string { return filepath.Join(s.dir, "redis.sock") }

// Addr is the server's address, as Open takes it.
func (s *Server) Addr() string { return "unix:" + s.socket() }

// PID is the process id of the server, which changes when it had to be started
// again; 0 while there is none.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return 0
	}
	return s.run.pid
}

// begin starts a server or adopts the one that still holds the lock. One that is
// about to end, or was killed a moment ago, holds it for a little longer.
func (s *Server) begin(ctx context.Context) (*process, error) {
	for {
		alive, err := lock(filepath.Join(s.dir, "server.lock"))
		switch {
		case err == nil:
			s.alive = alive
			return s.spawnAgain(ctx)
		case !errors.Is(err, ErrTaken):
			return nil, err
		}
		p, err := s.adopt(ctx)
		if !errors.Is(err, errOver) {
			return p, err
		}
	}
}

// adopt finds the server that is running already. It has no other parent to
// tell of its end than a connection. The error is errOver if it ends meanwhile.
func (s *Server) adopt(ctx context.Context) (*process, error) {
	watch, stop := context.WithCancel(ctx)
	defer stop()
	pid, err := s.await(ctx, s.unlocked(watch))
	if errors.Is(err, errOver) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("a server is running, but does not answer: %w", err)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", s.socket())
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errOver, err)
	}
	p := &process{pid: pid, over: make(chan struct{})}
	go func() {
		_, _ = conn.Read(make([]byte, 1)) // the server never speaks first
		conn.Close()
		<-s.unlocked(context.Background())
		close(p.over)
	}()
	s.log.WithField("pid", pid).Info("took over the running redis-server")
	return p, nil
}

// spawnAgain is spawn until the server is not killed while it starts.
func (s *Server) spawnAgain(ctx context.Context) (*process, error) {
	for {
		p, err := s.spawn(ctx)
		if !errors.Is(err, errKilled) || ctx.Err() != nil {
			return p, err
		}
		s.log.WithError(err).Warn("redis-server was killed while it started, starting it again")
	}
}

// spawn starts the program and waits until it answers.
func (s *Server) spawn(ctx context.Context) (*process, error) {
	conf := filepath.Join(s.dir, "redis.conf")
	if err := os.WriteFile(conf, []byte(s.config()), 0o640); err != nil {
		return nil, err
	}
	if err := os.Remove(s.socket()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	cmd := exec.Command(s.binary, conf)
	cmd.Dir = s.dir
	cmd.ExtraFiles = []*os.File{s.alive}
	// A group of its own: Ctrl-C at the terminal is for us, not for the server,
	// which is needed until we have finished.
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	logged := s.logSize()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{pid: cmd.Process.Pid, over: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is in its log
		close(p.over)
	}()
	if _, err := s.await(ctx, p.over); err != nil {
		_ = cmd.Process.Kill()
		<-p.over
		if errors.Is(err, errOver) && !cmd.ProcessState.Exited() {
			err = errKilled
		}
		return nil, s.explain(err, logged)
	}
	s.log.WithField("pid", p.pid).Info("redis-server started")
	return p, nil
}

// unlocked is closed when no server has the lock: a closed connection alone is no
// proof of its end, and the process id of a stranger's child neither. When ctx ends
// it stays open.
func (s *Server) unlocked(ctx context.Context) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		var pause backoff
		for {
			f, err := lock(filepath.Join(s.dir, "server.lock"))
			if err == nil {
				f.Close()
			}
			if !errors.Is(err, ErrTaken) {
				close(over)
				return
			}
			if pause.sleep(ctx) != nil {
				return
			}
		}
	}()
	return over
}

var (
	errOver   = errors.New("it ended")
	errKilled = errors.New("it was killed")
)

// await returns the process id of the server as soon as it answers.
func (s *Server) await(ctx context.Context, over <-chan struct{}) (int, error) {
	rdb := redis.NewClient((&Client{network: "unix", address: s.socket()}).options(0))
	defer rdb.Close()
	var pause backoff
	for {
		pid, err := s.check(ctx, rdb)
		if err == nil || isRefusal(err) {
			return pid, err
		}
		select {
		case <-over:
			return 0, errOver
		default:
		}
		if pause.sleep(ctx) != nil {
			return 0, err
		}
	}
}

// check looks at the server's own account of itself, which one that is loading
// gives, but then it answers no ping.
func (s *Server) check(ctx context.Context, rdb *redis.Client) (int, error) {
	info, err := rdb.Info(ctx, "server").Result()
	if err != nil {
		return 0, err
	}
	if v := infoValue(info, "redis_version"); olderThan(v, MinVersion) {
		return 0, &refusal{fmt.Errorf("%s has version %s, want %s or later", s.binary, v, MinVersion)}
	}
	if err := rdb.Ping(ctx).Err(); err != nil {
		return 0, err
	}
	return strconv.Atoi(infoValue(info, "process_id"))
}
