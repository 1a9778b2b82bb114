package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// bench is a switch whose port 1 is overloaded: hosts 0 and 2 each send to host 1 in
// some classes. Pause frames of host 1's NIC come by Inject.
type bench struct {
	*star
	port *dataplane.Port // port 1 of the switch
	sent []departure     // of port 1
	seen []dataplane.Observation
}

// departure is a packet that begins to leave.
type departure struct {
	at    dataplane.Time
	queue uint8
}

// packet lengths of bench: 162 octets, 182 on the wire.
const (
	benchPayload = 100
	benchWire    = 182
)

// newBench makes a bench with queues that never run dry in the first 100 µs.
func newBench(t *testing.T, port dataplane.PortConfig, classes ...uint8) *bench {
	t.Helper()
	b := &bench{}
	levels := [8]int64{}
	b.star = newStar(t, rig{
		sim: dataplane.Config{Overhead: dataplane.WireOverhead, Observe: func(o dataplane.Observation) {
			switch {
			case o.Kind != dataplane.SeenQueue:
				b.seen = append(b.seen, o)
			case o.Port == b.port:
				if o.Level < levels[o.Class] {
					b.sent = append(b.sent, departure{o.At, o.Class})
				}
				levels[o.Class] = o.Level
			}
		}},
		sw: dataplane.SwitchConfig{Model: dataplane.Model{ReleaseEarly: true}, MAC: station}, port: port, hosts: 3,
	})
	b.port = b.sw.Ports()[1]
	b.open(0)
	for _, c := range classes {
		b.send(t, 0, c)
		b.send(t, 2, c)
	}
	return b
}

// open gives all groups and queues memory, with headroom in bytes.
func (s *star) open(room int64) {
	s.sw.SetPool(0, dataplane.Pool{Size: 1 << 40})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for i := range s.hosts {
		for c := range dataplane.Classes {
			s.sw.SetGroup(i, c, dataplane.Buffer{Pool: 0, Static: 20000, Xoff: room, Xon: 10000, XonOffset: 20000})
			if room == 0 {
				s.sw.SetGroup(i, c, dataplane.Buffer{Pool: 0})
			}
			s.sw.SetQueue(i, c, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
		}
	}
}

// send starts an endless flow to host 1.
func (b *bench) send(t *testing.T, from int, class uint8) *dataplane.Flow {
	t.Helper()
	f, err := b.AddFlow(dataplane.FlowConfig{From: b.hosts[from], To: b.hosts[1], Class: class, Payload: benchPayload})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pass runs for a span of time.
func (s *star) pass(t testing.TB, d dataplane.Time) {
	t.Helper()
	if err := s.Run(s.Now() + d); err != nil {
		t.Fatal(err)
	}
}

// deliver delivers a frame to port 1 now.
func (b *bench) deliver(t *testing.T, frame []byte) {
	t.Helper()
	if err := b.Inject(b.port, frame); err != nil {
		t.Fatal(err)
	}
}

// after returns when packets of a queue started transmission, from a time on.
func (b *bench) after(from dataplane.Time, queue uint8) (out []dataplane.Time) {
	for _, d := range b.sent {
		if d.at >= from && d.queue == queue {
			out = append(out, d.at)
		}
	}
	return out
}

// first returns the first of these times; -1: none.
func (b *bench) first(from dataplane.Time, queue uint8) dataplane.Time {
	for _, at := range b.after(from, queue) {
		return at
	}
	return -1
}

// resumed returns the durations of completed pauses of a class at port 1.
func (b *bench) resumed(class uint8) (out []dataplane.Time) {
	for _, o := range b.seen {
		if o.Kind == dataplane.SeenResumed && o.Port == b.port && o.Class == class {
			out = append(out, o.Span)
		}
	}
	return out
}

// receivingPFC is a port that reacts to PFC for all classes.
func receivingPFC(rate uint64) dataplane.PortConfig {
	return dataplane.PortConfig{Rate: rate, PFCReceive: 0xFF}
}

// timer is the pause frame of the fourth class with a timer of 17 quanta.
var timer17 = dataplane.Request(0x0040).PFC(station, 0x0011).Frame()

// TestR21TimerBlocksItsClass: a timer of 0x0011 blocks its class for 17 × 512 =
// 8704 bit times to the picosecond, while the next class is sent without a gap.
func TestR21TimerBlocksItsClass(t *testing.T) {
	for _, c := range []struct {
		rate uint64
		want dataplane.Time // 8704 bit times
	}{
		{10e9, 870400}, {100e9, 87040},
	} {
		b := newBench(t, receivingPFC(c.rate), 3)
		b.pass(t, 20*dataplane.Microsecond)
		at := b.Now()
		b.deliver(t, timer17)
		b.pass(t, 20*dataplane.Microsecond)
		if got := b.first(at, 3); got != at+c.want {
			t.Errorf("%d bit/s: the class went on %d ps later, want %d", c.rate, got-at, c.want)
		}
		if got := b.resumed(3); len(got) != 1 || got[0] != c.want {
			t.Errorf("%d bit/s: pauses %v, want one of %d ps", c.rate, got, c.want)
		}
	}
}

// TestS11OthersGoOn: the same with a second class, which uses the wire meanwhile.
func TestS11OthersGoOn(t *testing.T) {
	for _, rate := range []uint64{10e9, 100e9} {
		b := newBench(t, receivingPFC(rate), 3, 5)
		b.pass(t, 20*dataplane.Microsecond)
		at := b.Now()
		span := dataplane.Time(8704 * 1e12 / rate)
		b.deliver(t, timer17)
		b.pass(t, span+20*dataplane.Microsecond)
		if got := b.first(at, 3); got < at+span {
			t.Errorf("%d bit/s: the class went on %d ps later, want at least %d", rate, got-at, span)
		}
		frame := dataplane.Time(benchWire * 8 * 1e12 / rate)
		n := 0
		for i, d := range b.after(at, 5) {
			if d >= at+span {
				break
			}
			if want := b.first(at, 5) + dataplane.Time(i)*frame; d != want {
				t.Fatalf("%d bit/s: packet %d of the other class left at %d, want %d", rate, i, d, want)
			}
			n++
		}
		if want := int(span/frame) - 1; n < want {
			t.Errorf("%d bit/s: %d packets of the other class, want at least %d", rate, n, want)
		}
	}
}

// TestR19PauseStopsThePort: 802.3x stops all classes, including control traffic; time 0
// resumes the port at once.
func TestR19PauseStopsThePort(t *testing.T) {
	b := newBench(t, dataplane.PortConfig{Rate: 100e9, PauseReceive: true}, 0, 3, 7)
	b.pass(t, 20*dataplane.Microsecond)
	at := b.Now()
	b.deliver(t, dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{1000}}.Frame())
	b.pass(t, 6*dataplane.Microsecond)
	first := firstAfter(b.sent, at)
	if want := at + 5120*dataplane.Nanosecond; first != want { // 1000 quanta of 5.12 ns
		t.Errorf("the port went on %d ps later, want %d", first-at, want-at)
	}
	at = b.Now()
	b.deliver(t, dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{0xFFFF}}.Frame())
	b.pass(t, dataplane.Microsecond)
	on := b.Now()
	b.deliver(t, dataplane.Control{Opcode: dataplane.OpPause}.Frame())
	b.pass(t, dataplane.Microsecond)
	if first = firstAfter(b.sent, at); first != on {
		t.Errorf("the port went on %d ps after time 0, want at once", first-on)
	}
	if s := b.port.Stats; s.PauseHeard != 3 || s.PauseOnToOff != 2 || s.LinkPausedFor != 6120*dataplane.Nanosecond {
		t.Errorf("heard %d, ended %d, paused %v; want 3, 2, 6.12µs", s.PauseHeard, s.PauseOnToOff, s.LinkPausedFor)
	}
}

func firstAfter(sent []departure, at dataplane.Time) dataplane.Time {
	for _, d := range sent {
		if d.at >= at {
			return d.at
		}
	}
	return -1
}

// TestS12PauseAndPFC: what 802.3x stops of three classes, and what PFC stops.
func TestS12PauseAndPFC(t *testing.T) {
	for _, c := range []struct {
		name  string
		port  dataplane.PortConfig
		frame []byte
		want  uint8 // classes that stop
	}{
		{"802.3x", dataplane.PortConfig{Rate: 100e9, PauseReceive: true}, dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{0xFFFF}}.Frame(), 0xFF},
		{"PFC", receivingPFC(100e9), pfc(1<<3, 0xFFFF), 1 << 3},
	} {
		b := newBench(t, c.port, 0, 3, 7)
		b.pass(t, 20*dataplane.Microsecond)
		b.deliver(t, c.frame)
		at := b.Now()
		b.pass(t, 20*dataplane.Microsecond)
		for _, class := range []uint8{0, 3, 7} {
			stops := c.want&(1<<class) != 0
			if got := len(b.after(at, class)); (got == 0) != stops || b.port.Paused(int(class)) != stops {
				t.Errorf("%s: %d packets of class %d, paused %v, want it stopped: %v", c.name, got, class, b.port.Paused(int(class)), stops)
			}
		}
	}
}

// TestPauseTimes: a quantum is 512 bit times of the receiving port, and 0xFFFF of
// them last so long.
func TestPauseTimes(t *testing.T) {
	for _, c := range []struct {
		rate     uint64
		one, all dataplane.Time // ps
	}{
		{10e9, 51200, 3355392000},
		{25e9, 20480, 1342156800},
		{40e9, 12800, 838848000},
		{50e9, 10240, 671078400},
		{100e9, 5120, 335539200},
		{200e9, 2560, 167769600},
		{400e9, 1280, 83884800},
		{800e9, 640, 41942400},
	} {
		b := newBench(t, receivingPFC(c.rate))
		b.deliver(t, pfc(1<<3, 1))
		b.pass(t, dataplane.Microsecond)
		b.deliver(t, pfc(1<<3, 0xFFFF))
		b.pass(t, 4*dataplane.Millisecond)
		if got := b.resumed(3); len(got) != 2 || got[0] != c.one || got[1] != c.all {
			t.Errorf("%d bit/s: pauses %v ps, want %d and %d", c.rate, got, c.one, c.all)
		}
	}
}

// TestLastPauseCounts: a repeated pause ends as requested last, earlier or later.
func TestLastPauseCounts(t *testing.T) {
	for _, c := range []struct {
		second uint16
		want   dataplane.Time // of the whole pause, from the first, at 100 Gb/s
	}{
		{0, 1000000}, {100, 1512000}, {2000, 11240000},
	} {
		b := newBench(t, receivingPFC(100e9), 3)
		b.deliver(t, pfc(1<<3, 1000)) // 5.12 µs
		b.pass(t, dataplane.Microsecond)
		b.deliver(t, pfc(1<<3, c.second))
		b.pass(t, 20*dataplane.Microsecond)
		if got := b.resumed(3); len(got) != 1 || got[0] != c.want {
			t.Errorf("then %d quanta: %v, want %d ps", c.second, got, c.want)
		}
	}
}

// TestFrameOnTheWireFinishes: a frame in transmission when a pause arrives is
// completed.
func TestFrameOnTheWireFinishes(t *testing.T) {
	b := newBench(t, receivingPFC(10e9))
	f, err := b.AddFlow(dataplane.FlowConfig{From: b.hosts[0], To: b.hosts[1], Class: 3, Payload: 9000})
	if err != nil {
		t.Fatal(err)
	}
	b.pass(t, 20*dataplane.Microsecond) // 7.3 µs each: one there, one half out
	if got := f.Stats.Received; got != 1 {
		t.Fatalf("%d packets have arrived, want the test to begin with 1", got)
	}
	b.deliver(t, pfc(1<<3, 0xFFFF))
	b.pass(t, 100*dataplane.Microsecond)
	if got := f.Stats.Received; got != 2 || len(b.sent) != 2 {
		t.Errorf("%d packets arrived, %d were sent, want the one on the wire to be the last, the second", got, len(b.sent))
	}
}

// TestResponse: a port starts new frames until its response time is over, and not
// after.
func TestResponse(t *testing.T) {
	for _, c := range []struct {
		rate  uint64
		bytes int64          // on the wire meanwhile
		want  dataplane.Time // ns, rounded down
	}{
		{1e9, 128, 1024},
		{10e9, 4288, 3430},
		{25e9, 5120, 1638},
		{40e9, 7552, 1510},
		{50e9, 9408, 1505},
		{100e9, 25216, 2017},
		{200e9, 28992, 1159},
		{400e9, 57920, 1158},
		{800e9, 57920, 579},
	} {
		got := dataplane.ResponseTime(c.rate)
		if got/dataplane.Nanosecond != c.want || int64(got)*int64(c.rate/1e9)/8000 != c.bytes {
			t.Errorf("%d bit/s: %d ps, want %d ns, %d bytes", c.rate, got, c.want, c.bytes)
		}
		port := receivingPFC(c.rate)
		port.Response = got
		b := newBench(t, port, 3)
		b.pass(t, 20*dataplane.Microsecond)
		at := b.Now()
		b.deliver(t, pfc(1<<3, 0xFFFF))
		b.pass(t, 20*dataplane.Microsecond)
		last := b.sent[len(b.sent)-1].at
		if frame := dataplane.Time(benchWire * 8 * 1e12 / c.rate); last >= at+got || last+frame < at+got {
			t.Errorf("%d bit/s: the last packet began to leave %d ps after the pause frame, want less than %d by a packet's time at most", c.rate, last-at, got)
		}
	}
}

// TestResponseOfOtherRates: as many quanta as the next faster rate, or the fastest.
func TestResponseOfOtherRates(t *testing.T) {
	for rate, want := range map[uint64]dataplane.Time{5e9: 67 * 102400, 1600e9: 905 * 320} {
		if got := dataplane.ResponseTime(rate); got != want {
			t.Errorf("%d bit/s: %d ps, want %d", rate, got, want)
		}
	}
}

// TestBothPauses: a port with PFC neither reacts to 802.3x nor sends it.
func TestBothPauses(t *testing.T) {
	port := receivingPFC(100e9)
	port.PauseReceive = true
	b := newBench(t, port, 3)
	b.pass(t, 20*dataplane.Microsecond)
	b.deliver(t, dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{0xFFFF}}.Frame())
	if b.port.Paused(3) || b.port.Stats.PauseHeard != 1 {
		t.Errorf("paused %v, heard %d, want it heard and not heeded", b.port.Paused(3), b.port.Stats.PauseHeard)
	}
	port.PFCReceive = 0
	b.SetPort(b.port, port)
	b.deliver(t, dataplane.Control{Opcode: dataplane.OpPause, Quanta: [8]uint16{0xFFFF}}.Frame())
	if !b.port.Paused(3) {
		t.Error("without PFC 802.3x is not heeded")
	}
	port.PFCReceive = 1 << 3
	b.SetPort(b.port, port)
	if b.port.Paused(3) {
		t.Error("the port is paused by 802.3x although it has PFC now")
	}
	b.deliver(t, pfc(1<<3, 0xFFFF))
	port.PFCReceive = 1 << 4
	b.SetPort(b.port, port)
	if b.port.Paused(3) {
		t.Error("the port is paused in a class that it does not heed any more")
	}
}
