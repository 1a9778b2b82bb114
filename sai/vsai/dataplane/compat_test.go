package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// compat makes a star with the rules of the packet simulator that papers on congestion
// control use: bytes instead of cells, the packet that crosses a threshold is in
// headroom as a whole, memory is free when transmission starts, pauses do not expire,
// times are whole nanoseconds.
func compat(t testing.TB, c incast) *star {
	n := int64(c.senders + 1)
	headroom := int64(c.rate) / 8 * int64(c.delay/dataplane.Nanosecond) / 1e9 * 3
	if c.headroom > 0 {
		headroom = c.headroom
	}
	s := newStar(t, rig{
		sim: dataplane.Config{Tick: dataplane.Nanosecond, Seed: c.seed},
		sw: dataplane.SwitchConfig{Model: dataplane.Model{
			Admission: dataplane.AdmitAfter, SharedSize: dataplane.SharedExcludesHeadroom, ResumeOwn: true, ReleaseEarly: true,
		}},
		port: dataplane.PortConfig{
			Rate: c.rate, Maps: byPCP(), PFCSend: 1 << 3, PFCReceive: 1 << 3, NoExpiry: true, PFCBytes: 43,
		},
		hosts: c.senders + 1, link: dataplane.Link{Delay: c.delay},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: c.buffer - n*headroom - n*reserve})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 40, Egress: true})
	for i := range s.hosts {
		b := dataplane.Buffer{Pool: 0, Reserved: reserve, Dynamic: true, Alpha: -3, Xoff: headroom, XonOffset: 3072}
		if c.xoff > 0 {
			b = dataplane.Buffer{Pool: 0, Reserved: reserve, Static: c.xoff, Xoff: headroom, Xon: c.xon + reserve}
		}
		s.sw.SetGroup(i, 3, b)
		s.sw.SetQueue(i, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, WRED: c.wred})
	}
	for i := range c.senders {
		f := dataplane.FlowConfig{
			From: s.hosts[i], To: s.hosts[c.senders], Bytes: c.bytes, Class: 3, Payload: 1000, Headers: 48, AckBytes: 60,
			ECN: c.wred != nil, EchoMarks: true, Control: c.control,
		}
		if _, err := s.AddFlow(f); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// reserve is the reservation of each priority group, in bytes.
const reserve = 4096

func byPCP() *dataplane.Maps { return dataplane.DefaultMaps() }

// incast is senders that send to one receiver simultaneously.
type incast struct {
	senders   int
	rate      uint64
	delay     dataplane.Time
	buffer    int64
	bytes     uint64 // of each sender
	headroom  int64  // 0: rate × delay × 3
	xoff, xon int64  // static thresholds; 0: dynamic
	wred      *dataplane.WRED
	control   *dataplane.DCQCN
	seed      uint64
}

// TestIncastExact: without congestion control the run is deterministic, and all numbers
// equal those of that simulator.
func TestIncastExact(t *testing.T) {
	for _, c := range []struct {
		name                            string
		in                              incast
		pauses                          uint64
		queue, group, headroom, shared  int64
		firstPause, leastTime, mostTime int64 // ns
	}{
		{
			"A1 4 to 1, 100G, 4 MiB",
			incast{senders: 4, rate: 100e9, delay: dataplane.Microsecond, buffer: 4 << 20, bytes: 25e6},
			2225, 1425280, 338504, 27248, 1332392, 36524, 8299028, 8304091,
		},
		{
			"A2 16 to 1, 100G, 4 MiB",
			incast{senders: 16, rate: 100e9, delay: dataplane.Microsecond, buffer: 4 << 20, bytes: 6.25e6},
			2393, 2795016, 160344, 27248, 2336480, 13616, 8244414, 8304091,
		},
		{
			"A5 3 to 1, 40G, 12 MiB",
			incast{senders: 3, rate: 40e9, delay: dataplane.Microsecond, buffer: 12 << 20, bytes: 10e6},
			1217, 3444776, 1142320, 11528, 3412576, 342088, 6270469, 6274231,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compat(t, c.in)
			s.run(t)
			got := sum(s)
			t.Logf("%+v events %d", got, s.Events())
			if got.paused != c.pauses || got.resumed != c.pauses {
				t.Errorf("pauses %d, resumes %d, want %d of each", got.paused, got.resumed, c.pauses)
			}
			for _, x := range []struct {
				what      string
				got, want int64
			}{
				{"greatest queue", got.queue, c.queue},
				{"greatest group", got.group, c.group},
				{"greatest headroom", got.headroom, c.headroom},
				{"greatest shared", got.shared, c.shared},
				{"shortest time", got.least, c.leastTime},
				{"longest time", got.most, c.mostTime},
			} {
				if x.got != x.want {
					t.Errorf("%s %d, want %d", x.what, x.got, x.want)
				}
			}
		})
	}
}

type totals struct {
	paused, resumed                uint64
	queue, group, headroom, shared int64
	marks, drops                   uint64
	least, most                    int64
}

// sum sums a star's counters.
func sum(s *star) totals {
	var o totals
	o.least = 1 << 62
	for i, p := range s.sw.Ports() {
		g := s.sw.Group(i, 3)
		o.paused += g.Xoffs
		o.resumed += s.hosts[i].Port().Stats.OnToOff[3]
		o.group = max(o.group, g.SharedMost+reserve)
		o.headroom = max(o.headroom, g.HeadroomMost)
		q := s.sw.Queue(i, 3)
		o.queue = max(o.queue, q.LengthMost)
		o.marks += q.Marked[dataplane.Green]
		o.drops += p.Stats.InDropped + p.Stats.OutDropped
	}
	_, l := s.sw.Pool(0)
	o.shared = l.SharedMost
	for _, f := range s.Flows() {
		ns := int64((f.Stats.Ended - f.Stats.Began) / dataplane.Nanosecond)
		o.least, o.most = min(o.least, ns), max(o.most, ns)
	}
	return o
}
