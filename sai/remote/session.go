package remote

import (
	"fmt"
	"net"
	"runtime/debug"
	"sync"

	"github.com/sirupsen/logrus"

	"xon/sai"
)

// workers is the number of concurrent calls of an agent, so that an urgent call does
// not wait for a long poll.
const workers = 8

// session serves one agent.
//
// Its workers take turns reading: a worker that has read a request lets the next one
// read, then executes the request itself, which avoids a switch to another goroutine.
type session struct {
	drv   sai.Driver
	names sai.Names
	conn  net.Conn
	log   logrus.FieldLogger

	reading sync.Mutex
	err     error // of the connection; guarded by reading

	writing sync.Mutex

	mu         sync.Mutex
	cause      error // why this side ended the session
	subscribed map[*sai.NotifyMeta]bool
	events     events
}

func newSession(drv sai.Driver, names sai.Names, conn net.Conn, log logrus.FieldLogger) *session {
	s := &session{drv: drv, names: names, conn: conn, log: log, subscribed: map[*sai.NotifyMeta]bool{}}
	s.events.fail = s.fail
	return s
}

// run serves until the connection ends, and returns the reason.
func (s *session) run() error {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { runOrFail(s.fail, s.work) })
	}
	wg.Wait()
	s.unsubscribe()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause != nil {
		return s.cause
	}
	return s.err
}

// work executes requests until the connection ends.
func (s *session) work() {
	for {
		in, err := s.next()
		if err != nil {
			return
		}
		out, err := s.handle(in)
		in.free()
		if err == nil {
			err = s.send(out)
			out.free()
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// next reads a request.
func (s *session) next() (*frame, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	f, err := receive(s.conn)
	s.err = err
	return f, err
}

// fail ends the session; the first error counts.
func (s *session) fail(err error) {
	s.mu.Lock()
	if s.cause == nil {
		s.cause = err
	}
	s.mu.Unlock()
	_ = s.conn.Close() // nothing to report it to
}

func (s *session) send(f *frame) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return f.send(s.conn)
}

// handle executes a request and returns the reply. It returns an error if the request
// cannot be answered.
func (s *session) handle(in *frame) (*frame, error) {
	id, o, body := in.head()
	h := handlers[o]
	if h == nil {
		return nil, fmt.Errorf("%w: op %d", errMalformed, o)
	}
	r, out := &reader{b: body}, newFrame(id, o)
	if !s.recoverPanic(o, func() { h(s, r, out) }) {
		out = refusal(out, id, o, sai.StatusFailure)
	}
	if r.err != nil {
		out.free()
		return nil, fmt.Errorf("op %d: %w", o, r.err)
	}
	if len(out.b) > maxFrame {
		out = refusal(out, id, o, sai.StatusBufferOverflow)
	}
	return out, nil
}

// refusal replaces a reply by one that has only a status.
func refusal(instead *frame, id uint32, o messageType, st sai.Status) *frame {
	instead.free()
	f := newFrame(id, o)
	f.status(st)
	return f
}

// recoverPanic runs f and recovers from a panic in a driver, so that the chip process
// keeps the chip's state. It reports whether f returned normally.
func (s *session) recoverPanic(o messageType, f func()) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			s.log.WithField("op", o).WithField("panic", p).WithField("stack", string(debug.Stack())).Error("driver panicked")
		}
	}()
	f()
	return true
}

// subscribe subscribes to the driver's notifications for the agent, or unsubscribes.
func (s *session) subscribe(n *sai.NotifyMeta, on bool) sai.Value {
	s.mu.Lock()
	if on {
		s.subscribed[n] = true
	} else {
		delete(s.subscribed, n)
	}
	s.mu.Unlock()
	if !on {
		s.events.subscribe(n, nil)
		return s.drv.Notify(n, nil)
	}
	s.events.subscribe(n, s.push)
	return s.drv.Notify(n, s.events.enqueue)
}

// push sends a notification.
func (s *session) push(n sai.Notification) {
	f := newFrame(0, opEvent)
	defer f.free()
	f.event(n)
	if err := s.send(f); err != nil {
		s.fail(err)
	}
}

// unsubscribe removes the agent's subscriptions from the driver.
func (s *session) unsubscribe() {
	lost := s.events.close()
	for n := range s.subscribed {
		s.drv.Notify(n, nil)
	}
	if lost > 0 {
		s.log.WithField("lost", lost).Warn("notifications lost: the agent was too slow")
	}
}
