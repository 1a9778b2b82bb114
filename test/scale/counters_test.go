package scale_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/test/scale"
)

// window is how long polling is watched: as long as the processor's time, which is told
// in ticks of 10 ms, tells a tenth of a percent.
const window = 20 * time.Second

// BenchmarkCounters is what polling costs while nothing counts: processor time of the
// agent, the chip process and redis-server together, in percent of a core, and commands
// that redis-server does in a second.
func BenchmarkCounters(b *testing.B) {
	b.Run("ports and 8 queues each 1 s, drops 200 ms/ports=128", func(b *testing.B) {
		rows := scale.Load(128)
		poll(rows, "PORT", "1000")
		poll(rows, "QUEUE", "1000")
		poll(rows, "PORT_BUFFER_DROP", "200") // as often as a watchdog looks at two queues
		benchCounters(b, rows, true)
	})
	b.Run("all groups by default/ports=128", func(b *testing.B) {
		rows := scale.Load(128)
		for _, g := range countersdb.Groups {
			poll(rows, g.Config, strconv.FormatInt(g.Interval.Milliseconds(), 10))
		}
		benchCounters(b, rows, false)
	})
}

func poll(rows configdb.RawRows, group, ms string) {
	rows[configdb.Key("FLEX_COUNTER_TABLE", group)] = configdb.Fields{"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": ms}
}

// benchCounters polls all queues, or those only that have buffers of their own.
func benchCounters(b *testing.B, rows configdb.RawRows, own bool) {
	a := startWith(b, rows)
	if own {
		var batch redisdb.Batch
		batch.SetField("DEVICE_METADATA|localhost", "create_only_config_db_buffers", "true")
		must(b, a.db.DB(redisdb.ConfigDB).Write(b.Context(), &batch))
	}
	redis := child(b, a.pid, "redis-server")
	time.Sleep(3 * time.Second) // the first readings are written
	var cpu time.Duration
	var commands, parts int
	for b.Loop() {
		before, did := cpuTime(b, a.pid)+cpuTime(b, a.chip)+cpuTime(b, redis), a.commands(b)
		time.Sleep(window)
		cpu += cpuTime(b, a.pid) + cpuTime(b, a.chip) + cpuTime(b, redis) - before
		commands += a.commands(b) - did
		parts++
	}
	seconds := window.Seconds() * float64(parts)
	b.ReportMetric(100*cpu.Seconds()/seconds, "%-of-a-core")
	b.ReportMetric(float64(commands)/seconds, "commands/s")
}

var commandCalls = regexp.MustCompile(`cmdstat_[^:]+:calls=(\d+)`)

// commands is how many commands redis-server did so far.
func (a *agent) commands(b *testing.B) (n int) {
	b.Helper()
	out, err := exec.Command("redis-cli", "-s", filepath.Join(a.dir, "redis/redis.sock"), "info", "commandstats").Output()
	must(b, err)
	for _, m := range commandCalls.FindAllSubmatch(out, -1) {
		calls, err := strconv.Atoi(string(m[1]))
		must(b, err)
		n += calls
	}
	return n
}
