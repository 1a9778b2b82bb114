package scale_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
	"xon/test/scale"
)

// TestMain is the chip process too: one whose counters move.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "chip" {
		if err := holdMoving(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const profile = "th5"

// holdMoving serves a chip of which every counter is another whenever it is read.
func holdMoving(socket string) error {
	layout := make([]vsai.PortLayout, ports)
	for i := range layout {
		layout[i] = vsai.PortLayout{Lanes: scale.Lanes(i), SpeedMbps: scale.SpeedMbps}
	}
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		return err
	}
	ln, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	chip := vsai.New(vsai.Config{Profile: p, Ports: layout, Record: -1})
	return remote.Serve(context.Background(), ln, &moving{Chip: chip}, chip, nil)
}

// moving is a chip that counts at each reading, all at once, as that costs nothing.
type moving struct {
	*vsai.Chip
	readings atomic.Uint64
}

// packetsPerReading has counters as long as busy ports have them: ten digits and more.
const packetsPerReading = 1 << 30

// BulkStats implements sai.Driver.
func (m *moving) BulkStats(o *sai.ObjectMeta, sw sai.OID, keys []sai.OID, ids []uint32, mode sai.StatsMode, st []sai.Status, out []uint64) sai.Status {
	s := m.Chip.BulkStats(o, sw, keys, ids, mode, st, out)
	more := m.readings.Add(1) * packetsPerReading
	for i := range out[:len(keys)*len(ids)] {
		out[i] += more
	}
	return s
}

// moveCounters has an agent find a chip whose counters move, in place of the one that it
// would start.
func moveCounters(b *testing.B, dir string) {
	b.Helper()
	self, err := os.Executable()
	must(b, err)
	socket := filepath.Join(dir, "chip.sock")
	cmd := exec.Command(self, "chip", socket)
	cmd.Stderr = os.Stderr
	must(b, cmd.Start())
	b.Cleanup(func() { _ = cmd.Wait() }) // the agent ends it, by a signal
	must(b, os.WriteFile(filepath.Join(dir, "chip.pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600))
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			return
		}
		if time.Now().After(deadline) {
			b.Fatal("the chip does not listen")
		}
	}
}
