package dataplane_test

import (
	"slices"
	"strings"

	"xon/sai/vsai/dataplane"
)

// naive is packet memory as a string of cells for each group and queue: r reserved, s
// shared, h headroom. It counts everything from these strings.
type naive struct {
	model  dataplane.Model
	pools  []naivePool
	users  []*naiveUser // groups, and queues behind them
	groups []*naiveGroup
	queues []*naiveUser
	stops  []*naiveGroup // groups that have stopped their senders, in order
}

type naivePool struct {
	size int // cells that are shared
	room int // of shared headroom; 0: each group has its own
}

// naiveUser is a group or a queue.
type naiveUser struct {
	naive *naive
	limit dataplane.PortLimit // of its port in its pool
	cfg   dataplane.Buffer
	port  int
	cells string
	drops int
}

type naiveGroup struct {
	*naiveUser
	room    int // maximum headroom of its port
	stopped bool
}

func (u *naiveUser) has(kind string) int { return strings.Count(u.cells, kind) }

func (u *naiveUser) pool() naivePool { return u.naive.pools[u.cfg.Pool] }

// sum counts cells of a kind in a pool (-1: all), of one port or of all (-1).
func (n *naive) sum(pool, port int, kind string) (all int) {
	for _, u := range n.users {
		if (port < 0 || u.port == port) && (pool < 0 || u.cfg.Pool == pool) {
			all += u.has(kind)
		}
	}
	return all
}

func shifted(n int, alpha int8) int {
	for ; alpha > 0; alpha-- {
		n *= 2
	}
	for ; alpha < 0; alpha++ {
		n /= 2
	}
	return n
}

func (u *naiveUser) free() int { return max(u.pool().size-u.naive.sum(u.cfg.Pool, -1, "s"), 0) }

// ofPort is the port's shared use of the pool.
func (u *naiveUser) ofPort() int { return u.naive.sum(u.cfg.Pool, u.port, "s") }

func (u *naiveUser) alpha(a int8) int8 { return min(a, u.naive.model.AlphaTop) }

func (u *naiveUser) threshold() int {
	switch {
	case u.cfg.Dynamic:
		return shifted(u.free(), u.alpha(u.cfg.Alpha))
	case u.cfg.Static == 0:
		return u.pool().size
	}
	return int(u.cfg.Static)
}

// portThreshold is what the port may share of the pool now.
func (u *naiveUser) portThreshold() int {
	if u.limit.Dynamic {
		return shifted(u.free(), u.alpha(u.limit.Alpha))
	}
	return 1 << 30
}

func (g *naiveGroup) threshold() int {
	if !g.cfg.Dynamic || !g.naive.model.PortAlpha {
		return g.naiveUser.threshold()
	}
	ofPort := g.portThreshold()
	if !g.limit.Dynamic {
		ofPort = shifted(g.free(), g.naive.model.AlphaTop)
	}
	return shifted(max(ofPort-g.ofPort(), 0), g.alpha(g.cfg.Alpha))
}

// shares reports whether so many cells find room in the pool and the port's part, whose
// threshold is given.
func (u *naiveUser) shares(n, ofPort int) bool {
	limit := int(u.limit.Shared)
	return u.naive.sum(u.cfg.Pool, -1, "s")+n <= u.pool().size && (limit == 0 || u.ofPort()+n <= limit) && u.ofPort() < ofPort
}

// portShares reports the same of the port's part alone.
func (u *naiveUser) portShares(n int) bool {
	limit := int(u.limit.Shared)
	return (limit == 0 || u.ofPort()+n <= limit) && u.ofPort() < u.portThreshold()
}

// over reports whether the pool does not limit a queue.
func (u *naiveUser) over() bool {
	return u.naive.model.StaticOverPool && !u.cfg.Dynamic && int(u.cfg.Static) > u.pool().size
}

// come finds room for a packet at egress, and charges it.
func (u *naiveUser) come(n int) bool {
	reserve := min(n, max(int(u.cfg.Reserved)-u.has("r"), 0))
	rest := n - reserve
	if rest > 0 && (u.has("s") >= u.threshold() || !u.over() && !u.shares(rest, u.portThreshold()) || u.over() && !u.portShares(rest)) {
		u.drops++
		return false
	}
	u.cells += strings.Repeat("r", reserve) + strings.Repeat("s", rest)
	return true
}

// leave releases cells.
func (u *naiveUser) leave(n int) {
	for _, kind := range strings.Split(strings.Repeat("h", n)+strings.Repeat("s", n)+strings.Repeat("r", n), "") {
		if n > 0 && u.has(kind) > 0 {
			u.cells = strings.Replace(u.cells, kind, "", 1)
			n--
		}
	}
}

// outside is the headroom of a group that the pool has to give.
func (g *naiveGroup) outside(headroom int) int {
	if g.naive.model.Admission == dataplane.AdmitPerGroup {
		return max(headroom-int(g.cfg.Reserved), 0)
	}
	return headroom
}

// buffer is the nominal size of a group's own buffer, before chip-specific rules.
func (g *naiveGroup) buffer() int { return int(max(g.cfg.Reserved, g.cfg.Xoff+g.cfg.Xon)) }

func (g *naiveGroup) most() int {
	switch {
	case g.naive.model.Admission != dataplane.AdmitPerGroup:
		return int(g.cfg.Xoff)
	case g.pool().room > 0:
		return g.buffer() + (g.naive.model.SharedXoffTimes-1)*int(g.cfg.Xoff)
	}
	return max(g.buffer()-g.naive.model.HeadroomLoss, 0)
}

func (g *naiveGroup) spare(n int) bool {
	others := 0
	for _, x := range g.naive.groups {
		if x != g && x.cfg.Pool == g.cfg.Pool {
			others += x.outside(x.has("h"))
		}
	}
	return g.has("h")+n <= g.most() &&
		(g.pool().room == 0 || others+g.outside(g.has("h")+n) <= g.pool().room) &&
		(g.room == 0 || g.naive.sum(-1, g.port, "h")+n <= g.room)
}

// settle moves headroom to shared, cell by cell.
func (g *naiveGroup) settle() {
	if g.naive.model.Admission != dataplane.AdmitPerGroup {
		return
	}
	for t, ofPort := g.threshold(), g.portThreshold(); g.has("h") > 0 && g.has("s") < t && g.shares(1, ofPort); {
		g.cells = strings.Replace(g.cells, "h", "s", 1)
	}
}

// come admits a packet to a queue as well, if both have room.
func (g *naiveGroup) come(n int, queue *naiveUser) bool {
	g.settle()
	cells := g.find(n)
	if cells == "" {
		g.drops++
		return false
	}
	if !queue.come(n) {
		return false
	}
	g.cells += cells
	g.look()
	return true
}

// find finds room for a packet: the kinds of its cells; "" if there is none.
func (g *naiveGroup) find(n int) string {
	reserve := min(n, max(int(g.cfg.Reserved)-g.has("r"), 0))
	t := g.threshold()
	switch g.naive.model.Admission {
	case dataplane.AdmitPerGroup:
		reserve = 0
	case dataplane.AdmitAfter:
		return g.findAfter(n, t)
	case dataplane.AdmitBefore:
	}
	rest := n - reserve
	switch {
	case rest == 0, g.has("h") == 0 && g.has("s") < t && g.shares(rest, g.portThreshold()):
		return strings.Repeat("r", reserve) + strings.Repeat("s", rest)
	case g.spare(rest):
		return strings.Repeat("r", reserve) + strings.Repeat("h", rest)
	}
	return ""
}

func (g *naiveGroup) findAfter(n, t int) string {
	over := g.has("r") + g.has("s") + n - int(g.cfg.Reserved)
	switch {
	case n+g.has("s") > t && !g.spare(n):
		return ""
	case over <= 0:
		return strings.Repeat("r", n)
	case over > t:
		return strings.Repeat("h", n)
	}
	return strings.Repeat("s", min(n, over)) + strings.Repeat("r", n-min(n, over))
}

// look stops the sender if the group has reached its threshold and used its minimum.
func (g *naiveGroup) look() {
	over := g.has("h") > 0 || g.has("s") >= g.threshold()
	switch g.naive.model.Admission {
	case dataplane.AdmitPerGroup:
		over = g.has("h") > g.buffer()-int(g.cfg.Xoff)
	case dataplane.AdmitBefore:
		over = over && (g.has("h") > 0 || g.has("r") >= int(g.cfg.Reserved))
	case dataplane.AdmitAfter:
	}
	if over && !g.stopped {
		g.stopped = true
		g.naive.stops = append(g.naive.stops, g)
	}
}

// leave releases cells of a group, and resumes all senders that may; the one that was
// stopped last is first.
func (g *naiveGroup) leave(n int) {
	g.naiveUser.leave(n)
	g.settle()
	for i := len(g.naive.stops) - 1; i >= 0; i-- {
		x := g.naive.stops[i]
		x.settle()
		if x.stopped = !x.calm(); !x.stopped {
			g.naive.stops = slices.Delete(g.naive.stops, i, i+1)
		}
	}
}

func (g *naiveGroup) calm() bool {
	if g.naive.model.Admission == dataplane.AdmitPerGroup {
		return g.has("h") < max(int(g.cfg.Xon), 1)
	}
	level := int(g.cfg.Xon)
	if g.cfg.XonOffset > 0 || g.cfg.Xon == 0 {
		level = max(level, int(g.cfg.Reserved)+g.threshold()-int(g.cfg.XonOffset))
	}
	if g.naive.model.Admission == dataplane.AdmitAfter {
		return g.has("h") == 0 && (g.has("s") == 0 || int(g.cfg.Reserved)+g.has("s") <= level)
	}
	return g.has("h") == 0 && g.has("r")+g.has("s") <= max(level, 0)
}
