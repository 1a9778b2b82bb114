package orchagent_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/test/random"
	"xon/test/scale"
)

var pfcMasks = []*sai.AttrMeta{
	sai.PortAttrPriorityFlowControl.AttrMeta, sai.PortAttrPriorityFlowControlTx.AttrMeta, sai.PortAttrPriorityFlowControlRx.AttrMeta,
}

// pfcPorts are the chip's ports by the names of package scale.
func (r *rig) pfcPorts(n int) map[string]sai.Key {
	r.t.Helper()
	inv, err := inventory.Discover(r.sw)
	if err != nil {
		r.t.Fatal(err)
	}
	named := map[string]*configdb.Port{}
	for i := range n {
		named[scale.PortName(i)] = &configdb.Port{Name: scale.PortName(i), Lanes: scale.Lanes(i)}
	}
	_, adopted := inv.Name(named)
	ports := map[string]sai.Key{}
	for name := range named {
		ports[name] = sai.Key{OID: adopted[graph.Key{Type: sai.ObjectTypePort, Name: name}]}
	}
	return ports
}

func isMask(a sai.Attribute) bool { return slices.Contains(pfcMasks, a.AttrMeta) }

// paused is every priority that a port pauses or obeys.
func (r *rig) paused(port sai.Key) uint64 {
	var all uint64
	mode := r.ofPort(port, sai.PortAttrPriorityFlowControlMode.AttrMeta)
	for _, a := range pfcMasks {
		if sai.PortPriorityFlowControlMode(mode) == sai.PortPriorityFlowControlModeSeparate == (a != sai.PortAttrPriorityFlowControl.AttrMeta) {
			all |= r.ofPort(port, a) // the others may be left from before
		}
	}
	return all
}

func (r *rig) ofPort(port sai.Key, a *sai.AttrMeta) uint64 {
	attrs := []sai.Attribute{{AttrMeta: a}}
	if st := r.chip.Get(sai.Port{}.Meta(), port, attrs); st != 0 {
		r.t.Fatal(st)
	}
	return attrs[0].Num
}

// sky has storms begin and end while the agent works.
type sky struct {
	*rig
	rng     *rand.Rand
	ports   map[string]sai.Key
	storms  map[string]uint64 // that last
	stirred map[string]bool   // ports on which one began or ended since the last look
	begun   int
	planned int // plans of what was touched that were compared with plans of everything
	calls   int // since the last piece of news
	strict  bool
	late    error
}

// after is the chip's AfterCall.
func (s *sky) after(c vsai.Call) {
	if !c.Op.Write() || c.Entry >= 0 {
		return
	}
	s.calls++
	if s.calls < 3 { // the release may be two calls, one for each direction
		return
	}
	s.check("after " + c.Op.String() + " " + c.Object.Name)
	if s.rng.IntN(3) > 0 {
		return
	}
	port, queue, lasts := scale.PortName(s.rng.IntN(len(s.ports))), s.rng.IntN(8), s.rng.IntN(3) > 0
	if s.rng.IntN(2) == 0 {
		queue = 3 + s.rng.IntN(2)
	}
	s.calls = 0
	s.stirred[port] = true
	s.storms[port] &^= 1 << queue
	if lasts {
		s.begun++
		s.storms[port] |= 1 << queue
	}
	s.agent.Tell(func(f *intent.Facts) { f.SetStorm(port, queue, lasts) })
}

// check checks that nothing is paused or obeyed where a storm lasts.
func (s *sky) check(when string) {
	for port, storms := range s.storms {
		if m := s.paused(s.ports[port]); m&storms != 0 && s.strict && s.late == nil {
			s.late = fmt.Errorf("%s: storms on %#x of %s, which pauses or obeys %#x", when, storms, port, m)
		}
	}
}

// TestStorms walks through random rows, by changes and by transactions, while storms
// begin and end between calls, links go up and down between steps, and on every other
// walk calls fail. A stormed priority is off the chip by the next call; after every step
// the agent knows what the chip has; a transaction that was undone left all but the stormed ports as they
// were; and when the storms are over everything is as if there had been none.
func TestStorms(t *testing.T) {
	t.Parallel()
	walks, begun, undone, compared := 0, 0, 0, 0
	for seed := range random.Seeds(t, 40) {
		synctest.Test(t, func(t *testing.T) { walkThroughStorms(t, seed, &begun, &undone, &compared) })
		walks++
	}
	t.Logf("%d storms, %d transactions undone, %d plans compared", begun, undone, compared)
	if walks >= 40 && (begun < 100 || undone < 20 || compared < 70) {
		t.Error("too little happened")
	}
}

func walkThroughStorms(t *testing.T, seed uint64, begun, undone, compared *int) {
	rng := rand.New(rand.NewPCG(seed, 9))
	r := newRig(t, randomPorts)
	defer r.stop()
	s := &sky{rig: r, rng: rng, ports: r.pfcPorts(randomPorts), storms: map[string]uint64{}, stirred: map[string]bool{}, strict: seed%2 == 0}
	r.chip.AfterCall(s.after)
	r.load(small())
	g, links := rowsFor(seed, "default"), rand.New(rand.NewPCG(seed, 10))
	for step := range 20 {
		at := fmt.Sprintf("seed %d step %d", seed, step)
		batch := map[configdb.RowKey]configdb.Fields(g.Batch(1 + rng.IntN(5)))
		maps.DeleteFunc(batch, func(k configdb.RowKey, _ fields) bool { return k.Table() == "PORT" }) // names are not to move
		for k, f := range small() {
			if rng.IntN(12) == 0 {
				batch[k] = f
			}
		}
		switch {
		case rng.IntN(3) > 0:
			*undone += s.transact(at, lossless(rng))
		case s.strict:
			r.change(batch)
		default:
			r.chip.OnCall(faulty(rng, 0.05))
			r.change(batch)
			r.chip.OnCall(nil)
		}
		s.relink(at, links)
		s.settled(at)
	}
	*begun += s.begun
	*compared += s.planned
	r.chip.AfterCall(nil)
	r.empty()
	r.change(small())
	if err := r.agent.Inform(t.Context(), "all is calm", seed%4 < 2, func(f *intent.Facts) { clear(f.Storms); clear(f.Links) }); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Minute)
	s.storms = nil
	s.settled("in the end")
	fresh := r.afresh(randomPorts)
	defer fresh.stop()
	fresh.load(small())
	got, away := r.agent.Desired(t.Context())
	if want, _ := fresh.agent.Desired(t.Context()); got != want || len(away) > 0 {
		t.Fatalf("seed %d: the walk ends at\n%s\nwant\n%s\nfates\n%s", seed, got, want, fateLines(r.agent.Fates()))
	}
}

// lossless are rows about pausing that are good as long as those of small are there.
func lossless(rng *rand.Rand) rows {
	batch := rows{}
	for _, p := range []string{"Ethernet0", "Ethernet4"} {
		pfc := []string{"", "3", "4", "3,4", "0,3"}[rng.IntN(5)]
		batch[configdb.Key("PORT_QOS_MAP", p)] = with(configdb.Key("PORT_QOS_MAP", p), fields{"pfc_enable": pfc})
		batch[configdb.Key("PORT", p)] = with(configdb.Key("PORT", p), fields{"pfc_asym": []string{"on", "off"}[rng.IntN(2)]})
		for _, pg := range []string{"3", "4"} {
			batch[configdb.Key("BUFFER_PG", p+"|"+pg)] = fields{"profile": []string{"lossless", "lossy"}[rng.IntN(2)]}
		}
	}
	for k, f := range small() {
		if _, there := batch[k]; !there {
			batch[k] = f
		}
	}
	return batch
}

// transact tries a batch as a transaction; one call may fail. It returns how many
// transactions were undone.
func (s *sky) transact(at string, batch rows) int {
	s.t.Helper()
	before, open := s.calm(), s.agent.Condition(s.t.Context()).Unfinished
	clear(s.stirred)
	if s.rng.IntN(2) == 0 {
		left := 1 + s.rng.IntN(8)
		s.chip.OnCall(func(c vsai.Call) sai.Status {
			if !c.Op.Write() || c.IsBulk() || slices.ContainsFunc(c.Attrs, isMask) { // what is urgent works
				return 0
			}
			if left--; left == 0 {
				return sai.StatusNotSupported
			}
			return 0
		})
	}
	_, err := s.agent.Transact(s.t.Context(), orchagent.Request{Ops: ops(batch)})
	s.chip.OnCall(nil)
	records := s.agent.Records()
	if err == nil || records[len(records)-1].Outcome != audit.Undone {
		return 0
	}
	if open { // what was left to do before may have been done after the undo
		return 1
	}
	after := s.calm()
	for port := range s.stirred {
		k := graph.Key{Type: sai.ObjectTypePort, Name: port, Facet: graph.PFC}
		delete(before, k)
		delete(after, k)
	}
	if got, want := after.String(), before.String(); got != want {
		s.t.Fatalf("%s: undone, and the chip has\n%s\nand had\n%s\n%v", at, got, want, err)
	}
	return 1
}

// calm lets everything come to rest, and reads the chip.
func (s *sky) calm() graph.Graph {
	s.agent.Belief(s.t.Context()) // after what is urgent
	return s.actual()
}

// relink has some links go up or down, with the chip in a good mood.
func (s *sky) relink(at string, rng *rand.Rand) {
	s.t.Helper()
	up := map[sai.OID]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.ports)) {
		if rng.IntN(3) == 0 {
			up[s.ports[name].OID] = rng.IntN(2) == 0
		}
	}
	if err := s.agent.Inform(s.t.Context(), "links", false, func(f *intent.Facts) { f.SetLinks(up) }); err != nil {
		s.t.Fatalf("%s: %v", at, err)
	}
}

// settled checks, after a step, that the agent knows the truth and that storms are
// heeded.
func (s *sky) settled(at string) {
	s.t.Helper()
	belief, adopted := s.agent.Belief(s.t.Context())
	if got, want := s.readback(adopted).String(), belief.String(); got != want {
		s.t.Fatalf("%s: chip has\n%s\nagent believes\n%s", at, got, want)
	}
	if err := s.agent.CheckResolution(s.t.Context()); err != nil {
		s.t.Fatalf("%s: %v", at, err)
	}
	planned, err := s.agent.CheckTouched(s.t.Context(), ops(lossless(s.rng)))
	if err != nil {
		s.t.Fatalf("%s: %v", at, err)
	}
	if planned {
		s.planned++
	}
	s.check(at)
	if s.late != nil {
		s.t.Fatal(s.late)
	}
}
