package remote_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
)

// messages are requests as a client writes them, to begin the fuzzing with.
func messages(t testing.TB) (out [][]byte) {
	t.Helper()
	here, there := net.Pipe()
	chip := vsai.New(vsai.Config{Ports: layout(1)})
	tap := &recorder{Conn: here}
	var wg sync.WaitGroup
	wg.Go(func() { remote.ServeConn(t.Context(), there, chip, chip) })
	c, err := remote.Connect(t.Context(), tap)
	if err != nil {
		t.Fatal(err)
	}
	sw := boot(t, c)
	o, key := sai.Port{}.Meta(), sai.Key{OID: chip.Ports()[0]}
	keys, st, out64 := []sai.Key{key, key}, make([]sai.Status, 2), make([]uint64, 4)
	get := []sai.Attribute{{AttrMeta: sai.PortAttrSpeed.AttrMeta}}
	c.Notify(sai.OnPortStateChange, func(sai.Notification) {})
	_ = c.Get(o, key, get)
	_ = c.BulkGet(o, keys, [][]sai.Attribute{get, get}, st)
	_ = c.BulkSet(o, keys, []sai.Attribute{sai.PortAttrMTU.Is(9000).Attribute, sai.PortAttrAdminState.Is(true).Attribute}, true, st)
	_ = c.BulkStats(o, sw.ID.OID(), []sai.OID{key.OID, 1}, []uint32{0, 1}, sai.StatsModeBulkRead, st, out64)
	_ = c.Stats(o, key, []uint32{0, 1}, sai.StatsModeReadAndClear, out64)
	_ = c.ClearStats(o, key, []uint32{0})
	_ = c.BulkCreate(sai.Scheduler{}.Meta(), sw.ID.OID(), [][]sai.Attribute{nil, {sai.SchedulerAttrSchedulingWeight.Is(3).Attribute}}, true, make([]sai.OID, 2), st)
	_ = c.BulkRemove(sai.RouteEntry{}.Meta(), []sai.Key{{Entry: []byte("x")}}, true, st)
	_, _, _, _ = c.AttrCapability(sw.ID.OID(), o, 3)
	_, _ = c.EnumCapability(sw.ID.OID(), o, 3)
	_, _ = c.StatsCapability(sw.ID.OID(), o)
	_, _ = c.Objects(0, o)
	_ = c.SetNames(map[string]sai.OID{"a": key.OID}, []string{"b"})
	_, _ = c.Names()
	_ = c.Close()
	wg.Wait()
	return tap.written
}

// recorder keeps what is written.
type recorder struct {
	net.Conn
	written [][]byte
}

func (r *recorder) Write(b []byte) (int, error) {
	r.written = append(r.written, append([]byte{}, b...))
	return r.Conn.Write(b)
}

// FuzzServer sends a server anything at all. It must neither crash nor hang, and
// the chip must be in order.
func FuzzServer(f *testing.F) {
	for _, m := range messages(f) {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, garbage []byte) {
		here, there := net.Pipe()
		chip := vsai.New(vsai.Config{Ports: layout(1)})
		boot(t, chip)
		var wg sync.WaitGroup
		wg.Go(func() { remote.ServeConn(t.Context(), there, chip, chip) })
		wg.Go(func() { _, _ = io.Copy(io.Discard, here) })
		_ = here.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = io.WriteString(here, frame(0, 0, remote.Hello("fuzz")))
		_, _ = here.Write(garbage)
		here.Close()
		wg.Wait()
		if err := chip.Recount(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzHello sends a server anything for a beginning.
func FuzzHello(f *testing.F) {
	f.Add([]byte(frame(0, 0, remote.Hello("fuzz"))))
	f.Fuzz(func(t *testing.T, garbage []byte) {
		here, there := net.Pipe()
		chip := vsai.New(vsai.Config{Ports: layout(1)})
		var wg sync.WaitGroup
		wg.Go(func() { remote.ServeConn(t.Context(), there, chip, chip) })
		wg.Go(func() { _, _ = io.Copy(io.Discard, here) })
		_ = here.SetDeadline(time.Now().Add(10 * time.Second))
		_, _ = here.Write(garbage)
		here.Close()
		wg.Wait()
	})
}

// FuzzClient answers a client with anything. Its calls must return.
func FuzzClient(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	for i, m := range []string{
		frame(1, 1, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8}), frame(1, 2, []byte{0x25}), frame(1, 4, []byte{0, 31, 0xa0, 0x8d, 6}), frame(1, 5, append([]byte{0}, make([]byte, 16)...)),
		frame(1, 10, []byte{0, 31, 9, 31, 9}), frame(1, 11, append([]byte{0}, make([]byte, 32)...)), frame(1, 15, []byte{0, 0}), frame(1, 17, []byte{0, 0, 0}),
		frame(0, 19, append([]byte{2}, make([]byte, 26)...)) + frame(1, 3, []byte{0}),
	} {
		f.Add([]byte(m), uint8(i))
	}
	f.Fuzz(func(t *testing.T, garbage []byte, call uint8) {
		here, there := net.Pipe()
		var wg sync.WaitGroup
		wg.Go(func() {
			defer there.Close()
			_ = there.SetDeadline(time.Now().Add(10 * time.Second))
			b := make([]byte, 1<<12)
			if _, err := there.Read(b); err != nil || remote.Welcome(there) != nil {
				return
			}
			if _, err := there.Read(b); err == nil {
				_, _ = there.Write(garbage)
			}
		})
		c, err := remote.Connect(t.Context(), here)
		if err != nil {
			t.Fatal(err)
		}
		calls[int(call)%len(calls)](c)
		_ = c.Close()
		if c.Remove(sai.Port{}.Meta(), sai.Key{}) != remote.StatusLost {
			t.Error("a call after the end")
		}
		wg.Wait()
	})
}

// calls are one of each kind.
var calls = []func(c *remote.Client){
	func(c *remote.Client) { _, _ = c.Create(sai.Port{}.Meta(), 1, sai.Key{}, nil) },
	func(c *remote.Client) { _ = c.Remove(sai.Port{}.Meta(), sai.Key{}) },
	func(c *remote.Client) {
		_ = c.Get(sai.Port{}.Meta(), sai.Key{}, []sai.Attribute{{AttrMeta: sai.PortAttrSpeed.AttrMeta}})
	},
	func(c *remote.Client) {
		_ = c.Stats(sai.Port{}.Meta(), sai.Key{}, []uint32{0, 1}, 1, make([]uint64, 2))
	},
	func(c *remote.Client) {
		get := []sai.Attribute{{AttrMeta: sai.PortAttrSpeed.AttrMeta}}
		_ = c.BulkGet(sai.Port{}.Meta(), make([]sai.Key, 2), [][]sai.Attribute{get, get}, make([]sai.Status, 2))
	},
	func(c *remote.Client) {
		_ = c.BulkStats(sai.Port{}.Meta(), 1, make([]sai.OID, 2), []uint32{0, 1}, 4, make([]sai.Status, 2), make([]uint64, 4))
	},
	func(c *remote.Client) { _, _ = c.Objects(0, sai.RouteEntry{}.Meta()) },
	func(c *remote.Client) { _, _ = c.Names() },
	func(c *remote.Client) { c.Notify(sai.OnPortStateChange, func(sai.Notification) {}) },
	func(c *remote.Client) { _, _ = c.EnumCapability(1, sai.Port{}.Meta(), 1) },
	func(c *remote.Client) { _, _ = c.StatsCapability(1, sai.Port{}.Meta()) },
	func(c *remote.Client) { _ = c.SetNames(map[string]sai.OID{strings.Repeat("x", 99): 1}, []string{"y"}) },
	func(c *remote.Client) {
		_ = c.BulkCreate(sai.Port{}.Meta(), 1, make([][]sai.Attribute, 2), true, make([]sai.OID, 2), make([]sai.Status, 2))
	},
}
