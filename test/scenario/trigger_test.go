package scenario_test

import (
	"fmt"
	"net/netip"
	"testing"

	"xon/cmd/trial"
	"xon/orchagent/bufmgr"
	"xon/sai/vsai"
	"xon/sai/vsai/asic"
	"xon/sai/vsai/dataplane"
	"xon/schema/configdb"
)

// box is a switch whose packets of one cell that trigger a pause and a drop are known,
// with the rows of its buffers. The port that they leave by is stopped.
type box struct {
	name    string
	profile string
	ports   int
	lanes   int
	speed   int // Mb/s
	pool    configdb.Fields
	group   configdb.Fields // profile of priority groups 3 and 4
	queue   string          // bytes that each queue reserves
	pause   int
	drop    int
	dismiss int // packets that leave until the pause ends
	margin  int
}

func boxes() []box {
	th := configdb.Fields{"size": "10875072", "type": "ingress", "mode": "dynamic", "xoff": "4194112"}
	lossless := func(size, xoff, alpha, offset string) configdb.Fields {
		return configdb.Fields{"pool": "ingress_lossless_pool", "size": size, "xon": "2288", "xoff": xoff, "dynamic_th": alpha, "xon_offset": offset}
	}
	return []box{
		{"tomahawk 40G 300 m", "th", 32, 4, 40000, th, lossless("1248", "108160", "0", "2288"), "0", 6542, 7063, 12, 2},
		{"tomahawk 50G 300 m", "th", 32, 2, 50000, th, lossless("1248", "141856", "0", "2288"), "0", 6542, 7225, 12, 2},
		{"tomahawk 100G 300 m", "th", 32, 4, 100000, th, lossless("1248", "268736", "0", "2288"), "0", 6542, 7835, 12, 2},
		{
			"tomahawk3 100G 300 m", "th3", 80, 2, 100000,
			configdb.Fields{"size": "66394076", "type": "ingress", "mode": "dynamic", "xoff": "8644128"},
			lossless("2540", "117348", "-2", "2540"), "1778", 22026, 22488, 13, 4,
		},
		{
			"trident2 40G", "td2", 32, 4, 40000,
			configdb.Fields{"size": "12766208", "type": "ingress", "mode": "dynamic"},
			lossless("1248", "55120", "-3", "2288"), "0", 4898, 5164, 12, 2,
		},
	}
}

// rows is what configures the box: every port has two lossless groups; the first two
// are of one VLAN.
func (b box) rows() configdb.RawRows {
	r := configdb.RawRows{}
	set := func(table, key string, f configdb.Fields) { r[configdb.Key(table, key)] = f }
	set("DEVICE_METADATA", "localhost", configdb.Fields{"hostname": "box", "mac": "02:00:00:00:00:01"})
	set("VLAN", "Vlan10", configdb.Fields{"vlanid": "10"})
	set("BUFFER_POOL", "ingress_lossless_pool", b.pool)
	set("BUFFER_POOL", "egress_pool", configdb.Fields{"size": b.pool["size"], "type": "egress", "mode": "static"})
	set("BUFFER_PROFILE", "pg_lossless", b.group)
	set("BUFFER_PROFILE", "q", configdb.Fields{"pool": "egress_pool", "size": b.queue, "static_th": b.pool["size"]})
	set("DSCP_TO_TC_MAP", "AZURE", configdb.Fields{"3": "3", "4": "4"})
	set("TC_TO_QUEUE_MAP", "AZURE", configdb.Fields{"3": "3", "4": "4"})
	set("TC_TO_PRIORITY_GROUP_MAP", "AZURE", configdb.Fields{"3": "3", "4": "4"})
	for i := range b.ports {
		name := fmt.Sprintf("Ethernet%d", i*b.lanes)
		lanes := ""
		for l := range b.lanes {
			lanes += fmt.Sprintf(",%d", 1+i*b.lanes+l)
		}
		set("PORT", name, configdb.Fields{"lanes": lanes[1:], "speed": fmt.Sprint(b.speed), "admin_status": "up", "mtu": "9100"})
		set("BUFFER_PG", name+"|3-4", configdb.Fields{"profile": "pg_lossless"})
		set("BUFFER_QUEUE", name+"|0-9", configdb.Fields{"profile": "q"})
		set("PORT_QOS_MAP", name, configdb.Fields{"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_enable": "3,4"})
		if i < 2 {
			set("VLAN_MEMBER", "Vlan10|"+name, configdb.Fields{"tagging_mode": "untagged"})
		}
	}
	return r
}

// bench is the box with a host at each of its first two ports, that at the second
// port being one to which nothing is sent until it is let go.
type bench struct {
	*dataplane.Sim
	dev     *asic.Device
	in, out *dataplane.Port
	hosts   [2]*dataplane.Host
}

func (b box) build(t *testing.T) *bench {
	t.Helper()
	p, err := vsai.ProfileByName(b.profile)
	if err != nil {
		t.Fatal(err)
	}
	chip := trial.NewChip(p, b.rows())
	x := &bench{Sim: dataplane.New(dataplane.Config{Overhead: 20})}
	if x.dev, err = asic.Attach(x.Sim, chip, b.name); err != nil {
		t.Fatal(err)
	}
	for i := range x.hosts {
		x.hosts[i], err = x.AddHost(dataplane.HostConfig{
			Name: fmt.Sprint("h", i), MAC: dataplane.MAC{2, 1, 0, 0, 0, byte(i)}, Addr: netip.MustParsePrefix(fmt.Sprintf("10.0.0.%d/24", i+1)),
			Port: dataplane.PortConfig{Rate: uint64(b.speed) * 1e6}, AckClass: -1,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	agent, err := trial.Start(t.Context(), chip, b.rows(), bufmgr.Params{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Close() }() // it ends as it is told to
	for k, f := range agent.Fates() {
		if f.State != "applied" {
			t.Errorf("%s: %s %s %s", k, f.State, f.Reason, f.On)
		}
	}
	if err := x.dev.Sync(); err != nil {
		t.Fatal(err)
	}
	x.in, x.out = x.dev.PortByLane(1), x.dev.PortByLane(uint32(1+b.lanes))
	for i, p := range []*dataplane.Port{x.in, x.out} {
		if err := x.Connect(x.hosts[i].Port(), p, dataplane.Link{Delay: 10 * dataplane.Nanosecond}); err != nil {
			t.Fatal(err)
		}
	}
	x.stop(true)
	return x
}

// stop stops the transmitter of the second port, or lets it go.
func (x *bench) stop(off bool) {
	cfg := x.out.Config()
	cfg.TxOff = off
	x.SetPort(x.out, cfg)
}

// send has the first host send n packets of 64 bytes to the second, and waits for them.
func (x *bench) send(t *testing.T, n int) {
	t.Helper()
	_, err := x.AddFlow(dataplane.FlowConfig{From: x.hosts[0], To: x.hosts[1], Bytes: uint64(2 * n), Payload: 2, DSCP: 3, Class: 3, AckEvery: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(x.Now() + dataplane.Time(n)*30*dataplane.Nanosecond + dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
}

// TestTriggers: rows of real platforms, by the agent and SAI, on the chip's profile:
// so many packets make the port pause, so many are dropped, and after so many less
// the sender may go on.
func TestTriggers(t *testing.T) {
	for _, b := range boxes() {
		t.Run(b.name, func(t *testing.T) {
			x := b.build(t)
			x.send(t, b.pause-1-b.margin)
			if x.in.Stopped() != 0 {
				t.Errorf("paused by %d packets, want %d ± %d", b.pause-1-b.margin, b.pause, b.margin)
			}
			x.send(t, 1+2*b.margin)
			if x.in.Stopped() != 1<<3 {
				t.Errorf("classes %b paused by %d packets, want class 3 at %d ± %d", x.in.Stopped(), b.pause+b.margin, b.pause, b.margin)
			}
			x.send(t, b.drop-b.pause-1-2*b.margin)
			if n := x.in.Stats.InDropped; n != 0 {
				t.Errorf("%d of %d packets dropped, want none before %d ± %d", n, b.drop-1-b.margin, b.drop, b.margin)
			}
			x.send(t, 1+2*b.margin)
			if x.in.Stats.InDropped == 0 {
				t.Errorf("none of %d packets dropped, want that at %d ± %d", b.drop+b.margin, b.drop, b.margin)
			}
		})
		t.Run(b.name+", on again", func(t *testing.T) {
			x := b.build(t)
			x.send(t, b.pause+b.margin)
			before := x.out.Stats.OutPackets
			x.stop(false)
			for x.in.Stopped() != 0 && x.Pending() {
				if err := x.Run(x.Next()); err != nil {
					t.Fatal(err)
				}
			}
			if n := int(x.out.Stats.OutPackets - before); n == 0 || n > b.dismiss+3*b.margin {
				t.Errorf("the sender goes on after %d packets, want %d at most", n, b.dismiss+3*b.margin)
			}
		})
	}
}
