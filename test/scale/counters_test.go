package scale_test

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// BenchmarkCounters is what polling costs: processor time of the agent, the chip process
// and redis-server together, in percent of a core, and that of redis-server alone; the
// commands that redis-server gets in a second, and those it does, which are more, as
// scripts have commands in them.
func BenchmarkCounters(b *testing.B) {
	for _, is := range []struct {
		name   string
		before []func(b *testing.B, dir string)
	}{{"still", nil}, {"moving", []func(b *testing.B, dir string){moveCounters}}} {
		b.Run("ports and 8 queues each 1 s, drops 200 ms/ports=128/"+is.name, func(b *testing.B) {
			rows := scale.Load(ports)
			poll(rows, "PORT", "1000")
			poll(rows, "QUEUE", "1000")
			poll(rows, "PORT_BUFFER_DROP", "200") // as often as a watchdog looks at two queues
			benchCounters(b, rows, true, is.before...)
		})
		b.Run("all groups by default/ports=128/"+is.name, func(b *testing.B) {
			rows := scale.Load(ports)
			for _, g := range countersdb.Groups {
				poll(rows, g.Config, strconv.FormatInt(g.Interval.Milliseconds(), 10))
			}
			benchCounters(b, rows, false, is.before...)
		})
	}
}

const ports = 128

func poll(rows configdb.RawRows, group, ms string) {
	rows[configdb.Key("FLEX_COUNTER_TABLE", group)] = configdb.Fields{"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": ms}
}

// benchCounters polls all queues, or those only that have buffers of their own.
func benchCounters(b *testing.B, rows configdb.RawRows, own bool, before ...func(b *testing.B, dir string)) {
	a := startWith(b, rows, before...)
	if own {
		var batch redisdb.Batch
		batch.SetField("DEVICE_METADATA|localhost", "create_only_config_db_buffers", "true")
		must(b, a.db.DB(redisdb.ConfigDB).Write(b.Context(), &batch))
	}
	redis := child(b, a.pid, "redis-server")
	time.Sleep(3 * time.Second) // the first readings are written
	var all, redisOnly time.Duration
	var did, parts int
	for b.Loop() {
		rest, db, done := cpuTime(b, a.pid)+cpuTime(b, a.chip), cpuTime(b, redis), a.done(b)
		time.Sleep(window)
		db = cpuTime(b, redis) - db
		redisOnly += db
		all += cpuTime(b, a.pid) + cpuTime(b, a.chip) - rest + db
		did += a.done(b) - done
		parts++
	}
	seconds := window.Seconds() * float64(parts)
	b.ReportMetric(100*all.Seconds()/seconds, "%-of-a-core")
	b.ReportMetric(100*redisOnly.Seconds()/seconds, "%-redis")
	b.ReportMetric(a.gets(b), "commands/s")
	b.ReportMetric(float64(did)/seconds, "done/s")
}

var commandCalls = regexp.MustCompile(`cmdstat_[^:]+:calls=(\d+)`)

// done is how many commands redis-server did so far.
func (a *agent) done(b *testing.B) (n int) {
	b.Helper()
	out, err := a.redis("info", "commandstats").Output()
	must(b, err)
	for _, m := range commandCalls.FindAllSubmatch(out, -1) {
		calls, err := strconv.Atoi(string(m[1]))
		must(b, err)
		n += calls
	}
	return n
}

func (a *agent) redis(args ...string) *exec.Cmd {
	return exec.Command("redis-cli", append([]string{"-s", filepath.Join(a.dir, "redis/redis.sock")}, args...)...)
}

// gets is how many commands redis-server gets in a second: those that it does, without
// those of scripts.
func (a *agent) gets(b *testing.B) float64 {
	b.Helper()
	const d = 5 * time.Second
	cmd := a.redis("monitor")
	out, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
	n, lines := 0, bufio.NewScanner(out)
	for lines.Buffer(nil, 16<<20); lines.Scan(); {
		if !strings.Contains(lines.Text(), " lua]") {
			n++
		}
	}
	must(b, lines.Err())
	_ = cmd.Wait() // it was killed
	return float64(n) / d.Seconds()
}
