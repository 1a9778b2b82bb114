package scenario

import "xon/sai/vsai/dataplane"

// Recording is what happened over time, for a report. Its size has a limit: levels
// get coarser the more they change, spans are counted when there are too many.
type Recording struct {
	Ended  dataplane.Time
	Levels []*Series // in the order in which they first changed
	Spans  []Interval
	Lost   int // spans that are not in Spans
	Notes  []Note
}

// Level is what a series is of.
type Level uint8

// Levels, and which fields of Series name them.
const (
	QueueDepth     Level = iota // bytes; Port, Class (queue)
	GroupFill                   // bytes, headroom included; Port, Class (priority group)
	GroupHeadroom               // bytes; the same
	GroupThreshold              // bytes: where it stops its senders; the same
	FlowRate                    // bit/s that a sender allows itself; Flow
	FlowTarget                  // bit/s that it rises to; Flow
	FlowDelivered               // bytes so far; Flow
	MarksSent                   // packets so far; Port, Class (queue)
	PFCSent                     // frames so far; Port, Class
	DropsSeen                   // packets so far; Port, Class, Reason
)

// Series is a level over time.
type Series struct {
	Level  Level
	Port   string // NODE/PORT, or a host
	Class  uint8
	Flow   string
	Reason dataplane.Reason
	// Lines are limits to draw: Kmin and Kmax of a queue, headroom of a group, in bytes.
	Lines []Line

	step    dataplane.Time
	samples []Sample
}

// Line is a limit with its name.
type Line struct {
	Name  string
	Level int64
}

// Sample is a level in a span that begins At; it changed in it.
type Sample struct {
	At             dataplane.Time
	Min, Max, Last int64
}

// mostSamples of a series; beyond, two become one.
const mostSamples = 8192

// add notes a change. Times do not fall.
func (s *Series) add(at dataplane.Time, v int64) {
	if s.step == 0 {
		s.step = dataplane.Nanosecond
	}
	if n := len(s.samples); n > 0 {
		if x := &s.samples[n-1]; at < x.At+s.step {
			x.Min, x.Max, x.Last = min(x.Min, v), max(x.Max, v), v
			return
		}
	}
	if len(s.samples) == mostSamples {
		s.coarsen()
		s.add(at, v)
		return
	}
	s.samples = append(s.samples, Sample{at - at%s.step, v, v, v})
}

// coarsen doubles the step until there is room again.
func (s *Series) coarsen() {
	for len(s.samples) > mostSamples*3/4 {
		s.step *= 2
		s.samples = merge(s.samples, s.step)
	}
}

// merge makes one sample of all that lie in the same step, in place.
func merge(in []Sample, step dataplane.Time) []Sample {
	out := in[:0]
	for _, x := range in {
		x.At -= x.At % step
		if n := len(out); n > 0 && out[n-1].At == x.At {
			o := &out[n-1]
			o.Min, o.Max, o.Last = min(o.Min, x.Min), max(o.Max, x.Max), x.Last
			continue
		}
		out = append(out, x)
	}
	return out
}

// Samples returns the level's changes.
func (s *Series) Samples() []Sample { return s.samples }

// Pixels divides a span of time into n parts and returns the least and the greatest
// level in each. Before the first change the level is 0.
func (s *Series) Pixels(from, to dataplane.Time, n int) []Sample {
	out := make([]Sample, n)
	var last int64
	i := 0
	for ; i < len(s.samples) && s.samples[i].At < from; i++ {
		last = s.samples[i].Last
	}
	for p := range out {
		begin := from + (to-from)*dataplane.Time(p)/dataplane.Time(n)
		end := from + (to-from)*dataplane.Time(p+1)/dataplane.Time(n)
		o := Sample{At: begin, Min: last, Max: last, Last: last}
		for ; i < len(s.samples) && s.samples[i].At < end; i++ {
			x := &s.samples[i]
			o.Min, o.Max, o.Last = min(o.Min, x.Min), max(o.Max, x.Max), x.Last
		}
		last = o.Last
		out[p] = o
	}
	return out
}

// What is what an interval is of.
type What uint8

// Kinds of intervals.
const (
	Xoff     What = iota // a port has its peer stop a class
	Paused               // a port heeds a pause of a class
	Deadlock             // a queue recovers
)

// Interval is something that lasted.
type Interval struct {
	What     What
	Port     string // NODE/PORT, or a host
	Class    uint8  // or queue
	From, To dataplane.Time
	// Of an Xoff: where the packet goes that was too much, "" if there was none; who had
	// stopped that port then, "" if nobody: the port itself was too slow, and this is a
	// root; and the index of that interval in Spans, -1 if it was no switch's.
	Toward    string
	StoppedBy string
	Cause     int
}

// Note is something that happened: a fault, a change of rows, a deadlock.
type Note struct {
	At   dataplane.Time
	Text string
}
