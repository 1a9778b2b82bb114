package scale_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/test/scale"
)

// quiet is how long ASIC_DB must have been still for a load to count as over.
const quiet = 100 * time.Millisecond

// BenchmarkQoSLoad writes the QoS of all ports to CONFIG_DB, as a tool does, and
// takes the time from the first write to the last event of ASIC_DB, and what the
// agent, the chip process and redis-server spent for it.
func BenchmarkQoSLoad(b *testing.B) {
	for _, n := range []int{32, 128} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) {
			a := startWith(b, scale.Ports(n))
			qos := scale.Load(n)
			maps.DeleteFunc(qos, func(k configdb.RowKey, _ configdb.Fields) bool { return k.Table() == "PORT" })
			w := watchASIC(b, a)
			defer w.Stop()
			redis := child(b, a.pid, "redis-server")
			var times, spent []time.Duration
			for b.Loop() {
				cpu := cpuTime(b, a.pid) + cpuTime(b, a.chip) + cpuTime(b, redis)
				from := time.Now()
				write(b, a, qos)
				last := lastEvent(b, w)
				times = append(times, last.Sub(from))
				spent = append(spent, cpuTime(b, a.pid)+cpuTime(b, a.chip)+cpuTime(b, redis)-cpu)
				a.await(b, n+1+len(qos))
				remove(b, a, qos)
				lastEvent(b, w)
				a.awaitGone(b, n+1)
			}
			reportTimes(b, times)
			slices.Sort(spent)
			b.ReportMetric(float64(spent[len(spent)/2].Milliseconds()), "cpu-ms")
		})
	}
}

func watchASIC(b *testing.B, a *agent) *redisdb.Watch {
	b.Helper()
	w := a.db.DB(redisdb.ASICDB).Watch(b.Context(), "ASIC_STATE:*")
	_, err := w.Next(b.Context())
	must(b, err)
	return w
}

// order is that in which a tool writes tables: what others refer to comes first.
var order = []string{
	"BUFFER_POOL", "BUFFER_PROFILE", "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
	"WRED_PROFILE", "BUFFER_PG", "BUFFER_QUEUE", "PORT_QOS_MAP", "QUEUE",
}

func write(b *testing.B, a *agent, rows configdb.RawRows) {
	b.Helper()
	var batch redisdb.Batch
	for _, table := range order {
		for _, k := range slices.Sorted(maps.Keys(rows)) {
			if k.Table() == table {
				batch.Set(string(k), redisdb.Fields(rows[k]))
			}
		}
	}
	if batch.Len() != len(rows) {
		b.Fatalf("%d of %d rows are of a table in order", batch.Len(), len(rows))
	}
	must(b, a.db.DB(redisdb.ConfigDB).Write(b.Context(), &batch))
}

func remove(b *testing.B, a *agent, rows configdb.RawRows) {
	b.Helper()
	var batch redisdb.Batch
	for k := range rows {
		batch.Delete(string(k))
	}
	must(b, a.db.DB(redisdb.ConfigDB).Write(b.Context(), &batch))
}

// lastEvent waits until there were events and then none for a while, and returns
// when the last one came.
func lastEvent(b *testing.B, w *redisdb.Watch) time.Time {
	b.Helper()
	_, err := w.Next(b.Context())
	must(b, err)
	for last := time.Now(); ; last = time.Now() {
		ctx, cancel := context.WithTimeout(b.Context(), quiet)
		_, err := w.Next(ctx)
		cancel()
		if err != nil {
			return last
		}
	}
}

// awaitGone waits until no more than a number of rows have a fate.
func (a *agent) awaitGone(b *testing.B, rows int) {
	b.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		keys, err := a.db.DB(redisdb.StateDB).Keys(b.Context(), "XON_ROW|*")
		must(b, err)
		if len(keys) <= rows {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("%d rows still have a fate, want %d", len(keys), rows)
		}
	}
}

// clockTick is the unit of processor time in /proc (USER_HZ).
const clockTick = 10 * time.Millisecond

// stat returns the name of a process and the fields of its /proc/stat after that.
func stat(pid int) (name string, fields []string, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", nil, err
	}
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	return string(text[from+1 : to]), strings.Fields(string(text[to+1:])), nil
}

// cpuTime is what a process has spent so far, to the tick.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	_, f, err := stat(pid)
	must(b, err)
	user, err := strconv.Atoi(f[11])
	must(b, err)
	system, err := strconv.Atoi(f[12])
	must(b, err)
	return time.Duration(user+system) * clockTick
}

// child finds a process by its parent and its name.
func child(b *testing.B, parent int, name string) int {
	b.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	must(b, err)
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir)) // the pattern lets numbers through alone
		have, f, err := stat(pid)                  // it may have ended
		if err == nil && have == name && f[1] == strconv.Itoa(parent) {
			return pid
		}
	}
	b.Fatalf("process %d has no child %s", parent, name)
	return 0
}
