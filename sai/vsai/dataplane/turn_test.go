package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestTurnsUnderPauses: a queue that is paused in its turns again and again keeps
// what is left of one turn, not of all.
func TestTurnsUnderPauses(t *testing.T) {
	b := newBench(t, receivingPFC(100e9), 3, 4, 5)
	for _, q := range []int{3, 4, 5} {
		b.sw.SetQueue(1, q, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, Sched: dataplane.Scheduling{Weight: 15}})
	}
	b.pass(t, 10*dataplane.Microsecond)
	for range 100 { // in the middle of most of its turns
		b.deliver(t, pfc(1<<3, 0xFFFF))
		b.pass(t, 1400*dataplane.Nanosecond)
		b.deliver(t, pfc(1<<3, 0))
		b.pass(t, 200*dataplane.Nanosecond)
	}
	from := b.Now()
	b.pass(t, 20*dataplane.Microsecond)
	three, four := len(b.after(from, 3)), len(b.after(from, 4))
	if d := three - four; d < -60 || d > 60 {
		t.Errorf("after the pauses %d and %d frames were sent with equal weights, want within two turns of each other", three, four)
	}
}

// TestGreatBurst: a burst that takes longer at the greatest rate than the clock goes
// is as good as none at all to reckon with: what is sent is not held back.
func TestGreatBurst(t *testing.T) {
	s := blockedStar(t, 2, nil)
	s.queue(1, 3, nil, dataplane.Scheduling{MaxRate: 1, Burst: 1 << 50})
	s.burst(t, 0, 3, 10, 1000)
	s.stopSending(1, false)
	s.pass(t, dataplane.Millisecond)
	if n := s.sw.Queue(1, 3).Packets; n != 10 {
		t.Errorf("%d frames of 10 were sent within the burst, want all", n)
	}
}
