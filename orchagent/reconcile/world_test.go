package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
)

// world makes random graphs that a chip can hold. That they fit is found out by
// trying them on a chip of the same kind, so that the test has no opinion about
// packet memory.
type world struct {
	rng     *rand.Rand
	scratch *rig
	ports   int // how many ports take part
}

func newWorld(t testing.TB, rng *rand.Rand, profile string, ports int) *world {
	return &world{rng: rng, scratch: newRig(t, profile, ports), ports: ports}
}

// next returns a graph that fits.
func (w *world) next() objects {
	for {
		o := w.random()
		w.scratch.mustApply(graph.Graph{})
		if w.scratch.apply(o.graph(), reconcile.Atomic, reconcile.Options{}).Err() == nil {
			return o
		}
	}
}

func (w *world) one(n int) bool { return w.rng.IntN(n) == 0 }

func (w *world) size(limit uint64) uint64 { return w.rng.Uint64N(limit/kb) * kb }

func (w *world) memory() uint64 { return w.scratch.chip.Profile().BufferBytes }

func pick[T any](w *world, list []T) T { return list[w.rng.IntN(len(list))] }

// random returns a graph that is valid but for what it takes of the memory.
func (w *world) random() objects {
	o := objects{}
	in, out := w.pools(o)
	ingress, lossless := w.profiles(o, "i", in)
	egress, _ := w.profiles(o, "e", out)
	var wreds, scheds, maps []graph.Key
	for i := range w.rng.IntN(3) {
		low := w.size(200 * kb)
		wreds = append(wreds, o.wred(fmt.Sprint("w", i), low, low+w.size(200*kb)))
	}
	for i := range w.rng.IntN(3) {
		scheds = append(scheds, o.scheduler(fmt.Sprint("s", i), 1+w.rng.Uint64N(100)))
	}
	for i := range w.rng.IntN(3) {
		maps = append(maps, o.dscpMap(fmt.Sprint("m", i), uint8(w.rng.IntN(64)), uint8(w.rng.IntN(8))))
	}
	var dot1p []graph.Key
	for i := range w.rng.IntN(3) {
		dot1p = append(dot1p, o.dot1pMap(fmt.Sprint("m", i), uint8(w.rng.IntN(8)), uint8(w.rng.IntN(8))))
	}
	if len(maps) > 0 && w.one(2) {
		o.add(graph.Key{Type: sai.ObjectTypeSwitch, Name: "switch", Facet: graph.QoSMaps}, ref(sai.SwitchAttrQoSDSCPToTCMap, pick(w, maps)))
	}
	for _, p := range w.scratch.dev.Ports {
		w.classes(o, p, ingress, lossless)
		w.queues(o, p, egress, wreds, scheds)
		w.port(o, p, scheds)
		w.maps(o, p, maps, dot1p)
		w.lists(o, p, append(ingress, lossless...), egress)
	}
	return o
}

// pools adds pools a, b, c, each of either direction.
func (w *world) pools(o objects) (in, out []graph.Key) {
	for _, name := range []string{"a", "b", "c"}[:1+w.rng.IntN(3)] {
		size := kb + w.size(w.memory()/2)
		if w.one(3) {
			out = append(out, o.pool(name, sai.BufferPoolTypeEgress, size, 0))
			continue
		}
		xoff := uint64(0)
		if w.one(2) {
			xoff = w.size(size)
		}
		in = append(in, o.pool(name, sai.BufferPoolTypeIngress, size, xoff))
	}
	return in, out
}

// profiles adds profiles of the given pools. A name can come back with another
// kind of threshold, or in another pool.
func (w *world) profiles(o objects, prefix string, pools []graph.Key) (lossy, lossless []graph.Key) {
	if len(pools) == 0 {
		return nil, nil
	}
	for i := range w.rng.IntN(5) {
		name, pool, size, xoff := fmt.Sprint(prefix, i), pick(w, pools), w.size(w.memory()/24), uint64(0)
		if w.one(2) {
			xoff = kb + w.size(w.memory()/24)
		}
		var k graph.Key
		if w.one(4) {
			k = o.static(name, pool, size, xoff, w.size(1024*kb))
		} else {
			k = o.profile(name, pool, size, xoff, int8(w.rng.IntN(11))-7)
		}
		if xoff > 0 {
			lossless = append(lossless, k)
		} else {
			lossy = append(lossy, k)
		}
	}
	return lossy, lossless
}

func (w *world) classes(o objects, p *intent.Port, lossy, lossless []graph.Key) {
	var mask uint64
	for i := range p.PGs {
		switch {
		case len(lossless) > 0 && w.one(4):
			o.pg(p, i, pick(w, lossless))
			if w.one(2) {
				mask |= 1 << i
			}
		case len(lossy) > 0 && w.one(4):
			o.pg(p, i, pick(w, lossy))
		}
	}
	switch {
	case mask != 0 && w.one(3):
		o.pauseApart(p, mask)
	case mask != 0:
		o.pause(p, mask)
	}
}

func (w *world) queues(o objects, p *intent.Port, profiles, wreds, scheds []graph.Key) {
	for i := range 8 {
		if len(profiles) > 0 && w.one(4) {
			o.queue(p, i, pick(w, profiles))
		}
		if len(wreds) > 0 && w.one(3) {
			o.mark(p, i, pick(w, wreds))
		}
		if len(scheds) > 0 && w.one(4) {
			o.add(p.Queues[i].Group, ref(sai.SchedulerGroupAttrSchedulerProfileID, pick(w, scheds)))
		}
	}
}

// maps gives a port maps of either kind, as one facet.
func (w *world) maps(o objects, p *intent.Port, dscp, dot1p []graph.Key) {
	var attrs []graph.Attr
	if len(dscp) > 0 && w.one(2) {
		attrs = append(attrs, ref(sai.PortAttrQoSDSCPToTCMap, pick(w, dscp)))
	}
	if len(dot1p) > 0 && w.one(2) {
		attrs = append(attrs, ref(sai.PortAttrQoSDot1pToTCMap, pick(w, dot1p)))
	}
	if len(attrs) > 0 {
		o.add(p.Facet(graph.QoSMaps), attrs...)
	}
}

func (w *world) port(o objects, p *intent.Port, scheds []graph.Key) {
	if !w.one(4) {
		o.link(p, pick(w, []uint64{10000, 25000, 50000, 100000}), 1500+w.rng.Uint64N(7000))
	}
	if w.one(2) {
		o.up(p)
	}
	if len(scheds) > 0 && w.one(3) {
		o.add(p.Facet(graph.Scheduler), ref(sai.PortAttrQoSSchedulerProfileID, pick(w, scheds)))
	}
	if w.one(2) { // names go round between host interfaces
		name := w.scratch.dev.Ports[w.rng.IntN(len(w.scratch.dev.Ports))].Name
		for k := range o {
			if k.Type == sai.ObjectTypeHostif && o[k].Attr(sai.HostifAttrName.AttrMeta) == graph.Text(name) {
				return
			}
		}
		o.add(key(sai.ObjectTypeHostif, p.Name), num(sai.HostifAttrType, uint64(sai.HostifTypeNetdev)),
			ref(sai.HostifAttrObjID, p.Object), text(sai.HostifAttrName, name))
	}
}

func (w *world) lists(o objects, p *intent.Port, ingress, egress []graph.Key) {
	if len(ingress) > 0 && w.one(3) {
		o.add(p.Facet(graph.Ingress), ref(sai.PortAttrQoSIngressBufferProfileList, ingress[:1+w.rng.IntN(len(ingress))]...))
	}
	if len(egress) > 0 && w.one(3) {
		o.add(p.Facet(graph.Egress), ref(sai.PortAttrQoSEgressBufferProfileList, egress[:1+w.rng.IntN(len(egress))]...))
	}
}
