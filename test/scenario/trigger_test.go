package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xon/schema/configdb"
)

// trigger is a configuration of which it is known which packet of a lossless class makes
// the port pause, and which is the first to be dropped.
type trigger struct {
	testbed
	pause, drop int
	margin      int
	dismiss     int // packets that leave until the pause ends; 0: not known
}

func (c *trigger) check(t *testing.T) {
	x := c.start(t)
	x.send(t, c.pause-1-c.margin, 3)
	if x.in.Stopped() != 0 {
		t.Errorf("paused by %d packets, want %d ± %d", c.pause-1-c.margin, c.pause, c.margin)
	}
	x.send(t, 1+2*c.margin, 3)
	if x.in.Stopped() != 1<<3 {
		t.Errorf("classes %b paused by %d packets, want class 3 at %d ± %d", x.in.Stopped(), c.pause+c.margin, c.pause, c.margin)
	}
	x.send(t, c.drop-c.pause-1-2*c.margin, 3)
	if n := x.in.Stats.InDropped; n != 0 {
		t.Errorf("%d of %d packets dropped, want none before %d ± %d", n, c.drop-1-c.margin, c.drop, c.margin)
	}
	x.send(t, 1+2*c.margin, 3)
	if x.in.Stats.InDropped == 0 {
		t.Errorf("none of %d packets dropped, want that at %d ± %d", c.drop+c.margin, c.drop, c.margin)
	}
}

// checkResume lets the port send again after a pause.
func (c *trigger) checkResume(t *testing.T) {
	x := c.start(t)
	x.send(t, c.pause+c.margin, 3)
	before := x.out.Stats.OutPackets
	x.stop(false)
	for x.in.Stopped() != 0 && x.Pending() {
		if err := x.Run(x.Next()); err != nil {
			t.Fatal(err)
		}
	}
	if n := int(x.out.Stats.OutPackets - before); n == 0 || n > c.dismiss+3*c.margin {
		t.Errorf("the sender goes on after %d packets, want %d at most", n, c.dismiss+3*c.margin)
	}
}

func (c *trigger) run(t *testing.T) {
	name := strings.TrimSpace(filepath.Base(c.folder) + " " + c.in + " " + c.what)
	t.Run(name, c.check)
	if c.dismiss > 0 {
		t.Run(name+", on again", c.checkResume)
	}
}

// small is a configuration of ours, which shows by few ports and small pools what the
// published ones show. Its numbers follow from the rules alone, so that there is no margin.
func small(folder string, pause, drop int) trigger {
	const cell = 64 // a packet takes one cell of any chip
	return trigger{testbed: testbed{folder: filepath.Join("testdata", folder), in: "Ethernet0", out: "Ethernet8", bytes: cell}, pause: pause, drop: drop}
}

// but changes rows of a configuration.
func (c trigger) but(what string, rows configdb.RawRows) trigger {
	c.what, c.rows = what, rows
	return c
}

// row is one row that is changed.
func row(table, key string, f configdb.Fields) configdb.RawRows {
	return configdb.RawRows{configdb.Key(table, key): f}
}

// eachQueue gives five queues of each of four ports a profile that reserves so much.
func eachQueue(bytes string) configdb.RawRows {
	return row("BUFFER_PROFILE", "egress_lossy_profile", configdb.Fields{"size": bytes})
}

func smallTriggers() []trigger {
	profile := func(name string, f configdb.Fields) configdb.RawRows { return row("BUFFER_PROFILE", name, f) }
	spc4 := small("spc4", 6400+10+1, 6400+10+200-47+1)
	single := small("spc4", 3300+10+1, 3300+10+200-47+1).but("without factors of ports", profile("ingress_lossless_profile", configdb.Fields{"dynamic_th": "-8"}))
	single.chip = "spc4,SAI_KEY_DISABLE_PORT_ALPHA=1"
	return []trigger{
		// Half of a slice (1000 cells) and the minimum; then headroom of 200 cells.
		small("th", 6+500, 6+500+200+1),

		// A fifth of a slice (5000 cells), which is what headroom, two groups of 10 cells
		// and 70 cells for the queues of each of four ports leave; nothing for the fifth,
		// a management port. The rows reserve 35 cells, or none, or 140.
		small("th3", 10+1000, 10+1000+100+1),
		small("th3", 10+1000, 10+1000+100+1).but("queues reserve nothing", eachQueue("0")),
		small("th3", 10+972, 10+972+100+1).but("queues reserve 70 cells more", eachQueue("7112")),
		small("th5", 34+500, 34+500+200+1),
		// The SKU's pools are written without headroom and reservations.
		small("th5-excluding", 34+500, 34+500+200+1),

		// A ninth of 9000 cells, which the pool has beside two groups of 271 cells of each
		// port, headroom of 265 among them: either is one way to write it.
		small("td2", 6+1000, 6+1000+265+1),

		// Half of 2000 cells, 10 up to XON, and XOFF of 200 but for 95 cells, or twice XOFF
		// of a shared headroom. The port's factor of another pool counts for nothing, its own
		// does.
		small("spc1", 1000+10+1, 1000+10+200-95+1),
		small("spc1", 1000+10+1, 1000+10+200-95+1).but("other pool's factor", profile("ingress_lossy_profile", configdb.Fields{"dynamic_th": "-8"})),
		small("spc1", 400+10+1, 400+10+200-95+1).but("port's factor of 1/4", profile("ingress_lossless_profile", configdb.Fields{"dynamic_th": "-2"})),
		small("spc3", 1000+10+1, 1000+10+2*200+1),

		single,

		// 64 parts of 66 (the port's factor is 7, which acts as 6), or of the port's factor 1
		// a third.
		spc4,
		spc4.but("other pool's factor", profile("ingress_lossy_profile", configdb.Fields{"dynamic_th": "-8"})),
		small("spc4", 2200+10+1, 2200+10+200-47+1).but("port's factor of 1", profile("ingress_lossless_profile", configdb.Fields{"dynamic_th": "0"})),
	}
}

// TestTriggers: which packet makes a port pause, and which is dropped, by the agent and
// SAI, on the chip of the configuration's platform.
func TestTriggers(t *testing.T) {
	for _, c := range smallTriggers() {
		c.run(t)
	}
}

// TestLossy: a lossy queue with a dynamic threshold has its share of all of the egress
// pool, whatever queues reserve: two thirds of a slice of 1500 cells and its own 7, eight
// ninths of 4500 and its own 8.
func TestLossy(t *testing.T) {
	for folder, drop := range map[string]int{"th3": 7 + 1000 + 1, "td2": 8 + 4000 + 1} {
		c := lossy{small(folder, 0, 0).testbed, 0, drop, 0}
		t.Run(folder, c.check)
	}
}

// published are configurations of real switches, and the parameters of sonic-mgmt's QoS
// tests for them. They are not in this project; the tests run where they are.
const published = "../../../shared/data/config"

// publishedTriggers are the trigger points of lossless priority 3.
func publishedTriggers() []trigger {
	on := func(folder, in, out, cable string, bytes int) testbed {
		return testbed{folder: filepath.Join(published, folder), in: in, out: out, cable: cable, bytes: bytes}
	}
	return []trigger{
		{on("th-7060cx-t1", "Ethernet4", "Ethernet0", "300m", 64), 6542, 7835, 2, 12},
		{on("s6100-t1-66x", "Ethernet1", "Ethernet0", "300m", 64), 6542, 7063, 2, 12},
		{on("th3-z9332f-o32-t1", "Ethernet8", "Ethernet0", "300m", 64), 15152, 16624, 4, 13},
		{on("th5-p32o64-t1", "Ethernet8", "Ethernet0", "300m", 64), 103397, 109782, 4, 0},
		{on("th5-p32o64-t1", "Ethernet260", "Ethernet256", "300m", 64), 103397, 106702, 4, 0},
		{on("s6000-t1", "Ethernet4", "Ethernet0", "300m", 64), 4898, 5164, 2, 12},
		{on("sn2700-t1", "Ethernet4", "Ethernet0", "5m", 304), 4351, 4407, 4, 0},
		{on("acs-sn5600-t1", "Ethernet8", "Ethernet0", "40m", 304), 131772, 132079, 4, 0},
	}
}

// TestPublishedTriggers is TestTriggers with the published configurations, unchanged but
// for the cable and the VLAN.
func TestPublishedTriggers(t *testing.T) {
	if _, err := os.Stat(published); err != nil {
		t.Log("the published configurations are not here:", err)
		return
	}
	for _, c := range publishedTriggers() {
		c.run(t)
	}
}

// lossy is a configuration of which it is known which packet of a lossy class is the
// first to be dropped at egress.
type lossy struct {
	testbed
	dscp         uint8
	drop, margin int
}

func (c *lossy) check(t *testing.T) {
	x := c.start(t)
	x.send(t, c.drop-1-c.margin, c.dscp)
	if n := x.out.Stats.OutDropped + x.in.Stats.InDropped; n != 0 {
		t.Errorf("%d of %d packets dropped, want none before %d ± %d", n, c.drop-1-c.margin, c.drop, c.margin)
	}
	x.send(t, 1+2*c.margin, c.dscp)
	if x.out.Stats.OutDropped == 0 || x.in.Stats.InDropped != 0 {
		t.Errorf("of %d packets %d are dropped at egress, %d at ingress; want the first at egress, at %d ± %d", c.drop+c.margin, x.out.Stats.OutDropped, x.in.Stats.InDropped, c.drop, c.margin)
	}
}

// TestPublishedLossy: the first drop of a lossy queue with a dynamic threshold.
func TestPublishedLossy(t *testing.T) {
	if _, err := os.Stat(published); err != nil {
		t.Log("the published configurations are not here:", err)
		return
	}
	for folder, want := range map[string][2]int{"th-7060cx-t1": {9887, 2}, "th3-z9332f-o32-t1": {50482, 5}, "s6000-t1": {31322, 2}} {
		c := lossy{testbed{folder: filepath.Join(published, folder), in: "Ethernet8", out: "Ethernet0", bytes: 64}, 0, want[0], want[1]}
		t.Run(folder, c.check)
	}
}
