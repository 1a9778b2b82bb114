package reconcile_test

import (
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
)

// twoClass is a small configuration with one of everything: a lossy and a
// lossless class, PFC, ECN, scheduling, maps, and host interfaces.
func twoClass(r *rig) objects {
	o := objects{}
	ingress := o.pool("ingress", sai.BufferPoolTypeIngress, 4096*kb, 1024*kb)
	egress := o.pool("egress", sai.BufferPoolTypeEgress, 2048*kb, 0)
	lossless := o.profile("lossless", ingress, 8*kb, 32*kb, -3)
	lossy := o.profile("lossy", ingress, 0, 0, 3)
	queue := o.profile("queue", egress, 4*kb, 0, 1)
	ecn := o.wred("ecn", 1024*kb, 2048*kb)
	sched := o.scheduler("scheduler.0", 14)
	dscp := o.dscpMap("AZURE", 3, 3)
	o.add(graph.Key{Type: sai.ObjectTypeSwitch, Name: "switch", Facet: graph.QoSMaps}, ref(sai.SwitchAttrQoSDSCPToTCMap, dscp))
	for _, p := range r.dev.Ports {
		o.link(p, 50000, 9100)
		o.up(p)
		if p.Configured {
			o.hostif(p)
		}
		o.pg(p, 0, lossy)
		o.pg(p, 3, lossless)
		o.queue(p, 3, queue)
		o.mark(p, 3, ecn)
		o.pause(p, 1<<3)
		o.add(p.Facet(graph.QoSMaps), ref(sai.PortAttrQoSDSCPToTCMap, dscp))
		o.add(p.Queues[3].Group, ref(sai.SchedulerGroupAttrSchedulerProfileID, sched))
		o.add(p.Facet(graph.Ingress), ref(sai.PortAttrQoSIngressBufferProfileList, lossless, lossy))
	}
	return o
}

// TestPlans compares whole plans with golden files: the order is the contract.
func TestPlans(t *testing.T) {
	pool := func(o objects, size, xoff uint64) {
		o.pool("ingress", sai.BufferPoolTypeIngress, size, xoff)
	}
	profile := func(o objects, xoff uint64) {
		o.profile("lossless", key(sai.ObjectTypeBufferPool, "ingress"), 8*kb, xoff, -3)
	}
	tests := []struct {
		name   string
		opt    reconcile.Options
		change func(o objects, r *rig) objects
	}{
		{name: "cold"},
		{name: "noop", change: func(o objects, _ *rig) objects { return o }},
		{name: "grow-headroom", change: func(o objects, _ *rig) objects {
			pool(o, 5120*kb, 2048*kb)
			profile(o, 64*kb)
			return o
		}},
		{name: "shrink-headroom", change: func(o objects, _ *rig) objects {
			pool(o, 3072*kb, 512*kb)
			profile(o, 16*kb)
			return o
		}},
		{name: "move-priority", change: func(o objects, r *rig) objects {
			p := r.dev.Ports[0]
			delete(o, p.PGs[3])
			o.pg(p, 4, key(sai.ObjectTypeBufferProfile, "lossless"))
			o.pause(p, 1<<4)
			return o
		}},
		{name: "pause-apart", change: func(o objects, r *rig) objects {
			o.pauseApart(r.dev.Ports[0], 1<<3)
			return o
		}},
		{name: "pause-together", change: func(o objects, r *rig) objects {
			o.pauseApart(r.dev.Ports[0], 1<<3)
			r.mustApply(o.graph())
			o.pause(r.dev.Ports[0], 1<<3)
			return o
		}},
		{name: "replace-profile", change: func(o objects, _ *rig) objects {
			o.static("queue", key(sai.ObjectTypeBufferPool, "egress"), 4*kb, 0, 64*kb) // THRESHOLD_MODE is create-only
			return o
		}},
		{name: "replace-pool", change: func(o objects, _ *rig) objects {
			o.add(key(sai.ObjectTypeBufferPool, "ingress"), // TYPE is create-only, and pools can't coexist
				num(sai.BufferPoolAttrType, uint64(sai.BufferPoolTypeBoth)), num(sai.BufferPoolAttrSize, 4096*kb))
			return o
		}},
		{name: "disruptive", opt: reconcile.Options{Disruptive: true}, change: func(o objects, _ *rig) objects {
			profile(o, 64*kb)
			return o
		}},
		{name: "swap-profiles", change: func(o objects, r *rig) objects {
			p := r.dev.Ports[0]
			o.pause(p, 1)
			o.pg(p, 0, key(sai.ObjectTypeBufferProfile, "lossless"))
			o.pg(p, 3, key(sai.ObjectTypeBufferProfile, "lossy"))
			return o
		}},
		{name: "move-class", change: func(o objects, r *rig) objects {
			// A second profile takes over, and the first one loses its headroom.
			wide := o.profile("wide", key(sai.ObjectTypeBufferPool, "ingress"), 8*kb, 64*kb, -2)
			profile(o, 0)
			for _, p := range r.dev.Ports {
				o.pg(p, 3, wide)
			}
			return o
		}},
		{name: "wred-up", change: func(o objects, _ *rig) objects { o.wred("ecn", 2560*kb, 4096*kb); return o }},
		{name: "wred-down", change: func(o objects, _ *rig) objects { o.wred("ecn", 100*kb, 400*kb); return o }},
		{name: "map-entry", change: func(o objects, _ *rig) objects { o.dscpMap("AZURE", 3, 4); return o }},
		{name: "hostif-moves", change: func(o objects, r *rig) objects {
			k := key(sai.ObjectTypeHostif, r.dev.Ports[0].Name)
			o.add(k, num(sai.HostifAttrType, uint64(sai.HostifTypeNetdev)), text(sai.HostifAttrName, "front0"), ref(sai.HostifAttrObjID, r.dev.Ports[0].Object))
			return o
		}},
		{name: "port-speed", change: func(o objects, r *rig) objects { o.link(r.dev.Ports[0], 25000, 9100); return o }},
		{name: "port-unset", change: func(o objects, r *rig) objects {
			delete(o, r.dev.Ports[0].Facet(graph.Link))
			delete(o, r.dev.Ports[0].Facet(graph.Admin))
			return o
		}},
		{name: "remove-all", change: func(objects, *rig) objects { return objects{} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "default", 1)
			r.watch()
			o := twoClass(r)
			plan := r.mustApply(o.graph()).Plan
			if tt.change != nil {
				o = tt.change(o, r)
				res := r.apply(o.graph(), reconcile.Atomic, tt.opt)
				if err := res.Err(); err != nil {
					t.Fatalf("%v\n%s", err, res.Plan)
				}
				plan = res.Plan
			}
			golden(t, tt.name+".plan", plan.String())
			if again := r.mustApply(o.graph()).Plan; len(again) != 0 {
				t.Errorf("second reconcile is not empty:\n%s", again)
			}
			r.believes("after the plan")
		})
	}
}
