package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestTrim: a queue that is short of room cuts packets instead of dropping them;
// their heads pass by another queue, and the sender hears of each loss without
// a timeout.
func TestTrim(t *testing.T) {
	for _, trim := range []bool{false, true} {
		s := fabric{senders: 2, rate: 100e9, pool: 1 << 30, flow: dataplane.FlowConfig{Bytes: 250e3, DSCP: 3}}.build(t)
		to := len(s.hosts) - 1
		s.sw.SetTrim(dataplane.Trim{Bytes: 128, DSCP: 5, Queue: 6})
		s.sw.SetQueue(to, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1, Static: 100e3, Trim: trim}})
		s.sw.SetQueue(to, 6, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, Sched: dataplane.Scheduling{Strict: true}})
		s.pass(t, 5*dataplane.Millisecond)
		q := s.sw.Queue(to, 3)
		heads := s.sw.Queue(to, 6)
		if trim && (q.Dropped != 0 || q.Trimmed == 0 || heads.Packets != q.Trimmed || heads.Bytes != 128*q.Trimmed || !s.finished()) {
			t.Errorf("with: %d dropped, %d cut, %d heads of %d bytes passed, all there %v; want 0, some, as many, 128 each, true",
				q.Dropped, q.Trimmed, heads.Packets, heads.Bytes, s.finished())
		}
		if !trim && (q.Dropped == 0 || q.Trimmed != 0 || s.finished()) {
			t.Errorf("without: %d dropped, %d cut, all there %v; want some, 0, false: the tail is lost without a trace", q.Dropped, q.Trimmed, s.finished())
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}
