package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestIdleAverage: the average of a queue falls while the queue is empty, as if packets
// had arrived to an empty queue.
func TestIdleAverage(t *testing.T) {
	for _, c := range []struct {
		idle dataplane.Time
		want bool // the next packet is marked
	}{{dataplane.Microsecond, true}, {dataplane.Millisecond, false}} {
		s := blockedStar(t, 2, nil)
		w := &dataplane.WRED{Weight: 4}
		w.Mark[dataplane.Green] = dataplane.Curve{On: true, Min: 20e3, Max: 20e3, Percent: 100}
		s.queue(1, 3, w, dataplane.Scheduling{})
		s.burst(t, 0, 3, 200, 1000)
		s.stopSending(1, false)
		s.pass(t, 16*dataplane.Microsecond) // 200 frames have left
		if s.sw.Queue(1, 3).Length != 0 {
			t.Fatal("the queue is not empty")
		}
		s.pass(t, c.idle)
		before := s.sw.Queue(1, 3).Marked[dataplane.Green]
		s.burst(t, 0, 3, 1, 1000)
		if got := s.sw.Queue(1, 3).Marked[dataplane.Green] > before; got != c.want {
			t.Errorf("idle for %v: marked %v, want %v", c.idle, got, c.want)
		}
	}
}
