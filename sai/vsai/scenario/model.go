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

// maxPacket is the maximum size of a packet, and of its overhead.
const maxPacket = 1 << 16

// unlimited is the size of an egress pool of queues without limits.
const unlimited = 1 << 50

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
	if max(m.Cell, m.CellOverhead, m.PauseBytes) > maxPacket {
		fault(m.At, "cell %d, cell-overhead %d, pause-bytes %d: want at most %d each", m.Cell, m.CellOverhead, m.PauseBytes, maxPacket)
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

// lossless returns the bits of classes with headroom.
func (m *Model) lossless() (classes uint8) {
	for c, x := range m.Classes {
		if x.Headroom > 0 {
			classes |= 1 << c
		}
	}
	return classes
}

// maps classifies packets by DSCP: that of a workload gives its class, others their
// first three bits. An 802.1p priority would not survive a router.
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

// dscpPerClass is the number of code points per class selector, RFC 2474.
const dscpPerClass = 8

// port configures a port with a link, the i-th of n. With slices the ports of each half
// of the switch share one; with more than two, those of each pair of halves.
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

// responseOf is the time that a port of a rate takes to react to a pause.
func responseOf(given *Moment, rate uint64) dataplane.Time {
	if given == nil {
		return dataplane.ResponseTime(rate)
	}
	return dataplane.Time(*given)
}

// configure configures a switch's pools, groups and queues.
func (m *Model) configure(w *dataplane.Switch) {
	w.SetPool(ingressPool, dataplane.Pool{Size: int64(m.Buffer), Headroom: int64(m.HeadroomPool)})
	w.SetPool(egressPool, dataplane.Pool{Size: unlimited, Egress: true})
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
			q.WRED.Mark[colour] = dataplane.Curve{On: true, Min: int64(e.Min), Max: int64(e.Max), Percent: uint8(e.MaxProbability*100 + 0.5)}
		}
	}
	if d := c.Watchdog; d != nil {
		q.Detector = dataplane.Detector{
			On: true, Detect: dataplane.Time(d.Detect), Recover: dataplane.Time(d.Recover), Drop: d.Action == ActionDrop,
		}
	}
	return q
}

// burst is a shaper's burst: two maximum-size frames.
const burst = 2 * 9216
