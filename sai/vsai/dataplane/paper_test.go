package dataplane_test

import (
	"math"
	"testing"

	"xon/sai/vsai/dataplane"
)

// fabric is senders to one receiver through a switch with plenty of memory except for
// the subject of the test.
type fabric struct {
	senders int
	rate    uint64
	wred    *dataplane.WRED
	group   dataplane.Buffer
	pool    int64
	observe func(dataplane.Observation)
	loss    float64
	flow    dataplane.FlowConfig // of each sender
}

func (c fabric) build(t testing.TB) *star {
	t.Helper()
	s := newStar(t, rig{
		sim: dataplane.Config{Seed: 7, Observe: c.observe}, hosts: c.senders + 1,
		port: dataplane.PortConfig{Rate: c.rate, PFCSend: 1 << 3, PFCReceive: 1 << 3}, link: dataplane.Link{Delay: dataplane.Microsecond, Loss: c.loss},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: c.pool})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for p := range s.hosts {
		s.sw.SetGroup(p, 3, c.group)
		s.sw.SetQueue(p, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, WRED: c.wred})
	}
	for i := range c.senders {
		f := c.flow
		f.From, f.To, f.Class = s.hosts[i], s.hosts[c.senders], 3
		if _, err := s.AddFlow(f); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestFixedPoint compares DCQCN's queue with the fluid model's, for the paper's
// parameters: at rates of C/N a queue of q* bytes marks just as many packets as
// hold the rates there. Chance keeps packets somewhat above the model.
func TestFixedPoint(t *testing.T) {
	long(t)
	for _, c := range []struct {
		rate    uint64
		senders int
		queue   float64 // KB
	}{{40e9, 2, 20.2}, {40e9, 4, 41.8}, {40e9, 8, 93.8}} {
		var area float64
		var level int64
		var since dataplane.Time
		const warm, end = 40 * dataplane.Millisecond, 100 * dataplane.Millisecond
		s := fabric{
			senders: c.senders, rate: c.rate, wred: red(5e3, 200e3, 1), pool: 1 << 30, group: dataplane.Buffer{},
			observe: func(o dataplane.Observation) {
				if o.Kind == dataplane.SeenQueue && o.Port.Index() == c.senders {
					if o.At > warm {
						area += float64(level) * (o.At - max(since, warm)).Seconds()
					}
					level, since = o.Level, o.At
				}
			},
			flow: dataplane.FlowConfig{Payload: 938, ECN: true, Control: dataplane.PaperDCQCN(), CNPEvery: 50 * dataplane.Microsecond, AckEvery: 64},
		}.build(t)
		s.pass(t, warm)
		before := make([]uint64, c.senders)
		for i, f := range s.Flows() {
			before[i] = f.Expected()
		}
		s.pass(t, end-warm)
		mean := area / (end - warm).Seconds() / 1e3
		t.Logf("%d to 1 at %d Gb/s: %.1f KB, the model has %g", c.senders, c.rate/1e9, mean, c.queue)
		near(t, "mean queue", mean, c.queue, 0.36)
		share := float64(c.rate) / float64(c.senders) * 938 / 1000
		for i, f := range s.Flows() {
			near(t, "rate of a flow", float64(f.Expected()-before[i])*8/(end-warm).Seconds(), share, 0.10)
		}
	}
}

// TestSmallAlpha is an incident of a large network: with a factor of 1/64 in place
// of 1/16 the same load asks for many times the pauses.
func TestSmallAlpha(t *testing.T) {
	pauses := func(alpha int8) (n uint64) {
		s := fabric{
			senders: 24, rate: 40e9, pool: 12e6, wred: red(5e3, 200e3, 1), group: dataplane.Buffer{Dynamic: true, Alpha: alpha, Xoff: 100e3, XonOffset: 3e3},
			flow: dataplane.FlowConfig{Bytes: 2e6, ECN: true, Control: dataplane.PaperDCQCN(), CNPEvery: 50 * dataplane.Microsecond, AckEvery: 16},
		}.build(t)
		s.run(t)
		for p := range s.hosts {
			n += s.sw.Group(p, 3).Xoffs
		}
		if drops := s.sw.Drops(dataplane.DropHeadroom); drops != 0 || !s.finished() {
			t.Errorf("2^%d: %d drops, finished %v", alpha, drops, s.finished())
		}
		return n
	}
	large, small := pauses(-4), pauses(-6)
	t.Logf("pauses with 1/16: %d, with 1/64: %d", large, small)
	if small < 3*max(large, 1) {
		t.Errorf("1/64 makes %d pauses, 1/16 %d: want three times as many at least", small, large)
	}
}

// TestLivelock: one packet in 256 of 4 MB messages is lost. Restarting each time
// delivers nothing; going back to the lost packet does.
func TestLivelock(t *testing.T) {
	progress := func(restart bool) uint64 {
		s := fabric{
			senders: 1, rate: 40e9, pool: 1 << 30, loss: 1.0 / 256,
			flow: dataplane.FlowConfig{Bytes: 4e6, Restart: restart, Timeout: 500 * dataplane.Microsecond, AckEvery: 8},
		}.build(t)
		s.pass(t, 50*dataplane.Millisecond)
		return s.Flows()[0].Expected()
	}
	if got := progress(true); got >= 4e6 {
		t.Errorf("go back to the start: %d bytes across, want less than the message", got)
	}
	if got := progress(false); got != 4e6 {
		t.Errorf("go back to the loss: %d bytes across in 50 ms, want all 4,000,000", got)
	}
}

// TestFullRate: a flow without congestion control that has the link alone has its rate.
func TestFullRate(t *testing.T) {
	s := fabric{senders: 1, rate: 100e9, pool: 1 << 30, flow: dataplane.FlowConfig{AckEvery: 16}}.build(t)
	s.pass(t, dataplane.Millisecond)
	before := s.Flows()[0].Expected()
	s.pass(t, dataplane.Millisecond)
	goodput := float64(s.Flows()[0].Expected()-before) * 8 / 1e-3
	if want := 100e9 * 1024 / (1024 + 62); math.Abs(goodput-want) > want*0.001 {
		t.Errorf("%.4g bit/s of payload, want %.4g", goodput, want)
	}
}

// TestNoAllocation: in a steady state nothing is allocated.
func TestNoAllocation(t *testing.T) {
	s := fabric{
		senders: 4, rate: 100e9, pool: 4e6, wred: red(100e3, 400e3, 20), group: dataplane.Buffer{Dynamic: true, Xoff: 100e3},
		flow: dataplane.FlowConfig{ECN: true, Control: dataplane.NICDCQCN(100e9), EchoMarks: true},
	}.build(t)
	s.pass(t, 2*dataplane.Millisecond)
	before := s.Events()
	n := testing.AllocsPerRun(5, func() { s.pass(t, 100*dataplane.Microsecond) })
	if n != 0 {
		t.Errorf("%g allocations in 100 µs of %d events, want none", n, (s.Events()-before)/6)
	}
}
