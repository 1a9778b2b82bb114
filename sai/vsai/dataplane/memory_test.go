package dataplane_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"xon/sai/vsai/dataplane"
)

// naive is packet memory as a string of cells for each group: r reserved, s shared,
// h headroom. All it knows it counts.
type naive struct {
	model  dataplane.Model
	size   int // cells of the pool that are shared
	room   int // of shared headroom; 0: each group has its own
	groups []*naiveGroup
	stops  []*naiveGroup // have stopped their senders, in that order
}

type naiveGroup struct {
	naive   *naive
	port    dataplane.PortLimit
	cfg     dataplane.Buffer
	number  int // of the port
	cells   string
	drops   int
	stopped bool
}

func (g *naiveGroup) has(kind string) int { return strings.Count(g.cells, kind) }

// sum counts cells of a kind, of one port or of all (-1).
func (n *naive) sum(port int, kind string) (all int) {
	for _, g := range n.groups {
		if port < 0 || g.number == port {
			all += g.has(kind)
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

func (g *naiveGroup) threshold() int {
	free := max(g.naive.size-g.naive.sum(-1, "s"), 0)
	switch {
	case g.cfg.Dynamic && g.naive.model.PortAlpha:
		return shifted(max(shifted(free, g.port.Alpha)-g.naive.sum(g.number, "s"), 0), g.cfg.Alpha)
	case g.cfg.Dynamic:
		return shifted(free, g.cfg.Alpha)
	case g.cfg.Static == 0:
		return g.naive.size
	}
	return int(g.cfg.Static)
}

// shares reports whether so many cells find room in the pool and the port's part.
func (g *naiveGroup) shares(n int) bool {
	limit := int(g.port.Shared)
	return g.naive.sum(-1, "s")+n <= g.naive.size && (limit == 0 || g.naive.sum(g.number, "s")+n <= limit)
}

// outside is the headroom of a group that the pool has to give.
func (g *naiveGroup) outside(headroom int) int {
	if g.naive.model.Admission == dataplane.AdmitPerGroup {
		return max(headroom-int(g.cfg.Reserved), 0)
	}
	return headroom
}

func (g *naiveGroup) most() int {
	if g.naive.model.Admission == dataplane.AdmitPerGroup {
		return int(max(g.cfg.Reserved, g.cfg.Xoff+g.cfg.Xon))
	}
	return int(g.cfg.Xoff)
}

func (g *naiveGroup) spare(n int) bool {
	others := 0
	for _, x := range g.naive.groups {
		if x != g {
			others += x.outside(x.has("h"))
		}
	}
	limit := int(g.port.Headroom)
	return g.has("h")+n <= g.most() &&
		(g.naive.room == 0 || others+g.outside(g.has("h")+n) <= g.naive.room) &&
		(limit == 0 || g.naive.sum(g.number, "h")+n <= limit)
}

// settle makes headroom shared, cell by cell.
func (g *naiveGroup) settle() {
	if g.naive.model.Admission != dataplane.AdmitPerGroup {
		return
	}
	for t := g.threshold(); g.has("h") > 0 && g.has("s") < t && g.shares(1); {
		g.cells = strings.Replace(g.cells, "h", "s", 1)
	}
}

// come admits a packet.
func (g *naiveGroup) come(n int) {
	g.settle()
	reserve := min(n, max(int(g.cfg.Reserved)-g.has("r"), 0))
	t := g.threshold()
	switch g.naive.model.Admission {
	case dataplane.AdmitPerGroup:
		reserve = 0
	case dataplane.AdmitAfter:
		g.comeAfter(n, t)
		return
	case dataplane.AdmitBefore:
	}
	rest := n - reserve
	switch {
	case rest == 0, g.has("h") == 0 && g.has("s") < t && g.shares(rest):
		g.cells += strings.Repeat("r", reserve) + strings.Repeat("s", rest)
	case g.spare(rest):
		g.cells += strings.Repeat("r", reserve) + strings.Repeat("h", rest)
	default:
		g.drops++
		return
	}
	g.look()
}

func (g *naiveGroup) comeAfter(n, t int) {
	over := g.has("r") + g.has("s") + n - int(g.cfg.Reserved)
	switch {
	case n+g.has("s") > t && !g.spare(n):
		g.drops++
		return
	case over <= 0:
		g.cells += strings.Repeat("r", n)
	case over > t:
		g.cells += strings.Repeat("h", n)
	default:
		g.cells += strings.Repeat("s", min(n, over)) + strings.Repeat("r", n-min(n, over))
	}
	g.look()
}

// look stops the sender if the group has come to its threshold.
func (g *naiveGroup) look() {
	over := g.has("h") > 0 || g.has("s") >= g.threshold()
	if g.naive.model.Admission == dataplane.AdmitPerGroup {
		over = g.has("h") > g.most()-int(g.cfg.Xoff)
	}
	if over && !g.stopped {
		g.stopped = true
		g.naive.stops = append(g.naive.stops, g)
	}
}

// leave gives cells of a group back, and lets all senders go on that may, of which
// the one that was stopped last has the first choice of what is free.
func (g *naiveGroup) leave(n int) {
	for _, kind := range strings.Split(strings.Repeat("h", n)+strings.Repeat("s", n)+strings.Repeat("r", n), "") {
		if n > 0 && g.has(kind) > 0 {
			g.cells = strings.Replace(g.cells, kind, "", 1)
			n--
		}
	}
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
	level := int(g.cfg.Xon - g.cfg.Reserved)
	if g.cfg.XonOffset > 0 || g.cfg.Xon == 0 {
		level = max(level, g.threshold()-int(g.cfg.XonOffset))
	}
	return g.has("h") == 0 && g.has("s") <= max(level, 0)
}

// memory is a chip and what it is compared with: groups 3 and 4 of ports 0 and 1,
// whose frames leave by ports 2 and 3.
type memory struct {
	*star
	naive *naive
	held  [2][]int // by class: groups of the frames that are held, in order
	lens  [2][]int // and their cells
}

const memoryCell = 100

func drawMemory(t *testing.T, r *rapid.T) *memory {
	n := func(what string, most int) int64 { return int64(rapid.IntRange(0, most).Draw(r, what)) }
	m := &naive{model: dataplane.Model{
		CellBytes: memoryCell, Admission: dataplane.Admission(n("admission", 2)), SharedSize: dataplane.SharedExcludesHeadroom,
		PortAlpha: rapid.Bool().Draw(r, "port alpha"), ReleaseEarly: true,
	}, size: int(n("pool", 120)), room: int(n("room", 30))}
	s := newStar(t, rig{
		sw: dataplane.SwitchConfig{Model: m.model}, port: dataplane.PortConfig{Rate: 100e9, PFCSend: 0b11000}, hosts: 4,
		link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: int64(m.size) * memoryCell, Headroom: int64(m.room) * memoryCell})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for port := range 2 {
		l := dataplane.PortLimit{Shared: n("port's shared", 60), Headroom: n("port's headroom", 30), Alpha: int8(n("port's alpha", 4) - 2)}
		s.sw.SetLimit(port, dataplane.PortLimit{Shared: l.Shared * memoryCell, Headroom: l.Headroom * memoryCell, Alpha: l.Alpha})
		for class := range 2 {
			b := dataplane.Buffer{
				Dynamic: rapid.Bool().Draw(r, "dynamic"), Alpha: int8(n("alpha", 6) - 3), Static: n("static", 40), Reserved: n("reserved", 10),
				Xoff: 1 + n("xoff", 20), Xon: n("xon", 10), XonOffset: n("offset", 5),
			}
			m.groups = append(m.groups, &naiveGroup{naive: m, number: port, port: l, cfg: b})
			for _, x := range []*int64{&b.Static, &b.Reserved, &b.Xoff, &b.Xon, &b.XonOffset} {
				*x *= memoryCell
			}
			s.sw.SetGroup(port, 3+class, b)
			s.sw.SetQueue(2+class, 3+class, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
			s.Block(s.sw.Ports()[2+class], true)
		}
	}
	return &memory{star: s, naive: m}
}

// leaves has the first frame of a class leave.
func (m *memory) leaves(t *testing.T, class int) {
	m.Block(m.sw.Ports()[2+class], false)
	m.Block(m.sw.Ports()[2+class], true)
	m.naive.groups[m.held[class][0]].leave(m.lens[class][0])
	m.held[class], m.lens[class] = m.held[class][1:], m.lens[class][1:]
	m.pass(t, dataplane.Microsecond)
}

// comes has a frame come.
func (m *memory) comes(t *testing.T, port, class, bytes int) {
	at, cells := 2*port+class, (bytes+memoryCell-1)/memoryCell
	g := m.naive.groups[at]
	before := g.drops
	g.come(cells)
	if g.drops == before {
		m.held[class], m.lens[class] = append(m.held[class], at), append(m.lens[class], cells)
	}
	_, err := m.AddFlow(dataplane.FlowConfig{From: m.hosts[port], To: m.hosts[2+class], Bytes: uint64(bytes - 62), Payload: bytes - 62, Class: uint8(3 + class)})
	if err != nil {
		t.Fatal(err)
	}
	m.pass(t, dataplane.Microsecond)
}

func (m *memory) compare(r *rapid.T) {
	for i, g := range m.naive.groups {
		got := m.sw.Group(i/2, 3+i%2)
		stopped := m.sw.Ports()[i/2].Stopped()&(8<<(i%2)) != 0
		if int(got.Held) != len(g.cells) || int(got.Shared) != g.has("s") || int(got.Headroom) != g.has("h") || int(got.Dropped) != g.drops || stopped != g.stopped {
			r.Fatalf("group %d: %+v, stopped %v; counted %d cells, %d shared, %d in headroom, %d drops, stopped %v", i, got, stopped, len(g.cells), g.has("s"), g.has("h"), g.drops, g.stopped)
		}
	}
}

// TestMemory plays random frames in and out of random chips, and compares each step
// with memory of which every cell is counted.
func TestMemory(t *testing.T) {
	long(t)
	rapid.Check(t, func(r *rapid.T) {
		m := drawMemory(t, r)
		for range 150 {
			class := rapid.IntRange(0, 1).Draw(r, "class")
			if rapid.IntRange(0, 2).Draw(r, "leave") == 0 && len(m.held[class]) > 0 {
				m.leaves(t, class)
			} else {
				m.comes(t, rapid.IntRange(0, 1).Draw(r, "port"), class, rapid.IntRange(64, 964).Draw(r, "bytes"))
			}
			m.compare(r)
		}
	})
}
