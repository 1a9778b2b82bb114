package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"

	"xon/sai"
)

// handoverTime is how long a new agent waits for the previous connection to end: its
// agent may just have been killed.
const handoverTime = 200 * time.Millisecond

// server is a driver and its current agent, if any.
type server struct {
	drv   sai.Driver
	names sai.Names
	log   logrus.FieldLogger

	slot  chan struct{} // holds a token while no agent is connected
	mu    sync.Mutex
	agent string // the connected agent
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

// Serve serves a driver and its names to one agent at a time until the context ends.
// Then it closes the connection, waits for running calls and returns nil. It closes the
// listener and leaves the driver as it is. names and log may be nil.
func Serve(ctx context.Context, ln net.Listener, drv sai.Driver, names sai.Names, log logrus.FieldLogger) error {
	s := newServer(drv, names, log)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() {
		_ = ln.Close() // interrupts Accept
		s.closeAll()
	})
	defer s.wg.Wait()
	defer s.closeAll()
	defer cancel() // also ends a connection that closeAll does not see yet
	defer stop()
	for {
		conn, err := ln.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = conn.Close() // accepted too late
			}
			return nil
		case err != nil:
			_ = ln.Close() // not usable any more
			return fmt.Errorf("serve the chip: %w", err)
		}
		s.wg.Go(func() {
			runOrFail(func(err error) { s.log.WithError(err).Error("serving an agent failed") }, func() { s.serve(ctx, conn) })
		})
	}
}

func newServer(drv sai.Driver, names sai.Names, log logrus.FieldLogger) *server {
	if log == nil {
		quiet := logrus.New()
		quiet.SetOutput(io.Discard)
		log = quiet
	}
	s := &server{drv: drv, names: names, log: log, slot: make(chan struct{}, 1), conns: map[net.Conn]bool{}}
	s.slot <- struct{}{}
	return s
}

// closeAll closes all connections.
func (s *server) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close() // ends its reader
	}
}

// serve serves a connection until it ends.
func (s *server) serve(ctx context.Context, conn net.Conn) {
	s.track(conn, true)
	defer s.track(conn, false)
	defer func() { _ = conn.Close() }() // it may already be closed
	if ctx.Err() != nil {
		return
	}
	who, err := s.admit(ctx, conn)
	if err != nil {
		s.log.WithError(err).Warn("connection refused")
		return
	}
	log := s.log.WithField("agent", who)
	log.Info("agent connected")
	defer func() {
		s.setAgent("")
		s.slot <- struct{}{}
	}()
	x := newSession(s.drv, s.names, conn, log)
	if err := x.run(); ended(err) {
		log.Info("agent gone")
	} else {
		log.WithError(err).Warn("agent rejected")
	}
}

// ended reports whether an error means that the agent closed the connection or exited.
func ended(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.EPIPE, syscall.ECONNRESET} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (s *server) track(conn net.Conn, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on {
		s.conns[conn] = true
		return
	}
	delete(s.conns, conn)
}

func (s *server) setAgent(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = who
}

// admit performs the handshake and acquires the slot. It returns the agent's name.
func (s *server) admit(ctx context.Context, conn net.Conn) (string, error) {
	if err := conn.SetDeadline(time.Now().Add(handshakeTime)); err != nil {
		return "", err
	}
	f, err := receive(conn)
	if err != nil {
		return "", fmt.Errorf("handshake: %w", err)
	}
	defer f.free()
	_, _, body := f.head()
	them, err := readHello(body)
	if err != nil {
		return "", errors.Join(fmt.Errorf("handshake: %w", err), answerHello(conn, mismatch, 0, "no hello from an agent"))
	}
	if why := them.differs(localHello()); why != "" {
		return "", errors.Join(fmt.Errorf("%s: %s", them.agent, why), answerHello(conn, mismatch, 0, why))
	}
	if !s.takeSlot(ctx) {
		s.mu.Lock()
		who := s.agent
		s.mu.Unlock()
		return "", errors.Join(fmt.Errorf("%s: %w by %s", them.agent, ErrBusy, who), answerHello(conn, busy, 0, who))
	}
	s.setAgent(them.agent)
	err = answerHello(conn, welcome, s.drv.Version(), "")
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		s.slot <- struct{}{}
		return "", fmt.Errorf("handshake: %w", err)
	}
	return them.agent, nil
}

// takeSlot waits briefly for the previous connection to end.
func (s *server) takeSlot(ctx context.Context) bool {
	t := time.NewTimer(handoverTime)
	defer t.Stop()
	select {
	case <-s.slot:
		return true
	case <-ctx.Done():
	case <-t.C:
	}
	return false
}

// answerHello replies to a hello.
func answerHello(conn net.Conn, what helloReply, version sai.Version, text string) error {
	f := newFrame(0, 0)
	defer f.free()
	f.u8(uint8(what))
	f.uvarint(uint64(version))
	f.text(text)
	return f.send(conn)
}
