package scenario

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"xon/sai/vsai/dataplane"
)

// load is a running workload.
type load struct {
	*Workload
	pairs []pair
	flows []*flow
	dscp  uint8
	rng   *rand.Rand
	runs  int // number of starts
}

type pair struct{ from, to *node }

// flow is a flow of the simulation with its workload.
type flow struct {
	*dataplane.Flow
	load  *load
	pair  pair
	name  string
	ideal dataplane.Time // completion time without other traffic; 0: endless
	next  func()         // called when its data has arrived; nil: nothing
}

// defaults of workloads.
const (
	losslessClass  = 3
	minTimeout     = Moment(dataplane.Microsecond)
	defaultTimeout = 4 * dataplane.Millisecond
	paperCNP       = 50 * dataplane.Microsecond
	maxFlows       = 100_000
)

// addLoads resolves the hosts of all workloads and schedules their starts.
func (w *world) addLoads(seed uint64) error {
	for i := range w.plan.file.Workloads {
		l := &load{Workload: &w.plan.file.Workloads[i]}
		if err := l.check(); err != nil {
			return l.At.errorf("workload %s: %w", l.Name, err)
		}
		name := fnv.New64a()
		_, _ = name.Write([]byte(l.Name)) // hash writes never fail
		l.rng = rand.New(rand.NewPCG(seed, name.Sum64()))
		if err := w.pairs(l); err != nil {
			return l.At.errorf("workload %s: %w", l.Name, err)
		}
		l.dscp = w.dscpOf(l)
		w.loads = append(w.loads, l)
		w.pending++
		w.sim.At(dataplane.Time(l.Start), func() { w.begin(l) })
	}
	if len(w.loads) == 0 {
		return w.plan.file.At.errorf("workloads: there are none; for example: incast: {pattern: incast, to: h1, bytes: 1MB}")
	}
	return nil
}

// class is a workload's priority.
func (l *Workload) class() uint8 {
	if l.Class == nil {
		return losslessClass
	}
	return *l.Class
}

func (l *load) check() error {
	switch {
	case l.class() >= dataplane.Classes:
		return fmt.Errorf("class %d: want 0 to %d", l.class(), dataplane.Classes-1)
	case l.DSCP != nil && *l.DSCP > 63:
		return fmt.Errorf("dscp %d: want 0 to 63", *l.DSCP)
	case l.Pattern == AllReduce && l.Bytes == 0:
		return fmt.Errorf("bytes: want what is reduced, as in 64MB")
	case l.Every > 0 && l.Bytes == 0 && l.On == 0:
		return fmt.Errorf("every: flows that repeat want bytes, or on, as in 100us")
	case l.Every == 0 && (l.Times > 0 || l.On > 0):
		return fmt.Errorf("times, on: want every, as in 500us")
	case l.Every > 0 && l.On > l.Every:
		return fmt.Errorf("on is more than every")
	case l.Times < 0 || l.Steps < 0 || l.AckEvery < 0:
		return fmt.Errorf("times, steps, ack-every: want 0 or more")
	case max(l.Payload, l.AckBytes) > maxPacket || l.Headers > 1<<12:
		return fmt.Errorf("payload %d, ack-bytes %d, headers %d: want at most %d, %d and 4096", l.Payload, l.AckBytes, l.Headers, maxPacket, maxPacket)
	case l.Timeout != nil && *l.Timeout > 0 && *l.Timeout < minTimeout:
		return fmt.Errorf("timeout %v: want 1us or more, or 0 for none", dataplane.Time(*l.Timeout))
	case l.Stop > 0 && l.Stop <= l.Start:
		return fmt.Errorf("stop: must be after start")
	case l.Stop > 0 && l.Bytes > 0 && l.Every == 0:
		return fmt.Errorf("stop: only for endless flows; these have bytes")
	case l.Steps > 0 && l.Pattern != AllReduce:
		return fmt.Errorf("steps: only for allreduce")
	case l.Control == NoControl && (l.CNPEvery > 0 || l.EchoMarks || l.DCQCN != nil):
		return fmt.Errorf("cnp-every, echo-marks, dcqcn: want control: dcqcn-card or dcqcn-paper")
	}
	return l.DCQCN.check(l.Control)
}

// pairs resolves senders and receivers.
func (w *world) pairs(l *load) error {
	from, err := w.nodes("from", l.From)
	if err != nil {
		return err
	}
	to, err := w.nodes("to", l.To)
	if err != nil {
		return err
	}
	switch l.Pattern {
	case Incast:
		if len(l.To) != 1 || len(to) != 1 {
			return fmt.Errorf("to: want the one host that all send to")
		}
		from = slices.DeleteFunc(from, func(n *node) bool { return n == to[0] })
		for _, n := range from {
			l.pairs = append(l.pairs, pair{n, to[0]})
		}
	case Pairs:
		if len(l.To) == 0 || len(from) != len(to) {
			return fmt.Errorf("from and to: %d and %d hosts: want as many of each", len(from), len(to))
		}
		for i := range from {
			l.pairs = append(l.pairs, pair{from[i], to[i]})
		}
	default:
		if len(l.To) > 0 {
			return fmt.Errorf("to: this pattern sends among the hosts of from")
		}
		l.among(from)
	}
	for _, x := range l.pairs {
		switch {
		case x.from == x.to:
			return fmt.Errorf("%s sends to itself", x.from.name)
		case x.from.addr.Is4() != x.to.addr.Is4():
			return fmt.Errorf("%s has an address of %s, %s one of %s", x.from.name, family(x.from.addr), x.to.name, family(x.to.addr))
		}
	}
	if len(l.pairs) == 0 {
		return fmt.Errorf("from: %d hosts: want two or more", len(from))
	}
	return nil
}

// among pairs hosts with each other.
func (l *load) among(hosts []*node) {
	n := len(hosts)
	if n < 2 {
		return
	}
	switch l.Pattern {
	case AllToAll:
		for i := range hosts {
			for j := 1; j < n; j++ {
				l.pairs = append(l.pairs, pair{hosts[i], hosts[(i+j)%n]})
			}
		}
	case Permutation:
		order := l.rng.Perm(n) // a cycle through all: no host is paired with itself
		for i := range order {
			l.pairs = append(l.pairs, pair{hosts[order[i]], hosts[order[(i+1)%n]]})
		}
	default:
		for i := range hosts {
			l.pairs = append(l.pairs, pair{hosts[i], hosts[(i+1)%n]})
		}
	}
}

// nodes resolves host names; no name means all hosts.
func (w *world) nodes(what string, list Names) ([]*node, error) {
	if len(list) == 0 {
		return slices.Clone(w.plan.hosts), nil
	}
	list, err := list.expand()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var out []*node
	for _, name := range list {
		n := w.plan.named[name]
		if n == nil || n.host == nil {
			return nil, fmt.Errorf("%s: there is no host %q; there are %s", what, name, names(w.plan.hosts))
		}
		out = append(out, n)
	}
	return out, nil
}

// begin starts a workload's flows, and schedules its next run.
func (w *world) begin(l *load) {
	l.runs++
	again := l.Every > 0 && (l.Times == 0 || l.runs < l.Times)
	if next := w.sim.Now() + dataplane.Time(l.Every); again && (l.Stop == 0 || next < dataplane.Time(l.Stop)) {
		w.pending++
		w.sim.At(next, func() { w.begin(l) })
	}
	if l.Pattern == AllReduce {
		w.allReduce(l)
	} else {
		for _, x := range l.pairs {
			w.start(l, x, w.bytes(l, x), dataplane.Time(0))
		}
	}
	w.completed()
}

// bytes of a flow; 0: endless.
func (w *world) bytes(l *load, x pair) uint64 {
	if l.On == 0 {
		return uint64(l.Bytes)
	}
	rate := x.from.wires[0].rate
	if l.Rate > 0 {
		rate = min(rate, uint64(l.Rate))
	}
	return max(uint64(float64(rate)/8*dataplane.Time(l.On).Seconds()), 1)
}

// allReduce starts the first step of a ring: each host sends a part to the next. A host
// that has received a part sends it on, until every part has passed the ring twice
// minus one step.
func (w *world) allReduce(l *load) {
	n := len(l.pairs)
	steps := l.Steps
	if steps == 0 {
		steps = 2 * (n - 1)
	}
	part := max(uint64(l.Bytes)/uint64(n), 1)
	var send func(i, step int)
	send = func(i, step int) {
		f := w.start(l, l.pairs[i], part, 0)
		if f != nil && step+1 < steps {
			w.pending++
			f.next = func() {
				send((i+1)%n, step+1)
				w.completed()
			}
		}
	}
	for i := range l.pairs {
		send(i, 0)
	}
}

// start adds a flow that starts now, or after a random delay.
func (w *world) start(l *load, x pair, bytes uint64, late dataplane.Time) *flow {
	if len(w.flows) >= maxFlows {
		w.fail(l.At.errorf("workload %s: more than %d flows", l.Name, maxFlows))
		return nil
	}
	if l.Jitter > 0 {
		late += dataplane.Time(l.rng.Int64N(int64(l.Jitter)))
	}
	c := l.config(w, x)
	c.Bytes, c.Start = bytes, w.sim.Now()+late
	c.QP = uint32(len(w.flows)) + 1
	c.SrcPort = 0xC000 + uint16(l.rng.IntN(0x4000))
	f, err := w.sim.AddFlow(c)
	if err != nil {
		w.fail(l.At.errorf("workload %s: %w", l.Name, err))
		return nil
	}
	out := &flow{Flow: f, load: l, pair: x, name: fmt.Sprintf("%s:%s-%s", l.Name, x.from.name, x.to.name)}
	if len(l.flows) >= len(l.pairs) {
		out.name += fmt.Sprintf("#%d", len(l.flows)/len(l.pairs)+1)
	}
	w.flows = append(w.flows, out)
	l.flows = append(l.flows, out)
	switch {
	case bytes > 0:
		out.ideal = w.ideal(out)
		w.pending++
	case l.Stop > 0:
		w.pending++
		w.sim.At(dataplane.Time(l.Stop), func() { w.sim.Stop(f) })
	default:
		w.pending++ // endless: the run ends by its duration
	}
	return out
}

func (l *load) config(w *world, x pair) dataplane.FlowConfig {
	c := dataplane.FlowConfig{
		From: w.hosts[x.from], To: w.hosts[x.to], Class: l.class(), DSCP: l.dscp, ECN: true,
		Rate: uint64(l.Rate), Payload: int(l.Payload), Headers: int(l.Headers), AckBytes: int(l.AckBytes), AckEvery: l.AckEvery,
		EchoMarks: l.EchoMarks, CNPEvery: dataplane.Time(l.CNPEvery), Control: l.DCQCN.over(l.Control.of(x.from.wires[0].rate)),
		Timeout: defaultTimeout, Restart: l.GoBack == GoBackZero, TTL: l.TTL,
	}
	if l.ECN != nil {
		c.ECN = *l.ECN
	}
	if l.Timeout != nil {
		c.Timeout = dataplane.Time(*l.Timeout)
	}
	if l.Control == DCQCNPaper && l.CNPEvery == 0 {
		c.CNPEvery = paperCNP
	}
	return c
}

// ideal is the completion time of a flow without other traffic: its bytes over the
// slowest link, or at its maximum rate, which excludes wire overhead; plus the path
// delay of a packet and of an acknowledgement.
func (w *world) ideal(f *flow) dataplane.Time {
	c := f.Config()
	slowest := uint64(math.MaxUint64)
	var way dataplane.Time
	wires := w.plan.path(f.pair.from, f.pair.to)
	for i, x := range wires {
		slowest = min(slowest, x.rate)
		way += 2 * x.delay
		way += w.span(c.AckBytes, x.rate)
		if i > 0 {
			way += w.span(c.Payload+c.Headers, x.rate)
		}
	}
	packets := (c.Bytes + uint64(c.Payload) - 1) / uint64(c.Payload)
	all := float64(c.Bytes) + float64(packets)*float64(c.Headers)
	wire := float64(packets) * float64(w.plan.file.Engine.wire())
	last := float64(c.Bytes) - float64(packets-1)*float64(c.Payload) + float64(c.Headers) // sent at once when its turn comes
	paced := (all-last)/float64(c.Rate) + (last+float64(w.plan.file.Engine.wire()))/float64(wires[0].rate)
	seconds := max(paced, (all+wire)/float64(slowest)) * 8
	return way + dataplane.Time(seconds*float64(dataplane.Second))
}

func (w *world) span(bytes int, rate uint64) dataplane.Time {
	return dataplane.Time(float64(bytes+w.plan.file.Engine.wire()) * 8 / float64(rate) * float64(dataplane.Second))
}

// flowName returns a flow's name.
func (w *world) flowName(f *dataplane.Flow) string { return w.flows[f.ID()].name }

// arrived starts what waits for a flow's data.
func (w *world) arrived(f *dataplane.Flow) {
	if x := w.flows[f.ID()]; x.next != nil {
		next := x.next
		x.next = nil
		w.sim.At(w.sim.Now(), next)
	}
}

// completed counts down pending flows and starts.
func (w *world) completed() {
	w.pending--
	if w.pending == 0 {
		w.watch.moments[Done] = w.sim.Now()
	}
}

// dscpOf returns the DSCP of a workload's packets: given, or that of their class.
func (w *world) dscpOf(l *load) uint8 {
	if l.DSCP != nil {
		return *l.DSCP
	}
	return w.dscpOfClass(l.class())
}

// dscpOfClass returns the lowest DSCP that the first switch with a map maps to the
// class, or eight times the class.
func (w *world) dscpOfClass(class uint8) uint8 {
	for _, n := range w.plan.switches {
		for _, m := range []string{"AZURE", ""} {
			if d, ok := minDSCP(n.rows["DSCP_TO_TC_MAP"], m, class); ok {
				return d
			}
		}
	}
	return dscpPerClass * class
}

// minDSCP returns the lowest DSCP that a map gives a class; without a name, of any map.
func minDSCP(maps map[string]map[string]string, name string, class uint8) (least uint8, ok bool) {
	for d := range uint8(64) {
		for m, row := range maps {
			if (name == "" || m == name) && row[fmt.Sprint(d)] == fmt.Sprint(class) {
				return d, true
			}
		}
	}
	return 0, false
}
