package dataplane

// maxSlices is the maximum number of slices of a pool.
const maxSlices = 4

// mmu is a switch's packet memory: the cells that each group, queue, port and pool
// uses.
type mmu struct {
	model   Model
	pools   []pool
	groups  []group        // of port p: from p*Classes
	uses    []portUse      // of port p: from p*len(pools)
	rooms   []portHeadroom // by port
	stopped []*group
	dirty   bool // pool sizes must be recomputed
}

// pool is a buffer pool. All fields but cfg are in cells.
type pool struct {
	cfg        Pool
	wred       *WRED // thresholds in the unit that the chip compares
	shared     int64 // per slice
	headroom   int64 // per slice; 0: each group has its own
	used       [maxSlices]int64
	inHeadroom [maxSlices]int64 // headroom in use
	average    average
	Stats      PoolStats
}

// usage is what a group or queue holds of one slice, in cells.
type usage struct{ own, shared, headroom int64 }

// group is a priority group.
type group struct {
	cfg            Buffer
	port           *Port
	index          uint8
	pool           *pool    // the pool of the held packets while the group is not empty
	use            *portUse // the port's use of that pool
	open           bool     // accepts packets
	limits         limits
	room           int64 // headroom that it may use
	stop           int64 // of AdmitPerGroup: headroom use above which it sends XOFF
	xon            int64
	xonOffset      int64
	lossless       bool
	classes        uint8 // PFC classes that map to the group
	stoppedClasses uint8 // classes that it has stopped
	xoff           uint8 // bits of slices over their threshold
	parts          [maxSlices]usage
	stats          GroupStats
}

// limits of a group or queue in its pool, in cells.
type limits struct {
	own     int64
	static  int64
	alpha   int8
	dynamic bool
}

// portUse is the shared use of an ingress pool by all groups of a port, or of an egress
// pool by its queues.
type portUse struct {
	shared  [maxSlices]int64
	static  int64 // maximum per slice, cells; 0: no limit
	dynamic bool
	alpha   int8 // of PortLimit or Model.PortAlpha
}

// portHeadroom is the headroom use of all groups of a port. Max 0: no limit.
type portHeadroom struct{ used, max int64 } // 0: no limit

func newMMU(cfg SwitchConfig) *mmu {
	m := &mmu{model: cfg.Model, dirty: true}
	m.model.CellBytes = max(m.model.CellBytes, 1)
	m.model.Slices = min(max(m.model.Slices, 1), maxSlices)
	m.model.QueueRound = max(m.model.QueueRound, 1)
	m.model.SharedXoffTimes = max(m.model.SharedXoffTimes, 1)
	if m.model.AlphaTop == 0 {
		m.model.AlphaTop = 7
	}
	m.pools = make([]pool, cfg.Pools)
	m.uses = make([]portUse, cfg.Ports*cfg.Pools)
	for i := range m.uses {
		m.uses[i].alpha = m.model.AlphaTop
	}
	m.rooms = make([]portHeadroom, cfg.Ports)
	m.groups = make([]group, cfg.Ports*Classes)
	for i := range m.groups {
		m.groups[i].index = uint8(i % Classes)
		m.groups[i].cfg.Pool = -1
	}
	return m
}

// cells returns the number of cells of a packet.
func (m *mmu) cells(bytes int32) int64 {
	return ceil(int64(bytes)+int64(m.model.CellOverhead), int64(m.model.CellBytes))
}

// thresholdCells rounds a threshold up to cells.
func (m *mmu) thresholdCells(bytes int64) int64 { return ceil(bytes, int64(m.model.CellBytes)) }

func ceil(n, unit int64) int64 { return (n + unit - 1) / unit }

// slice returns the slice of each pool that packets between two ports use.
func (m *mmu) slice(in, out *Port) uint8 {
	if m.model.Slices == 1 {
		return 0
	}
	return (in.cfg.SliceIn + out.cfg.SliceOut) % uint8(m.model.Slices)
}

// limit returns the current shared limit of a group or queue in a slice.
func (m *mmu) limit(p *pool, l *limits, slice uint8) int64 {
	if l.dynamic {
		return scale(p.free(slice), l.alpha)
	}
	if l.static == 0 {
		return p.shared
	}
	return l.static
}

// threshold returns the current shared limit of a group in a slice.
func (m *mmu) threshold(g *group, slice uint8) int64 {
	if !m.model.PortAlpha || !g.limits.dynamic {
		return m.limit(g.pool, &g.limits, slice)
	}
	ofPort := scale(g.pool.free(slice), g.use.alpha)
	return scale(max(ofPort-g.use.shared[slice], 0), g.limits.alpha)
}

// free returns the unused shared cells of a slice.
func (p *pool) free(slice uint8) int64 { return max(p.shared-p.used[slice], 0) }

// allows reports whether the port's limit allows n more shared cells. Like a group's
// threshold, a dynamic limit is compared with the use before the packet.
func (u *portUse) allows(p *pool, slice uint8, n int64) bool {
	if u.static > 0 && u.shared[slice]+n > u.static {
		return false
	}
	return !u.dynamic || u.shared[slice] < scale(p.free(slice), u.alpha)
}

// left returns the shared cells that the port's limit still allows.
func (u *portUse) left(p *pool, slice uint8) int64 {
	n := p.shared - p.used[slice]
	if u.static > 0 {
		n = min(n, u.static-u.shared[slice])
	}
	if u.dynamic {
		n = min(n, scale(p.free(slice), u.alpha)-u.shared[slice])
	}
	return n
}

// scale is n times two to the power of alpha, rounded down.
func scale(n int64, alpha int8) int64 {
	if alpha >= 0 {
		return n << alpha
	}
	return n >> -alpha
}

// allocation is how the cells of a packet are charged.
type allocation struct{ own, shared, headroom int64 }

// admit finds room for n cells in a group, without charging them. Cells in the group's
// own buffer move to the pool first.
func (m *mmu) admit(g *group, slice uint8, n int64) (allocation, Reason) {
	if !g.open {
		return allocation{}, DropGroup
	}
	switch m.model.Admission {
	case AdmitAfter:
		return m.admitAfter(g, slice, n)
	case AdmitPerGroup:
		return m.admitPerGroup(g, slice, n)
	default:
		return m.admitBefore(g, slice, n)
	}
}

func (m *mmu) admitBefore(g *group, slice uint8, n int64) (allocation, Reason) {
	u := &g.parts[slice]
	own := min(n, max(g.limits.own-u.own, 0))
	rest := n - own
	switch {
	case rest == 0:
		return allocation{own: own}, Kept
	case u.headroom == 0 && u.shared < m.threshold(g, slice) && m.shares(g, slice, rest):
		return allocation{own: own, shared: rest}, Kept
	case !g.lossless:
		return allocation{}, DropGroup
	case m.inHeadroom(g, slice, rest):
		return allocation{own: own, headroom: rest}, Kept
	}
	return allocation{}, m.lacking(g, slice, rest)
}

// admitAfter puts a packet that would cross the threshold into headroom as a whole.
func (m *mmu) admitAfter(g *group, slice uint8, n int64) (allocation, Reason) {
	u := &g.parts[slice]
	t := m.threshold(g, slice)
	if n+u.shared > t && !m.inHeadroom(g, slice, n) {
		return allocation{}, m.lacking(g, slice, n)
	}
	over := u.own + u.shared + n - g.limits.own
	switch {
	case over <= 0:
		return allocation{own: n}, Kept
	case over > t:
		return allocation{headroom: n}, Kept
	}
	shared := min(n, over)
	return allocation{own: n - shared, shared: shared}, Kept
}

// admitPerGroup puts what the pool does not admit into the group's own buffer.
func (m *mmu) admitPerGroup(g *group, slice uint8, n int64) (allocation, Reason) {
	m.moveToPool(g, slice)
	u := &g.parts[slice]
	switch {
	case u.headroom == 0 && u.shared < m.threshold(g, slice) && m.shares(g, slice, n):
		return allocation{shared: n}, Kept
	case m.inHeadroom(g, slice, n):
		return allocation{headroom: n}, Kept
	case g.lossless:
		return allocation{}, m.lacking(g, slice, n)
	}
	return allocation{}, DropGroup
}

// shares reports whether pool and port have room for n more shared cells.
func (m *mmu) shares(g *group, slice uint8, n int64) bool {
	return g.pool.used[slice]+n <= g.pool.shared && g.use.allows(g.pool, slice, n)
}

// inHeadroom reports whether group, pool and port have room for n more cells of headroom.
func (m *mmu) inHeadroom(g *group, slice uint8, n int64) bool {
	r := &m.rooms[g.port.index]
	return g.parts[slice].headroom+n <= g.room &&
		(g.pool.headroom == 0 || g.pool.inHeadroom[slice]+n-m.private(g, slice, n) <= g.pool.headroom) &&
		(r.max == 0 || r.used+n <= r.max)
}

// lacking returns the drop reason when n more cells of headroom do not fit: the shared
// headroom pool if the group's own limit would have allowed them.
func (m *mmu) lacking(g *group, slice uint8, n int64) Reason {
	p, u := g.pool, &g.parts[slice]
	if p.headroom > 0 && u.headroom+n <= g.room && p.inHeadroom[slice]+n-m.private(g, slice, n) > p.headroom {
		return DropHeadroomPool
	}
	return DropHeadroom
}

// private returns how many of n more headroom cells the group's own buffer takes,
// rather than the pool's headroom.
func (m *mmu) private(g *group, slice uint8, n int64) int64 {
	if m.model.Admission != AdmitPerGroup {
		return 0
	}
	return min(n, max(g.limits.own-g.parts[slice].headroom, 0))
}

// charge charges what admit found.
func (m *mmu) charge(g *group, slice uint8, at allocation, bytes int32) {
	u, p := &g.parts[slice], g.pool
	inRoom := at.headroom - m.private(g, slice, at.headroom)
	u.own += at.own
	u.shared += at.shared
	u.headroom += at.headroom
	p.used[slice] += at.shared
	p.inHeadroom[slice] += inRoom
	g.use.shared[slice] += at.shared
	m.rooms[g.port.index].used += at.headroom
	g.count(at, bytes)
	g.stats.SliceHeadroomMost = max(g.stats.SliceHeadroomMost, u.headroom)
	p.Stats.add(at.own, at.shared, inRoom)
	p.Stats.SliceHeadroomMost = max(p.Stats.SliceHeadroomMost, p.inHeadroom[slice])
}

// count updates a group's statistics.
func (g *group) count(at allocation, bytes int32) {
	c := &g.stats
	c.Packets++
	c.Bytes += uint64(bytes)
	c.Held += at.own + at.shared + at.headroom
	c.Shared += at.shared
	c.Headroom += at.headroom
	c.HeldMost = max(c.HeldMost, c.Held)
	c.SharedMost = max(c.SharedMost, c.Shared)
	c.HeadroomMost = max(c.HeadroomMost, c.Headroom)
}

func (c *PoolStats) add(own, shared, headroom int64) {
	c.Held += own + shared
	c.Shared += shared
	c.Headroom += headroom
	c.HeldMost = max(c.HeldMost, c.Held)
	c.SharedMost = max(c.SharedMost, c.Shared)
	c.HeadroomMost = max(c.HeadroomMost, c.Headroom)
}

// reachesXoff reports whether a group must stop its senders after a charge. A group
// within its guaranteed minimum need not, however full the pool is.
func (m *mmu) reachesXoff(g *group, slice uint8) bool {
	if !g.lossless || g.xoff&(1<<slice) != 0 {
		return false
	}
	u := &g.parts[slice]
	switch m.model.Admission {
	case AdmitPerGroup:
		return u.headroom > g.stop
	case AdmitAfter:
		return u.headroom > 0 || u.shared >= m.threshold(g, slice)
	default:
		return u.headroom > 0 || u.own >= g.limits.own && u.shared >= m.threshold(g, slice)
	}
}

// release returns n cells of a group: headroom first, then shared cells.
func (m *mmu) release(g *group, slice uint8, n int64) {
	u, p := &g.parts[slice], g.pool
	before := u.headroom
	headroom := min(u.headroom, n)
	shared := min(u.shared, n-headroom)
	own := n - headroom - shared
	u.headroom -= headroom
	u.shared -= shared
	u.own -= own
	inRoom := headroom
	if m.model.Admission == AdmitPerGroup {
		inRoom = max(before-g.limits.own, 0) - max(u.headroom-g.limits.own, 0)
	}
	p.used[slice] -= shared
	p.inHeadroom[slice] -= inRoom
	g.use.shared[slice] -= shared
	m.rooms[g.port.index].used -= headroom
	g.stats.Held -= n
	g.stats.Shared -= shared
	g.stats.Headroom -= headroom
	p.Stats.add(-own, -shared, -inRoom)
	m.moveToPool(g, slice)
}

// moveToPool moves cells from a group's own buffer into the pool as far as there is room.
func (m *mmu) moveToPool(g *group, slice uint8) {
	u := &g.parts[slice]
	if m.model.Admission != AdmitPerGroup || u.headroom == 0 {
		return
	}
	n := min(u.headroom, m.threshold(g, slice)-u.shared, g.use.left(g.pool, slice))
	if n <= 0 {
		return
	}
	out := max(u.headroom-g.limits.own, 0) - max(u.headroom-n-g.limits.own, 0)
	u.headroom -= n
	u.shared += n
	g.pool.used[slice] += n
	g.pool.inHeadroom[slice] -= out
	m.rooms[g.port.index].used -= n
	g.use.shared[slice] += n
	g.stats.Headroom -= n
	g.stats.Shared += n
	g.stats.SharedMost = max(g.stats.SharedMost, g.stats.Shared)
	g.pool.Stats.add(0, n, -out)
}

// drained reports whether a group that stopped its senders may resume them.
func (m *mmu) drained(g *group, slice uint8) bool {
	u := &g.parts[slice]
	if m.model.Admission == AdmitPerGroup {
		return u.headroom < max(g.xon, 1)
	}
	if u.headroom > 0 {
		return false
	}
	held, least := u.own+u.shared, int64(0)
	if m.model.Admission == AdmitAfter { // its threshold counts shared cells only
		held, least = g.limits.own+u.shared, g.limits.own
	}
	level := g.xon
	if g.xonOffset > 0 || g.xon == 0 {
		level = max(level, g.limits.own+m.threshold(g, slice)-g.xonOffset)
	}
	return held <= max(level, least)
}
