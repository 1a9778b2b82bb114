package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestWREDCells: a chip that counts cells marks by them, with thresholds rounded up to
// whole cells. Of frames of 64 bytes in cells of 100, one that finds 3 cells is the first
// above 120 bytes, which are 2 cells; one that finds 128 bytes is, where bytes count.
func TestWREDCells(t *testing.T) {
	const frames = 10
	for inCells, want := range map[bool]uint64{true: frames - 3, false: frames - 2} {
		s := newStar(t, rig{
			sw:   dataplane.SwitchConfig{Model: dataplane.Model{CellBytes: 100, WREDCells: inCells}},
			port: dataplane.PortConfig{Rate: 100e9}, hosts: 2, link: dataplane.Link{Delay: dataplane.Nanosecond},
		})
		s.sw.SetPool(0, dataplane.Pool{Size: 1 << 30})
		s.sw.SetPool(1, dataplane.Pool{Size: 1 << 30, Egress: true})
		s.sw.SetGroup(0, 3, dataplane.Buffer{})
		w := red(120, 120, 100)
		w.Dequeue = false
		s.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, WRED: w})
		s.stopSending(1, true)
		_, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Bytes: 2 * frames, Payload: 2, Class: 3, ECN: true, AckEvery: 1 << 30})
		if err == nil {
			err = s.Run(10 * dataplane.Microsecond)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := s.sw.Queue(1, 3).Marked[dataplane.Green]; got != want {
			t.Errorf("in cells %v: %d of %d frames marked, want %d", inCells, got, frames, want)
		}
	}
}
