package vsai

import (
	"fmt"
	"slices"
	"sync"

	"xon/sai"
)

// maxEvents is how many notifications wait for a slow receiver; a newer one is
// then dropped and counted, as in a chip's own queue.
const maxEvents = 1 << 16

// events delivers notifications, in order, from a goroutine that is there only
// while there are any.
type events struct {
	mu      sync.Mutex
	funcs   map[int]func(sai.Notification) // by index of the notification
	queue   []sai.Notification
	running bool
	dropped uint64
}

// Notify implements sai.Driver. The chip delivers a notification only while the
// switch's attribute for it is set to the value that is returned. A nil f ends
// it.
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

// Post has the chip send a notification, if the agent wants it: the switch's id
// is filled in. It does not wait for the delivery.
func (c *Chip) Post(n sai.Notification) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	c.post(n)
}

// post is Post for callers that hold the chip's lock, which also keeps the order
// of events that of the changes they tell of.
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

// run delivers until nothing is left. A function runs with no lock held.
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

// Dropped counts notifications that were lost because the receiver was too slow.
func (c *Chip) Dropped() uint64 {
	c.events.mu.Lock()
	defer c.events.mu.Unlock()
	return c.events.dropped
}

// SetLink connects or disconnects the other end of a front-panel port, which is
// connected from the start. A port is up while it is connected and switched on;
// a change is notified.
func (c *Chip) SetLink(id sai.OID, up bool) error {
	if !c.setLink(id, func(p *port) { p.link = up }) {
		return fmt.Errorf("set link of %v: %w", id, sai.StatusInvalidPortNumber)
	}
	return nil
}

// SetCarrier is SetLink for the chip's plane, whose word counts beside it. A port
// that is gone already has none.
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

// notifyOper notifies a port's state if it is another than before.
func (c *Chip) notifyOper(p *port, was sai.PortOperStatus) {
	if now := c.operStatus(p); now != was {
		c.post(sai.Notification{
			NotifyMeta: sai.OnPortStateChange,
			Data:       sai.Bytes(sai.PortOperStatusNotification{PortID: p.x.id, PortState: now}),
		})
	}
}

// applySideEffects is what a set does beside storing a value.
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

// Ports lists the front-panel ports of the switch in the order of the layout.
func (c *Chip) Ports() []sai.OID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clip(c.portList())
}
