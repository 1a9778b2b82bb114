package forwarding_test

import (
	"fmt"
	"net/netip"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

var (
	router = dataplane.MAC{2, 0, 0, 0, 0xFF, 1}
	all    = dataplane.MAC{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
)

// station is the address of host n.
func station(n int) dataplane.MAC { return dataplane.MAC{2, 0, 0, 0, byte(n >> 8), byte(n)} }

// bench is a switch alone, whose tables are called directly.
type bench struct {
	testing.TB
	*forwarding.Tables
	sim *dataplane.Sim
	sw  *dataplane.Switch
}

// newBench makes a switch with a host at each port.
func newBench(t testing.TB, ports int) *bench {
	t.Helper()
	b := bare(t, ports)
	for _, p := range b.sw.Ports() {
		b.link(p)
	}
	return b
}

// bare makes a switch whose ports have no links.
func bare(t testing.TB, ports int) *bench {
	t.Helper()
	sim := dataplane.New(dataplane.Config{})
	sw, err := sim.AddSwitch(dataplane.SwitchConfig{Name: "sw", Ports: ports, Queues: 8, Pools: 2, MAC: router})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{TB: t, Tables: forwarding.New(sw), sim: sim, sw: sw}
}

// link joins a host to a port.
func (b *bench) link(p *dataplane.Port) {
	b.Helper()
	h, err := b.sim.AddHost(dataplane.HostConfig{Port: dataplane.PortConfig{Rate: 100e9}})
	b.do(err)
	b.do(b.sim.Connect(h.Port(), p, dataplane.Link{}))
}

// do fails the test if something could not be set.
func (b *bench) do(errs ...error) {
	b.Helper()
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// down takes a port's link away.
func (b *bench) down(port int, down bool) {
	cfg := b.sw.Ports()[port].Config()
	cfg.Down = down
	b.sim.SetPort(b.sw.Ports()[port], cfg)
}

// lan puts ports into a VLAN, untagged, as that of their untagged frames.
func (b *bench) lan(id uint16, ports ...int) {
	b.Helper()
	b.do(b.SetVLAN(id, forwarding.VLAN{Untagged: ports}))
	for _, p := range ports {
		b.do(b.SetPort(p, forwarding.Port{PVID: id}))
	}
}

// want compares what becomes of a packet with "drop: reason", "cpu", or ports with
// the tag that it leaves them with, as "1 2.100".
func (b *bench) want(in int, h dataplane.Header, want string) {
	b.Helper()
	if got := tell(b.Forward(in, &h, dataplane.Marks{})); got != want {
		b.Errorf("port %d, %x to %x, VLAN %d, %v to %v: %s, want %s", in, h.SrcMAC, h.DstMAC, h.VLAN, h.Src, h.Dst, got, want)
	}
}

func tell(w dataplane.Decision) string {
	switch {
	case w.Drop != dataplane.Kept:
		return "drop: " + w.Drop.String()
	case w.CPU:
		return "cpu"
	}
	out := ""
	for i, x := range w.Exits {
		if i > 0 {
			out += " "
		}
		out += fmt.Sprint(x.Port)
		if x.Header.Tagged {
			out += fmt.Sprintf(".%d", x.Header.VLAN)
		}
	}
	return out
}

func frame(from, to dataplane.MAC) dataplane.Header {
	return dataplane.Header{SrcMAC: from, DstMAC: to, EtherType: 0x88B5}
}

func tagged(h dataplane.Header, vlan uint16) dataplane.Header {
	h.Tagged, h.VLAN = true, vlan
	return h
}

// packet is one of UDP that a station sends to the router.
func packet(src, dst string) dataplane.Header {
	return dataplane.Header{
		SrcMAC: station(1), DstMAC: router, Src: netip.MustParseAddr(src), Dst: netip.MustParseAddr(dst),
		Protocol: dataplane.UDP, SrcPort: 1000, DstPort: 2000,
	}
}
