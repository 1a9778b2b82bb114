package dataplane_test

import (
	"testing"

	"pgregory.net/rapid"

	"xon/sai/vsai/dataplane"
)

// world is a star with random parameters.
type world struct {
	model dataplane.Model
	pools [3]dataplane.Pool
	seed  uint64
	link  dataplane.Link
	rate  uint64
	ports [worldHosts]struct {
		in, out  uint8 // slices
		reserved int64
	}
	flows  []dataplane.FlowConfig
	from   []int
	to     []int
	change []change
}

// change is something that is done to the switch at a moment.
type change struct {
	at   dataplane.Time
	what int
	port int
	n    int
	buf  dataplane.Buffer
	wred *dataplane.WRED
	on   bool
}

const worldHosts = 4

func drawWorld(t *rapid.T) world {
	w := world{
		seed: rapid.Uint64().Draw(t, "seed"),
		rate: rapid.SampledFrom([]uint64{10e9, 25e9, 100e9, 400e9}).Draw(t, "rate"),
		link: dataplane.Link{Delay: dataplane.Time(rapid.IntRange(0, 2000).Draw(t, "delay")) * dataplane.Nanosecond},
		model: dataplane.Model{
			CellBytes: rapid.SampledFrom([]int{1, 96, 208, 254}).Draw(t, "cell"), Slices: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "slices"),
			Admission:  dataplane.Admission(rapid.IntRange(0, 2).Draw(t, "admission")),
			SharedSize: dataplane.SharedSize(rapid.IntRange(0, 2).Draw(t, "shared")), ReleaseEarly: rapid.Bool().Draw(t, "early"), ResumeOwn: rapid.Bool().Draw(t, "own"),
			AlphaTop: int8(rapid.IntRange(0, 7).Draw(t, "top")), PortAlpha: rapid.Bool().Draw(t, "port alpha"), WREDCells: rapid.Bool().Draw(t, "WRED in cells"), StaticOverPool: rapid.Bool().Draw(t, "static over pool"),
			HeadroomLoss: rapid.IntRange(0, 100).Draw(t, "loss"), SharedXoffTimes: rapid.IntRange(0, 2).Draw(t, "times"),
		},
	}
	for i := range w.ports {
		w.ports[i].in, w.ports[i].out = uint8(rapid.IntRange(0, 3).Draw(t, "slice in")), uint8(rapid.IntRange(0, 3).Draw(t, "slice out"))
		w.ports[i].reserved = int64(rapid.IntRange(-1, 5000).Draw(t, "port reserve"))
	}
	if rapid.IntRange(0, 3).Draw(t, "lossy link") == 0 {
		w.link.Loss = 0.01
	}
	w.pools = [3]dataplane.Pool{{Size: size(t, "pool"), Headroom: size(t, "room") / 4}, {Size: size(t, "pool")}, {Size: size(t, "pool"), Egress: true}}
	for range rapid.IntRange(1, 6).Draw(t, "flows") {
		w.addFlow(t)
	}
	for range rapid.IntRange(0, 30).Draw(t, "changes") {
		w.change = append(w.change, drawChange(t))
	}
	return w
}

func size(t *rapid.T, what string) int64 { return int64(rapid.IntRange(0, 400e3).Draw(t, what)) }

func (w *world) addFlow(t *rapid.T) {
	from := rapid.IntRange(0, worldHosts-1).Draw(t, "from")
	to := (from + rapid.IntRange(1, worldHosts-1).Draw(t, "to")) % worldHosts
	f := dataplane.FlowConfig{
		Class: uint8(rapid.IntRange(0, 7).Draw(t, "class")), Payload: rapid.SampledFrom([]int{2, 512, 1024, 4096}).Draw(t, "payload"),
		ECN: rapid.Bool().Draw(t, "ecn"), EchoMarks: rapid.Bool().Draw(t, "echo"), Timeout: 50 * dataplane.Microsecond,
		Start: dataplane.Time(rapid.IntRange(0, 50).Draw(t, "start")) * dataplane.Microsecond,
	}
	switch rapid.IntRange(0, 2).Draw(t, "control") {
	case 1:
		f.Control = dataplane.NICDCQCN(w.rate)
	case 2:
		f.Control = dataplane.PaperDCQCN()
	}
	w.flows, w.from, w.to = append(w.flows, f), append(w.from, from), append(w.to, to)
}

func drawChange(t *rapid.T) change {
	c := change{
		at: dataplane.Time(rapid.IntRange(0, 100).Draw(t, "at")) * dataplane.Microsecond, what: rapid.IntRange(0, 6).Draw(t, "what"),
		port: rapid.IntRange(0, worldHosts-1).Draw(t, "port"), n: rapid.IntRange(0, 7).Draw(t, "n"), on: rapid.Bool().Draw(t, "on"),
		buf: dataplane.Buffer{
			Pool: rapid.IntRange(-1, 1).Draw(t, "pool"), Reserved: size(t, "reserved") / 16, Dynamic: rapid.Bool().Draw(t, "dynamic"),
			Alpha: int8(rapid.IntRange(-8, 7).Draw(t, "alpha")), Static: size(t, "static"), Xoff: size(t, "xoff"), Xon: size(t, "xon"), XonOffset: size(t, "offset") / 16,
			Trim: rapid.Bool().Draw(t, "trim"),
		},
	}
	if c.on {
		c.wred = red(size(t, "kmin"), size(t, "kmax"), uint8(rapid.IntRange(0, 100).Draw(t, "percent")))
	}
	return c
}

// play runs the world for a while and checks each event.
func (w *world) play(t testing.TB, check bool) *star {
	s := newStar(t, rig{
		sim: dataplane.Config{Seed: w.seed, CheckEvents: check, Overhead: 20}, sw: dataplane.SwitchConfig{Model: w.model, Pools: 3},
		port: dataplane.PortConfig{Rate: w.rate, PFCSend: 0x0F, PFCReceive: 0x0F, Response: 100 * dataplane.Nanosecond}, hosts: worldHosts, link: w.link,
	})
	s.sw.SetTrim(dataplane.Trim{Bytes: 80, Queue: 7})
	for i, p := range w.pools {
		s.sw.SetPool(i, p)
	}
	for p := range worldHosts {
		cfg := s.sw.Ports()[p].Config()
		cfg.SliceIn, cfg.SliceOut, cfg.Reserved = w.ports[p].in, w.ports[p].out, w.ports[p].reserved
		s.SetPort(s.sw.Ports()[p], cfg)
		for q := range 8 {
			s.sw.SetGroup(p, q, dataplane.Buffer{Pool: q % 2, Dynamic: true, Xoff: int64(q%2) * 20e3})
			s.sw.SetQueue(p, q, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 2}, Detector: dataplane.Detector{
				On: q%4 == 3, Detect: 10 * dataplane.Microsecond, Recover: 5 * dataplane.Microsecond, Drop: p%2 == 0,
			}})
		}
	}
	for i, f := range w.flows {
		f.From, f.To = s.hosts[w.from[i]], s.hosts[w.to[i]]
		if _, err := s.AddFlow(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range w.change {
		s.At(c.at, func() { s.change(c) })
	}
	if err := s.Run(120 * dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *star) change(c change) {
	switch c.what {
	case 0:
		s.sw.SetGroup(c.port, c.n, c.buf)
	case 1:
		b := c.buf
		if b.Pool >= 0 {
			b.Pool = 2
		}
		s.sw.SetQueue(c.port, c.n, dataplane.Queue{Buffer: b, WRED: c.wred, Sched: dataplane.Scheduling{Strict: c.on, Weight: c.n + 1, MaxRate: c.buf.Static * 1e4}})
	case 2:
		s.stopSending(c.port, c.on)
	case 3:
		s.Storm(s.hosts[c.port], 1<<c.n, 0)
	case 4:
		cfg := s.sw.Ports()[c.port].Config()
		cfg.PFCSend, cfg.PauseSend, cfg.PauseReceive = uint8(c.buf.Static), c.on, c.on
		s.SetPort(s.sw.Ports()[c.port], cfg)
	case 5:
		s.sw.SetPool(c.n%2, dataplane.Pool{Size: c.buf.Static, Headroom: c.buf.Xoff / 4})
	case 6:
		s.sw.SetLimit(c.port, c.n%3, dataplane.PortLimit{Shared: c.buf.Static, Dynamic: c.buf.Dynamic, Alpha: c.buf.Alpha})
		s.sw.SetHeadroomLimit(c.port, c.buf.Xoff)
	}
}

// TestI10 plays random worlds: after every event bytes in are bytes out, dropped
// or held, and the same seed gives the same trace.
func TestI10(t *testing.T) {
	long(t)
	rapid.Check(t, func(r *rapid.T) {
		w := drawWorld(r)
		checked, plain := w.play(t, true), w.play(t, false)
		if checked.Digest() != plain.Digest() || checked.Events() != plain.Events() {
			r.Errorf("two runs of one seed: traces %x and %x, %d and %d events", checked.Digest(), plain.Digest(), checked.Events(), plain.Events())
		}
	})
}

// lossless is an incast through a switch whose groups have headroom for the given
// frames each, with as much traffic in the other direction.
type lossless struct {
	reach   dataplane.Reach
	model   dataplane.Model
	senders int
	alpha   int8 // of a dynamic threshold
	frames  int64
	seed    uint64
	phase   dataplane.Time // of what comes back, against what is sent
	span    dataplane.Time
	stopped bool  // nothing leaves to the receiver
	minimum int64 // guaranteed to each group, bytes
	shared  bool  // headroom lies in a pool
}

func (c lossless) run(t testing.TB) (drops, pauses uint64) {
	n := 2*c.senders + 1 // the others send to the senders
	room := c.frames * c.model.Frame(c.reach.MTU)
	s := newStar(t, rig{
		sim: dataplane.Config{Seed: c.seed, Overhead: c.reach.Overhead}, sw: dataplane.SwitchConfig{Model: c.model},
		port:  dataplane.PortConfig{Rate: c.reach.Rate, PFCSend: 1 << 3, PFCReceive: 1 << 3, Response: c.reach.Response},
		hosts: n, link: dataplane.Link{Delay: c.reach.Delay},
	})
	slices := int64(max(c.model.Slices, 1))
	pool := dataplane.Pool{Size: slices * (int64(n)*(room+c.minimum) + 50*c.model.Frame(c.reach.MTU)), Headroom: slices * int64(n) * room}
	if !c.shared {
		pool = dataplane.Pool{Size: slices * (int64(n)*c.minimum + 50*c.model.Frame(c.reach.MTU))}
	}
	s.sw.SetPool(0, pool)
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for p := range n {
		s.sw.SetGroup(p, 3, dataplane.Buffer{
			Pool: 0, Dynamic: c.reach.Dynamic, Alpha: c.alpha, Static: 5 * c.model.Frame(c.reach.MTU), Xoff: room, XonOffset: 2 * c.model.Frame(c.reach.MTU), Reserved: c.minimum,
		})
		cfg := s.sw.Ports()[p].Config()
		cfg.SliceIn, cfg.SliceOut = uint8(p)%2, uint8(p)/2%2
		s.SetPort(s.sw.Ports()[p], cfg)
		s.sw.SetGroup(p, 5, dataplane.Buffer{Pool: 1}) // what comes back, and is in nobody's way
		s.sw.SetQueue(p, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
		s.sw.SetQueue(p, 5, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	}
	for i := range c.senders {
		s.sendEndless(t, i, c.senders, 3, c.reach, 0)
		s.sendEndless(t, c.senders+1+i, i, 5, c.reach, c.phase)
	}
	s.stopSending(c.senders, c.stopped)
	if err := s.Run(c.span); err != nil {
		t.Fatal(err)
	}
	for p := range n {
		drops += s.sw.Group(p, 3).Dropped
		pauses += s.sw.Group(p, 3).Xoffs
	}
	return drops, pauses
}

// sendEndless makes a host send maximum-size frames endlessly.
func (s *star) sendEndless(t testing.TB, from, to int, class uint8, r dataplane.Reach, start dataplane.Time) {
	_, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[from], To: s.hosts[to], Class: class, Payload: r.MTU - 62, Start: start, AckEvery: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
}

// perGroup gives each group its own buffer. It needs one more frame, because the frame
// that exceeds XON is already in it, and what the chip withholds.
func (c *lossless) perGroup() {
	c.model.Admission = dataplane.AdmitPerGroup
	c.frames++
	if !c.shared {
		c.frames += ceil(int64(c.model.HeadroomLoss*c.model.CellBytes), c.model.Frame(c.reach.MTU))
	}
	c.minimum = 0
}

func ceil(n, unit int64) int64 { return (n + unit - 1) / unit }

// TestI11 draws links, chips and loads: a lossless class whose headroom is by the
// formula loses nothing. With one frame less it does.
func TestI11(t *testing.T) {
	long(t)
	rapid.Check(t, func(r *rapid.T) {
		c := lossless{
			reach: dataplane.Reach{
				Rate: rapid.SampledFrom([]uint64{25e9, 100e9, 400e9}).Draw(r, "rate"), MTU: rapid.SampledFrom([]int{1086, 4158, 9216}).Draw(r, "mtu"),
				Delay:    dataplane.Time(rapid.IntRange(5, 1500).Draw(r, "delay")) * dataplane.Nanosecond,
				Response: dataplane.Time(rapid.IntRange(0, 1500).Draw(r, "response")) * dataplane.Nanosecond, Overhead: 20,
				Dynamic: rapid.Bool().Draw(r, "dynamic"),
			},
			model: dataplane.Model{
				CellBytes: rapid.SampledFrom([]int{1, 96, 208, 254}).Draw(r, "cell"), Slices: rapid.SampledFrom([]int{1, 2}).Draw(r, "slices"),
				Admission: dataplane.AdmitBefore, ReleaseEarly: rapid.Bool().Draw(r, "early"), AlphaTop: 6,
				HeadroomLoss: rapid.SampledFrom([]int{0, 47, 95}).Draw(r, "loss"), SharedXoffTimes: rapid.IntRange(1, 2).Draw(r, "times"),
			},
			minimum: int64(rapid.IntRange(0, 40000).Draw(r, "minimum")), shared: rapid.Bool().Draw(r, "shared headroom"),
			span: 500 * dataplane.Microsecond, senders: rapid.IntRange(2, 4).Draw(r, "senders"), alpha: int8(rapid.IntRange(-3, 1).Draw(r, "alpha")), seed: rapid.Uint64().Draw(r, "seed"),
		}
		c.frames = c.reach.Headroom() / int64(c.reach.MTU)
		if rapid.Bool().Draw(r, "a buffer per group") {
			c.perGroup()
		}
		drops, pauses := c.run(t)
		if drops != 0 || pauses == 0 {
			r.Errorf("headroom of %d frames: %d drops, %d pauses; want 0 and some", c.frames, drops, pauses)
		}
	})
}

// TestHeadroomShort: with one frame less than the formula says there are drops.
func TestHeadroomShort(t *testing.T) {
	long(t)
	for _, rate := range []uint64{25e9, 100e9, 400e9} {
		for _, mtu := range []int{1086, 4158, 9216} {
			for _, delay := range []dataplane.Time{200, 1000} {
				c := lossless{shared: true, reach: dataplane.Reach{
					Rate: rate, MTU: mtu, Delay: delay * dataplane.Nanosecond, Response: 500 * dataplane.Nanosecond, Overhead: 20,
				}, senders: 3, seed: 1, span: 100 * dataplane.Microsecond, stopped: true}
				var enough, short uint64
				for phase := range dataplane.Time(64) { // the worst comes when a frame back has just begun
					c.phase = phase * dataplane.Time(mtu) * dataplane.Time(8e12/rate) / 64
					c.frames = c.reach.Headroom() / int64(mtu)
					n, _ := c.run(t)
					enough += n
					c.frames--
					n, _ = c.run(t)
					short += n
				}
				if enough != 0 || short == 0 {
					t.Errorf("%d Gb/s, frames of %d bytes, %v: %d drops with headroom of %d frames, %d with one less; want 0 and some",
						rate/1e9, mtu, c.reach.Delay, enough, c.frames+1, short)
				}
			}
		}
	}
}
