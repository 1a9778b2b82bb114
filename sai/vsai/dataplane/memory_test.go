package dataplane_test

import (
	"testing"

	"pgregory.net/rapid"

	"xon/sai/vsai/dataplane"
)

// memory is a chip and the oracle for it: groups 3 and 4 of ports 0 and 1, whose frames
// leave by ports 2 and 3.
type memory struct {
	*star
	naive *naive
	held  [2][]int // by class: groups of the frames that are held, in order
	lens  [2][]int // and their cells
}

const memoryCell = 100

// Pools of the memory: two for groups, one for queues.
const memoryPools = 3

// drawing draws numbers, and converts them to bytes for the switch.
type drawing struct{ *rapid.T }

func (r drawing) number(what string, most int) int64 {
	return int64(rapid.IntRange(0, most).Draw(r.T, what))
}

func (r drawing) buffer(pool int) dataplane.Buffer {
	return dataplane.Buffer{
		Pool: pool, Dynamic: rapid.Bool().Draw(r.T, "dynamic"), Alpha: int8(r.number("alpha", 6) - 3), Static: r.number("static", 40), Reserved: r.number("reserved", 10),
	}
}

func (r drawing) limit() dataplane.PortLimit {
	return dataplane.PortLimit{Shared: r.number("port's shared", 60), Dynamic: rapid.Bool().Draw(r.T, "port's dynamic"), Alpha: int8(r.number("port's alpha", 4) - 2)}
}

func inBytes(b dataplane.Buffer) dataplane.Buffer {
	for _, x := range []*int64{&b.Static, &b.Reserved, &b.Xoff, &b.Xon, &b.XonOffset} {
		*x *= memoryCell
	}
	return b
}

func (m *memory) setLimit(port, pool int, l dataplane.PortLimit) {
	l.Shared *= memoryCell
	m.sw.SetLimit(port, pool, l)
}

func drawMemory(t *testing.T, r drawing) *memory {
	n := r.number
	m := &memory{naive: &naive{model: dataplane.Model{
		CellBytes: memoryCell, Admission: dataplane.Admission(n("admission", 2)), SharedSize: dataplane.SharedExcludesHeadroom,
		PortAlpha: rapid.Bool().Draw(r.T, "port alpha"), ReleaseEarly: true, AlphaTop: int8(1 + n("top", 6)),
		HeadroomLoss: int(n("loss", 8)), StaticOverPool: rapid.Bool().Draw(r.T, "static over pool"), SharedXoffTimes: int(1 + n("times", 1)),
	}}}
	m.star = newStar(t, rig{
		sw: dataplane.SwitchConfig{Model: m.naive.model, Pools: memoryPools}, port: dataplane.PortConfig{Rate: 100e9, PFCSend: 0b11000}, hosts: 4,
		link: dataplane.Link{Delay: dataplane.Nanosecond},
	})
	for i := range memoryPools {
		p := naivePool{size: int(n("pool", 120))}
		if i < memoryPools-1 {
			p.room = int(n("room", 30))
		}
		m.naive.pools = append(m.naive.pools, p)
		m.sw.SetPool(i, dataplane.Pool{Size: int64(p.size) * memoryCell, Headroom: int64(p.room) * memoryCell, Egress: i == memoryPools-1})
	}
	for port := range 2 {
		m.drawPort(r, port)
	}
	for class := range 2 {
		m.drawQueue(r, class)
	}
	return m
}

// drawPort draws the groups of a port and its limits.
func (m *memory) drawPort(r drawing, port int) {
	room := r.number("port's headroom", 30)
	m.sw.SetHeadroomLimit(port, room*memoryCell)
	limits := []dataplane.PortLimit{r.limit(), r.limit()}
	for pool, l := range limits {
		m.setLimit(port, pool, l)
	}
	for class := range 2 {
		b := r.buffer(int(r.number("pool", 1)))
		b.Xoff, b.Xon, b.XonOffset = 1+r.number("xoff", 20), r.number("xon", 10), r.number("offset", 5)
		u := &naiveUser{naive: m.naive, port: port, limit: limits[b.Pool], cfg: b}
		m.naive.users = append(m.naive.users, u)
		m.naive.groups = append(m.naive.groups, &naiveGroup{naiveUser: u, room: int(room)})
		m.sw.SetGroup(port, 3+class, inBytes(b))
	}
}

// drawQueue draws the queue of a class, and the limit of its port.
func (m *memory) drawQueue(r drawing, class int) {
	u := &naiveUser{naive: m.naive, port: 2 + class, limit: r.limit(), cfg: r.buffer(memoryPools - 1)}
	m.naive.users, m.naive.queues = append(m.naive.users, u), append(m.naive.queues, u)
	m.setLimit(u.port, u.cfg.Pool, u.limit)
	m.sw.SetQueue(u.port, 3+class, dataplane.Queue{Buffer: inBytes(u.cfg)})
	m.Block(m.sw.Ports()[u.port], true)
}

// depart makes the first frame of a class leave.
func (m *memory) depart(t *testing.T, class int) {
	m.Block(m.sw.Ports()[2+class], false)
	m.Block(m.sw.Ports()[2+class], true)
	m.naive.queues[class].leave(m.lens[class][0])
	m.naive.groups[m.held[class][0]].leave(m.lens[class][0])
	m.held[class], m.lens[class] = m.held[class][1:], m.lens[class][1:]
	m.pass(t, dataplane.Microsecond)
}

// arrive makes a frame arrive.
func (m *memory) arrive(t *testing.T, port, class, bytes int) {
	at, cells := 2*port+class, (bytes+memoryCell-1)/memoryCell
	if m.naive.groups[at].come(cells, m.naive.queues[class]) {
		m.held[class], m.lens[class] = append(m.held[class], at), append(m.lens[class], cells)
	}
	_, err := m.AddFlow(dataplane.FlowConfig{From: m.hosts[port], To: m.hosts[2+class], Bytes: uint64(bytes - 62), Payload: bytes - 62, Class: uint8(3 + class)})
	if err != nil {
		t.Fatal(err)
	}
	m.pass(t, dataplane.Microsecond)
}

func (m *memory) compare(r *rapid.T) {
	if err := m.Check(); err != nil {
		r.Fatal(err)
	}
	for i, x := range m.naive.queues {
		got := m.sw.Queue(2+i, 3+i)
		if int(got.Held) != len(x.cells) || int(got.Shared) != x.has("s") || int(got.Dropped) != x.drops {
			r.Fatalf("queue %d: %+v; counted %d cells, %d shared, %d drops", i, got, len(x.cells), x.has("s"), x.drops)
		}
	}
	for i, g := range m.naive.groups {
		got := m.sw.Group(i/2, 3+i%2)
		stopped := m.sw.Ports()[i/2].Stopped()&(8<<(i%2)) != 0
		if int(got.Held) != len(g.cells) || int(got.Shared) != g.has("s") || int(got.Headroom) != g.has("h") || int(got.Dropped) != g.drops || stopped != g.stopped {
			r.Fatalf("group %d: %+v, stopped %v; counted %d cells, %d shared, %d in headroom, %d drops, stopped %v", i, got, stopped, len(g.cells), g.has("s"), g.has("h"), g.drops, g.stopped)
		}
	}
}

// TestMemory plays random frames in and out of random chips, and compares each step
// with an oracle that counts every cell.
func TestMemory(t *testing.T) {
	long(t)
	rapid.Check(t, func(r *rapid.T) {
		m := drawMemory(t, drawing{r})
		for range 150 {
			class := rapid.IntRange(0, 1).Draw(r, "class")
			if rapid.IntRange(0, 2).Draw(r, "leave") == 0 && len(m.held[class]) > 0 {
				m.depart(t, class)
			} else {
				m.arrive(t, rapid.IntRange(0, 1).Draw(r, "port"), class, rapid.IntRange(64, 964).Draw(r, "bytes"))
			}
			m.compare(r)
		}
	})
}
