package forwarding_test

import (
	"fmt"
	"net/netip"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/forwarding"
)

// lossless is the class of all traffic in rings, by its DSCP; second is another
// one that loses nothing.
const (
	lossless = 3
	second   = 4
)

// Ports of a switch of a ring.
const (
	toHost = iota
	toNext
	toPrevious
)

// ring is routers in a circle, each with a host. Switch i is router of 10.0.i.0/24.
type ring struct {
	testing.TB
	*dataplane.Sim
	sw     []*dataplane.Switch
	tables []*forwarding.Tables
	hosts  []*dataplane.Host
}

// circuit is what a ring is made of. Its links take 1 µs.
type circuit struct {
	n        int
	line     uint64 // bit/s
	xoff     int64  // bytes of a group that stop its sender; 2 KB less let it go on; headroom is ample
	detector dataplane.Detector
}

func newRing(t testing.TB, c circuit) *ring {
	t.Helper()
	r := &ring{TB: t, Sim: dataplane.New(dataplane.Config{})}
	maps := dataplane.DefaultMaps()
	maps.TrustDSCP = true
	maps.DSCPToTC[lossless], maps.DSCPToTC[second] = lossless, second
	const both = 1<<lossless | 1<<second
	port := dataplane.PortConfig{Rate: c.line, Maps: maps, PFCSend: both, PFCReceive: both}
	for i := range c.n {
		w, err := r.AddSwitch(dataplane.SwitchConfig{Name: fmt.Sprint("sw", i), Ports: 3, Queues: 8, Pools: 2, MAC: gateway(i)})
		r.do(err)
		w.SetPool(0, dataplane.Pool{Size: 64 << 20})
		w.SetPool(1, dataplane.Pool{Size: 64 << 20, Egress: true})
		for p := range w.Ports() {
			r.SetPort(w.Ports()[p], port)
			for _, class := range []int{lossless, second} {
				w.SetGroup(p, class, dataplane.Buffer{Static: c.xoff, Xoff: 1 << 20, Xon: c.xoff - 2e3})
				w.SetQueue(p, class, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, Detector: c.detector})
			}
		}
		h, err := r.AddHost(dataplane.HostConfig{
			Name: fmt.Sprint("host", i), MAC: station(i), Port: port, Gateway: gateway(i), AckClass: lossless,
			Addr: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(i), 2}), 24),
		})
		r.do(err)
		r.sw, r.hosts, r.tables = append(r.sw, w), append(r.hosts, h), append(r.tables, forwarding.New(w))
	}
	link := dataplane.Link{Delay: dataplane.Microsecond}
	for i := range c.n {
		r.do(r.Connect(r.hosts[i].Port(), r.sw[i].Ports()[toHost], link))
		r.do(r.Connect(r.sw[i].Ports()[toNext], r.sw[(i+1)%c.n].Ports()[toPrevious], link))
		r.route(i)
	}
	return r
}

// route gives a switch its interfaces and its host; all other traffic continues around
// the ring.
func (r *ring) route(i int) {
	t, next := r.tables[i], (i+1)%len(r.sw)
	own := netip.AddrFrom4([4]byte{10, 0, byte(i), 2})
	peer := netip.AddrFrom4([4]byte{10, 1, byte(i), 2})
	for p := range r.sw[i].Ports() {
		r.do(t.SetInterface(forwarding.ID(p), forwarding.Interface{Port: p, VRF: vrf}))
	}
	r.do(
		t.SetNeighbour(toHost, own, station(i)),
		t.SetNeighbour(toNext, peer, gateway(next)),
		t.SetNextHop(hop1, forwarding.NextHop{Interface: toNext, Addr: peer}),
		t.SetRoute(vrf, netip.PrefixFrom(own, 24), to(forwarding.ToInterface, toHost)),
		t.SetRoute(vrf, prefix("0.0.0.0/0"), to(forwarding.ToNextHop, hop1)),
	)
}

func gateway(i int) dataplane.MAC { return dataplane.MAC{2, 1, 0, 0, 0, byte(i)} }

func (r *ring) do(errs ...error) {
	r.Helper()
	for _, err := range errs {
		if err != nil {
			r.Fatal(err)
		}
	}
}

// send starts a flow of frames of 1000 bytes.
func (r *ring) send(c dataplane.FlowConfig) *dataplane.Flow {
	r.Helper()
	c.Class, c.DSCP, c.Payload, c.Headers = lossless, lossless, 938, 62
	f, err := r.AddFlow(c)
	r.do(err)
	return f
}

// locked reports whether every switch of the ring is stopped by the next.
func (r *ring) locked() bool {
	for _, w := range r.sw {
		if !w.Ports()[toNext].Paused(lossless) {
			return false
		}
	}
	return true
}

// moved counts frames that went around the ring.
func (r *ring) moved() (n uint64) {
	for _, w := range r.sw {
		a, b := w.Queue(toNext, lossless), w.Queue(toNext, second)
		n += a.Packets + b.Packets
	}
	return n
}

// stuck runs until every switch of the ring has been stopped by the next and nothing
// has moved for 2 ms, and returns since when; until a maximum time.
func (r *ring) stuck(until dataplane.Time) (since dataplane.Time, ok bool) {
	since = r.Now()
	for moved := r.moved(); r.Now() < until; {
		r.do(r.Run(r.Now() + 20*dataplane.Microsecond))
		if n := r.moved(); n != moved || !r.locked() {
			since, moved = r.Now(), n
		}
		if r.Now()-since >= 2*dataplane.Millisecond {
			return since, true
		}
	}
	return 0, false
}

// TestRoutingLoop: a route that leads around n switches turns what a host sends
// into up to TTL−1 frames on the links of the loop, ceil((TTL−1)/n) on the busiest.
// It locks up as soon as those are more than the link takes: from a rate of
// B/ceil((TTL−1)/n) on, a little above n·B/TTL.
func TestRoutingLoop(t *testing.T) {
	for _, c := range []struct {
		n        int
		line     uint64
		ttl      uint8
		rate     uint64
		deadlock bool
	}{
		{2, 40e9, 16, 4.9e9, false}, // 40 / ceil(15/2) = 5
		{2, 40e9, 16, 5.1e9, true},
		{2, 40e9, 16, 5.5e9, true},
		{2, 40e9, 16, 10e9, true},
		{2, 40e9, 32, 2.45e9, false}, // 40 / ceil(31/2) = 2.5
		{2, 40e9, 32, 2.55e9, true},
		{3, 100e9, 16, 19.1e9, false}, // 100 / ceil(15/3) = 20
		{3, 100e9, 16, 20.6e9, true},
		{4, 100e9, 64, 6.125e9, false}, // 100 / ceil(63/4) = 6.25
		{4, 100e9, 64, 6.375e9, true},
	} {
		t.Run(fmt.Sprintf("n=%d B=%dG TTL=%d r=%.4gG", c.n, c.line/1e9, c.ttl, float64(c.rate)/1e9), func(t *testing.T) {
			r := newRing(t, circuit{n: c.n, line: c.line, xoff: 40e3})
			r.astray(dataplane.FlowConfig{Rate: c.rate, TTL: c.ttl})
			at, ok := r.stuck(12 * dataplane.Millisecond)
			t.Logf("locked up: %v, at %v; %d frames expired", ok, at, r.dropped(dataplane.DropTTL))
			if ok != c.deadlock {
				t.Errorf("locked up: %v, want %v", ok, c.deadlock)
			}
			r.do(r.Check())
		})
	}
}

// TestTTL: a frame crosses a link of the loop for each time that its TTL counts
// down and is not 0 yet.
func TestTTL(t *testing.T) {
	r := newRing(t, circuit{n: 3, line: 100e9, xoff: 40e3})
	r.astray(dataplane.FlowConfig{Bytes: 938 * 10, TTL: 16})
	r.do(r.Run(dataplane.Millisecond))
	if expired := r.dropped(dataplane.DropTTL); expired != 10 || r.moved() != 10*15 {
		t.Errorf("%d frames expired, links were crossed %d times, want 10 and 150", expired, r.moved())
	}
}

// astray starts a flow to where no switch of the ring is.
func (r *ring) astray(c dataplane.FlowConfig) {
	h := packet("10.0.0.2", "10.99.0.1")
	h.SrcMAC, h.DstMAC = station(0), gateway(0)
	c.From, c.To, c.Header = r.hosts[0], r.hosts[1], &h
	r.send(c)
}

// dropped counts frames that the switches of a ring dropped for a reason.
func (r *ring) dropped(why dataplane.Reason) (n uint64) {
	for _, w := range r.sw {
		n += w.Drops(why)
	}
	return n
}

// TestCircle: flows of two hops each fill a ring of four switches with frames that
// wait for each other. That stays so even when the senders stop.
func TestCircle(t *testing.T) {
	r := newRing(t, circuit{n: 4, line: 100e9, xoff: 40e3})
	for i := range r.hosts {
		r.send(r.twoHops(i))
	}
	at, ok := r.stuck(10 * dataplane.Millisecond)
	t.Logf("locked up: %v, at %v", ok, at)
	for _, f := range r.Flows() {
		r.Stop(f)
	}
	if _, still := r.stuck(r.Now() + 5*dataplane.Millisecond); !ok || !still || at > dataplane.Millisecond {
		t.Fatalf("locked up: %v, at %v; without senders: %v", ok, at, still)
	}
}

// TestRecovery: queues with detectors, of each kind, free such a ring however often
// it locks up, and all that was to be sent arrives. Recovery by forwarding finds
// room in headroom and loses nothing; what the other drops is sent again.
func TestRecovery(t *testing.T) {
	const ms = dataplane.Millisecond
	for _, c := range []struct {
		name     string
		detector dataplane.Detector
	}{
		{"none", dataplane.Detector{}},
		{"forward", dataplane.Detector{On: true, Detect: ms, Recover: ms}},
		{"drop", dataplane.Detector{On: true, Detect: ms, Recover: ms, Drop: true}},
		{"drop by count", dataplane.Detector{On: true, Xoffs: 3, Detect: ms, Recover: ms, Drop: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRing(t, circuit{n: 4, line: 100e9, xoff: 40e3, detector: c.detector})
			for i := range r.hosts {
				f := r.twoHops(i)
				f.Bytes, f.Timeout = 1e6, dataplane.Time(3+2*i)*ms // else all begin anew at once, and lock up again
				r.send(f)
			}
			r.do(r.Run(100 * ms))
			done, deadlocks := 0, uint64(0)
			for _, f := range r.Flows() {
				if f.Done() {
					done++
				}
			}
			for _, w := range r.sw {
				q := w.Queue(toNext, lossless)
				deadlocks += q.Deadlocks
			}
			t.Logf("%d flows done, %d deadlocks, %d frames dropped for them", done, deadlocks, r.dropped(dataplane.DropDeadlock))
			if on := c.detector.On; on != (done == 4) || on != (deadlocks > 0) || c.detector.Drop != (r.dropped(dataplane.DropDeadlock) > 0) {
				t.Error("want all four done if a detector frees the ring, none else")
			}
			if n := r.dropped(dataplane.DropHeadroom); n > 0 {
				t.Errorf("%d frames found no headroom", n)
			}
			r.do(r.Check())
		})
	}
}

// twoHops is the flow of a host to the one two switches on.
func (r *ring) twoHops(i int) dataplane.FlowConfig {
	return dataplane.FlowConfig{From: r.hosts[i], To: r.hosts[(i+2)%len(r.hosts)]}
}

// TestRemap: packets that arrive and leave by the ring continue in the second class. No
// class has a cyclic dependency then, and nothing locks up, is dropped or reordered.
func TestRemap(t *testing.T) {
	r := newRing(t, circuit{n: 4, line: 100e9, xoff: 40e3})
	counters := make([]dataplane.Counter, 4)
	for i, tables := range r.tables {
		fromRing := forwarding.Bits{Value: 1, Mask: 1}
		next := forwarding.Set{On: true, To: second}
		r.do(
			tables.SetACL(1, forwarding.ACL{Entries: []forwarding.Entry{{
				Match: forwarding.Match{In: []int{toPrevious}}, Do: forwarding.Actions{Meta: fromRing},
			}}}),
			tables.SetACL(2, forwarding.ACL{Stage: forwarding.Egress, Ports: []int{toNext}, Entries: []forwarding.Entry{{
				Match: forwarding.Match{Fields: map[forwarding.Field]forwarding.Bits{forwarding.MatchMeta: fromRing}},
				Do:    forwarding.Actions{TC: next, DSCP: next, Count: &counters[i]},
			}}}),
		)
		f := r.twoHops(i)
		f.Bytes = 5e6
		r.send(f)
	}
	r.do(r.Run(5 * dataplane.Millisecond))
	for i, f := range r.Flows() {
		if !f.Done() || f.Stats.Resent > 0 {
			t.Errorf("flow %d: %d bytes of 5 MB arrived, %d frames were sent again", i, f.Stats.Delivered, f.Stats.Resent)
		}
		q := r.sw[i].Queue(toNext, second)
		if c := counters[i]; c.Packets == 0 || c.Packets != q.Packets || c.Bytes != q.Bytes {
			t.Errorf("switch %d: %+v counted, the second class sent %d frames, %d bytes", i, c, q.Packets, q.Bytes)
		}
		if g := r.sw[i].Group(toPrevious, second); g.Packets == 0 || r.sw[i].Group(toHost, second).Packets != 0 {
			t.Errorf("switch %d: %d frames of the second class came by the ring", i, g.Packets)
		}
	}
	r.do(r.Check())
}

// TestThreeFlows: two flows of three hops depend on each other in a circle: the
// frames of each wait at the third link of the other. Two of four links are stopped
// half of the time, two never, and nothing locks up. A third flow that takes much of
// one link has those stopped too, and it does. (HotNets 2016, "Deadlocks in
// Datacenter Networks: Why Do They Form, and How to Avoid Them".)
func TestThreeFlows(t *testing.T) {
	for _, c := range []struct {
		third    uint64 // bit/s
		deadlock bool
	}{{0, false}, {2e9, false}, {10e9, false}, {40e9, true}} {
		t.Run(fmt.Sprintf("third=%dG", c.third/1e9), func(t *testing.T) {
			r := newRing(t, circuit{n: 4, line: 40e9, xoff: 400e3})
			r.send(dataplane.FlowConfig{From: r.hosts[0], To: r.hosts[3]})
			r.send(dataplane.FlowConfig{From: r.hosts[2], To: r.hosts[1]})
			if c.third > 0 {
				r.send(dataplane.FlowConfig{From: r.hosts[1], To: r.hosts[2], Rate: c.third})
			}
			at, ok := r.stuck(10 * dataplane.Millisecond)
			var paused [4]dataplane.Time
			for i, w := range r.sw {
				paused[i] = r.PausedFor(w.Ports()[toNext], lossless)
			}
			t.Logf("locked up: %v, at %v; links stopped for %v", ok, at, paused)
			if ok != c.deadlock {
				t.Errorf("locked up: %v, want %v", ok, c.deadlock)
			}
			if !ok && (paused[0] != 0 || paused[2] != 0 || paused[1] == 0 || paused[3] == 0) {
				t.Errorf("links stopped for %v, want the second and the fourth alone", paused)
			}
		})
	}
}
