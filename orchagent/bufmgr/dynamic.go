package bufmgr

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// dynamic says what becomes of the buffer rows of a port, with headroom that is
// computed.
//
// Source: SONiC's buffermgrd, dynamic model.
func (m *Manager) dynamic(v *view) *result {
	r := &result{}
	switch {
	case v.row == nil: // its rows wait for the port
	case !v.row.AdminUp:
		m.reclaim(v, r)
	default:
		r.up, r.wide = true, v.lanes() == wide
		m.serve(v, r)
	}
	return r
}

// serve is for a port that is up.
func (m *Manager) serve(v *view, r *result) {
	var claims []claim
	for _, row := range v.pgs {
		c, p := m.claim(m.keeping(v, r, row), row)
		if p != nil {
			r.complain(row.ID, *p)
			r.hide(row)
			r.sought = append(r.sought, c.profile)
			continue
		}
		claims = append(claims, c)
	}
	for _, c := range m.admit(v, r, claims) {
		grant(r, c)
	}
	for _, row := range v.queues {
		r.count(row.Profile, byQueue, row.Hi-row.Lo+1)
	}
	for _, lists := range [][]*configdb.BufferProfileList{v.ingress, v.egress} {
		for _, row := range lists {
			for _, name := range row.Profiles {
				r.count(name, byList, 1)
			}
		}
	}
	if _, known := pauseQuanta[v.speed()]; !known && len(r.made) > 0 {
		r.complain(configdb.Key(portTable, v.name), graph.Problem{Severity: graph.Warned, Field: "speed", Err: fmt.Errorf(
			"no standard says how fast a peer obeys a pause at %d Mb/s: headroom reckons with the chip's %v KiB, which may be too little", v.speed(), m.asic.PeerResponseTime)})
	}
}

// keeping is the port as a row sees it: one that is applied keeps the headroom of the
// last applied length when the cable has none any more, or 0 m. That is warned of at
// the row that has no length.
func (m *Manager) keeping(v *view, r *result, row *configdb.BufferPG) *view {
	was, ok := v.withKept()
	if !ok || !m.applied(row) || !m.computes(row) {
		return v
	}
	why := "there is no length"
	if v.cabled {
		why = "0m stands for no lossless traffic"
	}
	r.complain(v.kept.row, graph.Problem{Severity: graph.Warned, Field: v.name, Err: fmt.Errorf(
		"%s, but %s keeps the headroom of the last applied length, %dm: without it packets would be lost", why, row.ID, v.kept.metres)})
	return was
}

// applied reports whether a row is applied as it is.
func (m *Manager) applied(row *configdb.BufferPG) bool {
	return m.in.Accepted != nil && m.in.Accepted.BufferPGs[row.ID.Key()] == row
}

// computes reports whether a row asks for headroom that is computed.
func (m *Manager) computes(row *configdb.BufferPG) bool {
	p := m.in.Rows.BufferProfiles[row.Profile]
	return row.Profile == configdb.DynamicHeadroom || p != nil && p.HeadroomType == configdb.Dynamic
}

// claim is what a row wants for priority groups of a port.
type claim struct {
	row     *configdb.BufferPG
	profile string
	link    *link // of a profile to be made; nil: the profile is there, or ought to be
	needs   headroom
	// lossless says that headroom belongs to it.
	lossless bool
	// absent says that the profile does not exist, so that the row waits for it.
	absent bool
}

// claim works out what a row wants. p says what it waits for.
func (m *Manager) claim(v *view, row *configdb.BufferPG) (c claim, p *graph.Problem) {
	c = claim{row: row, profile: row.Profile}
	written := m.in.Rows.BufferProfiles[row.Profile]
	switch {
	case row.Profile == configdb.DynamicHeadroom:
		p = m.compute(v, &c, nil)
		return c, p
	case written == nil:
		c.absent = true
		return c, nil
	case written.HeadroomType == configdb.Dynamic:
		p = m.compute(v, &c, written)
		return c, p
	}
	c.lossless = written.HasXoff
	c.needs = headroom{xon: written.Xon, xoff: written.Xoff, size: written.Size}
	return c, nil
}

// compute has c want a profile made for the port's link, with the threshold of a
// written profile if there is one. p says what is missing for that.
func (m *Manager) compute(v *view, c *claim, written *configdb.BufferProfile) *graph.Problem {
	if p := m.missing(); p != nil {
		return p
	}
	l, p := v.link(&m.common)
	if p != nil {
		return p
	}
	if l.metres == 0 {
		return waiting(v.cable.row, fmt.Errorf("%s has 0m for %s, which stands for no lossless traffic", v.cable.row, v.name))
	}
	l.dynamicTh = m.common.parameter.DynamicTh
	if written != nil {
		switch written.Mode {
		case configdb.Dynamic:
			l.dynamicTh = written.DynamicTh
		case configdb.Static:
			return &graph.Problem{Severity: graph.Refused, On: written.ID, Field: "profile", Err: fmt.Errorf(
				"%s has static_th: with headroom_type dynamic a profile has dynamic_th", written.ID)}
		}
	}
	c.link, c.lossless = &l, true
	c.profile = profileName(l, m.common.parameter.DynamicTh, m.sw)
	if own := m.in.Rows.BufferProfiles[c.profile]; own != nil {
		if own.HeadroomType == configdb.Dynamic {
			return &graph.Problem{Severity: graph.Refused, On: own.ID, Field: "profile", Err: fmt.Errorf(
				"%s has the name of the profile to be made for it, and leaves its own headroom to be computed", own.ID)}
		}
		c.link, c.lossless = nil, own.HasXoff
		c.needs = headroom{xon: own.Xon, xoff: own.Xoff, size: own.Size}
		return nil
	}
	t := m.traffic()
	terms := t.compute(l, m.delay(l))
	c.needs = terms.bytes()
	return nil
}

// Names of what is missing when no row is.
const (
	asicFile  = "asic_table.json"
	chipBytes = "the size of the chip's packet memory"
)

// missing says which input of the model is not there; nil if none.
func (m *Manager) missing() *graph.Problem {
	parameter, pattern := configdb.Key(parameterTable, anyName), configdb.Key(patternTable, anyName)
	pool := configdb.Key(poolTable, losslessPool)
	row := m.common.pattern
	switch {
	case m.common.parameter == nil:
		return waiting(parameter, fmt.Errorf("%s does not exist: without it no headroom is computed", parameter))
	case row == nil:
		return waiting(pattern, fmt.Errorf("%s does not exist: without it no headroom is computed", pattern))
	case row.MTU == 0:
		return waiting(row.ID, fmt.Errorf("%s has no mtu", row.ID))
	case !row.HasSmallPackets:
		return waiting(row.ID, fmt.Errorf("%s has no small_packet_percentage", row.ID))
	case m.common.poolMode == "":
		return waiting(pool, fmt.Errorf("%s does not exist", pool))
	case m.asic == nil:
		return lacking(asicFile, m.noASIC())
	}
	return nil
}

func (m *Manager) noASIC() error {
	if m.params.Platform == "" {
		return errors.New("the chip's cell size and delays are unknown: " + asicFile + " is not given")
	}
	return fmt.Errorf("the cell size and delays of the chip of %s are unknown: %s is not given", m.params.Platform, asicFile)
}

// traffic is what all headroom has in common. Nothing must be missing.
func (m *Manager) traffic() traffic {
	return traffic{
		asic: m.asic, vendor: m.sw.Vendor, shared: m.common.shared,
		mtu: m.common.pattern.MTU, smallPercent: m.common.pattern.SmallPacketPercentage,
	}
}

// delay is that of a link's gearbox, in nanoseconds.
func (m *Manager) delay(l link) float64 { return m.params.Peripherals[l.gearbox].Delay }

// grant has a claim take effect.
func grant(r *result, c claim) {
	if c.link != nil {
		r.made = append(r.made, made{name: c.profile, link: *c.link})
	}
	if c.profile != c.row.Profile {
		r.replace(c.row, c.profile)
	} else {
		r.keep(c.row)
	}
	by := byPG
	if r.wide {
		by = byWidePG
	}
	r.count(c.profile, by, c.row.Hi-c.row.Lo+1)
	r.lossless = r.lossless || c.lossless
}

// What a port keeps besides what its profiles say, in bytes.
//
// Source: SONiC's buffer_check_headroom and buffer_pool scripts.
const (
	portOverhead  = 4 * kib
	mirrorReserve = 10 * kib // for a mirror session at egress
	privateShare  = 10 * kib // of headroom that is not shared, by port
)

// lossyBytes is what a lossy priority group keeps for what is in the pipeline, and the
// management one.
func (m *Manager) lossyBytes(isWide bool) float64 {
	if isWide {
		return (2*m.asic.PipelineLatency - 1) * kib
	}
	return m.asic.PipelineLatency * kib
}

// admit returns the claims that the port has room for: those in force come before
// others, lossless ones before lossy ones, and of equals the first by key. Those that
// do not fit are refused, with what there would be beside all that do: who came first
// makes no difference to that.
func (m *Manager) admit(v *view, r *result, claims []claim) []claim {
	if m.asic == nil || m.sw.Vendor == platform.Barefoot || v.limits.Headroom() == 0 {
		return claims
	}
	b, in := m.budget(v), map[configdb.RowKey]bool{}
	var last configdb.RowKey
	for _, c := range m.inTurn(claims) {
		in[c.row.ID] = c.absent || b.take(&c, m.applied(c.row)) == nil
		if !c.absent && in[c.row.ID] && b.sum >= b.limit {
			r.complain(c.row.ID, graph.Problem{Severity: graph.Warned, Field: "profile", Err: fmt.Errorf(
				"%s: it keeps its headroom, which makes %.0f bytes together: STATE_DB states less than %.0f", v.name, b.sum, b.limit)})
		}
	}
	admitted := claims[:0:0]
	for _, c := range claims {
		if in[c.row.ID] {
			admitted = append(admitted, c)
			last = max(last, c.row.ID)
		}
	}
	for _, c := range claims {
		if !in[c.row.ID] {
			r.complain(c.row.ID, graph.Problem{Severity: graph.Refused, On: last, Field: "profile", Err: fmt.Errorf("%s: %w", v.name, b.take(&c, m.applied(c.row)))})
			r.hide(c.row)
		}
	}
	return admitted
}

// inTurn returns claims in the order in which they are served.
func (m *Manager) inTurn(claims []claim) []claim {
	turn := func(c *claim) int {
		n := 0
		if !c.lossless {
			n = 1
		}
		if !m.applied(c.row) {
			n += 2
		}
		return n
	}
	claims = slices.Clone(claims)
	slices.SortStableFunc(claims, func(a, b claim) int { return turn(&a) - turn(&b) })
	return claims
}

// budget is what the priority groups of a port may reserve together, in bytes.
type budget struct {
	sum, limit     float64
	chip           float64 // the limit for applied rows: one that is stated takes no headroom from under traffic
	lossy          float64 // that a profile of size 0 counts for
	shared, maxSHP float64 // taken of the shared headroom pool, and what may be; maxSHP 0: unknown
}

// budget is that of a port without priority groups. The limit must be known.
func (m *Manager) budget(v *view) budget {
	isWide := v.lanes() == wide
	mirror := 2.0 * mirrorReserve
	if isWide {
		mirror *= 2
	}
	b := budget{limit: float64(v.limits.Headroom()), chip: float64(v.limits.MaxHeadroom), lossy: m.lossyBytes(isWide)}
	if b.chip == 0 {
		b.chip = math.Inf(1)
	}
	b.sum = portOverhead + b.lossy + mirror
	if m.common.shared {
		b.maxSHP = float64((m.asic.PortMaxSHP + m.asic.PortReservedSHP) * m.asic.CellBytes)
	}
	return b
}

// take adds the priority groups of a claim, if they fit.
func (b *budget) take(c *claim, applied bool) error {
	limit := b.limit
	if applied {
		limit = b.chip
	}
	n := c.row.Hi - c.row.Lo + 1
	size, over := float64(c.needs.size), 0.0
	if size == 0 {
		size = b.lossy
	}
	if c.lossless {
		over = math.Max(0, float64(c.needs.xon)+float64(c.needs.xoff)-float64(c.needs.size))
	}
	sum, shared := b.sum+size*float64(n), b.shared+over*float64(n)
	if sum >= limit {
		return fmt.Errorf("%d of %.0f bytes would make %.0f bytes of headroom together: the port has less than %.0f", n, size, sum, limit)
	}
	if b.maxSHP > 0 && shared > b.maxSHP {
		return fmt.Errorf("%d of %.0f bytes would take %.0f bytes of the shared headroom pool: the port may take %.0f", n, over, shared, b.maxSHP)
	}
	b.sum, b.shared = sum, shared
	return nil
}

// madeProfile is the profile for a link.
func (m *Manager) madeProfile(name string, l link) *configdb.BufferProfile {
	t := m.traffic()
	r := t.compute(l, m.delay(l))
	h := r.bytes()
	return &configdb.BufferProfile{
		ID: configdb.Key(profileTable, name), Name: name, Pool: losslessPool, HeadroomType: configdb.Static,
		Mode: configdb.Dynamic, DynamicTh: l.dynamicTh,
		Size: h.size, HasSize: true, Xon: h.xon, HasXon: true, Xoff: h.xoff, HasXoff: true,
	}
}
