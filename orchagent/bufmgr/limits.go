package bufmgr

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// group are priority groups of one port with one profile.
type group struct {
	port    string
	lo, hi  int
	row     configdb.RowKey // the effective row
	profile *configdb.BufferProfile
}

func (g *group) count() int { return g.hi - g.lo + 1 }

// times is what the groups have together of which each has n.
func (g *group) times(n uint64) uint64 { return times(n, g.count()) }

// String is "priority group 3 of Ethernet0".
func (g *group) String() string {
	if g.lo == g.hi {
		return fmt.Sprintf("priority group %d of %s", g.lo, g.port)
	}
	return fmt.Sprintf("priority groups %d-%d of %s", g.lo, g.hi, g.port)
}

// Shared is what the lossless priority groups may take of a pool's shared headroom.
type Shared struct {
	Pool   string
	Xoff   uint64 // bytes that the pool has
	Most   uint64 // bytes that the groups of one port can get of them at all
	Groups int    // with a profile of the pool that may take any
	Needed uint64 // bytes that all of them may take together
	// Together is how many may take all that they may at the same time, whichever they
	// are: those that may take the most, all in one part of the chip.
	Together int

	part uint64 // bytes of Xoff in one part of the chip
}

// Short reports whether the groups may need more together than there is.
func (s *Shared) Short() bool { return s.Needed > s.part }

// String says so in a sentence.
func (s *Shared) String() string {
	return fmt.Sprintf("%d lossless priority groups may need %d bytes of shared headroom together, the pool has %d: certainly enough for %d of them at a time",
		s.Groups, s.Needed, s.Xoff, s.Together)
}

// limits compares what effective rows ask for with what there is.
type limits struct {
	*Manager
	book     *ledger
	rows     *configdb.Config // effective
	origins  map[configdb.RowKey][]configdb.RowKey
	reserved map[string]uint64 // by pool
	problems []graph.Problem
	shared   []Shared
}

// keeps is what one group with a profile keeps of its pool: without shared headroom its
// own as well, which some profiles count in their size and others beside it.
func (c *limits) keeps(p *configdb.BufferProfile) uint64 {
	pool := c.rows.BufferPools[p.Pool]
	if c.sw.Vendor != platform.Mellanox && pool != nil && pool.Xoff == 0 && p.Size < p.Xoff {
		return plus(p.Size, p.Xoff)
	}
	return p.Size
}

// demand is what one group with a profile may take of its pool's shared headroom.
func (c *limits) demand(p *configdb.BufferProfile) uint64 {
	if !p.HasXoff {
		return 0
	}
	if c.sw.Vendor != platform.Mellanox {
		return p.Xoff
	}
	all := plus(p.Xon, p.Xoff)
	return all - min(all, p.Size)
}

// warn adds a warning of a row that somebody wrote.
func (c *limits) warn(row configdb.RowKey, field string, err error) {
	c.problems = append(c.problems, graph.Problem{Row: c.written(row), Severity: graph.Warned, Field: field, Err: &graph.Loss{Err: err}})
}

// written is the row of CONFIG_DB that somebody wrote and an effective one comes from.
func (c *limits) written(row configdb.RowKey) configdb.RowKey {
	if c.in.Rows.Get(row) != nil && !c.in.Derived[row] {
		return row
	}
	for _, name := range []string{pgTable, qosTable, portTable} {
		for _, k := range c.origins[row] {
			if k.Table() == name {
				return k
			}
		}
	}
	return row
}

// leastOf is the least headroom of a port's link; false if its speed is unknown. A cable
// of unknown length counts as none.
func (m *Manager) leastOf(port string) (n least, known bool) {
	v := m.view(port)
	if v.row == nil || v.speed() == 0 {
		return n, false
	}
	l := link{speed: v.speed(), metres: v.cable.metres, mtu: v.row.MTU, gearbox: v.gearbox, lanes: v.lanes()}
	return m.least(l, v.cabled), true
}

// checkPool compares a pool with its own shared headroom, with what profiles reserve of
// it, and with what groups may take of its shared headroom. Sizes that are computed leave
// room for both.
func (c *limits) checkPool(pool *configdb.BufferPool) {
	written := c.in.Rows.BufferPools[pool.Name]
	if written != nil && written.HasSize && pool.Type != configdb.Egress && pool.Xoff > pool.Size {
		c.warn(pool.ID, "xoff", fmt.Errorf("%d bytes of shared headroom are more than the pool's size of %d", pool.Xoff, pool.Size))
	}
	c.checkReserved(pool)
	if pool.Xoff > 0 {
		c.checkShared(pool)
	}
}

// checkReserved compares a pool with what profiles reserve of it. That is kept beside the
// pool by the rules of the dynamic model, of Spectrum and of Tomahawk 1 and 2.
func (c *limits) checkReserved(pool *configdb.BufferPool) {
	n := c.reserved[pool.Name]
	if c.reservesBeside() || !pool.HasSize || pool.Xoff > pool.Size || n <= pool.Size-pool.Xoff {
		return
	}
	and := ""
	if pool.Xoff > 0 {
		and = fmt.Sprintf(" beside its %d of shared headroom", pool.Xoff)
	}
	c.warn(pool.ID, "size", fmt.Errorf("%d bytes are less than the %d that profiles reserve of it%s: by SAI's rule the size contains both", pool.Size, n, and))
}

// reservesBeside reports whether pools contain neither what profiles reserve nor shared
// headroom.
func (m *Manager) reservesBeside() bool {
	return m.dynamicModel() || m.sw.Vendor == platform.Mellanox || m.sw.Class == "th" || m.sw.Class == "th2" || m.sw.PoolsExcludeHeadroom
}

// checkShared finds out who shares the headroom of a pool. That all can't have theirs at
// once is meant so; it is a fault if it is more than over_subscribe_ratio allows.
func (c *limits) checkShared(pool *configdb.BufferPool) {
	s, ports := c.sharing(pool)
	if s.Groups == 0 {
		return
	}
	s.Needed -= min(s.Needed, uint64(ports)*c.ownShare())
	c.shared = append(c.shared, s)
	written := c.in.Rows.BufferPools[pool.Name]
	if written == nil || written.Xoff == 0 || !c.dynamicModel() || c.common.parameter == nil {
		return // what is computed goes by the ratio
	}
	if ratio := uint64(c.common.parameter.OverSubscribeRatio); ratio > 0 && s.Needed/ratio > s.Xoff {
		c.warn(pool.ID, "xoff", fmt.Errorf("%s; %s allows %d times as much", &s, c.common.parameter.ID, ratio))
	}
}

// sharing adds up what the groups of a pool may take, and warns of what one of them can
// never get. ports is how many ports they are of.
func (c *limits) sharing(pool *configdb.BufferPool) (s Shared, ports int) {
	s = Shared{Pool: pool.Name, Xoff: pool.Xoff, part: pool.Xoff / c.parts(), Most: plus(pool.Xoff/c.parts(), c.ownShare())}
	demands, warned := map[uint64]int{}, map[string]bool{}
	for _, p := range c.book.byPort {
		before := s.Groups
		for i := range p.groups {
			g := &p.groups[i]
			n := c.demand(g.profile)
			if g.profile.Pool != pool.Name || n == 0 {
				continue
			}
			s.Groups, s.Needed = s.Groups+g.count(), plus(s.Needed, g.times(n))
			demands[n] += g.count()
			if name := g.profile.Name; n > s.Most && !warned[name] {
				warned[name] = true
				c.warn(pool.ID, "xoff", fmt.Errorf("%d bytes of shared headroom%s are less than the %d that one priority group may need by %s: it can never get them", s.part, c.partOf(pool.Xoff), n, g.profile.ID))
			}
		}
		if s.Groups > before {
			ports++
		}
	}
	s.Together = together(s.part, demands)
	return s, ports
}

// together is how many demands fit whichever they are: the greatest first. demands counts
// groups by what one of them may take.
func together(room uint64, demands map[uint64]int) (n int) {
	for _, size := range slices.Backward(slices.Sorted(maps.Keys(demands))) {
		fit := min(uint64(demands[size]), room/size)
		n, room = n+int(fit), room-fit*size
		if fit < uint64(demands[size]) {
			break
		}
	}
	return n
}

// ownShare is what a port has for its headroom beside the shared headroom pool, in bytes.
func (m *Manager) ownShare() uint64 {
	if m.sw.Vendor == platform.Mellanox || m.dynamicModel() {
		return privateShare
	}
	return 0
}

// slicesOf are the parts that chip classes divide a pool and its shared headroom into, of
// which a port uses one. A class that is not in it has one, or is not known.
//
// Source: SONiC's qos_params of its tests, as in the profiles of the virtual chip.
var slicesOf = map[string]uint64{"th": 4, "th2": 4, "th3": 2, "th4": 2, "th5": 2}

// Slices is how many parts chips of a class divide a pool and its shared headroom into, 1 if
// the class is not known.
func Slices(class string) uint64 { return max(1, slicesOf[class]) }

// parts are the slices of the chip.
func (m *Manager) parts() uint64 { return Slices(m.sw.Class) }

// inParts says so.
func (m *Manager) inParts() string {
	if n := m.parts(); n > 1 {
		return fmt.Sprintf(" (a port has one of %d parts)", n)
	}
	return ""
}

// partOf is the same beside the size of a part.
func (m *Manager) partOf(whole uint64) string {
	if n := m.parts(); n > 1 {
		return fmt.Sprintf(" (a port has one of %d parts of %d)", n, whole)
	}
	return ""
}

// times multiplies, up to what a number can be.
func times(n uint64, count int) uint64 {
	if count > 0 && n > math.MaxUint64/uint64(count) {
		return math.MaxUint64
	}
	return n * uint64(count)
}

// plus adds, up to what a number can be.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}
