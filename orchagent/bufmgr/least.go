package bufmgr

import (
	"fmt"
	"math"
	"strings"

	"xon/schema/configdb"
	"xon/schema/platform"
)

// roceMTU is the largest lossless packet, in octets, where no row gives it.
//
// Source: SONiC's default of LOSSLESS_TRAFFIC_PATTERN.
const roceMTU = 1024

// least is the headroom below which a link loses packets whatever their sizes are: every
// packet is taken to fill its cells. What is not known counts as nothing, so that a
// profile with less is certainly too small.
type least struct {
	link link
	terms
	packet float64 // octets that the peer has begun to send
	extra  float64 // what the chip needs besides
	asic   *ASIC   // nil: its delays are unknown and count as nothing
	quick  bool    // peer is the chip's peer_response_time
	slow   float64 // that a peer may send by the standard
	cabled bool    // the length of the cable is known
}

// least is that of a link. cabled says that its length is known.
//
// The lookup files of Spectrum-1 reckon with the chip's peer_response_time where IEEE
// 802.3 allows a peer more, and so does this.
//
// Source: SONiC's buffer_headroom script, without its allowance for small packets; the
// SN2700's pg_profile_lookup.ini.
func (m *Manager) least(l link, cabled bool) least {
	t := traffic{asic: m.asic, vendor: m.sw.Vendor, mtu: roceMTU}
	if t.asic == nil {
		t.asic = &ASIC{CellBytes: 1}
	}
	if p := m.common.pattern; m.dynamicModel() && p != nil && p.MTU != 0 {
		t.mtu = p.MTU
	}
	n := least{link: l, packet: float64(t.mtu), terms: t.compute(l, m.delay(l)), asic: m.asic, cabled: cabled}
	n.slow = n.peer
	if quick := t.asic.PeerResponseTime * kib; t.asic.Name == spectrumName && quick < n.peer {
		n.delay -= n.peer - quick
		n.peer, n.quick = quick, true
	}
	if m.sw.Vendor == platform.Mellanox && endsIn(t.asic.Name, "6") {
		n.extra = generation6Xoff
	}
	return n
}

// bytes is the sum.
func (n *least) bytes() uint64 { return uint64(math.Ceil(n.packet + n.delay + n.extra)) }

// String gives the terms, with where each comes from.
func (n *least) String() string {
	var parts []string
	add := func(bytes float64, what string) {
		if bytes > 0 {
			parts = append(parts, fmt.Sprintf("%.0f %s", bytes, what))
		}
	}
	add(n.packet, "of a packet that the peer has begun")
	add(float64(n.link.mtu), "of one that the pause waits for (the port's mtu)")
	add(n.cable, fmt.Sprintf("of %dm of cable, both ways", n.link.metres))
	add(2*n.gearbox, "of the gearbox")
	if n.asic != nil {
		add(n.macPHY, "of MAC and PHY ("+n.asic.Source+": "+n.asic.Name+")")
	}
	add(n.peer, "that the peer may take to obey ("+n.peerSource()+")")
	add(n.tile, "of the chip's tile")
	add(n.extra, "for this chip")
	return strings.Join(parts, ", ")
}

func (n *least) peerSource() string {
	switch {
	case n.known && !n.quick:
		return "IEEE 802.3 Annex 31B.3.7"
	case n.asic != nil:
		return n.asic.Source + ": " + n.asic.Name + " peer_response_time"
	}
	return "no standard has the speed"
}

// unknown are the inputs that count as nothing.
func (n *least) unknown() []string {
	var all []string
	if !n.cabled {
		all = append(all, "the length of the cable")
	}
	if n.asic == nil {
		all = append(all, "the delays and the cell size of the chip")
	}
	if n.peer == 0 {
		all = append(all, "how fast a peer obeys a pause at this speed")
	}
	return all
}

// tooLittle is what is wrong with a group that has fewer bytes after a pause than its
// link takes at least; nil if nothing is.
func (n *least) tooLittle(g *group, given uint64, why string) error {
	if given >= n.bytes() {
		return nil
	}
	text := fmt.Sprintf("%s lets %s take %d bytes after a pause%s, and %d or more may come at %d Mb/s: %s",
		g.profile.ID, g, given, why, n.bytes(), n.link.speed, n)
	if u := n.unknown(); len(u) > 0 {
		text += "; not counted, as it is not known: " + strings.Join(u, ", ")
	}
	return fmt.Errorf("%s", text)
}

// given is what a group with a profile has after a pause, in bytes, and why that is not
// its xoff. Without a shared headroom pool a Spectrum has no more than size reserves.
func (m *Manager) given(p *configdb.BufferProfile, pool *configdb.BufferPool) (bytes uint64, why string) {
	if m.sw.Vendor == platform.Mellanox && pool.Xoff == 0 && p.Size < p.Xoff {
		return p.Size, fmt.Sprintf(" (its size: %s has no shared headroom for its xoff of %d)", pool.ID, p.Xoff)
	}
	return p.Xoff, ""
}

// dropsEarly are the bytes of headroom before whose end chip classes without a shared
// headroom pool have been seen to drop: 95, 64 and 47 cells.
//
// Source: SONiC's qos_params of its tests, as in the profiles of the virtual chip.
var dropsEarly = map[string]uint64{"spc1": 95 * 96, "spc2": 64 * 144, "spc3": 64 * 144, "spc4": 47 * 192, "spc5": 47 * 192, "spc6": 47 * 256}

// DropsEarly are the bytes at the end of its headroom that a priority group of a class
// without a shared headroom pool does not get, as far as is known.
func DropsEarly(class string) uint64 { return dropsEarly[class] }

// usable is what of given bytes the chip is known to fill before it drops.
func (m *Manager) usable(given uint64, pool *configdb.BufferPool) uint64 {
	if pool.Xoff > 0 {
		return given
	}
	return given - min(given, DropsEarly(m.sw.Class))
}
