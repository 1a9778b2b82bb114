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

// What the switch as a whole keeps, in bytes.
//
// Source: SONiC's buffer_pool scripts.
const (
	managementPool     = 256 * kib
	generation6Reserve = 32 << 20 // SN6000 and later
	defaultShared      = 640 * kib
)

// totals are the sums over all ports that pools are computed from.
type totals struct {
	uses     map[use]int
	up       int // ports
	wide     int // of them, with eight lanes
	lossless int // of them, with a lossless priority group
	ports    int
}

// add adds what a port uses, times sign.
func (t *totals) add(r *result, sign int) {
	if r == nil {
		return
	}
	for u, n := range r.uses {
		if t.uses[u] += sign * n; t.uses[u] == 0 {
			delete(t.uses, u)
		}
	}
	count := func(n *int, is bool) {
		if is {
			*n += sign
		}
	}
	count(&t.up, r.up)
	count(&t.wide, r.up && r.wide)
	count(&t.lossless, r.lossless)
}

// balance is how the chip's memory is shared out, in bytes.
type balance struct {
	memory   float64
	profiles float64 // reserved by profiles, and for what is in the pipeline
	manage   float64 // of the ports' management priority groups
	mirror   float64
	fixed    float64 // of the switch as a whole
	private  float64 // headroom that is not shared though there is a shared headroom pool
	excess   float64 // headroom beyond what profiles and ports reserve
	shared   float64 // the shared headroom pool
	isShared bool
	// disregarded is what another program states and does not count; 0: nothing.
	disregarded float64
	kept        string // why memory is not what another program states now; "": it is
}

func (b *balance) occupied() float64 {
	return b.profiles + b.manage + b.mirror + b.fixed + b.private + b.shared
}

func (b *balance) available() float64 { return b.memory - b.occupied() }

// memory is what counts as the chip's, in bytes: what another program states, else what
// is there; 0: unknown.
func (m *Manager) memory() uint64 {
	if m.params.StatedMMU > 0 {
		return m.params.StatedMMU
	}
	return m.chipMemory()
}

// chipMemory is what the chip reports, in bytes, else the size of the egress pool that
// spans it; 0: unknown.
func (m *Manager) chipMemory() uint64 {
	if m.params.MMUBytes > 0 {
		return m.params.MMUBytes
	}
	if p := m.in.Rows.BufferPools[egressLossless]; p != nil && p.HasSize {
		return p.Size
	}
	return 0
}

// balance adds up what is reserved. The chip's constants must be known.
func (m *Manager) balance(t *totals) balance {
	b := balance{
		memory: float64(m.memory()), fixed: managementPool, mirror: float64(t.up) * mirrorReserve,
		manage:   float64(t.up-t.wide)*m.lossyBytes(false) + float64(t.wide)*m.lossyBytes(true),
		isShared: m.common.shared, kept: m.params.MemoryKept,
	}
	if m.sw.Model >= 6000 {
		b.fixed += generation6Reserve
		b.mirror = 0
	}
	for u, n := range t.uses {
		p := m.profile(u.profile)
		if p == nil {
			continue
		}
		size := float64(p.Size)
		if u.by <= byWidePG && m.reserves(p) {
			size += m.lossyBytes(u.by == byWidePG)
		}
		b.profiles += size * float64(n)
		if over := float64(p.Xon) + float64(p.Xoff) - float64(p.Size); p.HasXoff && over > 0 {
			b.excess += over * float64(n)
		}
	}
	m.share(&b, t)
	m.disregard(&b)
	return b
}

// disregard goes by the chip's memory where another program states less than is reserved,
// or more than the chip reports: no pool could stay, and all headroom would be taken from
// under traffic.
func (m *Manager) disregard(b *balance) {
	stated, there, reported := float64(m.params.StatedMMU), float64(m.chipMemory()), float64(m.params.MMUBytes)
	tooLittle, tooMuch := b.available() < 0 && there > stated, reported > 0 && stated > reported
	if stated > 0 && (tooLittle || tooMuch) {
		b.disregarded, b.memory = stated, there
	}
}

// share works out the shared headroom pool. There is one too if profiles that the
// operator wrote leave headroom to it.
func (m *Manager) share(b *balance, t *totals) {
	forced := !b.isShared && b.excess > 0
	if !b.isShared && !forced {
		return
	}
	b.private = float64(t.lossless) * privateShare
	b.excess = math.Max(0, b.excess-b.private)
	pool, ratio := m.in.Rows.BufferPools[losslessPool], 0.0
	if m.common.parameter != nil {
		ratio = float64(m.common.parameter.OverSubscribeRatio)
	}
	switch {
	case !forced && pool != nil && pool.Xoff != 0:
		b.shared = float64(pool.Xoff)
	case !forced && ratio > 0:
		b.shared = math.Ceil(b.excess / ratio)
	}
	if b.shared == 0 {
		b.shared = defaultShared
	}
	b.isShared = true
}

// reserves reports whether a priority group with a profile keeps memory for the
// pipeline beside what the profile says: a lossy one does that has any memory at all.
func (m *Manager) reserves(p *configdb.BufferProfile) bool {
	if p == nil || p.HasXoff {
		return false
	}
	pool := m.pool(p.Pool)
	return pool != nil && (!pool.HasSize || pool.Size > 0)
}

// pool finds a pool, a zero pool among them.
func (m *Manager) pool(name string) *configdb.BufferPool {
	if p := m.in.Rows.BufferPools[name]; p != nil {
		return p
	}
	if m.params.Zero != nil {
		return m.params.Zero.pool(name)
	}
	return nil
}

// profile finds a profile in effect, by its name.
func (m *Manager) profile(name string) *configdb.BufferProfile {
	if p := m.in.Rows.BufferProfiles[name]; p != nil {
		return p
	}
	if g := m.made[name]; g != nil {
		return g.row
	}
	if m.params.Zero != nil {
		return m.params.Zero.profile(name)
	}
	return nil
}

// pools returns the pools that take effect otherwise than they are written, and what is
// wrong with pools.
func (m *Manager) pools(t *totals) (entries []entry, problems []graph.Problem) {
	rows := m.in.Rows.BufferPools
	ingress := 0
	for _, p := range rows {
		if !p.HasSize && p.Type != configdb.Egress {
			ingress++
		}
	}
	var b balance
	why := m.unsized()
	if why == nil || why.Severity != graph.Waiting {
		b = m.split(t)
	}
	for _, name := range sortedNames(rows) {
		p := rows[name]
		e, problem := m.sized(p, &b, ingress, why)
		if problem != nil {
			problem.Row = p.ID
			problems = append(problems, *problem)
		}
		if e != nil {
			entries = append(entries, *e)
		}
	}
	return entries, problems
}

// split is the balance by the rules of the platform.
func (m *Manager) split(t *totals) balance {
	if m.sw.Vendor != platform.Barefoot {
		return m.balance(t)
	}
	return balance{isShared: true, shared: math.Ceil(float64(t.ports) * 2 * 400 * float64(m.asic.CellBytes) * 0.7)}
}

// unsized says why no pool's size can be computed; nil if it can.
func (m *Manager) unsized() *graph.Problem {
	switch {
	case m.asic == nil:
		return lacking(asicFile, m.noASIC())
	case m.sw.Vendor == platform.Barefoot:
		return &graph.Problem{Severity: graph.Refused, Field: "size", Err: fmt.Errorf("a pool of this platform, %s, has a size of its own", m.params.Platform)}
	case m.memory() == 0:
		return lacking(chipBytes, fmt.Errorf("%s is unknown: the chip does not tell it, and %s has no size", chipBytes, configdb.Key(poolTable, egressLossless)))
	}
	return nil
}

// sized is a pool with the size and the shared headroom that it takes effect with; nil
// if that is what is written.
func (m *Manager) sized(p *configdb.BufferPool, b *balance, ingress int, why *graph.Problem) (*entry, *graph.Problem) {
	row := *p
	if !p.HasSize {
		if why != nil {
			return &entry{key: p.ID}, why
		}
		size, problem := b.size(p, ingress, float64(m.asic.CellBytes))
		if problem != nil {
			return &entry{key: p.ID}, problem
		}
		row.Size, row.HasSize, row.Percentage = uint64(size), true, 0
	}
	if p.Name == losslessPool && b.isShared {
		row.Xoff, row.HasXoff = uint64(b.shared), true
	}
	if row == *p {
		return nil, nil
	}
	return &entry{key: p.ID, row: &row, origins: m.poolOrigins(p.ID)}, b.warning()
}

// warning says that what another program states does not count.
func (b *balance) warning() *graph.Problem {
	switch {
	case b.disregarded == 0 && b.kept == "":
		return nil
	case b.disregarded == 0:
		return &graph.Problem{Severity: graph.Warned, Field: "size", Err: errors.New(b.kept)}
	}
	return &graph.Problem{Severity: graph.Warned, Field: "size", Err: fmt.Errorf(
		"STATE_DB states %.0f bytes of memory, which do not count: %.0f bytes are reserved, and the chip has %.0f", b.disregarded, b.occupied(), b.memory)}
}

// poolOrigins are the rows that a computed pool comes from, in order.
func (m *Manager) poolOrigins(id configdb.RowKey) []configdb.RowKey {
	keys := []configdb.RowKey{id}
	if m.common.parameter != nil {
		keys = append(keys, m.common.parameter.ID)
	}
	if p := m.in.Rows.BufferPools[egressLossless]; m.params.MMUBytes == 0 && p != nil {
		keys = append(keys, p.ID)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// size is that of one pool, in bytes.
func (b *balance) size(p *configdb.BufferPool, ingress int, cell float64) (float64, *graph.Problem) {
	rest := b.available()
	if rest < 0 {
		return 0, &graph.Problem{Severity: graph.Refused, Field: "size", Err: fmt.Errorf(
			"nothing is left for it: %.0f bytes are reserved, the chip has %.0f", b.occupied(), b.memory)}
	}
	size := rest
	switch {
	case p.Percentage > 0:
		size = rest * float64(p.Percentage) / 100
	case ingress > 1:
		size = rest / 2
	}
	return math.Min(math.Ceil(size), math.Floor(b.memory/cell)*cell), nil
}
