package bridge_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// TestPortLists: a profile in a port's list bounds what the port takes of that profile's
// pool, at its side, and of no other; without the list it is unbounded again.
func TestPortLists(t *testing.T) {
	t.Parallel()
	const bound, cell, frame = 20000, 144, 8 // of 1086 bytes
	const most = bound / cell / frame * frame
	r := newRig(t, "spc3", 3)
	b := r.lossless(4 << 20)
	other := func(typ sai.BufferPoolType) sai.ID[sai.BufferPool] {
		return create(r, sai.BufferPoolAttrType.Is(typ), sai.BufferPoolAttrSize.Is(uint64(1<<20)))
	}
	static := func(pool sai.ID[sai.BufferPool]) []sai.ID[sai.BufferProfile] {
		return []sai.ID[sai.BufferProfile]{create(r, sai.BufferProfileAttrPoolID.Is(pool), sai.BufferProfileAttrReservedBufferSize.Is(0),
			sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeStatic), sai.BufferProfileAttrSharedStaticTH.Is(uint64(bound)))}
	}
	ingress, egress := sai.PortAttrQoSIngressBufferProfileList, sai.PortAttrQoSEgressBufferProfileList
	all := int64(100 * frame)
	for _, x := range []struct {
		name      string
		port      int
		list      sai.Attr[sai.Port, []sai.ID[sai.BufferProfile]]
		pool      sai.ID[sai.BufferPool]
		held      int64
		inDropped bool
	}{
		{"ingress", 0, ingress, b.in, most, true},
		{"ingress, another pool", 0, ingress, other(sai.BufferPoolTypeIngress), all, false},
		{"ingress, another port", 1, ingress, b.in, all, false},
		{"egress", 2, egress, b.out, most, false},
		{"egress, another pool", 2, egress, other(sai.BufferPoolTypeEgress), all, false},
		{"egress, another port", 0, egress, b.out, all, false},
	} {
		set(r, r.ports[x.port], x.list.Is(static(x.pool)))
		r.sync()
		in, out := r.dev.PortByLane(1), r.dev.PortByLane(9)
		before := in.Stats.InDropped
		r.sim.Block(out, true)
		r.flow(dataplane.FlowConfig{Bytes: 100 * 1024, Class: 1, AckEvery: 1 << 30}, 0, 2)
		r.run(20 * dataplane.Microsecond)
		got := r.dev.Switch().Group(in.Index(), 1).Held
		if got != x.held || (in.Stats.InDropped > before) != x.inDropped {
			t.Errorf("%s: %d cells held, dropped at ingress %v; want %d, %v", x.name, got, in.Stats.InDropped > before, x.held, x.inDropped)
		}
		r.sim.Block(out, false)
		set(r, r.ports[x.port], x.list.Is(nil))
		r.run(100 * dataplane.Microsecond)
	}
}
