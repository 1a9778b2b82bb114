package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/sai/vsai/dataplane"
)

// Pools of a model.
const (
	ingressPool = iota
	egressPool
	modelPools
)

// mostOnce is the bytes of the largest packet, and of what goes with each.
const mostOnce = 1 << 16

// withoutLimit is what an egress pool holds, whose queues have no limit.
const withoutLimit = 1 << 50

func (m *Model) check() error {
	var faults []error
	fault := func(at Pos, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: model: %w", at, fmt.Errorf(format, args...)))
	}
	if m.Buffer <= 0 {
		fault(m.At, "buffer: want the bytes that all share, as in 16MiB")
	}
	if m.Slices > 4 {
		fault(m.At, "slices: %d: want 1 to 4", m.Slices)
	}
	if max(m.Cell, m.CellOverhead, m.PauseBytes) > mostOnce {
		fault(m.At, "cell %d, cell-overhead %d, pause-bytes %d: want at most %d each", m.Cell, m.CellOverhead, m.PauseBytes, mostOnce)
	}
	for _, c := range slices.Sorted(maps.Keys(m.Classes)) {
		x := m.Classes[c]
		switch {
		case c >= dataplane.Classes:
			fault(x.At, "class %d: want 0 to %d", c, dataplane.Classes-1)
		case x.Alpha != nil && (*x.Alpha < -8 || *x.Alpha > 7):
			fault(x.At, "class %d: alpha %d: want -8 to 7", c, *x.Alpha)
		case x.Alpha != nil && x.Limit > 0:
			fault(x.At, "class %d: want alpha or limit", c)
		case x.MaxRate > 0 && x.MaxRate < 8:
			fault(x.At, "class %d: max-rate %d: want 8bps, which is a byte a second, or more", c, x.MaxRate)
		case x.ECN != nil && x.ECN.Max < x.ECN.Min:
			fault(x.At, "class %d: ecn: max %d is below min %d", c, x.ECN.Max, x.ECN.Min)
		case x.Watchdog != nil && (x.Watchdog.Detect <= 0 || x.Watchdog.Recover <= 0):
			fault(x.At, "class %d: watchdog: want detect and recover, as in 2ms", c)
		}
	}
	return errors.Join(faults...)
}

func (m *Model) config(n *node) dataplane.SwitchConfig {
	return dataplane.SwitchConfig{
		Name: n.name, Ports: max(len(n.ports), 1), Queues: dataplane.Classes, Pools: modelPools, MAC: n.mac,
		Model: dataplane.Model{
			CellBytes: int(m.Cell), CellOverhead: int(m.CellOverhead), Slices: int(m.Slices),
			Admission: dataplane.Admission(m.Admission), SharedSize: dataplane.SharedExcludesHeadroom,
			ResumeOwn: m.Resume == ResumeOwn, ReleaseEarly: m.Release == ReleaseEarly,
		},
	}
}

// lossless is the bits of classes with headroom.
func (m *Model) lossless() (classes uint8) {
	for c, x := range m.Classes {
		if x.Headroom > 0 {
			classes |= 1 << c
		}
	}
	return classes
}

// maps says which class a packet is of, by its DSCP: that of the workload which sends
// it, else its first three bits. A priority of 802.1p would not outlast a router.
func (f *File) maps() *dataplane.Maps {
	m := dataplane.DefaultMaps()
	m.TrustDSCP = true
	for d := range m.DSCPToTC {
		m.DSCPToTC[d] = uint8(d) / dscpPerClass
	}
	for i := range f.Workloads {
		if l := &f.Workloads[i]; l.DSCP != nil && *l.DSCP < uint8(len(m.DSCPToTC)) {
			m.DSCPToTC[*l.DSCP] = l.class()
		}
	}
	return m
}

// dscpPerClass is how many code points of DSCP a class selector has, RFC 2474.
const dscpPerClass = 8

// port is what a port of the model with a link is, the i-th of n. With slices the ports
// of each half of the switch share one, or with more than two those of each pair of halves.
func (m *Model) port(maps *dataplane.Maps, rate uint64, i, n int) dataplane.PortConfig {
	in, out := uint8(2*i/n), uint8(0)
	if m.Slices > 2 {
		in, out = 2*in, in
	}
	return dataplane.PortConfig{
		SliceIn: in, SliceOut: out,
		Maps: maps, Rate: rate, PFCSend: m.lossless(), PFCReceive: m.lossless(), Response: responseOf(m.Response, rate),
		Quanta: m.PauseQuanta, PFCBytes: int(m.PauseBytes), NoExpiry: m.NoExpiry,
	}
}

// responseOf is how long a port of a rate takes to heed a pause.
func responseOf(given *Moment, rate uint64) dataplane.Time {
	if given == nil {
		return dataplane.ResponseTime(rate)
	}
	return dataplane.Time(*given)
}

// configure gives a switch the model's pools, and its ports their groups and queues.
func (m *Model) configure(w *dataplane.Switch) {
	w.SetPool(ingressPool, dataplane.Pool{Size: int64(m.Buffer), Headroom: int64(m.HeadroomPool)})
	w.SetPool(egressPool, dataplane.Pool{Size: withoutLimit, Egress: true})
	for port := range w.Ports() {
		for c := range dataplane.Classes {
			x := m.Classes[uint8(c)]
			w.SetGroup(port, c, x.group())
			w.SetQueue(port, c, x.queue())
		}
	}
}

func (c *Class) group() dataplane.Buffer {
	b := dataplane.Buffer{
		Pool: ingressPool, Reserved: int64(c.Reserved), Static: int64(c.Limit),
		Xoff: int64(c.Headroom), Xon: int64(c.Xon), XonOffset: int64(c.XonOffset),
	}
	if c.Alpha != nil {
		b.Dynamic, b.Alpha = true, *c.Alpha
	}
	return b
}

func (c *Class) queue() dataplane.Queue {
	q := dataplane.Queue{
		Buffer: dataplane.Buffer{Pool: egressPool, Static: int64(c.Queue)},
		Sched:  dataplane.Scheduling{Strict: c.Strict, Weight: int(c.Weight), MaxRate: int64(c.MaxRate / 8), Burst: burst},
	}
	if e := c.ECN; e != nil {
		q.WRED = &dataplane.WRED{Dequeue: e.Dequeue}
		for colour := range q.WRED.Mark {
			q.WRED.Mark[colour] = dataplane.Curve{On: true, Min: int64(e.Min), Max: int64(e.Max), Percent: uint8(e.Most*100 + 0.5)}
		}
	}
	if d := c.Watchdog; d != nil {
		q.Detector = dataplane.Detector{
			On: true, Detect: dataplane.Time(d.Detect), Recover: dataplane.Time(d.Recover), Drop: d.Action == ActionDrop,
		}
	}
	return q
}

// burst is what a shaper lets pass at once, two of the greatest frames.
const burst = 2 * 9216
