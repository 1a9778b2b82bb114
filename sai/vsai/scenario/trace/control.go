package trace

import (
	"math/bits"

	"xon/sai/vsai/dataplane"
)

// cause is the key by which Causes are counted.
type cause struct{ port, class, out, by, parent int }

func (r *Recorder) class(p *dataplane.Port, class int) *Control {
	x := &r.port(p.ID()).flow[class]
	if *x == nil {
		*x = &Control{Port: p.ID(), Class: class, Waits: none, cause: none}
		r.out.Controls = append(r.out.Controls, *x)
	}
	return *x
}

// none stands for no port and no cause.
const none = -1

// control handles observations of flow control.
func (r *Recorder) control(o *dataplane.Observation) {
	switch o.Kind {
	case dataplane.SeenXoff:
		r.stopped(o)
	case dataplane.SeenXon:
		r.resumedSenders(r.class(o.Port, int(o.Class)), o.At)
	case dataplane.SeenPFCSent:
		r.sent(o)
	case dataplane.SeenPauseSent:
		r.linkPauseSent(o)
	case dataplane.SeenPaused:
		if r.concerns(o) {
			r.class(o.Port, int(o.Class)).Pauses.begin(o.At)
		}
	case dataplane.SeenResumed:
		if c := r.port(o.Port.ID()).flow[o.Class]; c != nil && c.Pauses.On {
			r.resumed(o)
		}
	default:
	}
}

// concerns reports whether a pause affects a class with traffic: an 802.3x pause
// affects all.
func (r *Recorder) concerns(o *dataplane.Observation) bool {
	_, whole := r.sim.BlockedNow(o.Port, int(o.Class))
	return !whole || r.used&(1<<o.Class) != 0
}

// linkPauseSent counts an 802.3x frame of a host as a stop of all classes with traffic.
// Those of a switch are covered by the stops of its groups.
func (r *Recorder) linkPauseSent(o *dataplane.Observation) {
	if o.Port.Host() == nil {
		return
	}
	for class := range dataplane.Classes {
		if r.used&(1<<class) == 0 {
			continue
		}
		c := r.class(o.Port, class)
		if o.On {
			r.begin(c, cause{c.Port, c.Class, none, none, none}, o.At)
		} else {
			r.resumedSenders(c, o.At)
		}
	}
}

// sent counts PFC frames. A frame of a host has no memory fill behind it: the frame
// itself is the stop.
func (r *Recorder) sent(o *dataplane.Observation) {
	c := r.class(o.Port, int(o.Class))
	c.Sent.add(&r.clock, o.At, 1)
	switch {
	case o.Port.Host() == nil:
	case o.On:
		r.begin(c, cause{c.Port, c.Class, none, none, none}, o.At)
	default:
		r.resumedSenders(c, o.At)
	}
}

// stopped handles a group that stops its senders, because the port where most of its
// packets wait is too slow, by itself or because it is paused.
func (r *Recorder) stopped(o *dataplane.Observation) {
	c := r.class(o.Port, int(o.Class))
	why := cause{c.Port, c.Class, none, none, none}
	if out := r.egressPort(o.Port, c.Class, o.Out); out != nil {
		why.out = out.ID()
		if by := out.Peer(); by != nil && r.paused(out, c.Class, o.At) {
			why.by = by.ID()
			why.parent = r.class(by, c.Class).cause
		}
	}
	r.begin(c, why, o.At)
}

// egressPort returns the port where most packets of a class wait. The search is
// expensive, so after Options.Stops stops it is the egress port of the packet that
// crossed the threshold.
func (r *Recorder) egressPort(p *dataplane.Port, class int, out *dataplane.Port) *dataplane.Port {
	if p.Switch() == nil || len(r.out.Stops) >= r.opts.Stops {
		return out
	}
	group := class
	if m := p.Config().Maps; m != nil {
		group = int(m.ClassToGroup[class])
	}
	if at := p.Switch().WaitsFor(p.Index(), group); at != nil {
		return at
	}
	return out
}

// paused reports whether packets wait at a port because of a pause: a current one, or a
// past one after which the port cannot have sent yet what waited then.
func (r *Recorder) paused(p *dataplane.Port, class int, now dataplane.Time) bool {
	c := r.port(p.ID()).flow[class]
	return c != nil && c.Pauses.Times > 0 && (c.Pauses.On || now < c.clearAt)
}

// resumed handles the end of a pause.
func (r *Recorder) resumed(o *dataplane.Observation) {
	c := r.class(o.Port, int(o.Class))
	c.Pauses.end(&r.clock, o.At)
	queue := c.Class
	if m := o.Port.Config().Maps; m != nil && m.ClassToQueue[c.Class] != 0 {
		queue = bits.TrailingZeros32(m.ClassToQueue[c.Class])
	}
	c.clearAt = o.At
	if q := r.port(c.Port).queues[queue]; q != nil {
		seconds := float64(q.Length.last) * 8 / float64(max(o.Port.Config().Rate, 1))
		c.clearAt += dataplane.Time(seconds * float64(dataplane.Second))
	}
}

// begin records the start of a stop.
func (r *Recorder) begin(c *Control, why cause, at dataplane.Time) {
	if c.Stops.On {
		return
	}
	c.Stops.begin(at)
	c.counted = r.causeIndex(why, at)
	r.out.Causes[c.counted].Times++
	c.cause = c.counted
	if r.out.Causes[c.counted].Circle {
		c.cause = r.ancestor(why)
	}
	c.stop = none
	if len(r.out.Stops) < r.opts.Stops {
		c.stop = len(r.out.Stops)
		r.out.Stops = append(r.out.Stops, Stop{At: at, Cause: c.counted, For: -1})
	}
}

// causeIndex returns the Cause of a stop.
func (r *Recorder) causeIndex(why cause, at dataplane.Time) int {
	i, ok := r.causeAt[why]
	if !ok && len(r.out.Causes) >= r.opts.Stops {
		why.parent = none
		i, ok = r.causeAt[why]
	}
	if !ok {
		i = len(r.out.Causes)
		r.causeAt[why] = i
		r.out.Causes = append(r.out.Causes, Cause{
			Port: why.port, Class: why.class, Out: why.out, By: why.by, Parent: why.parent,
			Circle: r.ancestor(why) != none, First: at,
		})
	}
	return i
}

// ancestor finds the same port and class among the causes of a cause: pauses form a
// cycle.
func (r *Recorder) ancestor(why cause) int {
	for i := why.parent; i != none; i = r.out.Causes[i].Parent {
		if x := &r.out.Causes[i]; x.Port == why.port && x.Class == why.class {
			return i
		}
	}
	return none
}

// resumedSenders handles the end of a stop.
func (r *Recorder) resumedSenders(c *Control, at dataplane.Time) {
	if !c.Stops.On {
		return
	}
	span := at - c.Stops.since
	c.Stops.end(&r.clock, at)
	r.out.Causes[c.counted].Total += span
	if c.stop != none {
		r.out.Stops[c.stop].For = span
	}
}
