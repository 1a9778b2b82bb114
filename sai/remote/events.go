package remote

import (
	"fmt"
	"runtime/debug"
	"sync"

	"xon/sai"
)

// maxEvents is the maximum number of queued notifications for a slow receiver, at
// either side; newer ones are dropped and counted.
const maxEvents = 1 << 16

// events delivers notifications in order, on a goroutine that runs only while there are
// any.
type events struct {
	mu      sync.Mutex
	funcs   map[int]func(sai.Notification)
	queue   []sai.Notification
	running bool
	closed  bool
	lost    uint64
	fail    func(error) // ends the connection
}

// runOrFail runs f and calls fail if it panics: a bug ends the connection, which is
// then established again, but not the process.
func runOrFail(fail func(error), f func()) {
	defer func() {
		if p := recover(); p != nil {
			fail(fmt.Errorf("a bug: %v\n%s", p, debug.Stack()))
		}
	}()
	f()
}

// subscribe sets the function for a notification; nil removes it.
func (e *events) subscribe(n *sai.NotifyMeta, f func(sai.Notification)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if f == nil {
		delete(e.funcs, n.Index)
		return
	}
	if e.funcs == nil {
		e.funcs = map[int]func(sai.Notification){}
	}
	e.funcs[n.Index] = f
}

// enqueue queues a notification. It never blocks.
func (e *events) enqueue(n sai.Notification) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return
	case len(e.queue) >= maxEvents:
		e.lost++
		return
	}
	e.queue = append(e.queue, n)
	if !e.running {
		e.running = true
		go runOrFail(e.fail, e.run)
	}
}

func (e *events) run() {
	for {
		n, f, ok := e.dequeue()
		if !ok {
			return
		}
		if f != nil {
			f(n)
		}
	}
}

// dequeue returns the next notification and its function; ok is false if there is none.
func (e *events) dequeue() (n sai.Notification, f func(sai.Notification), ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) == 0 {
		e.queue, e.running = nil, false
		return n, nil, false
	}
	n = e.queue[0]
	e.queue = e.queue[1:]
	return n, e.funcs[n.Index], true
}

// close drops queued notifications, and returns how many were dropped before.
func (e *events) close() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed, e.queue = true, nil
	return e.lost
}

// Notify implements sai.Driver. f runs on a goroutine of the client, one notification
// at a time, and not after the connection is lost.
func (c *Client) Notify(n *sai.NotifyMeta, f func(sai.Notification)) sai.Value {
	c.events.subscribe(n, f)
	var v sai.Value // null if the connection is lost
	_ = c.call(opNotify, func(b *frame) {
		b.uvarint(uint64(n.Index))
		b.bool(f != nil)
	}, func(r *reader, _ sai.Status) { v.Num = r.uvarint() })
	return v
}

// event writes a notification.
func (f *frame) event(n sai.Notification) {
	f.uvarint(uint64(n.Index))
	f.oid(n.Switch)
	f.u64(n.Args[0])
	f.u64(n.Args[1])
	f.uvarint(uint64(len(n.Data)))
	f.b = append(f.b, n.Data...)
	f.attributes(sai.HostifPacket{}.Meta(), n.Attrs)
}

// readEvent reads what event wrote.
func readEvent(b []byte) (n sai.Notification, err error) {
	r := reader{b: b}
	n.NotifyMeta = r.notification()
	n.Switch = r.oid()
	n.Args = [2]uint64{r.u64(), r.u64()}
	if size := r.count(1); size > 0 {
		n.Data = append([]byte{}, r.take(size)...)
	}
	if attrs := r.attributes(sai.HostifPacket{}.Meta()); len(attrs) > 0 {
		n.Attrs = attrs
	}
	return n, r.end()
}

// notification reads the type of a notification.
func (r *reader) notification() *sai.NotifyMeta {
	i := r.uvarint()
	if i >= uint64(len(sai.Notifications)) {
		r.fail("notification")
		return sai.Notifications[0]
	}
	return sai.Notifications[i]
}
