package publish_test

import (
	"strconv"
	"testing"

	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/test/scale"
)

// BenchmarkCold publishes everything to empty databases: 512 ports with all their
// queues, priority groups and scheduler groups are some 22,000 objects.
func BenchmarkCold(b *testing.B) {
	for _, n := range []int{64, 512} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			r.load(scale.Load(n))
			_, report, _ := r.pub.seen()
			for b.Loop() {
				b.StopTimer()
				for _, id := range []redisdb.ID{redisdb.ASICDB, redisdb.StateDB, redisdb.CountersDB} {
					r.clear(id)
				}
				b.StartTimer()
				if err := r.pub.Publisher.Publish(b.Context(), report); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(r.all(redisdb.ASICDB, redisdb.Everything))), "objects")
		})
	}
}

// BenchmarkWarm compares everything and finds nothing to write, as after a restart.
func BenchmarkWarm(b *testing.B) {
	for _, n := range []int{64, 512} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := newRig(b, n)
			r.load(scale.Load(n))
			_, report, _ := r.pub.seen()
			for b.Loop() {
				if err := r.pub.Publisher.Publish(b.Context(), report); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkChange is one WRED threshold of a switch of 64 ports, from the
// transaction's begin until all is published, CONFIG_DB included.
func BenchmarkChange(b *testing.B) {
	r := newRig(b, 64)
	r.put(scale.Load(64))
	r.load(scale.Load(64))
	n := 0
	for b.Loop() {
		n++
		r.transact(configdb.Op{
			Kind: configdb.Update, Table: "WRED_PROFILE", Key: "AZURE_LOSSLESS",
			Fields: configdb.Fields{"green_min_threshold": strconv.Itoa(250000 + n%1000)},
		})
	}
}

// BenchmarkPublish is the publisher's share of that.
func BenchmarkPublish(b *testing.B) {
	r := newRig(b, 64)
	r.put(scale.Load(64))
	r.load(scale.Load(64))
	r.transact(configdb.Op{
		Kind: configdb.Update, Table: "WRED_PROFILE", Key: "AZURE_LOSSLESS", Fields: configdb.Fields{"green_min_threshold": "260000"},
	})
	_, _, report := r.pub.seen()
	for b.Loop() {
		if err := r.pub.Publisher.Publish(b.Context(), report); err != nil {
			b.Fatal(err)
		}
	}
}
