package trace

import (
	"cmp"
	"math"
	"slices"

	"xon/sai/vsai/dataplane"
)

// HeadroomUse is the headroom that a priority group needed. Bytes are of the pool slice
// with the most use.
type HeadroomUse struct {
	Port, Group int
	Used        int64 // maximum bytes
	Limit       int64 // bytes usable on the chip
	Configured  int64 // bytes of XOFF in its profile
	Dropped     int64 // packets that did not fit into the headroom of the group or its port
	PoolDropped int64 // packets that did not fit into the shared headroom pool
}

// Share is the used share of the usable headroom; 0 without any.
func (x HeadroomUse) Share() float64 { return share(x.Used, x.Limit) }

func share(used, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(used) / float64(of)
}

// Headroom lists lossless groups, those with the least left first.
func (r *Recording) Headroom() []HeadroomUse {
	var out []HeadroomUse
	for _, g := range r.Groups {
		if g.Buffer.Xoff == 0 {
			continue
		}
		x := HeadroomUse{Port: g.Port, Group: g.Group, Used: g.HeadroomMax, Limit: g.HeadroomLimit, Configured: g.Buffer.Xoff}
		for _, d := range r.Drops {
			switch {
			case d.Port != g.Port || d.Class != g.Group:
			case d.Why == dataplane.DropHeadroom:
				x.Dropped += d.Count.Total
			case d.Why == dataplane.DropHeadroomPool:
				x.PoolDropped += d.Count.Total
			}
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b HeadroomUse) int {
		return cmp.Or(cmp.Compare(b.Dropped+b.PoolDropped, a.Dropped+a.PoolDropped), cmp.Compare(b.Share(), a.Share()))
	})
	return out
}

// Order says whether marks came before pauses at an overloaded port.
type Order struct {
	Port         int
	Marks, Stops int64 // at its queues; of senders for packets to this port
	Mark, Stop   dataplane.Time
}

// MarkedFirst reports whether marks reached senders before they were stopped.
func (o Order) MarkedFirst() bool { return o.Marks > 0 && (o.Stops == 0 || o.Mark < o.Stop) }

// Orders lists ports with marks, or with stops that begin at them, in order.
func (r *Recording) Orders() []Order {
	at := make([]Order, len(r.Ports))
	for _, q := range r.Queues {
		if o := &at[q.Port]; q.Marks.Total > 0 {
			if o.Marks == 0 || q.Marks.First < o.Mark {
				o.Mark = q.Marks.First
			}
			o.Marks += q.Marks.Total
		}
	}
	for _, c := range r.Causes { // in order of time
		if c.Out == none || c.By != none {
			continue
		}
		if o := &at[c.Out]; o.Stops == 0 {
			o.Stop = c.First
		}
		at[c.Out].Stops += c.Times
	}
	var out []Order
	for i, o := range at {
		if o.Port = i; o.Marks+o.Stops > 0 {
			out = append(out, o)
		}
	}
	return out
}

// Completion is the completion time of a flow at its receiver.
type Completion struct {
	Flow  int
	Took  dataplane.Time
	Ideal dataplane.Time // without other traffic
}

// Slowdown is Took relative to Ideal.
func (c Completion) Slowdown() float64 { return float64(c.Took) / float64(max(c.Ideal, 1)) }

// Completions lists completed flows by ID.
func (r *Recording) Completions() []Completion {
	var out []Completion
	for _, f := range r.Flows {
		if f.Took > 0 {
			out = append(out, Completion{Flow: f.ID, Took: f.Took, Ideal: r.ideal(f)})
		}
	}
	return out
}

// ideal is the completion time of a flow without other traffic: all bytes through the
// slowest port, one packet through each other port, and the link delays. Before the
// slowest port the packet is the first one, after it the last, unless that catches up
// with the one before.
func (r *Recording) ideal(f *Flow) dataplane.Time {
	if f.Bytes == 0 || f.Packet == 0 {
		return 0
	}
	packets := (f.Bytes + uint64(f.Packet) - 1) / uint64(f.Packet)
	first := min(f.Bytes, uint64(f.Packet))
	last := f.Bytes - (packets-1)*uint64(f.Packet)
	beside := uint64(f.Headers + r.Wire)
	span := func(bytes, rate uint64) float64 { return float64(bytes) * 8 / float64(rate) }

	ports := append([]int{f.From}, f.Path...)
	slowest := slices.MinFunc(ports, func(a, b int) int { return cmp.Compare(r.Ports[a].Rate, r.Ports[b].Rate) })
	rate := r.Ports[slowest].Rate
	seconds := max(span(f.Bytes+packets*beside, rate), span(f.Bytes+packets*uint64(f.Headers), uint64(max(f.Line, 1))))
	var delay dataplane.Time
	packet := first
	for _, p := range ports {
		delay += r.Ports[p].Delay
		switch {
		case p == slowest:
			packet = last
		case packet == last && r.Ports[p].Rate == rate:
			seconds += span(first+beside, rate)
		default:
			seconds += span(packet+beside, r.Ports[p].Rate)
		}
	}
	return delay + dataplane.Time(seconds*float64(dataplane.Second))
}

// Percentile returns the value that the given share of values does not exceed, by
// nearest rank. Share is 0 to 1. It sorts values in place, and returns 0 for none.
func Percentile[T cmp.Ordered](values []T, share float64) (v T) {
	if len(values) == 0 {
		return v
	}
	slices.Sort(values)
	rank := int(math.Ceil(share * float64(len(values))))
	return values[min(max(rank-1, 0), len(values)-1)]
}

// Jain is Jain's fairness index: 1 if all are equal, 1/n if one has everything.
func Jain(values []float64) float64 {
	var sum, squares float64
	for _, v := range values {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(values)) * squares)
}

// Rate is a flow's goodput over its lifetime, in bit/s.
func (r *Recording) Rate(f *Flow) float64 {
	from, to := r.Life(f)
	if to <= from {
		return 0
	}
	return float64(f.Stats.Delivered) * 8 / (to - from).Seconds()
}

// Share is the fairness among flows to one host.
type Share struct {
	To, Class int
	Flows     int
	Jain      float64
}

// Fairness lists receivers of two or more flows of a class, the least fair first.
func (r *Recording) Fairness() []Share {
	rates := map[[2]int][]float64{}
	var order [][2]int
	for _, f := range r.Flows {
		key := [2]int{f.To, f.Class}
		if rates[key] == nil {
			order = append(order, key)
		}
		rates[key] = append(rates[key], r.Rate(f))
	}
	var out []Share
	for _, key := range order {
		if n := len(rates[key]); n > 1 {
			out = append(out, Share{To: key[0], Class: key[1], Flows: n, Jain: Jain(rates[key])})
		}
	}
	slices.SortStableFunc(out, func(a, b Share) int { return cmp.Compare(a.Jain, b.Jain) })
	return out
}

// PauseFraction is the share of time that a class of a port was paused, 0 to 1.
func (r *Recording) PauseFraction(port, class int) float64 {
	for _, c := range r.Controls {
		if c.Port == port && c.Class == class {
			return c.Pauses.Fraction(r.Span)
		}
	}
	return 0
}
