package orchagent_test

import (
	"fmt"
	"strconv"
	"testing"

	"xon/orchagent"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/resolve"
	"xon/schema/configdb"
	"xon/test/scale"
)

var sizes = []int{64, 128, 512}

// dense is the load of package scale with everything that a port can have on all
// its priority groups and eight of its queues: 36 nodes a port.
func dense(ports int) configdb.RawRows {
	rows := scale.Load(ports)
	rows["SCHEDULER|dwrr"] = fields{"type": "DWRR", "weight": "10"}
	for i := range ports {
		p := scale.PortName(i)
		for _, k := range []string{"QUEUE|" + p + "|3", "QUEUE|" + p + "|4", "BUFFER_PG|" + p + "|0", "BUFFER_PG|" + p + "|3-4"} {
			delete(rows, configdb.RowKey(k))
		}
		for q := range 8 {
			rows[configdb.RowKey(fmt.Sprintf("QUEUE|%s|%d", p, q))] = fields{"scheduler": "dwrr", "wred_profile": "AZURE_LOSSLESS"}
			rows[configdb.RowKey(fmt.Sprintf("BUFFER_PG|%s|%d", p, q))] = fields{"profile": "pg_lossless_100000_5m_profile"}
		}
	}
	return rows
}

// snapshot is a configuration on a chip of that many ports.
func snapshot(b *testing.B, ports int, rows configdb.RawRows) *intent.Snapshot {
	b.Helper()
	sw, _, err := inventory.Open(newChip(b, ports))
	if err != nil {
		b.Fatal(err)
	}
	inv, err := inventory.Discover(sw)
	if err != nil {
		b.Fatal(err)
	}
	e := new(configdb.Config).Edit()
	for k, f := range rows {
		row, _, err := configdb.Parse(k, f)
		if err != nil {
			b.Fatal(err)
		}
		e.Put(row)
	}
	s := &intent.Snapshot{Rows: e.Config()}
	s.Device, _ = inv.Name(s.Rows.Ports)
	return s
}

// BenchmarkDerive derives everything at once, with nothing remembered.
func BenchmarkDerive(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := snapshot(b, n, dense(n))
			b.ReportAllocs()
			var nodes int
			for b.Loop() {
				nodes = len(resolve.Derive(s).Nodes)
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}

// BenchmarkChange measures one change from the feed to the chip and back: parse,
// resolve, derive, plan, apply, judge, report.
func BenchmarkChange(b *testing.B) {
	tests := []struct {
		name   string
		change func(i int) (configdb.RowKey, configdb.Fields)
	}{
		{"nothing", func(int) (configdb.RowKey, configdb.Fields) { return "SCHEDULER|none", nil }},
		{"queue", func(i int) (configdb.RowKey, configdb.Fields) {
			return "BUFFER_QUEUE|Ethernet0|3", fields{"profile": fmt.Sprintf("queue%d_profile", i%2)}
		}},
		{"wred", func(i int) (configdb.RowKey, configdb.Fields) {
			return "WRED_PROFILE|AZURE_LOSSLESS", fields{
				"ecn": "ecn_green", "wred_green_enable": "true",
				"green_min_threshold": strconv.Itoa(1000 + i%2), "green_max_threshold": "2097152",
			}
		}},
		{"headroom", func(i int) (configdb.RowKey, configdb.Fields) {
			return "BUFFER_PROFILE|pg_lossless_100000_5m_profile", fields{
				"pool": "ingress_lossless_pool", "size": "4096", "xon": "2048", "xoff": strconv.Itoa(8192 + 256*(i%2)), "dynamic_th": "-3",
			}
		}},
		{"port", func(i int) (configdb.RowKey, configdb.Fields) {
			f := scale.Ports(1)["PORT|Ethernet0"]
			f["mtu"] = strconv.Itoa(9000 + i%2)
			return "PORT|Ethernet0", f
		}},
	}
	for _, n := range sizes {
		for _, tt := range tests {
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				r := newRig(b, n)
				r.load(scale.Load(n))
				writes := r.chip.Writes()
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					k, f := tt.change(i)
					if err := r.agent.Change(b.Context(), []configdb.Change{{Row: k, Fields: f}}); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(float64(r.chip.Writes()-writes)/float64(i), "writes/op")
				b.StopTimer()
				r.stop()
			})
		}
	}
}

// BenchmarkTransact measures a transaction of ten rows, but for the database.
func BenchmarkTransact(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			r.load(scale.Load(n))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				var list []configdb.Op
				for p := range 10 {
					list = append(list, configdb.Op{
						Kind: configdb.Update, Table: "BUFFER_QUEUE", Key: scale.PortName(p) + "|3",
						Fields: fields{"profile": fmt.Sprintf("queue%d_profile", i%2)},
					})
				}
				if _, err := r.agent.Transact(b.Context(), orchagent.Request{Ops: list}); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.StopTimer()
			r.stop()
		})
	}
}

// BenchmarkLoad measures a cold load: from rows to a chip that has everything.
func BenchmarkLoad(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			rows := scale.Changes(scale.Load(n))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				r := newRig(b, n)
				b.StartTimer()
				if err := r.agent.Load(b.Context(), rows); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				r.stop()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkWarmLoad measures what an agent does that comes back to a chip that has
// everything.
func BenchmarkWarmLoad(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			r.load(scale.Load(n))
			rows := scale.Changes(r.db.rows)
			r.stop()
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				r.start(r.pub)
				writes := r.chip.Writes()
				b.StartTimer()
				if err := r.agent.Load(b.Context(), rows); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if n := r.chip.Writes() - writes; n > 0 {
					b.Fatalf("%d writes", n)
				}
				r.stop()
				b.StartTimer()
			}
		})
	}
}
