package dataplane_test

import (
	"testing"
	"unsafe"

	"xon/sai/vsai/dataplane"
)

// BenchmarkIncast is 16 senders at 100 Gb/s to one receiver. It reports events per
// second of one core, and their ratio to a packet simulator in C++ that did 1.35
// million in the same case on a similar machine.
func BenchmarkIncast(b *testing.B) {
	const reference = 1.35e6
	events := measure(b, func() *star {
		return compat(b, incast{senders: 16, rate: 100e9, delay: dataplane.Microsecond, buffer: 4 << 20, bytes: 6.25e6})
	})
	b.ReportMetric(events/b.Elapsed().Seconds()/reference, "x-reference")
}

// BenchmarkIncastCells is 15 senders to one receiver through a chip with cells, in
// three classes that share by weight and drop or mark early.
func BenchmarkIncastCells(b *testing.B) {
	measure(b, func() *star { return inCells(b, 16, 6.25e6) })
}

// inCells is hosts around a chip with 208-byte cells; the last one receives from all
// others in classes 1 (lossy), 3 and 4.
func inCells(t testing.TB, hosts int, bytes uint64) *star {
	s := newStar(t, rig{
		sim: dataplane.Config{Seed: 1, Overhead: dataplane.WireOverhead},
		sw:  dataplane.SwitchConfig{Model: dataplane.Model{CellBytes: 208}},
		port: dataplane.PortConfig{
			Rate: 100e9, PFCSend: 0b11000, PFCReceive: 0b11000, Response: dataplane.ResponseTime(100e9),
		},
		hosts: hosts, link: dataplane.Link{Delay: dataplane.Microsecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: 32 << 20, Headroom: 8 << 20})
	s.sw.SetPool(1, dataplane.Pool{Size: 24 << 20, Egress: true})
	w := red(1<<20, 2<<20, 5)
	w.Dequeue = false
	w.Drop = w.Mark
	for p := range hosts {
		for i, class := range []int{1, 3, 4} {
			g := dataplane.Buffer{Dynamic: true, Alpha: -3, XonOffset: 2288, Reserved: 1248}
			if class != 1 {
				g.Xoff = 268736
			}
			s.sw.SetGroup(p, class, g)
			s.sw.SetQueue(p, class, dataplane.Queue{
				Buffer: dataplane.Buffer{Pool: 1}, WRED: w, Sched: dataplane.Scheduling{Weight: []int{14, 15, 15}[i]},
			})
		}
	}
	for i := range hosts - 1 {
		_, err := s.AddFlow(dataplane.FlowConfig{
			From: s.hosts[i], To: s.hosts[hosts-1], Bytes: bytes, Class: uint8([]int{3, 4, 1}[i%3]), ECN: true, Timeout: dataplane.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// measure runs stars until their flows are done, and reports events per second of a
// core. It returns the events.
func measure(b *testing.B, made func() *star) float64 {
	b.ReportAllocs()
	var events, packets uint64
	var span dataplane.Time
	for range b.N {
		s := made()
		s.run(b)
		events += s.Events()
		span += s.Now()
		for _, f := range s.Flows() {
			packets += f.Stats.Sent
		}
	}
	sec := b.Elapsed().Seconds()
	b.ReportMetric(sec/(span.Seconds()*1e3), "s/simulated-ms")
	b.ReportMetric(float64(packets)/sec, "packets/s")
	b.ReportMetric(float64(events)/sec, "events/s")
	b.ReportMetric(float64(unsafe.Sizeof(dataplane.Packet{})), "B/packet")
	return float64(events)
}
