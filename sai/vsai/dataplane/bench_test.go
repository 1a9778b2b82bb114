package dataplane_test

import (
	"testing"
	"unsafe"

	"xon/sai/vsai/dataplane"
)

// BenchmarkIncast is 16 senders at 100 Gb/s to one receiver. Beside the events a
// second of one core stands how they compare with a packet simulator in C++ that
// made 1.35 million of the same case on a like machine.
func BenchmarkIncast(b *testing.B) {
	const reference = 1.35e6
	b.ReportAllocs()
	var events, packets uint64
	var span dataplane.Time
	for range b.N {
		s := compat(b, incast{senders: 16, rate: 100e9, delay: dataplane.Microsecond, buffer: 4 << 20, bytes: 6.25e6})
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
	b.ReportMetric(float64(events)/sec/reference, "x-reference")
	b.ReportMetric(float64(unsafe.Sizeof(dataplane.Packet{})), "B/packet")
}
