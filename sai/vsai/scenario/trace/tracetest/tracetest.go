// Package tracetest provides small recorded simulations for tests.
package tracetest

import (
	"fmt"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// Common parameters of ports.
const (
	Rate     = 100e9 // bit/s
	Class    = 3     // the lossless class
	Kmin     = 200e3 // bytes
	Kmax     = 800e3
	Headroom = 96 << 10 // bytes
	delay    = dataplane.Microsecond
)

// Net is a network under construction. All its switches have lossless traffic in class
// 3.
type Net struct {
	testing.TB
	*dataplane.Sim
	Recorder *trace.Recorder
	Control  *dataplane.DCQCN // for flows added later; nil: none
	routes   map[*dataplane.Switch]map[dataplane.MAC]int
	used     map[*dataplane.Switch]int
}

// New makes an empty network that r records; nil: no recording.
func New(t testing.TB, r *trace.Recorder) *Net {
	n := &Net{
		TB: t, Recorder: r,
		routes: map[*dataplane.Switch]map[dataplane.MAC]int{}, used: map[*dataplane.Switch]int{},
	}
	c := dataplane.Config{Seed: 1, Overhead: 20}
	if r != nil {
		c.Observe = r.Observe
		defer func() { r.Attach(n.Sim) }()
	}
	n.Sim = dataplane.New(c)
	return n
}

type byMAC map[dataplane.MAC]int

// Forward forwards a packet by the table.
func (m byMAC) Forward(_ int, h *dataplane.Header, _ dataplane.Marks) dataplane.Decision {
	if out, ok := m[h.DstMAC]; ok {
		return dataplane.ToPort(out, *h)
	}
	return dataplane.Decision{Drop: dataplane.DropForward}
}

var portConfig = dataplane.PortConfig{Rate: Rate, PFCSend: 1 << Class, PFCReceive: 1 << Class, MTU: 9216}

// Switch adds a switch with a number of ports and bytes of shared memory.
func (n *Net) Switch(name string, ports int, buffer int64) *dataplane.Switch {
	w, err := n.AddSwitch(dataplane.SwitchConfig{
		Name: name, Ports: ports, Queues: 8, Pools: 2,
		Model: dataplane.Model{CellBytes: 256, SharedSize: dataplane.SharedExcludesHeadroom},
	})
	n.must(err)
	w.SetPool(0, dataplane.Pool{Size: buffer})
	w.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	curve := dataplane.Curve{On: true, Min: Kmin, Max: Kmax, Percent: 20}
	red := &dataplane.WRED{Mark: [dataplane.Colours]dataplane.Curve{curve, curve, curve}}
	for i := range ports {
		for c := range dataplane.Classes {
			w.SetGroup(i, c, dataplane.Buffer{})
			w.SetQueue(i, c, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
		}
		n.SetPort(w.Ports()[i], portConfig)
		w.SetGroup(i, Class, dataplane.Buffer{Reserved: 4096, Dynamic: true, Alpha: -1, Xoff: Headroom, XonOffset: 8192})
		w.SetQueue(i, Class, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, WRED: red})
	}
	n.routes[w] = map[dataplane.MAC]int{}
	w.SetForwarder(byMAC(n.routes[w]))
	return w
}

// Host adds a host at the next port of a switch.
func (n *Net) Host(name string, w *dataplane.Switch) *dataplane.Host {
	id := len(n.Hosts()) + 1
	h, err := n.AddHost(dataplane.HostConfig{Name: name, MAC: dataplane.MAC{2, 0, 0, 0, 0, byte(id)}, Port: portConfig, AckClass: 6})
	n.must(err)
	n.route(w, h, n.join(w, h.Port()))
	return h
}

// Join connects two switches, and returns the port of each.
func (n *Net) Join(a, b *dataplane.Switch) (ofA, ofB int) {
	ofB = n.used[b]
	n.used[b]++
	return n.join(a, b.Ports()[ofB]), ofB
}

func (n *Net) join(w *dataplane.Switch, to *dataplane.Port) int {
	i := n.used[w]
	n.used[w]++
	n.must(n.Connect(w.Ports()[i], to, dataplane.Link{Delay: delay}))
	return i
}

// route routes packets for a host to a port of a switch.
func (n *Net) route(w *dataplane.Switch, h *dataplane.Host, port int) {
	n.routes[w][h.Config().MAC] = port
}

// Flow adds a flow of class 3; bytes 0: endless.
func (n *Net) Flow(from, to *dataplane.Host, bytes uint64, start dataplane.Time) *dataplane.Flow {
	f, err := n.AddFlow(dataplane.FlowConfig{
		From: from, To: to, Bytes: bytes, Class: Class, Start: start, SrcPort: uint16(len(n.Flows())),
		ECN: n.Control != nil, Control: n.Control, CNPEvery: 4 * dataplane.Microsecond,
	})
	n.must(err)
	return f
}

func (n *Net) must(err error) {
	if n.Helper(); err != nil {
		n.Error(err)
		n.FailNow()
	}
}

// Done runs until all flows are done or a time is reached, and ends the recording; it
// is nil without a recorder.
func (n *Net) Done(until dataplane.Time) *trace.Recording {
	for n.Pending() && n.Next() <= until && n.busy() {
		n.must(n.Run(n.Next()))
	}
	if n.busy() {
		n.must(n.Run(until))
	}
	if n.Recorder == nil {
		return nil
	}
	return n.Recorder.Recording()
}

func (n *Net) busy() bool {
	for _, f := range n.Flows() {
		if !f.Done() {
			return true
		}
	}
	return false
}

// Incast is RunIncast in a new network, with congestion control or nil.
func Incast(t testing.TB, senders int, control *dataplane.DCQCN) *trace.Recording {
	n := New(t, trace.New(trace.Options{}))
	n.Control = control
	return RunIncast(n, senders)
}

// RunIncast makes senders, at ports 1 and up of one switch, send 4 MB each to one
// receiver at port 0.
func RunIncast(n *Net, senders int) *trace.Recording {
	w := n.Switch("sw", senders+1, 4<<20)
	to := n.Host("receiver", w)
	for i := range senders {
		n.Flow(n.Host(fmt.Sprintf("h%d", i+1), w), to, 4e6, 0)
	}
	return n.Done(dataplane.Second)
}

// Storm is two switches with a fast link, hosts a and b at the first, c and d at the
// second. a sends to c, b to d. From 200 to 700 µs host c requests pauses continuously.
func Storm(t testing.TB) *trace.Recording {
	n := New(t, trace.New(trace.Options{}))
	left, right := n.Switch("left", 4, 1<<20), n.Switch("right", 4, 1<<20)
	a, b := n.Host("a", left), n.Host("b", left)
	c, d := n.Host("c", right), n.Host("d", right)
	out, in := n.Join(left, right)
	for _, p := range []*dataplane.Port{left.Ports()[out], right.Ports()[in]} {
		fast := portConfig
		fast.Rate *= 4
		n.SetPort(p, fast)
	}
	n.route(left, c, out)
	n.route(left, d, out)
	n.route(right, a, in)
	n.route(right, b, in)
	n.Flow(a, c, 6e6, 0)
	n.Flow(b, d, 6e6, 10*dataplane.Microsecond)
	n.At(200*dataplane.Microsecond, func() { n.Storm(c, 1<<Class, 0) })
	n.At(700*dataplane.Microsecond, func() { n.Storm(c, 0, 0) })
	return n.Done(2 * dataplane.Millisecond)
}

// Ring is a ring of switches, each with a host that sends to the one two switches on,
// clockwise: every link carries two flows, and all of them deadlock.
func Ring(t testing.TB, switches int) *trace.Recording {
	n := New(t, trace.New(trace.Options{}))
	var ws []*dataplane.Switch
	var hosts []*dataplane.Host
	for i := range switches {
		ws = append(ws, n.Switch(fmt.Sprintf("sw%d", i+1), 3, 1<<20))
		hosts = append(hosts, n.Host(fmt.Sprintf("h%d", i+1), ws[i]))
	}
	for i := range ws {
		out, _ := n.Join(ws[i], ws[(i+1)%switches])
		for j := range hosts {
			if j != i {
				n.route(ws[i], hosts[j], out)
			}
		}
	}
	for i := range hosts {
		n.Flow(hosts[i], hosts[(i+2)%switches], 0, 0)
	}
	return n.Done(dataplane.Millisecond)
}
