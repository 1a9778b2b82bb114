package scale_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/test/scale"
)

// agent is a whole agent with its own database and chip process.
type agent struct {
	gnmi *client.Client
	db   *redisdb.Client
	pid  int
	chip int
	dir  string
	took time.Duration // from its start until every row had its fate
}

// start builds xond and runs it with the load for n ports.
func start(b *testing.B, n int) *agent {
	b.Helper()
	return startWith(b, scale.Load(n))
}

// startWith builds xond and runs it with a configuration, after what is to be done in
// its folder before.
func startWith(b *testing.B, rows configdb.RawRows, before ...func(b *testing.B, dir string)) *agent {
	b.Helper()
	dir, err := os.MkdirTemp("", "xon-") //nolint:usetesting // the test's own folder has a name too long for sockets
	must(b, err)
	b.Cleanup(func() { must(b, os.RemoveAll(dir)) })
	must(b, exec.Command("go", "build", "-o", dir+"/", "xon/cmd/xond").Run())
	rows[configdb.Key("DEVICE_METADATA", "localhost")] = configdb.Fields{"hostname": "scale"}
	must(b, configdb.WriteFile(filepath.Join(dir, "config.json"), rows))
	for _, do := range before {
		do(b, dir)
	}
	cmd := exec.Command(filepath.Join(dir, "xond"), "--dir", dir, "--config", filepath.Join(dir, "config.json"),
		"--gnmi", "", "--web", "", "--profile", "th5", "--stop-chip", "--log-level", "error")
	cmd.Stderr = os.Stderr
	from := time.Now()
	must(b, cmd.Start())
	b.Cleanup(func() {
		must(b, cmd.Process.Signal(syscall.SIGINT))
		must(b, cmd.Wait())
	})
	a := &agent{pid: cmd.Process.Pid, dir: dir}
	a.connect(b, dir)
	a.await(b, len(rows))
	a.took = time.Since(from)
	a.chip = number(b, filepath.Join(dir, "chip.pid"))
	return a
}

const patience = 30 * time.Second

func (a *agent) connect(b *testing.B, dir string) {
	b.Helper()
	socket := filepath.Join(dir, "gnmi.sock")
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		if time.Now().After(deadline) {
			b.Fatal("the agent does not listen")
		}
	}
	var err error
	a.gnmi, err = client.Dial(client.Options{Addr: "unix:" + socket})
	must(b, err)
	a.db, err = redisdb.Open(b.Context(), "unix:"+filepath.Join(dir, "redis/redis.sock"), redisdb.Options{})
	must(b, err)
	b.Cleanup(func() { must(b, a.db.Close()) })
}

// await waits until a number of rows have a fate.
func (a *agent) await(b *testing.B, rows int) {
	b.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		keys, err := a.db.DB(redisdb.StateDB).Keys(b.Context(), "XON_ROW|*")
		must(b, err)
		if len(keys) >= rows {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("%d of %d rows have a fate", len(keys), rows)
		}
	}
}

// BenchmarkSet10 is a gNMI Set of ten rows, from the client's call to the answer:
// checked, on the chip, in the database, published.
func BenchmarkSet10(b *testing.B) {
	for _, n := range []int{64, 128} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) {
			a := start(b, n)
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				from := time.Now()
				_, err := a.gnmi.Set(context.Background(), tenRows(i), client.SetOptions{})
				must(b, err)
				times = append(times, time.Since(from))
			}
			reportTimes(b, times)
			b.ReportMetric(float64(memory(b, a.pid))/1024, "agent-MB")
			b.ReportMetric(float64(memory(b, a.chip))/1024, "chip-MB")
			b.ReportMetric(float64(a.took.Milliseconds()), "start-ms")
		})
	}
}

// BenchmarkVisible is one row written to CONFIG_DB until ASIC_DB shows it.
func BenchmarkVisible(b *testing.B) {
	for _, n := range []int{32, 128} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) {
			a := start(b, n)
			asic := a.db.DB(redisdb.ASICDB).Watch(b.Context(), "ASIC_STATE:SAI_OBJECT_TYPE_WRED:*")
			defer asic.Stop()
			_, err := asic.Next(b.Context())
			must(b, err)
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				var batch redisdb.Batch
				batch.SetField(wredRow(b, a), "green_max_threshold", strconv.Itoa(2_000_000+i%2))
				from := time.Now()
				must(b, a.db.DB(redisdb.ConfigDB).Write(b.Context(), &batch))
				_, err := asic.Next(b.Context())
				must(b, err)
				times = append(times, time.Since(from))
			}
			reportTimes(b, times)
		})
	}
}

func wredRow(b *testing.B, a *agent) string {
	b.Helper()
	keys, err := a.db.DB(redisdb.ConfigDB).Keys(b.Context(), "WRED_PROFILE|*")
	must(b, err)
	return keys[0]
}

// tenRows changes the MTU of ten ports.
func tenRows(i int) *gpb.SetRequest {
	req := &gpb.SetRequest{}
	for p := range 10 {
		value, _ := json.Marshal(map[string]string{"mtu": strconv.Itoa(9000 + i%2)}) // such a map can't fail
		req.Update = append(req.Update, client.Update(client.Path("CONFIG_DB", "PORT", scale.PortName(p)), value))
	}
	return req
}

func reportTimes(b *testing.B, times []time.Duration) {
	b.Helper()
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*9/10].Microseconds())/1000, "p90-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

var resident = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// memory is the resident memory of a process in KiB.
func memory(b *testing.B, pid int) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(b, err)
	n, err := strconv.Atoi(string(resident.FindSubmatch(text)[1]))
	must(b, err)
	return n
}

func number(b *testing.B, file string) int {
	b.Helper()
	text, err := os.ReadFile(file)
	must(b, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	must(b, err)
	return n
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
