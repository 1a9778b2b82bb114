package vsai_test

import (
	"fmt"
	"runtime"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

var sizes = []int{64, 128, 512}

// layout has n ports of four lanes.
func layout(n int) []vsai.PortLayout {
	out := make([]vsai.PortLayout, n)
	for i := range out {
		l := uint32(4 * i)
		out[i] = vsai.PortLayout{Lanes: []uint32{l, l + 1, l + 2, l + 3}, SpeedMbps: 100000}
	}
	return out
}

// quiet is a chip that keeps no record, as the chip process has it.
func quiet(b *testing.B, ports int) (*vsai.Chip, *sai.Switch) {
	return boot(b, vsai.Config{Ports: layout(ports), Record: -1})
}

func each(b *testing.B, f func(b *testing.B, ports int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) { f(b, n) })
	}
}

func BenchmarkBoot(b *testing.B) {
	each(b, func(b *testing.B, ports int) {
		b.ReportAllocs()
		for b.Loop() {
			quiet(b, ports)
		}
	})
}

// BenchmarkMemory reports what a chip takes on the heap.
func BenchmarkMemory(b *testing.B) {
	each(b, func(b *testing.B, ports int) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		c, _ := quiet(b, ports)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
		runtime.KeepAlive(c)
	})
}

// BenchmarkBulkSet turns 64 queues over to another profile.
func BenchmarkBulkSet(b *testing.B) {
	each(b, func(b *testing.B, ports int) {
		_, sw := quiet(b, ports)
		p := [2]sai.OID{newProfile(b, sw).OID(), newProfile(b, sw).OID()}
		keys := objects(b, sw, sai.Queue{})[:64]
		attrs, st := make([]sai.Attribute, 64), make([]sai.Status, 64)
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			i++
			for j := range attrs {
				attrs[j] = sai.QueueAttrBufferProfileID.Is(sai.ID[sai.BufferProfile](p[i&1])).Attribute
			}
			if s := sw.BulkSet(sai.Queue{}.Meta(), keys, attrs, true, st); s != 0 {
				b.Fatal(s, st)
			}
		}
	})
}

// BenchmarkBulkStats reads 10 counters of every queue and priority group and 60
// of every port.
func BenchmarkBulkStats(b *testing.B) {
	each(b, func(b *testing.B, ports int) {
		_, sw := quiet(b, ports)
		type group struct {
			o    sai.Object
			ids  []sai.OID
			stat []uint32
		}
		groups := []group{{o: sai.Queue{}}, {o: sai.IngressPriorityGroup{}}, {o: sai.Port{}}}
		counters := 0
		var out []uint64
		var st []sai.Status
		for i := range groups {
			g := &groups[i]
			for _, k := range objects(b, sw, g.o) {
				g.ids = append(g.ids, k.OID)
			}
			n := 10
			if g.o.Meta().Type == sai.ObjectTypePort {
				n = 60
			}
			for _, s := range g.o.Meta().Stats[:n] {
				g.stat = append(g.stat, s.ID)
			}
			counters += len(g.ids) * n
			out = make([]uint64, max(len(out), len(g.ids)*n))
			st = make([]sai.Status, max(len(st), len(g.ids)))
		}
		b.ReportAllocs()
		for b.Loop() {
			for _, g := range groups {
				if s := sw.BulkStats(g.o.Meta(), sw.ID.OID(), g.ids, g.stat, sai.StatsModeBulkRead, st, out); s != 0 {
					b.Fatal(s)
				}
			}
		}
		b.ReportMetric(float64(counters), "counters")
	})
}

// BenchmarkDiscover reads what an agent reads of a switch at its start.
func BenchmarkDiscover(b *testing.B) {
	each(b, func(b *testing.B, ports int) {
		_, sw := quiet(b, ports)
		keys := objects(b, sw, sai.SchedulerGroup{})
		st := make([]sai.Status, len(keys))
		attrs := make([][]sai.Attribute, len(keys))
		for i := range attrs {
			attrs[i] = []sai.Attribute{{AttrMeta: sai.SchedulerGroupAttrChildList.AttrMeta}, {AttrMeta: sai.SchedulerGroupAttrPortID.AttrMeta}}
		}
		for b.Loop() {
			if s := sw.BulkGet(sai.SchedulerGroup{}.Meta(), keys, attrs, st); s != 0 {
				b.Fatal(s)
			}
		}
	})
}
