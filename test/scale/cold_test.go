package scale_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/inventory"
	"xon/orchagent/publish"
	"xon/orchagent/report"
	"xon/sai/remote"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/test/scale"
)

// BenchmarkColdLoad is the first load of a switch whose chip process has just begun
// to listen: until the chip has everything, and until ASIC_DB shows it.
func BenchmarkColdLoad(b *testing.B) {
	for _, n := range []int{64, 512} {
		b.Run(fmt.Sprintf("ports=%d", n), func(b *testing.B) {
			xond := filepath.Join(b.TempDir(), "xond")
			must(b, exec.Command("go", "build", "-o", xond, "xon/cmd/xond").Run())
			var chip, databases []time.Duration
			for b.Loop() {
				onChip, inASIC := coldLoad(b, xond, n)
				chip, databases = append(chip, onChip), append(databases, inASIC)
			}
			b.ReportMetric(median(chip), "chip-ms")
			b.ReportMetric(median(databases), "asicdb-ms")
		})
	}
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

// published tells when the first report is in the databases.
type published struct {
	*publish.Publisher
	done chan time.Time
}

func (p *published) Publish(ctx context.Context, r report.Report) error {
	err := p.Publisher.Publish(ctx, r)
	if err == nil && r.Full {
		p.done <- time.Now()
	}
	return err
}

// coldLoad returns the times from the first row to the last write of the chip, and
// to the last of ASIC_DB.
func coldLoad(b *testing.B, xond string, n int) (onChip, inASIC time.Duration) {
	b.Helper()
	dir, err := os.MkdirTemp("", "xon-") //nolint:usetesting // the test's own folder has a name too long for sockets
	must(b, err)
	defer func() { must(b, os.RemoveAll(dir)) }()
	chip, stop := dialChip(b, xond, dir, n)
	defer stop()
	sw, _, err := inventory.Open(chip)
	must(b, err)
	client := redistest.Connect(b, redistest.Start(b).Addr())
	log := logrus.New()
	log.SetOutput(io.Discard)
	pub := &published{publish.New(publish.Config{Client: client, Switch: sw, Log: log}), make(chan time.Time, 1)}
	agent := orchagent.New(orchagent.Config{
		Log: log, Switch: sw, Names: chip, Store: redisdb.ConfigStore{DB: client.DB(redisdb.ConfigDB)}, Publisher: pub,
	})
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- agent.Run(ctx) }()
	rows := scale.Changes(scale.Load(n))
	from := time.Now()
	must(b, agent.Load(ctx, rows))
	onChip = time.Since(from)
	inASIC = (<-pub.done).Sub(from)
	cancel()
	must(b, <-stopped)
	return onChip, inASIC
}

// dialChip starts a chip in a process of its own and connects to it.
func dialChip(b *testing.B, xond, dir string, n int) (c *remote.Client, stop func()) {
	b.Helper()
	rows := scale.Ports(n)
	rows[configdb.Key("DEVICE_METADATA", "localhost")] = configdb.Fields{"hostname": "scale"}
	layout, socket := filepath.Join(dir, "ports.json"), filepath.Join(dir, "chip.sock")
	must(b, configdb.WriteFile(layout, rows))
	cmd := exec.Command(xond, "chip", "--socket", socket, "--ports", layout, "--profile", "th5", "--log-level", "error")
	must(b, cmd.Start())
	stop = sync.OnceFunc(func() {
		must(b, cmd.Process.Signal(syscall.SIGTERM))
		must(b, cmd.Wait())
	})
	b.Cleanup(stop)
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		c, err := remote.Dial(b.Context(), socket)
		if err == nil {
			return c, stop
		}
		if time.Now().After(deadline) {
			b.Fatalf("the chip process does not listen: %v", err)
		}
	}
}
