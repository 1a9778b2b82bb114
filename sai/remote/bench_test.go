package remote_test

import (
	"testing"

	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
)

func connected(b *testing.B, ports int) (*remote.Client, *sai.Switch) {
	c := startChip(b, vsai.Config{Ports: layout(ports), Record: -1}).dial(b)
	return c, boot(b, c)
}

func keysOf(b *testing.B, sw *sai.Switch, o sai.Object) []sai.Key {
	b.Helper()
	keys, st := sw.Objects(sw.ID.OID(), o.Meta())
	if st != 0 {
		b.Fatal(st)
	}
	return keys
}

// BenchmarkRoundTrip is one call and its answer.
func BenchmarkRoundTrip(b *testing.B) {
	_, sw := connected(b, 64)
	b.ReportAllocs()
	for b.Loop() {
		if err := sai.Set(sw, sw.ID, sai.SwitchAttrFDBAgingTime.Is(9)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParallel is calls of several goroutines.
func BenchmarkParallel(b *testing.B) {
	_, sw := connected(b, 64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := sai.Set(sw, sw.ID, sai.SwitchAttrFDBAgingTime.Is(9)); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkBulkStats reads 36,864 counters: 9 of each of 8 queues of 512 ports.
func BenchmarkBulkStats(b *testing.B) {
	c, sw := connected(b, 512)
	var ids []sai.OID
	for i, k := range keysOf(b, sw, sai.Queue{})[8:] { // those of the CPU port come first
		if i%20 < 8 {
			ids = append(ids, k.OID)
		}
	}
	stats := make([]uint32, 9)
	for i := range stats {
		stats[i] = sai.Queue{}.Meta().Stats[i].ID
	}
	st, out := make([]sai.Status, len(ids)), make([]uint64, len(ids)*len(stats))
	b.ReportAllocs()
	for b.Loop() {
		if s := c.BulkStats(sai.Queue{}.Meta(), sw.ID.OID(), ids, stats, sai.StatsModeBulkRead, st, out); s != 0 {
			b.Fatal(s)
		}
	}
	b.ReportMetric(float64(len(out)), "counters")
}

// BenchmarkBulkSet sets an attribute of 64 queues.
func BenchmarkBulkSet(b *testing.B) {
	c, sw := connected(b, 64)
	wred, err := sai.Create[sai.Wred](sw)
	if err != nil {
		b.Fatal(err)
	}
	keys := keysOf(b, sw, sai.Queue{})[:64]
	attrs, st := make([]sai.Attribute, 64), make([]sai.Status, 64)
	for i := range attrs {
		attrs[i] = sai.QueueAttrWredProfileID.Is(wred).Attribute
	}
	b.ReportAllocs()
	for b.Loop() {
		if s := c.BulkSet(sai.Queue{}.Meta(), keys, attrs, true, st); s != 0 {
			b.Fatal(s)
		}
	}
}

// BenchmarkBulkGet reads three attributes of 20,000 objects, as an agent does
// that comes back.
func BenchmarkBulkGet(b *testing.B) {
	c, sw := connected(b, 1000)
	keys := keysOf(b, sw, sai.Queue{})[:20000]
	attrs, st := make([][]sai.Attribute, len(keys)), make([]sai.Status, len(keys))
	for i := range attrs {
		attrs[i] = []sai.Attribute{{AttrMeta: sai.QueueAttrIndex.AttrMeta}, {AttrMeta: sai.QueueAttrPort.AttrMeta}, {AttrMeta: sai.QueueAttrWredProfileID.AttrMeta}}
	}
	b.ReportAllocs()
	for b.Loop() {
		if s := c.BulkGet(sai.Queue{}.Meta(), keys, attrs, st); s != 0 {
			b.Fatal(s)
		}
	}
}
