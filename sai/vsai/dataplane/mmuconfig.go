package dataplane

import "slices"

// SetPool configures a pool. The index is below SwitchConfig.Pools.
func (w *Switch) SetPool(i int, cfg Pool) {
	p := &w.mmu.pools[i]
	p.cfg, p.wred = cfg, w.mmu.wred(cfg.WRED)
	w.mmu.dirty = true
	w.sim.resumeGroups(w)
}

// SetLimit limits what the priority groups of a port share of an ingress pool together,
// or its queues of an egress pool.
func (w *Switch) SetLimit(port, pool int, l PortLimit) {
	m := w.mmu
	u := m.use(port, pool)
	u.static, u.dynamic, u.alpha = m.thresholdCells(l.Shared), l.Dynamic, m.model.AlphaTop
	if l.Dynamic {
		u.alpha = m.alpha(l.Alpha)
	}
	w.sim.resumeGroups(w)
}

// SetHeadroomLimit limits the headroom that the priority groups of a port use together,
// in bytes; 0: no limit.
func (w *Switch) SetHeadroomLimit(port int, bytes int64) {
	w.mmu.rooms[port].max = w.mmu.thresholdCells(bytes)
	w.sim.resumeGroups(w)
}

// use returns a port's use of an existing pool.
func (m *mmu) use(port, pool int) *portUse { return &m.uses[port*len(m.pools)+pool] }

// SetGroup configures the buffer of a priority group. The group keeps its packets,
// charged to the new pool.
func (w *Switch) SetGroup(port, pg int, cfg Buffer) {
	m := w.mmu
	g := m.group(port, pg)
	m.removeReservations(g)
	g.cfg = cfg
	if p := m.pool(cfg.Pool); p != nil {
		g.pool, g.use = p, m.use(port, cfg.Pool)
	}
	g.open = m.pool(cfg.Pool) != nil
	g.limits = m.limits(cfg, 1)
	g.xon, g.xonOffset = m.thresholdCells(cfg.Xon), m.thresholdCells(cfg.XonOffset)
	m.addReservations(g)
	m.classes(g.port)
	m.dirty = true
	w.sim.resumeGroups(w)
}

// room computes the headroom that a group may use, and the use at which it stops
// senders.
func (m *mmu) room(g *group) {
	xoff := m.thresholdCells(g.cfg.Xoff)
	g.room, g.stop = xoff, 0
	if m.model.Admission != AdmitPerGroup {
		return
	}
	g.room = max(g.limits.own, m.thresholdCells(g.cfg.Xoff+g.cfg.Xon))
	g.stop = g.room - xoff
	switch {
	case xoff == 0:
	case g.pool != nil && g.pool.headroom > 0:
		g.room += xoff * int64(m.model.SharedXoffTimes-1)
	default:
		g.room = max(g.room-int64(m.model.HeadroomLoss), 0)
	}
}

func (m *mmu) group(port, pg int) *group { return &m.groups[port*Classes+pg] }

func (m *mmu) pool(i int) *pool {
	if i < 0 || i >= len(m.pools) {
		return nil
	}
	return &m.pools[i]
}

func (m *mmu) limits(b Buffer, round int) limits {
	up := func(bytes int64) int64 { return ceil(m.thresholdCells(bytes), int64(round)) * int64(round) }
	return limits{
		own: m.thresholdCells(b.Reserved), static: up(b.Static),
		alpha: m.alpha(b.Alpha), dynamic: b.Dynamic,
	}
}

// alpha limits an exponent to the chip's range and to maxAlpha: beyond that a threshold
// is more than the whole pool, or less than a cell.
func (m *mmu) alpha(a int8) int8 { return min(max(a, -maxAlpha), maxAlpha, m.model.AlphaTop) }

const maxAlpha = 12

// removeReservations subtracts what a group holds from the sums of its pool;
// addReservations adds it to those of its current pool.
func (m *mmu) removeReservations(g *group) { m.move(g, -1) }

func (m *mmu) addReservations(g *group) { m.move(g, 1) }

func (m *mmu) move(g *group, sign int64) {
	if g.pool == nil {
		return
	}
	for i := range g.parts {
		u := &g.parts[i]
		inRoom := u.headroom
		if m.model.Admission == AdmitPerGroup {
			inRoom = max(u.headroom-g.limits.own, 0)
		}
		g.pool.used[i] += sign * u.shared
		g.use.shared[i] += sign * u.shared
		g.pool.inHeadroom[i] += sign * inRoom
		g.pool.Stats.add(sign*u.own, sign*u.shared, sign*inRoom)
		g.pool.Stats.SliceHeadroomMost = max(g.pool.Stats.SliceHeadroomMost, g.pool.inHeadroom[i])
	}
}

// classes computes which groups of a port are lossless, and which classes they stop.
func (m *mmu) classes(p *Port) {
	for i := range Classes {
		g := m.group(p.index, i)
		g.classes = 0
		for c := range Classes {
			if int(p.maps.ClassToGroup[c]) == i && p.cfg.PFCSend&(1<<c) != 0 {
				g.classes |= 1 << c
			}
		}
		if p.cfg.pauseSend() {
			g.classes = 1 << i
		}
		g.lossless = g.cfg.Xoff > 0 && g.classes != 0
	}
}

// resize computes the shared part of each pool.
func (m *mmu) resize(ports []*Port) {
	m.dirty = false
	reserved := m.reserved(ports)
	for i := range m.pools {
		p := &m.pools[i]
		cell, slices := int64(m.model.CellBytes), int64(m.model.Slices)
		size := p.cfg.Size / cell
		p.headroom = p.cfg.Headroom / cell / slices
		switch m.model.SharedSize {
		case SharedIncludesHeadroom:
			size -= p.cfg.Headroom/cell + reserved[i]
		case SharedPrivate:
			size -= reserved[i]
		case SharedExcludesHeadroom:
		}
		p.shared = max(size, 0) / slices
	}
	for i := range m.groups {
		m.room(&m.groups[i])
	}
}

// reserved returns the cells that each ingress pool sets aside: the minima of its
// groups and, on a chip without shared headroom, their headroom. Ingress and egress
// pools are views of one memory: where a pool's size includes reservations, what ports
// reserve for their queues comes off the largest ingress pool. Nothing comes off an
// egress pool: the published drop counts of Trident2 and Tomahawk3 match its full size.
func (m *mmu) reserved(ports []*Port) []int64 {
	out := make([]int64, len(m.pools))
	for i := range m.groups {
		if b := &m.groups[i].cfg; m.pool(b.Pool) != nil {
			out[b.Pool] += m.thresholdCells(b.Reserved)
			if m.model.SharedSize == SharedPrivate {
				out[b.Pool] += m.thresholdCells(b.Xoff)
			}
		}
	}
	if great := m.greatestIngress(); great >= 0 && m.model.SharedSize == SharedIncludesHeadroom {
		for _, p := range ports {
			if p.cfg.Reserved >= 0 {
				out[great] += max(m.queues(p), m.thresholdCells(p.cfg.Reserved))
			}
		}
	}
	return out
}

// queues sums the minima of a port's queues.
func (m *mmu) queues(p *Port) (cells int64) {
	for i := range p.egress.queues {
		if b := &p.egress.queues[i].cfg.Buffer; m.pool(b.Pool) != nil {
			cells += m.thresholdCells(b.Reserved)
		}
	}
	return cells
}

func (m *mmu) greatestIngress() int {
	great := -1
	for i := range m.pools {
		if p := &m.pools[i]; !p.cfg.Egress && p.cfg.Size > 0 && (great < 0 || p.cfg.Size > m.pools[great].cfg.Size) {
			great = i
		}
	}
	return great
}

// Pool returns the shared size of a pool over all slices, in bytes, and its levels.
func (w *Switch) Pool(i int) (shared int64, levels PoolStats) {
	w.mmu.refreshLimits(w.ports)
	p := &w.mmu.pools[i]
	return p.shared * int64(w.mmu.model.Slices) * int64(w.mmu.model.CellBytes), p.Stats
}

// Group returns the statistics of a priority group. Levels are in cells.
func (w *Switch) Group(port, pg int) GroupStats { return w.mmu.group(port, pg).stats }

// HeadroomLimit is the most headroom in bytes that a priority group can use of one
// slice before packets are dropped: its own limit by the rules of the model, or that of
// its port or the shared headroom pool if less. It is 0 for a lossy group.
// GroupStats.SliceHeadroomMost is the matching watermark.
func (w *Switch) HeadroomLimit(port, pg int) int64 {
	m := w.mmu
	m.refreshLimits(w.ports)
	g := m.group(port, pg)
	if !g.lossless {
		return 0
	}
	room := g.room
	if g.pool != nil && g.pool.headroom > 0 {
		shared := g.pool.headroom
		if m.model.Admission == AdmitPerGroup {
			shared += g.limits.own // this part is not the pool's
		}
		room = min(room, shared)
	}
	if most := m.rooms[port].max; most > 0 {
		room = min(room, most)
	}
	return room * int64(m.model.CellBytes)
}

// PoolHeadroomLimit is the shared headroom of each slice of a pool, in bytes.
// PoolStats.SliceHeadroomMost is the matching watermark.
func (w *Switch) PoolHeadroomLimit(i int) int64 {
	w.mmu.refreshLimits(w.ports)
	return w.mmu.pools[i].headroom * int64(w.mmu.model.CellBytes)
}

// CellBytes is the unit of levels.
func (w *Switch) CellBytes() int64 { return int64(w.mmu.model.CellBytes) }

func (m *mmu) refreshLimits(ports []*Port) {
	if m.dirty {
		m.resize(ports)
	}
}

// forgetStopped removes a group from the list of those that have stopped senders.
func (m *mmu) forgetStopped(g *group) {
	if i := slices.Index(m.stopped, g); i >= 0 {
		m.stopped = slices.Delete(m.stopped, i, i+1)
	}
}

// GroupConfig returns the buffer of a priority group.
func (w *Switch) GroupConfig(port, pg int) Buffer { return w.mmu.group(port, pg).cfg }

// QueueConfig returns the configuration of a queue.
func (w *Switch) QueueConfig(port, q int) Queue { return w.ports[port].egress.queues[q].cfg }

// PoolConfig returns the configuration of a pool.
func (w *Switch) PoolConfig(i int) Pool { return w.mmu.pools[i].cfg }
