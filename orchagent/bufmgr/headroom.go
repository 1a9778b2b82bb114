package bufmgr

import (
	"fmt"
	"math"
	"strings"

	"xon/schema/platform"
)

// pauseQuanta is how long a peer may take until it obeys a pause, in quanta of 512 bit
// times, by speed in Mb/s.
//
// Source: IEEE 802.3 Annex 31B.3.7, as SONiC's headroom script has it.
var pauseQuanta = map[uint32]float64{
	100: 1, 1000: 2, 10000: 67, 25000: 80, 40000: 118, 50000: 147,
	100000: 394, 200000: 453, 400000: 905, 800000: 905,
}

const (
	quantumBytes = 64        // 512 bits
	smallPacket  = 64        // octets
	lightSpeed   = 198000000 // m/s, in a cable
	kib          = 1024
	// generation6Xoff is what chips whose name ends in 6 need besides.
	generation6Xoff = 18 * kib
	// averageXoff covers what a mix of packets may need more than its average.
	averageXoff = 2 * kib
)

// link is all that headroom depends on which differs from port to port. Equal links
// share a profile.
type link struct {
	speed     uint32 // Mb/s
	metres    uint32
	mtu       uint32
	dynamicTh int8
	gearbox   string // its model; "" for none
	lanes     int
}

// traffic is all that headroom depends on which all ports have in common.
type traffic struct {
	asic         *ASIC
	vendor       platform.Vendor
	mtu          uint32 // octets of a lossless packet
	smallPercent uint8  // of packets that are small
	shared       bool   // headroom comes from the shared headroom pool
}

// headroom is what a lossless priority group needs, in bytes.
type headroom struct{ xon, xoff, size uint64 }

// terms are the parts of the headroom formula, in bytes where nothing else is said.
// They stay fractions till the end.
type terms struct {
	peer    float64 // that the peer still sends after a pause
	known   bool    // peer is the standard's, not the chip's
	worst   float64 // bytes of cells that a byte of packets takes at worst, a pure number
	small   float64 // percent of bytes in small packets
	occupy  float64 // bytes of cells that a byte of the traffic takes, a pure number
	cable   float64
	gearbox float64
	macPHY  float64
	tile    float64
	delay   float64 // all that arrives after a pause was decided on
	average float64 // xoff by the mix of packets, before rounding
	ceiling float64 // xoff by the worst packets, rounded
	xoff    float64
	xon     float64
	size    float64
}

// ceilKiB rounds up to whole KiB.
func ceilKiB(bytes float64) float64 { return math.Ceil(bytes/kib) * kib }

// compute works the headroom formula out. The order of operations is that of SONiC's
// buffer_headroom script, so that rounding comes out alike.
func (t *traffic) compute(l link, gearboxDelay float64) terms {
	var r terms
	a := t.asic
	speed, mtu := float64(l.speed), float64(t.mtu)
	quanta, known := pauseQuanta[l.speed]
	r.peer, r.known = a.PeerResponseTime*kib, known
	if known {
		r.peer = quanta * quantumBytes
	}
	bits, late := 8000.0, 1.0
	if t.vendor == platform.Barefoot {
		bits = 8 * kib
		if l.speed == 400000 {
			late = 2
		}
	}
	r.peer *= late
	r.worst = t.worstOccupancy(float64(a.CellBytes))
	percent := float64(t.smallPercent)
	r.small = 100 * smallPacket / ((percent*smallPacket + (100-percent)*mtu) / 100)
	r.occupy = (100 - r.small + r.small*r.worst) / 100
	r.cable = 2 * float64(l.metres) * speed * 1e9 / lightSpeed / bits
	r.gearbox = speed * gearboxDelay / (8 * kib)
	r.macPHY = a.MACPHYDelay * kib
	if t.vendor != platform.Barefoot && endsIn(a.Name, "45") {
		r.tile = speed / 1000 * 120 / 8
	}
	r.delay = float64(l.mtu) + r.cable + 2*r.gearbox + r.macPHY + r.peer + r.tile
	t.round(&r, l)
	return r
}

// worstOccupancy is how much more a packet may take than it has octets, as it fills
// its last cell with one octet. The script of Barefoot's platforms does not round it.
func (t *traffic) worstOccupancy(cell float64) float64 {
	worst := 2 * cell / (1 + cell)
	if cell > 2*smallPacket {
		worst = cell / smallPacket
	}
	if t.vendor == platform.Barefoot {
		return worst
	}
	return math.Ceil(worst)
}

// round makes thresholds of what arrives.
func (t *traffic) round(r *terms, l link) {
	mtu := float64(t.mtu)
	r.average = mtu + float64(r.delay*r.occupy)
	r.ceiling = ceilKiB(mtu + float64(r.delay*r.worst))
	r.xoff = ceilKiB(r.average)
	if t.vendor != platform.Barefoot && endsIn(t.asic.Name, "6") {
		r.xoff += generation6Xoff
	}
	private := t.vendor != platform.Barefoot && !t.shared
	if private && t.smallPercent != 100 && r.xoff+averageXoff < r.ceiling {
		r.xoff += averageXoff
	}
	pipeline, packet := t.asic.PipelineLatency*kib, 0.0
	if t.vendor != platform.Barefoot && l.lanes == wide {
		pipeline, packet = 2*pipeline, float64(l.mtu)
	}
	r.xon = ceilKiB(pipeline)
	r.size = r.xon
	if private {
		r.size = ceilKiB(r.xoff + r.xon + packet)
	}
}

// wide is how many lanes a port has that passes the pipeline twice.
const wide = 8

func (r *terms) bytes() headroom {
	return headroom{xon: uint64(r.xon), xoff: uint64(r.xoff), size: uint64(r.size)}
}

// endsIn reports whether the last letter of name is one of letters.
func endsIn(name, letters string) bool {
	return name != "" && strings.IndexByte(letters, name[len(name)-1]) >= 0
}

// profileName is the name of the profile for a link: SONiC's, and one that no other
// link has. defaultTh is the threshold that is not mentioned.
func profileName(l link, defaultTh int8, sw platform.Switch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pg_lossless_%d_%dm", l.speed, l.metres)
	if l.mtu != defaultMTU {
		fmt.Fprintf(&b, "_mtu%d", l.mtu)
	}
	if l.dynamicTh != defaultTh {
		fmt.Fprintf(&b, "_th%d", l.dynamicTh)
	}
	if l.gearbox != "" {
		b.WriteString("_" + l.gearbox)
	}
	if (l.lanes == wide) != wideByNature(sw, l.speed) {
		fmt.Fprintf(&b, "_%dlane", l.lanes)
	}
	return b.String() + "_profile"
}

// defaultMTU is the MTU of a port that is not mentioned in names.
const defaultMTU = 9100

// wideByNature reports whether ports of a speed have eight lanes on a platform, so
// that it goes without saying.
func wideByNature(sw platform.Switch, speed uint32) bool {
	switch sw.Model / 1000 {
	case 4:
		return speed >= 400000
	case 5:
		return speed >= 800000
	}
	return false
}
