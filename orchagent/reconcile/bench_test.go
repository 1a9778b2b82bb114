package reconcile_test

import (
	"fmt"
	"maps"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
)

// scale is a fully configured switch: every port with eight priority groups, all
// its queues with a buffer profile, eight with a WRED profile, eight scheduler
// groups, PFC, maps, lists, link, admin state and a host interface: 36 objects or
// facets a port.
func scale(r *rig) objects {
	o := objects{}
	ingress := o.pool("ingress", sai.BufferPoolTypeIngress, 65536*kb, 16384*kb)
	egress := o.pool("egress", sai.BufferPoolTypeEgress, 32768*kb, 0)
	lossless := o.profile("lossless", ingress, 0, 32*kb, -3)
	lossy := o.profile("lossy", ingress, 0, 0, 3)
	queue := o.profile("queue", egress, 0, 0, 1)
	o.profile("queue2", egress, 0, 0, 2)
	ecn := o.wred("ecn", 1024*kb, 2048*kb)
	sched := o.scheduler("scheduler.0", 14)
	dscp := o.dscpMap("AZURE", 3, 3)
	for _, p := range r.dev.Ports {
		o.link(p, 100000, 9100)
		o.up(p)
		o.hostif(p)
		for i := range p.PGs {
			if i == 3 || i == 4 {
				o.pg(p, i, lossless)
			} else {
				o.pg(p, i, lossy)
			}
			o.mark(p, i, ecn)
			o.add(p.Queues[i].Group, ref(sai.SchedulerGroupAttrSchedulerProfileID, sched))
		}
		for i := range 8 {
			o.queue(p, i, queue)
		}
		o.pause(p, 1<<3|1<<4)
		o.add(p.Facet(graph.QoSMaps), ref(sai.PortAttrQoSDSCPToTCMap, dscp))
		o.add(p.Facet(graph.Ingress), ref(sai.PortAttrQoSIngressBufferProfileList, lossless, lossy))
		o.add(p.Facet(graph.Egress), ref(sai.PortAttrQoSEgressBufferProfileList, queue))
	}
	return o
}

func sizes(b *testing.B, f func(b *testing.B, ports int)) {
	for _, n := range []int{64, 128, 512} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			f(b, n)
		})
	}
}

func settled(b *testing.B, ports int) (*rig, objects) {
	r := newRig(b, "th5", ports)
	o := scale(r)
	r.mustApply(o.graph())
	return r, o
}

// BenchmarkNothing compares everything and finds the same nodes.
func BenchmarkNothing(b *testing.B) {
	sizes(b, func(b *testing.B, ports int) {
		r, o := settled(b, ports)
		for b.Loop() {
			r.rec.Reconcile(r.whole(o.graph()), reconcile.BestEffort, reconcile.Options{})
		}
		b.ReportMetric(float64(len(o)), "nodes")
	})
}

// BenchmarkNothingAnew compares everything with equal nodes that are not the same,
// as after a full derivation.
func BenchmarkNothingAnew(b *testing.B) {
	sizes(b, func(b *testing.B, ports int) {
		r, o := settled(b, ports)
		twice := [2]graph.Graph{o.graph(), scale(r).graph()}
		for i := 0; b.Loop(); i++ {
			r.rec.Reconcile(r.whole(twice[i%2]), reconcile.BestEffort, reconcile.Options{})
		}
	})
}

// BenchmarkOne changes one queue, one priority's pause, or a profile that all
// queues use, on a chip that is settled otherwise.
func BenchmarkOne(b *testing.B) {
	changes := []struct {
		name   string
		change func(o objects, r *rig, i int)
	}{
		{"queue", func(o objects, r *rig, i int) {
			o.queue(r.dev.Ports[0], 3, key(sai.ObjectTypeBufferProfile, []string{"queue2", "queue"}[i%2]))
		}},
		{"pause", func(o objects, r *rig, i int) { o.pause(r.dev.Ports[0], []uint64{1 << 3, 1<<3 | 1<<4}[i%2]) }},
		{"shared", func(o objects, _ *rig, i int) {
			o.profile("lossless", key(sai.ObjectTypeBufferPool, "ingress"), 0, uint64(48-16*(i%2))*kb, -3)
		}},
	}
	for _, c := range changes {
		for _, touched := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/touched=%v", c.name, touched), func(b *testing.B) {
				sizes(b, func(b *testing.B, ports int) {
					r, o := settled(b, ports)
					keys := objects{}
					c.change(keys, r, 0)
					opt := reconcile.Options{}
					if touched {
						for k := range keys {
							opt.Touched = append(opt.Touched, k)
						}
					}
					for i := 0; b.Loop(); i++ {
						c.change(o, r, i)
						if res := r.rec.Reconcile(r.whole(o.graph()), reconcile.Atomic, opt); len(res.Plan) != 1 || res.Err() != nil {
							b.Fatalf("%v\n%s", res.Err(), res.Plan)
						}
					}
				})
			})
		}
	}
}

// BenchmarkReplace gives a profile that all queues use another kind of threshold:
// a new object, every queue turned over, the old one removed.
func BenchmarkReplace(b *testing.B) {
	sizes(b, func(b *testing.B, ports int) {
		r, o := settled(b, ports)
		egress := key(sai.ObjectTypeBufferPool, "egress")
		for i := 0; b.Loop(); i++ {
			if i%2 == 0 {
				o.static("queue", egress, 0, 0, 64*kb)
			} else {
				o.profile("queue", egress, 0, 0, 1)
			}
			if res := r.rec.Reconcile(r.whole(o.graph()), reconcile.Atomic, reconcile.Options{}); res.Err() != nil {
				b.Fatal(res.Err())
			}
		}
	})
}

// BenchmarkCold configures an empty chip.
func BenchmarkCold(b *testing.B) {
	sizes(b, func(b *testing.B, ports int) {
		r := newRig(b, "th5", ports)
		g := scale(r).graph()
		var writes int
		for b.Loop() {
			res := r.rec.Reconcile(r.whole(g), reconcile.BestEffort, reconcile.Options{})
			if res.Err() != nil {
				b.Fatal(res.Err())
			}
			writes = len(res.Writes)
			b.StopTimer()
			r.mustApply(graph.Graph{})
			b.StartTimer()
		}
		b.ReportMetric(float64(writes), "writes")
	})
}

// BenchmarkUndo configures an empty chip, is refused at the last step, and takes
// everything back.
func BenchmarkUndo(b *testing.B) {
	sizes(b, func(b *testing.B, ports int) {
		r := newRig(b, "th5", ports)
		g := maps.Clone(scale(r).graph())
		o := objects(g)
		o.up(r.dev.Ports[ports-1])
		bad := objects{}
		bad.add(graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet999999", Facet: graph.Admin}, num(sai.PortAttrAdminState, 1))
		maps.Copy(g, bad.graph())
		for b.Loop() {
			if res := r.rec.Reconcile(r.whole(g), reconcile.Atomic, reconcile.Options{}); !res.RolledBack || res.Dirty {
				b.Fatal(res.Err())
			}
		}
	})
}

// BenchmarkReadback reads a configured chip.
func BenchmarkReadback(b *testing.B) {
	sizes(b, func(b *testing.B, ports int) {
		r, o := settled(b, ports)
		for b.Loop() {
			if plan := r.readback().Plan(o.graph(), reconcile.Options{}); len(plan) != 0 {
				b.Fatalf("plan:\n%s", plan)
			}
		}
	})
}
