package dataplane_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"xon/sai/vsai/dataplane"
)

// setDetector gives queue 3 of port 1 a detector.
func (b *bench) setDetector(d dataplane.Detector) {
	d.On = true
	b.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, Detector: d})
}

// verdict is the detection or the end of a deadlock.
type verdict struct {
	at dataplane.Time
	on bool
}

// verdicts of a queue of port 1.
func (b *bench) verdicts(q uint8) (out []verdict) {
	for _, o := range b.seen {
		if o.Kind == dataplane.SeenDeadlock && o.Port == b.port && o.Class == q {
			out = append(out, verdict{o.At, o.On})
		}
	}
	return out
}

// pausedAt returns when a class of port 1 was last paused.
func (b *bench) pausedAt(class uint8) (at dataplane.Time) {
	for _, o := range b.seen {
		if o.Kind == dataplane.SeenPaused && o.Port == b.port && o.Class == class {
			at = o.At
		}
	}
	return at
}

const us = dataplane.Microsecond

// TestR7RecoveryForwards: a queue that is paused for the detection time sends for the
// recovery time although it is paused; then it reacts to pauses and is detected again,
// until the storm is over.
func TestR7RecoveryForwards(t *testing.T) {
	b := newBench(t, receivingPFC(100e9), 3, 5)
	b.setDetector(dataplane.Detector{Detect: 100 * us, Recover: 50 * us})
	b.pass(t, 20*us)
	b.Storm(b.hosts[1], 1<<3, 0)
	b.pass(t, 420*us)
	at := b.pausedAt(3)
	want := []verdict{{at + 100*us, true}, {at + 150*us, false}, {at + 250*us, true}, {at + 300*us, false}, {at + 400*us, true}}
	if got := b.verdicts(3); !slices.Equal(got, want) {
		t.Errorf("detected, over: %v, want %v", got, want)
	}
	for _, c := range []struct {
		from, to dataplane.Time
		sends    bool
	}{{0, 100, false}, {100, 150, true}, {150, 250, false}, {250, 300, true}, {300, 400, false}} {
		n := 0
		for _, d := range b.after(at+c.from*us, 3) {
			if d < at+c.to*us {
				n++
			}
		}
		if (n > 0) != c.sends {
			t.Errorf("%d to %d µs after the pause: %d packets, want some: %v", c.from, c.to, n, c.sends)
		}
	}
	b.Storm(b.hosts[1], 0, 0)
	b.pass(t, 500*us)
	if got := b.verdicts(3); len(got) != 6 || got[5].on {
		t.Errorf("after the storm: %v, want the last recovery to end and no more", got)
	}
	if got := b.QueueState(b.port, 3); got != dataplane.NotPaused || b.verdicts(5) != nil {
		t.Errorf("queue 3 is in state %d, queue 5 had %v; want it not paused, and none", got, b.verdicts(5))
	}
}

// TestR7RecoveryDrops: with drop the queue drops what it holds and what arrives; other
// queues do not.
func TestR7RecoveryDrops(t *testing.T) {
	b := newBench(t, receivingPFC(100e9), 3, 5)
	b.setDetector(dataplane.Detector{Detect: 100 * us, Recover: 50 * us, Drop: true})
	b.pass(t, 20*us)
	b.Storm(b.hosts[1], 1<<3, 0)
	b.pass(t, us)
	before := b.sw.Queue(1, 3).Packets
	b.pass(t, 119*us) // TestR6XoffsInPeriod: the given number of pause frames within any period of the given length is a deadlock.
	if q := b.sw.Queue(1, 3); q.Length != 0 || q.Dropped == 0 || q.Deadlocks != 1 {
		t.Errorf("queue 3 holds %d bytes, dropped %d, deadlocks %d; want 0, some, 1", q.Length, q.Dropped, q.Deadlocks)
	}
	if q := b.sw.Queue(1, 5); q.Dropped != 0 || q.Length == 0 {
		t.Errorf("queue 5 dropped %d and holds %d bytes, want none and some", q.Dropped, q.Length)
	}
	b.pass(t, 50*us) // over
	if q := b.sw.Queue(1, 3); q.Packets != before || q.Length == 0 {
		t.Errorf("%d packets of the paused queue were sent, it holds %d bytes; want none, and it to fill again", q.Packets-before, q.Length)
	}
	frame := dataplane.Time(benchWire * 80)
	sent := b.after(b.pausedAt(3)+us, 5)
	for i := 1; i < len(sent); i++ {
		if got := sent[i] - sent[i-1]; got != frame {
			t.Fatalf("the other queue has a gap of %d ps at %v, want %d between all packets", got, sent[i], frame)
		}
	}
}

// TestR6XoffsInPeriod: so many pause frames within the period are a deadlock, in
// whatever period of that length.
func TestR6XoffsInPeriod(t *testing.T) {
	for _, c := range []struct {
		heard []dataplane.Time // ns
		want  []dataplane.Time
	}{
		{[]dataplane.Time{0, 5000, 10000}, []dataplane.Time{10000}},
		{[]dataplane.Time{0, 5000, 10001}, nil},
		{[]dataplane.Time{0, 9000, 10500, 11000}, []dataplane.Time{11000}},
		{[]dataplane.Time{0, 1, 2, 3, 4, 5}, []dataplane.Time{2}},                        // then it recovers
		{[]dataplane.Time{0, 1, 2, 30000, 30001, 30002}, []dataplane.Time{2, 30002}},     // again
		{[]dataplane.Time{0, 11000, 22000, 33000, 44000}, nil},                           // too rare
		{[]dataplane.Time{0, 5000, 30000, 35000, 36000, 36500}, []dataplane.Time{36000}}, // the count restarts
	} {
		b := newBench(t, receivingPFC(100e9), 3)
		b.setDetector(dataplane.Detector{Detect: 10 * us, Recover: 20 * us, Xoffs: 3})
		b.pass(t, 20*us)
		start := b.Now()
		for _, at := range c.heard {
			b.At(start+at*dataplane.Nanosecond, func() { b.deliver(t, pfc(1<<3, 100)) })
		}
		b.pass(t, 100*us)
		var got []dataplane.Time
		for _, v := range b.verdicts(3) {
			if v.on {
				got = append(got, (v.at-start)/dataplane.Nanosecond)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("pauses at %v ns: detected at %v, want %v", c.heard, got, c.want)
		}
	}
}

// TestQueueStates: what a detector sees before, during and after a deadlock.
func TestQueueStates(t *testing.T) {
	b := newBench(t, receivingPFC(100e9), 3)
	b.setDetector(dataplane.Detector{Detect: 100 * us, Recover: 50 * us})
	state := func(want dataplane.QueueState) {
		t.Helper()
		if got := b.QueueState(b.port, 3); got != want {
			t.Errorf("at %v: state %d, want %d", b.Now(), got, want)
		}
	}
	b.pass(t, 20*us)
	state(dataplane.NotPaused)
	b.deliver(t, pfc(1<<3, 0xFFFF)) // 335 µs
	state(dataplane.PausedShort)
	b.pass(t, 99*us)
	state(dataplane.PausedShort)
	b.pass(t, us)
	state(dataplane.PausedLong) // recovers
	b.pass(t, 60*us)
	state(dataplane.PausedLong) // is paused still
	b.pass(t, 300*us)
	state(dataplane.NotPaused)
}

// TestAppOwnedRecovery: the detector reports once; software starts and ends recovery.
func TestAppOwnedRecovery(t *testing.T) {
	b := newBench(t, receivingPFC(100e9), 3)
	b.setDetector(dataplane.Detector{Detect: 100 * us, Recover: 50 * us, AppOwned: true})
	b.pass(t, 20*us)
	b.Storm(b.hosts[1], 1<<3, 0)
	b.pass(t, 500*us)
	at := b.pausedAt(3)
	if got := b.verdicts(3); !slices.Equal(got, []verdict{{at + 100*us, true}}) || len(b.after(at+us, 3)) != 0 {
		t.Fatalf("%v, %d packets were sent; want it told once and nothing done", got, len(b.after(at+us, 3)))
	}
	begun := b.Now()
	b.BeginRecovery(b.port, 3, false)
	b.pass(t, 500*us) // for any time
	if n := len(b.after(begun, 3)); n == 0 || len(b.verdicts(3)) != 1 {
		t.Errorf("%d packets were sent in recovery, %v; want some and nothing told", n, b.verdicts(3))
	}
	ended := b.Now()
	b.EndRecovery(b.port, 3)
	b.EndRecovery(b.port, 3) // not recovering: no effect
	b.pass(t, 150*us)
	if got := b.verdicts(3)[1:]; !slices.Equal(got, []verdict{{ended, false}, {ended + 100*us, true}}) {
		t.Errorf("after the end at %v: %v, want the end, and detected again 100 µs later", ended, got)
	}
	b.BeginRecovery(b.port, 3, true)
	if q := b.sw.Queue(1, 3); q.Length != 0 || q.Dropped == 0 {
		t.Errorf("recovery by dropping left %d bytes, dropped %d", q.Length, q.Dropped)
	}
}

// TestStorms: a storm of continuous pauses is a deadlock, one with gaps is not.
func TestStorms(t *testing.T) {
	for _, c := range []struct {
		quanta uint16 // of 5.12 ns
		every  dataplane.Time
		joined bool
	}{
		{0xFFFF, 0, true},
		{0xFFFF, 300 * us, true},
		{0xFFFF, 400 * us, false}, // but each is 335 µs
		{1000, 0, true},
		{1000, 5 * us, true},
		{1000, 6 * us, false},
		{10, dataplane.Nanosecond, true}, // as fast as frames go, 6.72 ns
		{1, dataplane.Nanosecond, false}, // 5.12 ns
	} {
		port := receivingPFC(100e9)
		port.Quanta = c.quanta
		b := newBench(t, port, 3)
		b.setDetector(dataplane.Detector{Detect: 350 * us, Recover: 50 * us})
		b.pass(t, 5*us)
		b.Storm(b.hosts[1], 1<<3, c.every)
		b.pass(t, 400*us)
		if got := len(b.verdicts(3)) > 0; got != c.joined {
			t.Errorf("%d quanta every %v: detected %v, want %v", c.quanta, c.every, got, c.joined)
		}
	}
}

// TestVictims: a storm of one class takes nothing from a flow of another, which may end
// earlier.
func TestVictims(t *testing.T) {
	took := func(storm bool) dataplane.Time {
		b := newBench(t, receivingPFC(100e9), 3)
		b.setDetector(dataplane.Detector{Detect: 100 * us, Recover: 50 * us})
		f, err := b.AddFlow(dataplane.FlowConfig{From: b.hosts[0], To: b.hosts[1], Class: 5, Bytes: 1e6, Start: 20 * us})
		if err != nil {
			t.Fatal(err)
		}
		if storm {
			b.Storm(b.hosts[1], 1<<3, 0)
		}
		b.pass(t, dataplane.Millisecond)
		if !f.Done() || f.Stats.Resent != 0 {
			t.Fatalf("storm %v: done %v, %d packets sent again; want it done and none", storm, f.Done(), f.Stats.Resent)
		}
		return f.Stats.Ended - f.Stats.Began
	}
	if with, without := took(true), took(false); with > without {
		t.Errorf("the flow took %v with the storm and %v without", with, without)
	}
}

// TestStormAndSharedHeadroom: a storm fills the shared headroom; the detector frees it,
// and below XON no more PFC is sent.
func TestStormAndSharedHeadroom(t *testing.T) {
	port := sending()
	port.Quanta = 1000
	port.Response = dataplane.ResponseTime(100e9)
	b := newBench(t, port)
	b.open(60000)
	b.sw.SetPool(0, dataplane.Pool{Size: 1 << 20, Headroom: 80000})
	b.setDetector(dataplane.Detector{Detect: 100 * us, Recover: 100 * us})
	for _, i := range []int{0, 2} {
		if _, err := b.AddFlow(dataplane.FlowConfig{From: b.hosts[i], To: b.hosts[1], Class: 3, Bytes: 200000}); err != nil {
			t.Fatal(err)
		}
	}
	b.Storm(b.hosts[1], 1<<3, 0)
	b.pass(t, 90*us)
	if _, pool := b.sw.Pool(0); pool.Headroom == 0 || pool.Headroom > 80000 {
		t.Errorf("%d bytes lie in shared headroom, want more than 0 and at most 80000", pool.Headroom)
	}
	b.pass(t, 300*us)
	b.Storm(b.hosts[1], 0, 0)
	b.pass(t, dataplane.Millisecond)
	if !b.finished() || len(b.verdicts(3)) == 0 {
		t.Errorf("flows done %v, verdicts %v; want all done after a recovery", b.finished(), b.verdicts(3))
	}
	xoffs := b.xoffFrames()
	if n := len(xoffs); n == 0 || xoffs[n-1].On {
		t.Fatalf("%d frames told, want the last to be a resume", n)
	}
	b.pass(t, dataplane.Millisecond)
	if more := len(b.xoffFrames()) - len(xoffs); more != 0 {
		t.Errorf("%d frames were told after the last resume", more)
	}
	if _, pool := b.sw.Pool(0); pool.Headroom != 0 || b.sw.Group(0, 3).Dropped+b.sw.Group(2, 3).Dropped != 0 {
		t.Errorf("%d bytes stay in headroom, dropped %d and %d; want 0 of each", pool.Headroom, b.sw.Group(0, 3).Dropped, b.sw.Group(2, 3).Dropped)
	}
}

// TestDetectorFollowsPauses: for random pauses of a queue that is never empty the
// verdicts follow the rules: Detect after the start of a pause or of the reaction to
// it, and Recover after that.
func TestDetectorFollowsPauses(t *testing.T) {
	const quantum, end = 5120, 400 * us
	total := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		// Times that are no multiples of quanta from each other, so that nothing ties.
		detect := dataplane.Time(quantum*(1+r.IntN(4000)) + 2500)
		recover := dataplane.Time(quantum*(1+r.IntN(4000)) + 1234)
		b := newBench(t, receivingPFC(100e9), 3)
		b.setDetector(dataplane.Detector{Detect: detect, Recover: recover, Drop: r.IntN(2) == 0})
		b.block(true)
		b.pass(t, us)
		start := b.Now()
		var spans []span
		at := start
		for i := range 60 {
			at += dataplane.Time(quantum * (1 + r.IntN(2000)))
			quanta := uint16(r.IntN(6000))
			if r.IntN(4) == 0 {
				quanta = 0
			}
			t0 := at + dataplane.Time(i)
			b.At(t0, func() { b.deliver(t, pfc(1<<3, quanta)) })
			spans = lengthen(spans, t0, dataplane.Time(quanta)*quantum)
		}
		b.pass(t, end)
		want := expected(spans, detect, recover, start+end)
		if got := b.verdicts(3); !slices.Equal(got, want) {
			t.Fatalf("seed %d, detect %d, recover %d, pauses %v:\n%v, want\n%v", seed, detect, recover, spans, got, want)
		}
		total += len(want)
	}
	if total < 50 {
		t.Errorf("%d verdicts in all, want the pauses to make 50 or more", total)
	}
}

// span is a pause.
type span struct{ from, to dataplane.Time }

func (s span) String() string { return fmt.Sprintf("%d..%d", s.from, s.to) }

// lengthen adds a pause request: it starts a pause, or changes the end of the last one.
func lengthen(spans []span, at, d dataplane.Time) []span {
	if n := len(spans); n > 0 && spans[n-1].to > at {
		spans[n-1].to = at + d
		return spans
	}
	if d == 0 {
		return spans
	}
	return append(spans, span{at, at + d})
}

func expected(spans []span, detect, recover, end dataplane.Time) (out []verdict) {
	free := dataplane.Time(0) // the end of the last recovery
	add := func(at dataplane.Time, on bool) {
		if at <= end {
			out = append(out, verdict{at, on})
		}
	}
	for _, s := range spans {
		for from := max(s.from, free); from+detect < s.to; from = free {
			free = from + detect + recover
			add(from+detect, true)
			add(free, false)
		}
	}
	return out
}
