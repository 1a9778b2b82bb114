package remote_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// noInjector is a driver and no more.
type noInjector struct{ sai.Driver }

// TestInject: what tests put into a virtual chip is read from it, and no other chip
// takes anything.
func TestInject(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{Ports: layout(2)})
	c := p.dial(t)
	sw := boot(t, c)
	port := p.chip.Ports()[0]
	o, stat := sai.Port{}.Meta(), (sai.Port{}).Meta().StatByName("PFC_3_RX_PKTS").ID
	if st := c.InjectStat(o, port, stat, 1<<63); st != 0 {
		t.Error(st)
	}
	for _, want := range []uint64{1 << 63, 0} {
		var got [1]uint64
		if st := c.Stats(o, sai.Key{OID: port}, []uint32{stat}, sai.StatsModeReadAndClear, got[:]); st != 0 || got[0] != want {
			t.Errorf("%v, %d, want %d", st, got[0], want)
		}
	}
	if st := c.InjectAttr(o, port, sai.PortAttrQoSMaximumHeadroomSize.Is(122880).Attribute); st != 0 {
		t.Error(st)
	}
	if n, err := sai.Get(sw, sai.ID[sai.Port](port), sai.PortAttrQoSMaximumHeadroomSize); n != 122880 || err != nil {
		t.Error(n, err)
	}
	for name, st := range map[string]sai.Status{
		"counter of another type":   c.InjectStat(sai.Queue{}.Meta(), port, 1, 1),
		"attribute of another type": c.InjectAttr(sai.Queue{}.Meta(), port, sai.QueueAttrPauseStatus.Is(true).Attribute),
		"no such counter":           c.InjectStat(o, port, 1<<30, 1),
		"not a read-only attribute": c.InjectAttr(o, port, sai.PortAttrMTU.Is(1).Attribute),
	} {
		if st == 0 {
			t.Errorf("%s: taken", name)
		}
	}
	real := start(t, noInjector{vsai.New(vsai.Config{})}, nil).dial(t)
	if st := real.InjectStat(o, port, stat, 1); st != sai.StatusNotSupported {
		t.Error(st)
	}
	if st := real.InjectAttr(o, port, sai.PortAttrQoSMaximumHeadroomSize.Is(1).Attribute); st != sai.StatusNotSupported {
		t.Error(st)
	}
}
