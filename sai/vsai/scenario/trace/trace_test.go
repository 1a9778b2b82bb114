package trace_test

import (
	"math"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
	"xon/sai/vsai/scenario/trace/tracetest"
)

// TestExact: the recording of an incast equals the switch's counters, however few
// buckets there are.
func TestExact(t *testing.T) {
	for _, o := range []trace.Options{{}, {Buckets: 2, Flows: 1, Stops: 3}} {
		rec := trace.New(o)
		n := tracetest.New(t, rec)
		n.Control = dataplane.NICDCQCN(tracetest.Rate)
		r := tracetest.RunIncast(n, 8)
		w := n.Switches()[0]
		for _, q := range r.Queues {
			s := w.Queue(q.Port, q.Queue)
			if q.Length.Max != s.LengthMost || q.Marks.Total != int64(s.Marked[dataplane.Green]) || q.Length.Min != 0 {
				t.Errorf("%+v: queue %d|%d: most %d, marks %d, want %d, %d", o, q.Port, q.Queue, q.Length.Max, q.Marks.Total, s.LengthMost, s.Marked[dataplane.Green])
			}
		}
		for _, g := range r.Groups {
			s := w.Group(g.Port, g.Group)
			if g.Held.Max != s.HeldMost*w.CellBytes() || g.Headroom.Max != s.HeadroomMost*w.CellBytes() {
				t.Errorf("%+v: group %d|%d: most %d, headroom %d, want %d, %d cells", o, g.Port, g.Group, g.Held.Max, g.Headroom.Max, s.HeldMost, s.HeadroomMost)
			}
		}
		var paused dataplane.Time
		for _, c := range r.Controls {
			p := n.Ports()[c.Port]
			if c.Sent.Total != int64(p.Stats.PFCSent[c.Class]) || c.Pauses.Total != n.PausedFor(p, c.Class) {
				t.Errorf("%+v: %s: sent %d, paused %v, want %d, %v", o, p.Name(), c.Sent.Total, c.Pauses.Total, p.Stats.PFCSent[c.Class], n.PausedFor(p, c.Class))
			}
			paused += c.Pauses.Total
			var painted int64
			for _, x := range c.Pauses.Points {
				painted += x.N
			}
			if painted != int64(c.Pauses.Total) {
				t.Errorf("%s: buckets have %d of %d ps", p.Name(), painted, c.Pauses.Total)
			}
		}
		if paused == 0 {
			t.Error("nobody was paused, so that nothing was compared")
		}
		var stops int64
		for _, c := range r.Causes {
			stops += c.Times
		}
		if want := int64(w.Group(1, 3).Xoffs); stops < want {
			t.Errorf("%d stops have a cause, of one group alone there were %d", stops, want)
		}
		for _, f := range r.Flows {
			if f.CNPs.Total != int64(n.Flows()[f.ID].Stats.CNPs) || f.Took == 0 || f.Goodput.Total != 4e6 {
				t.Errorf("%+v: flow %d: %d CNPs, took %v, %d bytes", o, f.ID, f.CNPs.Total, f.Took, f.Goodput.Total)
			}
		}
		if o.Buckets > 0 && (r.Buckets > o.Buckets || len(r.Queues[0].Length.Points) > o.Buckets || len(r.Stops) > o.Stops || !r.Flows[1].NoSeries) {
			t.Errorf("%+v: %d buckets, %d points, %d stops", o, r.Buckets, len(r.Queues[0].Length.Points), len(r.Stops))
		}
	}
}

// TestFolding: wide buckets have the extremes of the narrow ones that they were.
func TestFolding(t *testing.T) {
	narrow := tracetest.RunIncast(tracetest.New(t, trace.New(trace.Options{Buckets: 1 << 20})), 4)
	wide := tracetest.RunIncast(tracetest.New(t, trace.New(trace.Options{Buckets: 64})), 4)
	ratio := int(wide.Width / narrow.Width)
	if ratio < 8 {
		t.Fatalf("width %v and %v: nothing was folded", narrow.Width, wide.Width)
	}
	for i, q := range wide.Queues {
		at := map[int]trace.Point{}
		for _, p := range narrow.Queues[i].Length.Points {
			x, ok := at[p.Bucket/ratio]
			if !ok {
				x = p
			}
			at[p.Bucket/ratio] = trace.Point{Bucket: p.Bucket / ratio, Min: min(x.Min, p.Min), Max: max(x.Max, p.Max), Last: p.Last}
		}
		if len(at) != len(q.Length.Points) {
			t.Errorf("queue %d: %d points, want %d", i, len(q.Length.Points), len(at))
		}
		for _, p := range q.Length.Points {
			if p != at[p.Bucket] {
				t.Errorf("queue %d: %+v, want %+v", i, p, at[p.Bucket])
			}
		}
	}
}

// TestStorm: the tree begins at the host that asks for pauses and follows them back
// to the senders; the flow that only shares the link is a victim.
func TestStorm(t *testing.T) {
	r := tracetest.Storm(t)
	root := r.Tree()[0]
	if r.Ports[root.Port].Name != "c" || !root.Host || root.Total != 500*dataplane.Microsecond || len(root.Stops) != 1 {
		t.Fatalf("root %+v", root)
	}
	right := root.Stops[0]
	if r.Ports[right.Port].Node != "right" || r.Ports[right.Out].Peer != root.Port || len(right.Stops) != 2 {
		t.Fatalf("below it %+v", right)
	}
	for i, name := range []string{"a", "b"} {
		left := right.Stops[i]
		if r.Ports[left.Port].Node != "left" || r.Ports[r.Ports[left.Port].Peer].Name != name || left.By != right.Port || len(left.Stops) != 0 {
			t.Errorf("below that %+v, want what stops %s", left, name)
		}
	}
	v := r.Victims()
	if len(v) != 1 || r.Ports[r.Flows[v[0].Flow].From].Name != "b" || v[0].Paused < 0.4 || v[0].Clear < 70e9 || v[0].Held > 50e9 {
		t.Errorf("victims %+v, want the flow of b", v)
	}
	if r.Circle() != nil {
		t.Errorf("circle %v: want none", r.Circle())
	}
	if got := r.PauseFraction(r.Ports[root.Port].Peer, 3); math.Abs(got-500e-6/r.Span.Seconds()) > 1e-6 {
		t.Errorf("port to c paused for %g of the time", got)
	}
}

// TestRing: the deadlock at the end is a cycle of all switches.
func TestRing(t *testing.T) {
	r := tracetest.Ring(t, 4)
	circle := r.Circle()
	if len(circle) != 4 {
		t.Fatalf("circle %v, want four ports", circle)
	}
	for i, p := range circle {
		next := circle[(i+1)%len(circle)]
		if r.Ports[r.Ports[p].Peer].Node != r.Ports[next].Node {
			t.Errorf("%s leads to %s, want the switch of %s", r.Ports[p].Name, r.Ports[r.Ports[p].Peer].Node, r.Ports[next].Name)
		}
	}
}

// TestAlone: the ideal time is that of a flow that has the network to itself.
func TestAlone(t *testing.T) {
	for _, bytes := range []uint64{1, 1000, 1024, 123456, 4e6} {
		n := tracetest.New(t, trace.New(trace.Options{}))
		w := n.Switch("sw", 2, 1<<20)
		n.Flow(n.Host("a", w), n.Host("b", w), bytes, dataplane.Microsecond)
		c := n.Done(dataplane.Second).Completions()
		if len(c) != 1 || math.Abs(float64(c[0].Took-c[0].Ideal)) > float64(dataplane.Nanosecond) {
			t.Errorf("%d bytes: %+v: want the ideal", bytes, c)
		}
	}
}

func TestMeasures(t *testing.T) {
	r := tracetest.RunIncast(withControl(t), 8)
	rooms := r.Headroom()
	if len(rooms) != 8 || rooms[0].Limit != tracetest.Headroom || rooms[0].Share() < rooms[7].Share() || rooms[0].Used == 0 {
		t.Errorf("headroom %+v", rooms)
	}
	if o := r.Orders(); len(o) != 1 || r.Ports[o[0].Port].Peer != r.Flows[0].To || !o[0].MarkedFirst() {
		t.Errorf("orders %+v: want marks first, at the receiver's port", o)
	}
	if f := r.Fairness(); len(f) != 1 || f[0].Flows != 8 || f[0].Jain <= 0.5 || f[0].Jain > 1 {
		t.Errorf("fairness %+v", f)
	}
	if len(r.Victims()) != 0 {
		t.Errorf("victims %+v: all flows cross the root", r.Victims())
	}
	for _, x := range []struct {
		values []float64
		want   float64
	}{{nil, 1}, {[]float64{5}, 1}, {[]float64{1, 1, 1, 1}, 1}, {[]float64{4, 0, 0, 0}, 0.25}, {[]float64{1, 2, 3}, 36.0 / 42}} {
		if got := trace.Jain(x.values); got != x.want {
			t.Errorf("Jain(%v) = %g, want %g", x.values, got, x.want)
		}
	}
	for share, want := range map[float64]int{0: 1, 0.5: 5, 0.51: 6, 0.99: 10, 1: 10} {
		if got := trace.Percentile([]int{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, share); got != want {
			t.Errorf("Percentile(%g) = %d, want %d", share, got, want)
		}
	}
}

func withControl(t testing.TB) *tracetest.Net {
	n := tracetest.New(t, trace.New(trace.Options{}))
	n.Control = dataplane.NICDCQCN(tracetest.Rate)
	return n
}

// BenchmarkRecorder is the same incast with and without a recorder.
func BenchmarkRecorder(b *testing.B) {
	for _, c := range []struct {
		name     string
		recorder func() *trace.Recorder
	}{
		{"without", func() *trace.Recorder { return nil }},
		{"with", func() *trace.Recorder { return trace.New(trace.Options{}) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var events uint64
			for range b.N {
				n := tracetest.New(b, c.recorder())
				tracetest.RunIncast(n, 16)
				events += n.Events()
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
