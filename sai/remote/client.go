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

// Client is the driver of a chip process on the agent's side. It is safe for concurrent
// use; calls do not wait for each other.
type Client struct {
	conn    net.Conn
	version sai.Version

	writing sync.Mutex // guards writing of one frame

	mu      sync.Mutex
	next    uint32
	waiting map[uint32]chan *frame
	err     error // why the connection ended
	done    chan struct{}

	events events
}

var (
	_ sai.Driver = (*Client)(nil)
	_ sai.Names  = (*Client)(nil)
)

// handshakeTime limits the wait for the other side's handshake message.
const handshakeTime = 5 * time.Second

// Dial connects to the chip process that listens on the unix socket at path. The error
// matches ErrBusy while another agent is connected, and names it; it matches ErrVersion
// if the process is of another build. The context applies only to connecting.
func Dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("chip: %w", err)
	}
	c, err := newClient(ctx, conn)
	if err != nil {
		_ = conn.Close() // the first error is reported
		return nil, fmt.Errorf("chip at %s: %w", path, err)
	}
	return c, nil
}

// newClient performs the handshake on a connection and starts reading.
func newClient(ctx context.Context, conn net.Conn) (*Client, error) {
	deadline := time.Now().Add(handshakeTime)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // interrupts the handshake
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

// greet sends the hello and reads the reply.
func greet(conn net.Conn) (sai.Version, error) {
	f := newFrame(0, 0)
	defer f.free()
	f.b = localHello().append(f.b)
	if err := f.send(conn); err != nil {
		return 0, err
	}
	in, err := receive(conn)
	if errors.Is(err, io.EOF) || errors.Is(err, errMalformed) {
		return 0, fmt.Errorf("%w: unexpected answer (%w)", ErrVersion, err)
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
		return 0, fmt.Errorf("%w: unexpected answer (%w)", ErrVersion, err)
	case what == busy:
		return 0, fmt.Errorf("%w by %s", ErrBusy, text)
	case what != welcome:
		return 0, fmt.Errorf("%w: %s", ErrVersion, text)
	}
	return version, nil
}

// Done is closed when the connection is lost or closed.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended: ErrClosed after Close, nil while it is open.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Version implements sai.Driver: it is the version of the chip's library.
func (c *Client) Version() sai.Version { return c.version }

// Close ends the connection. The chip keeps running.
func (c *Client) Close() sai.Status {
	c.fail(ErrClosed)
	return sai.StatusSuccess
}

// fail ends the connection; the first error counts.
func (c *Client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	_ = c.conn.Close() // nothing to report it to
	for id, w := range c.waiting {
		delete(c.waiting, id)
		close(w)
	}
	close(c.done)
	c.events.close()
}

// readLoop distributes incoming frames until the connection ends.
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
			c.fail(fmt.Errorf("chip process: %w: unexpected reply", errMalformed))
			return
		}
	}
}

// reply passes a reply to the waiting call; false if no call waits for it.
func (c *Client) reply(id uint32, f *frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.waiting[id]
	if ok {
		delete(c.waiting, id)
		w <- f // never blocks: buffered
	}
	return ok
}

// waiters are channels for one reply each. A closed channel is not reused.
var waiters = sync.Pool{New: func() any { return make(chan *frame, 1) }}

// register assigns a request number and a reply channel to a call.
func (c *Client) register() (id uint32, w chan *frame, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, nil, false
	}
	c.next++
	for c.next == 0 || c.waiting[c.next] != nil { // the number wraps after 4 billion calls
		c.next++
	}
	w, _ = waiters.Get().(chan *frame)
	c.waiting[c.next] = w
	return c.next, w, true
}

// call sends a request and reads the reply: fill writes the request, read reads what
// follows the status. It returns StatusLost if there is no connection.
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

// decodeReply reads a reply.
func (c *Client) decodeReply(want messageType, in *frame, read func(*reader, sai.Status)) sai.Status {
	_, o, body := in.head()
	r := reader{b: body}
	st := r.status()
	if read != nil && (st == 0 || len(r.b) > 0) { // a failure may be only a status
		read(&r, st)
	}
	err := r.end()
	if o != want {
		err = fmt.Errorf("%w: reply to another request", errMalformed)
	}
	if err != nil {
		c.fail(fmt.Errorf("chip process: %w", err))
		return StatusLost
	}
	return st
}

// unregister withdraws a call that was not sent.
func (c *Client) unregister(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}
