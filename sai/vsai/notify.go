package vsai

import (
	"fmt"
	"slices"
	"sync"

	"xon/sai"
)

// maxEvents is the maximum number of queued notifications for a slow receiver; newer
// ones are dropped and counted, as in a chip's own queue.
const maxEvents = 1 << 16

// events delivers notifications in order from a goroutine that runs only while there
// are any.
type events struct {
	mu      sync.Mutex
	funcs   map[int]func(sai.Notification) // by index of the notification
	queue   []sai.Notification
	running bool
	dropped uint64
}

// Notify implements sai.Driver. The chip delivers a notification only while the
// switch's attribute for it is set to the returned value. A nil f unsubscribes.
func (c *Chip) Notify(n *sai.NotifyMeta, f func(sai.Notification)) sai.Value {
	e := &c.events
	e.mu.Lock()
	defer e.mu.Unlock()
	if f == nil {
		delete(e.funcs, n.Index)
		return sai.Value{}
	}
	if e.funcs == nil {
		e.funcs = map[int]func(sai.Notification){}
	}
	e.funcs[n.Index] = f
	return sai.Value{Num: uint64(n.Index + 1)}
}

// Post sends a notification if the agent has subscribed to it, and fills in the switch
// ID. It does not wait for delivery.
func (c *Chip) Post(n sai.Notification) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.post(n)
}

// post is Post for callers that hold the chip's lock, so that notifications have the
// same order as the changes.
func (c *Chip) post(n sai.Notification) {
	if c.sw == nil {
		return
	}
	if v, ok := c.sw.value(n.Attr); !ok || v.Num == 0 {
		return
	}
	n.Switch = c.sw.id
	e := &c.events
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) >= maxEvents {
		e.dropped++
		return
	}
	e.queue = append(e.queue, n)
	if !e.running {
		e.running = true
		go e.run()
	}
}

// run delivers queued notifications. Functions run without locks.
func (e *events) run() {
	for {
		e.mu.Lock()
		if len(e.queue) == 0 {
			e.running = false
			e.queue = nil
			e.mu.Unlock()
			return
		}
		n := e.queue[0]
		e.queue = e.queue[1:]
		f := e.funcs[n.Index]
		e.mu.Unlock()
		if f != nil {
			f(n)
		}
	}
}

// Dropped counts notifications lost because the receiver was too slow.
func (c *Chip) Dropped() uint64 {
	c.events.mu.Lock()
	defer c.events.mu.Unlock()
	return c.events.dropped
}

// SetLink connects or disconnects the peer of a front-panel port, which is initially
// connected. A port is up while it is connected and administratively up; changes are
// notified.
func (c *Chip) SetLink(id sai.OID, up bool) error {
	if !c.setLink(id, func(p *port) { p.link = up }) {
		return fmt.Errorf("set link of %v: %w", id, sai.StatusInvalidPortNumber)
	}
	return nil
}

// SetCarrier is SetLink for the chip's plane. Both must be up. It has no effect for a
// removed port.
func (c *Chip) SetCarrier(id sai.OID, up bool) { c.setLink(id, func(p *port) { p.planeDown = !up }) }

func (c *Chip) setLink(id sai.OID, f func(*port)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.ports[id]
	if p == nil || id == c.cpu {
		return false
	}
	was := c.operStatus(p)
	f(p)
	c.notifyOper(p, was)
	c.changed(p.x)
	return true
}

// notifyOper sends a notification if a port's operational status changed.
func (c *Chip) notifyOper(p *port, was sai.PortOperStatus) {
	if now := c.operStatus(p); now != was {
		c.post(sai.Notification{
			NotifyMeta: sai.OnPortStateChange,
			Data:       sai.Bytes(sai.PortOperStatusNotification{PortID: p.x.id, PortState: now}),
		})
	}
}

// applySideEffects carries out the effects of a set besides storing the value.
func (c *Chip) applySideEffects(x *object, a *sai.AttrMeta, old sai.Value) {
	if a != sai.PortAttrAdminState.AttrMeta {
		return
	}
	p := c.ports[x.id]
	was := sai.PortOperStatusDown
	if x.id == c.cpu || p.linked() && old.Num != 0 {
		was = sai.PortOperStatusUp
	}
	c.notifyOper(p, was)
}

// Ports lists the front-panel ports of the switch in layout order.
func (c *Chip) Ports() []sai.OID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clip(c.portList())
}
