package redisdb_test

import (
	"fmt"
	"strconv"
	"testing"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// BenchmarkAll reads 20,000 rows of eight fields.
func BenchmarkAll(b *testing.B) {
	d := redistest.Open(b).DB(redisdb.ASICDB)
	fill(b, d, rows(20000))
	for b.Loop() {
		all, err := d.All(b.Context(), redisdb.ASICDB.Pattern("ASIC_STATE"))
		if err != nil || len(all) != 20000 {
			b.Fatal(len(all), err)
		}
	}
}

// BenchmarkWrite writes 20,000 rows of eight fields.
func BenchmarkWrite(b *testing.B) {
	d := redistest.Open(b).DB(redisdb.ASICDB)
	var batch redisdb.Batch
	all := rows(20000)
	for b.Loop() {
		batch.Reset()
		for k, f := range all {
			batch.Set(k, f)
		}
		if err := d.Write(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRow reads one row.
func BenchmarkRow(b *testing.B) {
	d := redistest.Open(b).DB(redisdb.ConfigDB)
	fill(b, d, map[string]redisdb.Fields{"T|a": {"x": "1"}})
	for b.Loop() {
		if _, err := d.Row(b.Context(), "T|a"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCommit is a transaction of ten rows.
func BenchmarkCommit(b *testing.B) {
	d := redistest.Open(b).DB(redisdb.ConfigDB)
	before := map[string]redisdb.Fields{}
	for i := range 10 {
		before[fmt.Sprintf("T|%d", i)] = nil
	}
	n := 0
	for b.Loop() {
		n++
		after := map[string]redisdb.Fields{}
		for k := range before {
			after[k] = redisdb.Fields{"profile": "egress_lossless_profile", "n": strconv.Itoa(n)}
		}
		if err := d.Commit(b.Context(), before, after); err != nil {
			b.Fatal(err)
		}
		before = after
	}
}

// BenchmarkNumbers writes 10,000 rows of four counters, as a pass over the queues
// of 512 ports does.
func BenchmarkNumbers(b *testing.B) {
	d := redistest.Open(b).DB(redisdb.CountersDB)
	var keys, fields []redisdb.Name
	for i := range 10000 {
		keys = append(keys, redisdb.NameOf(fmt.Sprintf("COUNTERS:oid:0x%x", i)))
	}
	for _, f := range []string{"PACKETS", "BYTES", "DROPPED_PACKETS", "DROPPED_BYTES"} {
		fields = append(fields, redisdb.NameOf("SAI_QUEUE_STAT_"+f))
	}
	values := make([]uint64, len(keys)*len(fields))
	var batch redisdb.Batch
	for b.Loop() {
		batch.Reset()
		batch.Rows(redisdb.Passing, fields...)
		for i, k := range keys {
			batch.Row(k)
			for j := range fields {
				v := &values[i*len(fields)+j]
				*v += 12345
				batch.Number(v)
			}
		}
		if err := d.Write(b.Context(), &batch); err != nil {
			b.Fatal(err)
		}
	}
}
