package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"xon/sai"
)

// Client is the chip process's driver on the agent's side. It is safe for use by
// several goroutines; their calls do not wait for each other.
type Client struct {
	conn    net.Conn
	version sai.Version

	writing sync.Mutex // of one frame

	mu      sync.Mutex
	next    uint32
	waiting map[uint32]chan *frame
	err     error // why the connection is gone
	done    chan struct{}

	events events
}

var (
	_ sai.Driver = (*Client)(nil)
	_ sai.Names  = (*Client)(nil)
)

// handshakeTime is how long either end waits for the other's first words.
const handshakeTime = 5 * time.Second

// Dial connects to the chip process that listens on the unix socket at path. The
// error matches ErrBusy while another agent is connected, which it names, and
// ErrVersion if the process is of another build. The context is for the
// connecting alone.
func Dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("chip: %w", err)
	}
	c, err := newClient(ctx, conn)
	if err != nil {
		_ = conn.Close() // the first error is the one to report
		return nil, fmt.Errorf("chip at %s: %w", path, err)
	}
	return c, nil
}

// newClient shakes hands over a connection and begins to listen to it.
func newClient(ctx context.Context, conn net.Conn) (*Client, error) {
	deadline := time.Now().Add(handshakeTime)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // wakes the handshake up
	version, err := greet(conn)
	if !stop() && err != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	c := &Client{conn: conn, version: version, waiting: map[uint32]chan *frame{}, done: make(chan struct{})}
	c.events.fail = c.fail
	go runOrFail(c.fail, c.readLoop)
	return c, nil
}

// greet sends our hello and reads the answer.
func greet(conn net.Conn) (sai.Version, error) {
	f := newFrame(0, 0)
	defer f.free()
	f.b = localHello().append(f.b)
	if err := f.send(conn); err != nil {
		return 0, err
	}
	in, err := receive(conn)
	if errors.Is(err, io.EOF) || errors.Is(err, errMalformed) {
		return 0, fmt.Errorf("%w: it answers in another manner (%w)", ErrVersion, err)
	}
	if err != nil {
		return 0, err
	}
	defer in.free()
	_, _, body := in.head()
	r := reader{b: body}
	what, version, text := helloReply(r.u8()), sai.Version(r.uvarint()), printable(r.text(4*maxName))
	switch err := r.end(); {
	case err != nil:
		return 0, fmt.Errorf("%w: it answers in another manner (%w)", ErrVersion, err)
	case what == busy:
		return 0, fmt.Errorf("%w by %s", ErrBusy, text)
	case what != welcome:
		return 0, fmt.Errorf("%w: %s", ErrVersion, text)
	}
	return version, nil
}

// Done is closed when the connection is lost or closed.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err says why the connection is gone: ErrClosed after Close, nil while it is
// there.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Version implements sai.Driver: it is the version of the chip's library.
func (c *Client) Version() sai.Version { return c.version }

// Close ends the connection. The chip goes on.
func (c *Client) Close() sai.Status {
	c.fail(ErrClosed)
	return sai.StatusSuccess
}

// fail ends the connection for a reason, the first of which counts.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	_ = c.conn.Close() // there is nobody to tell
	for id, w := range c.waiting {
		delete(c.waiting, id)
		close(w)
	}
	close(c.done)
	c.events.close()
}

// readLoop hands out what comes in until the connection ends.
func (c *Client) readLoop() {
	for {
		f, err := receive(c.conn)
		if err != nil {
			c.fail(fmt.Errorf("chip process: %w", err))
			return
		}
		id, o, body := f.head()
		if o == opEvent && id == 0 {
			n, err := readEvent(body)
			f.free()
			if err != nil {
				c.fail(fmt.Errorf("chip process: notification: %w", err))
				return
			}
			c.events.enqueue(n)
			continue
		}
		if !c.reply(id, f) {
			f.free()
			c.fail(fmt.Errorf("chip process: %w: an answer to nothing", errMalformed))
			return
		}
	}
}

// reply wakes who waits for an answer; false if nobody does.
func (c *Client) reply(id uint32, f *frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.waiting[id]
	if ok {
		delete(c.waiting, id)
		w <- f // there is room for one
	}
	return ok
}

// waiters are channels for one answer each. One that was closed is not used
// again.
var waiters = sync.Pool{New: func() any { return make(chan *frame, 1) }}

// register gives a call a number and a place for its answer.
func (c *Client) register() (id uint32, w chan *frame, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, false
	}
	c.next++
	for c.next == 0 || c.waiting[c.next] != nil { // after 4 billion calls
		c.next++
	}
	w, _ = waiters.Get().(chan *frame)
	c.waiting[c.next] = w
	return c.next, w, true
}

// call sends a request and reads the answer: fill writes the request, read takes
// what follows the status. It returns StatusLost if there is no connection.
func (c *Client) call(o messageType, fill func(*frame), read func(*reader, sai.Status)) sai.Status {
	id, w, ok := c.register()
	if !ok {
		return StatusLost
	}
	f := newFrame(id, o)
	fill(f)
	if len(f.b) > maxFrame {
		c.unregister(id)
		f.free()
		return sai.StatusBufferOverflow
	}
	c.writing.Lock()
	err := f.send(c.conn)
	c.writing.Unlock()
	f.free()
	if err != nil {
		c.fail(fmt.Errorf("chip process: %w", err))
	}
	in, ok := <-w
	if !ok {
		return StatusLost
	}
	waiters.Put(w)
	defer in.free()
	return c.decodeReply(o, in, read)
}

// decodeReply reads an answer.
func (c *Client) decodeReply(want messageType, in *frame, read func(*reader, sai.Status)) sai.Status {
	_, o, body := in.head()
	r := reader{b: body}
	st := r.status()
	if read != nil && (st == 0 || len(r.b) > 0) { // a failure may come alone
		read(&r, st)
	}
	err := r.end()
	if o != want {
		err = fmt.Errorf("%w: the answer to another question", errMalformed)
	}
	if err != nil {
		c.fail(fmt.Errorf("chip process: %w", err))
		return StatusLost
	}
	return st
}

// unregister takes back a call that was not sent.
func (c *Client) unregister(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}
