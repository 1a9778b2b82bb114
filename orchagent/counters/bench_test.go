package counters_test

import (
	"strconv"
	"testing"

	"xon/orchagent/counters"
	"xon/sai"
	"xon/schema/countersdb"
)

var sizes = []int{64, 128, 512}

// BenchmarkPoll reads everything once: ports, queues, priority groups.
func BenchmarkPoll(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			c, log := r.collector(nil), silent()
			r.follow(c, n)
			c.Poll(log)
			r.traffic(c) // the chip is quick about objects that never counted
			b.ReportAllocs()
			for b.Loop() {
				c.Poll(log)
			}
			b.ReportMetric(float64(values(c)), "values")
		})
	}
}

// BenchmarkWrite writes to COUNTERS_DB what changed since the last reading: all of
// it at first, then one statistic of every object, then nothing.
func BenchmarkWrite(b *testing.B) {
	for _, n := range sizes {
		b.Run("first/"+strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			dev, handles := r.device(n)
			for b.Loop() {
				b.StopTimer()
				c := r.collector(nil)
				c.Follow(r.rows, dev, handles)
				write(b, c) // names, and what is polled
				c.Poll(silent())
				b.StartTimer()
				write(b, c)
			}
		})
		b.Run("busy/"+strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			c := r.collector(nil)
			r.follow(c, n)
			c.Poll(silent())
			write(b, c)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				r.traffic(c)
				c.Poll(silent())
				b.StartTimer()
				write(b, c)
			}
		})
		b.Run("quiet/"+strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			c := r.collector(nil)
			r.follow(c, n)
			c.Poll(silent())
			write(b, c)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c.Poll(silent())
				b.StartTimer()
				write(b, c)
			}
		})
	}
}

func write(b *testing.B, c *counters.Collector) {
	b.Helper()
	if err := c.Write(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// traffic changes a statistic of every object.
func (r *rig) traffic(c *counters.Collector) {
	r.t.Helper()
	for group, stat := range map[string]uint32{
		countersdb.PortGroup: uint32(sai.PortStatIfInOctets), countersdb.QueueGroup: uint32(sai.QueueStatPackets),
		countersdb.PGDropGroup: uint32(sai.IngressPriorityGroupStatDroppedPackets),
	} {
		for _, id := range c.Reading(group).Objects {
			if err := r.chip.AddStat(id, stat, 1); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

func values(c *counters.Collector) (n int) {
	for _, g := range countersdb.Groups {
		if r := c.Reading(g.Name); r != nil {
			n += len(r.Values)
		}
	}
	return n
}
