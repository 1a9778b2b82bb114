package faults

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// mount makes a file system of so many bytes.
func mount(t testing.TB, bytes int, flags uintptr) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "xon-disk-") //nolint:usetesting // the test's own folder has a name too long for sockets
	must(t, err)
	err = unix.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprint("size=", bytes))
	if err != nil {
		t.Fatalf("make a small disk: %v; the test needs the right to mount, as root has it", errors.Join(err, os.Remove(dir)))
	}
	t.Cleanup(func() {
		must(t, unix.Unmount(dir, unix.MNT_DETACH))
		must(t, os.Remove(dir))
	})
	return dir
}

// fillDisk leaves no room, and returns how to make room again.
func fillDisk(t testing.TB, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	must(t, err)
	block := make([]byte, 64<<10)
	for len(block) > 0 {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	must(t, f.Close())
	return func() { must(t, os.Remove(name)) }
}

// TestFullDisk: with no room left nothing is lost that was there, nobody is told OK
// for what is not stored, nothing ends, and with room again all goes on.
func TestFullDisk(t *testing.T) {
	disk := mount(t, 24<<20, 0)
	rows := load(8)
	s := newSite(t, rows)
	s.moveTo(disk)
	s.begin()
	s.saves()
	l := newLedger(s, rand.New(rand.NewPCG(1, 1)), rows)
	saved, err := os.ReadFile(filepath.Join(disk, "config_db.json"))
	must(t, err)

	free := fillDisk(t, disk)
	c := s.dial()
	defer c.Close()
	refused := false
	for i := 0; i < 2000 && !refused; i++ { // what a buffer holds may still go through
		l.transact(c)
		refused = l.open > 0
	}
	if !refused {
		t.Error("2000 transactions were answered OK with no room to store them")
	}
	if s.agent.ended() {
		t.Fatalf("xond ended: %s", s.tail())
	}
	now, err := os.ReadFile(filepath.Join(disk, "config_db.json"))
	if err != nil || len(now) < len(saved)/2 {
		t.Errorf("the saved configuration has %d bytes, it had %d: %v", len(now), len(saved), err)
	}
	if _, err := configdb.ReadFile(filepath.Join(disk, "config_db.json"), configdb.FileOptions{Verbatim: true}); err != nil {
		t.Error(err)
	}
	free()
	s.takesUp(c)
	if _, err := s.checkAll(); err != nil {
		t.Fatal(err)
	}
	if err := l.check(s.rows(), false); err != nil {
		t.Error(err)
	}
	s.saves()
}

// moveTo has a site keep everything on another disk.
func (s *site) moveTo(dir string) {
	s.redis, s.chip, s.record = filepath.Join(dir, "redis/redis.sock"), filepath.Join(dir, "chip.sock"), filepath.Join(s.dir, "record")
	s.args[1] = dir
	s.state = dir
}

// takesUp waits until a transaction goes through.
func (s *site) takesUp(c *client.Client) {
	s.Helper()
	eventually(s, "take a transaction", func() error {
		_, err := c.Set(s.Context(), file(configdb.RawRows{"SCHEDULER|room": {"type": "STRICT"}}, false), client.SetOptions{})
		return err
	})
}

// TestUnwritableSave: a configuration that can't be saved is complained of, and costs
// nothing else.
func TestUnwritableSave(t *testing.T) {
	t.Parallel()
	s := newSite(t, load(8))
	must(t, os.MkdirAll(filepath.Join(s.dir, "config_db.json", "in the way"), 0o755))
	s.begin()
	s.write(func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "mtu", "4000") })
	s.fence()
	s.logged("save the configuration")
	if _, err := s.checkAll(); err != nil {
		t.Fatal(err)
	}
	must(t, os.RemoveAll(filepath.Join(s.dir, "config_db.json")))
	s.write(func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "mtu", "4001") })
	s.fence()
	s.saves()
}

// TestReadOnlyDirectory: xond says what is wrong and what to do, at once.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir := mount(t, 1<<20, unix.MS_RDONLY)
	var said bytes.Buffer
	cmd := exec.Command(filepath.Join(programs, "xond"), "--dir", dir, "--gnmi", "")
	cmd.Stderr = &said
	from := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || time.Since(from) > 10*time.Second {
		t.Errorf("ended with %v after %v", err, time.Since(from))
	}
	for _, want := range []string{dir, "read-only file system", "--dir"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not said: %s", want, said.String())
		}
	}
}
