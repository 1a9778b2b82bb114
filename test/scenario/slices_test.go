package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"xon/sai"
	"xon/sai/vsai/dataplane"
	"xon/schema/configdb"
)

// untilPause sends packets of a class from a host until its port pauses, and returns how
// many that took.
func (x *bench) untilPause(t *testing.T, host int, class uint8) (n int) {
	t.Helper()
	p := x.hosts[host].Port().Peer()
	for p.Stopped()&(1<<class) == 0 {
		if n++; n > 1<<20 {
			t.Fatal("no pause")
		}
		x.sendFrom(t, host, 1, class)
	}
	return n
}

// TestSlices: two ports share a slice of the memory, or don't, by their lanes and the port
// that they send to, wherever their rows are in the list.
func TestSlices(t *testing.T) {
	at := func(port, lanes string) configdb.RawRows { return row("PORT", port, configdb.Fields{"lanes": lanes}) }
	for _, c := range []struct {
		what   string
		folder string
		rows   configdb.RawRows
		second int // packets until the pause of the port that comes second
	}{
		// A fifth of 4000 of 5000 cells: whichever quarter a port of a Tomahawk3 is in.
		{"th3, first quarter", "th3", nil, 10 + 800},
		{"th3, second", "th3", at("Ethernet16", "65,66,67,68,69,70,71,72"), 10 + 800},
		{"th3, third", "th3", at("Ethernet16", "129,130,131,132,133,134,135,136"), 10 + 800},
		{"th3, last", "th3", at("Ethernet16", "249,250,251,252,253,254,255,256"), 10 + 800},
		// Half of 500 of 1000 cells in the same crossbar element of a Tomahawk, or of all.
		{"th, first quarter", "th", nil, 6 + 250},
		{"th, second", "th", at("Ethernet16", "33,34,35,36"), 6 + 500},
		{"th, third", "th", at("Ethernet16", "65,66,67,68"), 6 + 500},
		{"th, last", "th", at("Ethernet16", "125,126,127,128"), 6 + 250},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := small(c.folder, 0, 0).but("", c.rows).testbed
			b.more = []string{"Ethernet16"}
			x := b.start(t)
			x.join(t, "Ethernet16")
			x.announce(t)
			x.untilPause(t, 0, 3)
			if got := x.untilPause(t, 2, 3); got != c.second {
				t.Errorf("the second port pauses after %d packets, want %d", got, c.second)
			}
		})
	}
}

// TestPublishedSlice: 19 ports of a Tomahawk3 of 32 fill the headroom of one slice (107088
// cells in all), as the published test of headroom does: 37 groups, each to its own limit
// of 1472 cells but for the last, and then there is no more for any.
func TestPublishedSlice(t *testing.T) {
	if _, err := os.Stat(published); err != nil {
		t.Log("the published configurations are not here:", err)
		return
	}
	const sources, slice, room = 19, 107088 / 2, 1472
	b := testbed{folder: filepath.Join(published, "th3-z9332f-o32-t1"), in: "Ethernet0", out: "Ethernet248", cable: "300m", bytes: 64}
	for i := range sources - 1 {
		b.more = append(b.more, fmt.Sprint("Ethernet", 16+8*i))
	}
	x := b.start(t)
	for _, name := range b.more {
		x.join(t, name)
	}
	x.announce(t)
	for left, source := slice, 0; left > 0; source++ {
		if x.hosts[source].Port().Peer() == x.out {
			continue
		}
		for _, class := range []uint8{3, 4} {
			x.untilPause(t, source, class)
			n := min(left, room)
			x.sendFrom(t, source, n, class)
			left -= n
			if in := x.hosts[source].Port().Peer(); in.Stats.InDropped != 0 || x.out.Stats.OutDropped != 0 {
				t.Fatalf("source %d: %d packets dropped, %d of headroom left", source, in.Stats.InDropped, left)
			}
			if left == 0 {
				x.wantFull(t, source, class)
				break
			}
		}
	}
}

// wantFull sends one packet more, for which there is no room.
func (x *bench) wantFull(t *testing.T, source int, class uint8) {
	t.Helper()
	x.sendFrom(t, source, 1, class)
	if n := x.hosts[source].Port().Peer().Stats.InDropped; n != 1 {
		t.Errorf("%d packets dropped when the headroom of the slice is used up, want 1", n)
	}
}

// announce has the host that is sent to send a packet, so that what is sent to it is not
// flooded.
func (x *bench) announce(t *testing.T) {
	t.Helper()
	_, err := x.AddFlow(dataplane.FlowConfig{From: x.hosts[1], To: x.hosts[0], Bytes: uint64(x.payload), Payload: x.payload, AckEvery: 1 << 30})
	if err == nil {
		err = x.Run(x.Now() + dataplane.Microsecond)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSharedSize: what SAI says that a pool's users share is what packets share, but for
// parts of cells.
func TestSharedSize(t *testing.T) {
	cases := smallTriggers()
	if _, err := os.Stat(published); err == nil {
		cases = append(cases, publishedTriggers()...)
	}
	for _, c := range cases {
		x := c.start(t)
		sw, p, pools := &sai.Switch{Driver: x.chip}, x.chip.Profile(), 0
		for i := range x.dev.Switch().Config().Pools {
			cfg := x.dev.Switch().PoolConfig(i)
			id := x.pool(t, sw, cfg.Size, cfg.Egress)
			if id == 0 {
				continue
			}
			pools++
			said, err := sai.Get(sw, id, sai.BufferPoolAttrSharedSize)
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := x.dev.Switch().Pool(i); int64(said)-got >= int64(p.CellBytes)*int64(p.Slices+1) || got > int64(said) {
				t.Errorf("%s %s, pool %d: SAI says %d bytes, packets share %d", c.folder, c.what, i, said, got)
			}
		}
		if pools < 2 {
			t.Errorf("%s: %d pools found", c.folder, pools)
		}
	}
}

// pool finds a pool of SAI by its size and direction; 0: there is none.
func (x *bench) pool(t *testing.T, sw *sai.Switch, size int64, egress bool) sai.ID[sai.BufferPool] {
	t.Helper()
	keys, _ := sw.Objects(0, sai.BufferPool{}.Meta())
	for _, k := range keys {
		id := sai.ID[sai.BufferPool](k.OID)
		has, err := sai.Get(sw, id, sai.BufferPoolAttrSize)
		kind, _ := sai.Get(sw, id, sai.BufferPoolAttrType)
		if err == nil && size > 0 && int64(has) == size && (kind == sai.BufferPoolTypeEgress) == egress {
			return id
		}
	}
	return 0
}
