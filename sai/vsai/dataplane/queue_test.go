package dataplane_test

import (
	"math"
	"net/netip"
	"testing"

	"xon/sai/vsai/dataplane"
)

// blockedStar makes a star whose last port does not transmit, so that queues can be filled
// and then released. Memory never runs out.
func blockedStar(t *testing.T, hosts int, observe func(dataplane.Observation)) *star {
	t.Helper()
	s := newStar(t, rig{
		sim:  dataplane.Config{Seed: 1, Observe: observe},
		port: dataplane.PortConfig{Rate: 100e9}, hosts: hosts, link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: 1 << 40})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for p := range hosts {
		for q := range 8 {
			s.sw.SetGroup(p, q, dataplane.Buffer{Pool: 0})
			s.queue(p, q, nil, dataplane.Scheduling{})
		}
	}
	s.stopSending(hosts-1, true)
	return s
}

func (s *star) queue(port, q int, w *dataplane.WRED, c dataplane.Scheduling) {
	s.sw.SetQueue(port, q, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, WRED: w, Sched: c})
}

// burst makes a host send n frames to the stopped port before the next event.
func (s *star) burst(t *testing.T, from int, class uint8, n, bytes int) {
	t.Helper()
	payload := bytes - 62
	_, err := s.AddFlow(dataplane.FlowConfig{
		From: s.hosts[from], To: s.hosts[len(s.hosts)-1], Bytes: uint64(n * payload), Payload: payload, Class: class, ECN: true, AckEvery: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.pass(t, dataplane.Time(n)*dataplane.Time(bytes)*80+dataplane.Microsecond)
}

// markedAt runs rounds of n frames that queue up and are then released, and counts
// marks by the length that remained.
func markedAt(t *testing.T, w *dataplane.WRED, rounds, n, bytes int) map[int64]int {
	t.Helper()
	marks := map[int64]int{}
	var s *star
	s = blockedStar(t, 2, func(o dataplane.Observation) {
		if o.Kind == dataplane.SeenMark {
			marks[s.sw.Queue(1, 3).Length-int64(bytes)]++
		}
	})
	s.queue(1, 3, w, dataplane.Scheduling{})
	for range rounds {
		s.burst(t, 0, 3, n, bytes)
		s.stopSending(1, false)
		s.pass(t, dataplane.Time(n)*dataplane.Time(bytes)*80+dataplane.Microsecond)
		s.stopSending(1, true)
	}
	return marks
}

// TestR14Accuracy: 910 frames leave a queue one after the other; each is marked
// with the probability of the length that it leaves behind.
func TestR14Accuracy(t *testing.T) {
	long(t)
	const rounds, frames, bytes, kmin, kmax, percent = 300, 910, 1024, 500e3, 900e3, 5
	marks := markedAt(t, red(kmin, kmax, percent), rounds, frames, bytes)
	var want, got, variance float64
	for i := range int64(frames) {
		length := (frames - 1 - i) * bytes
		n := marks[length]
		switch {
		case length > kmax && n != rounds, length <= kmin && n != 0:
			t.Errorf("at %d bytes %d of %d are marked", length, n, rounds)
		case length > kmin && length <= kmax:
			p := percent / 100.0 * float64(length-kmin) / (kmax - kmin)
			want += p * rounds
			variance += p * (1 - p) * rounds
			got += float64(n)
		}
		if i%65 == 64 && want > 0 { // by and by, so that the curve's form counts
			if math.Abs(got-want) > 4*math.Sqrt(variance) {
				t.Errorf("around %d bytes %g are marked, want %g ± %g", length, got, want, 4*math.Sqrt(variance))
			}
			want, got, variance = 0, 0, 0
		}
	}
}

// TestR13FastECN: what counts is the length when a frame leaves, so of a queue
// that drains the first are marked and the last are not.
func TestR13FastECN(t *testing.T) {
	for _, c := range []struct {
		name         string
		w            *dataplane.WRED
		n, bytes     int
		first, never int // all up to first are marked, from never on none
	}{
		{"101 frames, 50 to 51 KB", red(50000, 51000, 100), 101, 1024, 51, 52},
		{"301 frames, 40 to 168 KB", red(40000, 168000, 100), 301, 1024, 136, 261},
		{"64 frames, 32 KB", red(32<<10, 32<<10, 100), 64, 1024, 31, 31},
	} {
		marks := markedAt(t, c.w, 1, c.n, c.bytes)
		for i := range c.n {
			switch n := marks[int64((c.n-1-i)*c.bytes)]; {
			case i < c.first && n != 1:
				t.Errorf("%s: frame %d is not marked, want all up to %d", c.name, i+1, c.first)
			case i >= c.never && n != 0:
				t.Errorf("%s: frame %d is marked, want none after %d", c.name, i+1, c.never)
			}
		}
	}
}

// TestR12Marking: only what can be marked is, of either IP version, and CE stays.
func TestR12Marking(t *testing.T) {
	for _, dequeue := range []bool{false, true} {
		for _, to := range []string{"10.0.0.2", "fd00::2"} {
			markEither(t, dequeue, netip.MustParseAddr(to))
		}
	}
}

// markEither fills a queue with 20 frames that can be marked and 100 that can't.
func markEither(t *testing.T, dequeue bool, to netip.Addr) {
	t.Helper()
	w := red(10e3, 10e3, 100)
	w.Dequeue = dequeue
	w.Drop[dataplane.Green] = dataplane.Curve{On: true, Min: 40e3, Max: 40e3, Percent: 100}
	s := blockedStar(t, 3, nil)
	s.queue(2, 3, w, dataplane.Scheduling{})
	for from, n := range []uint64{20, 100} {
		h := dataplane.Header{Tagged: true, DstMAC: s.hosts[2].Config().MAC, Src: to.Prev(), Dst: to, Protocol: dataplane.UDP, DstPort: dataplane.RoCE}
		_, err := s.AddFlow(dataplane.FlowConfig{
			From: s.hosts[from], To: s.hosts[2], Bytes: n * 938, Payload: 938, Class: 3, ECN: from == 0, AckEvery: 1 << 30, Header: &h,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.pass(t, dataplane.Millisecond)
	}
	q := s.sw.Queue(2, 3)
	if q.WREDDropped[dataplane.Green] != 100-21 || q.Length != 41e3 {
		t.Errorf("to %v: %d of 100 frames that can't be marked are dropped, %d bytes held; want 79, 41,000", to, q.WREDDropped[dataplane.Green], q.Length)
	}
	s.stopSending(2, false)
	s.pass(t, dataplane.Millisecond)
	want := uint64(9) // the 12th to the 20th that entered
	if dequeue {
		want = 20 // behind each of them lies more than 10 KB
	}
	if got := s.sw.Queue(2, 3).Marked[dataplane.Green]; got != want {
		t.Errorf("to %v, dequeue %v: %d are marked, want %d", to, dequeue, got, want)
	}
}

// TestRobin: queues of weights 14 and 15 that were filled by weight are released: none
// gets far ahead of its share.
func TestRobin(t *testing.T) {
	weights := []int{14, 14, 14, 15, 15, 14, 14}
	sent := make([]int, len(weights))
	last := make([]int64, len(weights))
	worst := 0.0
	s := blockedStar(t, 2, func(o dataplane.Observation) {
		if o.Kind != dataplane.SeenQueue || o.Port.Index() != 1 {
			return
		}
		q := int(o.Class)
		if o.Level < last[q] {
			sent[q]++
			all := 0
			for _, n := range sent {
				all += n
			}
			for i, n := range sent {
				worst = max(worst, math.Abs(float64(n)-float64(all*weights[i])/100))
			}
		}
		last[q] = o.Level
	})
	for q, w := range weights {
		s.queue(1, q, nil, dataplane.Scheduling{Weight: w})
		s.burst(t, 0, uint8(q), 10*w, 1024)
	}
	s.stopSending(1, false)
	s.pass(t, dataplane.Millisecond)
	if worst >= 80 || worst == 0 {
		t.Errorf("a queue is %g frames off its share, want less than 80", worst)
	}
	for q, w := range weights {
		if sent[q] != 10*w {
			t.Errorf("queue %d sent %d frames, want %d", q, sent[q], 10*w)
		}
	}
}

// served runs four queues that never run dry for a millisecond and returns the
// bits a second of each. Queue q has frames of 500*(q+1) bytes.
func served(t *testing.T, change func(*star), sched ...dataplane.Scheduling) []float64 {
	t.Helper()
	s := blockedStar(t, len(sched)+1, nil)
	to := len(sched)
	for q, c := range sched {
		s.queue(to, q, nil, c)
		s.burst(t, q, uint8(q), 40000/(q+1), 500*(q+1))
	}
	if change != nil {
		change(s)
	}
	s.stopSending(to, false)
	s.pass(t, dataplane.Millisecond)
	out := make([]float64, len(sched))
	for q := range sched {
		out[q] = float64(s.sw.Queue(to, q).Bytes) * 8 * 1e3
	}
	return out
}

func TestScheduling(t *testing.T) {
	type sched = dataplane.Scheduling
	for _, c := range []struct {
		name   string
		change func(*star)
		queues []sched
		want   []float64 // Gb/s
	}{
		{"weights share by bytes, whatever the frames' length", nil, []sched{{Weight: 10}, {Weight: 20}, {Weight: 30}, {Weight: 40}}, []float64{10, 20, 30, 40}},
		{"strict goes first, the higher index before", nil, []sched{{}, {Strict: true, MaxRate: 2.5e9}, {Strict: true, MaxRate: 5e9}, {}}, []float64{20, 20, 40, 20}},
		{"strict alone takes all", nil, []sched{{}, {}, {}, {Strict: true}}, []float64{0, 0, 0, 100}},
		{"the smallest rate is served before weights", nil, []sched{{Weight: 1, MinRate: 5e9}, {Weight: 29}, {Weight: 30}, {Weight: 40}}, []float64{40, 17.5, 18.2, 24.3}},
		{"the greatest rate bounds", nil, []sched{{MaxRate: 1.25e9}, {}, {}, {}}, []float64{10, 30, 30, 30}},
		{"packets a second", nil, []sched{{MaxRate: 1e6, Packets: true}, {}, {}, {}}, []float64{4, 32, 32, 32}},
		{"the port's own rate", func(s *star) {
			p := s.sw.Ports()[4]
			cfg := p.Config()
			cfg.MaxRate = 5e9
			s.SetPort(p, cfg)
		}, []sched{{}, {}, {}, {}}, []float64{10, 10, 10, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := served(t, c.change, c.queues...)
			for q, want := range c.want {
				if math.Abs(got[q]/1e9-want) > 0.03*want+0.3 {
					t.Errorf("queue %d: %.2f Gb/s, want %g", q, got[q]/1e9, want)
				}
			}
		})
	}
}
