package trace

import (
	"math/bits"

	"xon/sai/vsai/dataplane"
)

// cause is what Causes are counted by.
type cause struct{ port, class, out, by, parent int }

func (r *Recorder) class(p *dataplane.Port, class int) *Control {
	x := &r.port(p.ID()).flow[class]
	if *x == nil {
		*x = &Control{Port: p.ID(), Class: class, Waits: none, cause: none}
		r.out.Controls = append(r.out.Controls, *x)
	}
	return *x
}

// none stands for no port, no cause.
const none = -1

// control takes what is about flow control.
func (r *Recorder) control(o *dataplane.Observation) {
	switch o.Kind {
	case dataplane.SeenXoff:
		r.stopped(o)
	case dataplane.SeenXon:
		r.went(r.class(o.Port, int(o.Class)), o.At)
	case dataplane.SeenPFCSent:
		r.sent(o)
	case dataplane.SeenPauseSent:
		r.sentWhole(o)
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

// concerns reports whether a pause is of a class that anything is sent in: one of 802.3x
// is of all.
func (r *Recorder) concerns(o *dataplane.Observation) bool {
	_, whole := r.sim.BlockedNow(o.Port, int(o.Class))
	return !whole || r.used&(1<<o.Class) != 0
}

// sentWhole counts an 802.3x frame of a host as the stop of all classes that anything is
// sent in. One of a switch comes with the stops of its groups.
func (r *Recorder) sentWhole(o *dataplane.Observation) {
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
			r.went(c, o.At)
		}
	}
}

// sent counts PFC frames. One of a host has no fill of memory behind it: there the
// frame itself is the stop.
func (r *Recorder) sent(o *dataplane.Observation) {
	c := r.class(o.Port, int(o.Class))
	c.Sent.add(&r.clock, o.At, 1)
	switch {
	case o.Port.Host() == nil:
	case o.On:
		r.begin(c, cause{c.Port, c.Class, none, none, none}, o.At)
	default:
		r.went(c, o.At)
	}
}

// stopped is when a group stops its senders: for the port that most of it waits at
// does not get rid of enough, be it by itself or because it is paused.
func (r *Recorder) stopped(o *dataplane.Observation) {
	c := r.class(o.Port, int(o.Class))
	why := cause{c.Port, c.Class, none, none, none}
	if out := r.waits(o.Port, c.Class, o.Out); out != nil {
		why.out = out.ID()
		if by := out.Peer(); by != nil && r.paused(out, c.Class, o.At) {
			why.by = by.ID()
			why.parent = r.class(by, c.Class).cause
		}
	}
	r.begin(c, why, o.At)
}

// waits is the port that most of what counts for a class waits at. To look is dear,
// so that after Options.Stops it is where the packet goes that was too much.
func (r *Recorder) waits(p *dataplane.Port, class int, out *dataplane.Port) *dataplane.Port {
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

// paused reports whether what waits at a port does so for a pause: one that lasts,
// or one after which it can't have sent yet what had waited then.
func (r *Recorder) paused(p *dataplane.Port, class int, now dataplane.Time) bool {
	c := r.port(p.ID()).flow[class]
	return c != nil && c.Pauses.Times > 0 && (c.Pauses.On || now < c.clearAt)
}

// resumed is the end of a pause.
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

// begin begins a stop.
func (r *Recorder) begin(c *Control, why cause, at dataplane.Time) {
	if c.Stops.On {
		return
	}
	c.Stops.begin(at)
	c.counted = r.counts(why, at)
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

// counts finds the Cause that a stop counts for.
func (r *Recorder) counts(why cause, at dataplane.Time) int {
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

// ancestor is the cause of the same port and class among those that a cause comes
// from: pauses have gone round.
func (r *Recorder) ancestor(why cause) int {
	for i := why.parent; i != none; i = r.out.Causes[i].Parent {
		if x := &r.out.Causes[i]; x.Port == why.port && x.Class == why.class {
			return i
		}
	}
	return none
}

// went is when senders may go on.
func (r *Recorder) went(c *Control, at dataplane.Time) {
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
