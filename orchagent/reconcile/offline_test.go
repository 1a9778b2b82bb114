package reconcile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
)

// links notes every value of a port that is written, "Ethernet0 SPEED=25000", and every
// time that one is up with other terms than those allowed.
type links struct {
	r     *rig
	wrote []string
	pairs []string // "SPEED FEC" that a port that is up may have; nil: any
	bad   []string
}

func (r *rig) links(pairs ...string) *links {
	l := &links{r: r, pairs: pairs}
	r.chip.AfterCall(func(c vsai.Call) {
		if c.Op != vsai.OpSet || c.IsBulk() || c.Status != 0 || c.Object.Type != sai.ObjectTypePort {
			return
		}
		i := slices.IndexFunc(r.dev.Ports, func(p *intent.Port) bool { return r.adopted[p.Object] == c.Key.OID })
		l.wrote = append(l.wrote, fmt.Sprintf("%s %s=%d", r.dev.Ports[i].Name, c.Attrs[0].Name, c.Attrs[0].Num))
		l.look(c.Key.OID)
	})
	return l
}

func (l *links) look(port sai.OID) {
	of := func(a *sai.AttrMeta) uint64 { return l.r.num(port, sai.Port{}, a) }
	pair := fmt.Sprint(of(sai.PortAttrSpeed.AttrMeta), " ", of(sai.PortAttrFECMode.AttrMeta))
	if of(sai.PortAttrAdminState.AttrMeta) != 0 && l.pairs != nil && !slices.Contains(l.pairs, pair) {
		l.bad = append(l.bad, pair)
	}
}

// up100 has ports up at 100G with RS-FEC; down40 gives the first one 40G without.
func up100(r *rig) objects {
	o := objects{}
	for _, p := range r.dev.Ports {
		o.fec(p, 100000, sai.PortFECModeRs)
		o.up(p)
	}
	return o
}

func (o objects) fec(p *intent.Port, speed uint64, mode sai.PortFECMode) {
	o.add(p.Facet(graph.Link), num(sai.PortAttrSpeed, speed), num(sai.PortAttrMTU, 9122), num(sai.PortAttrFECMode, uint64(mode)))
}

const (
	fast = "100000 1"
	slow = "40000 0"
)

// TestOffline: a port that stays up is down around a change of its link, alone and for
// nothing else; MTU, ports that are down, come up or go down need nothing of it.
func TestOffline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(o objects, ports []*intent.Port)
		want   string
	}{
		{
			"speed and FEC", func(o objects, p []*intent.Port) { o.fec(p[0], 40000, sai.PortFECModeNone) },
			"Ethernet0 ADMIN_STATE=0, Ethernet0 SPEED=40000, Ethernet0 FEC_MODE=0, Ethernet0 ADMIN_STATE=1",
		},
		{"one after the other", func(o objects, p []*intent.Port) {
			o.fec(p[0], 40000, sai.PortFECModeRs)
			o.fec(p[1], 100000, sai.PortFECModeNone)
		}, "Ethernet0 ADMIN_STATE=0, Ethernet0 SPEED=40000, Ethernet0 ADMIN_STATE=1, Ethernet8 ADMIN_STATE=0, Ethernet8 FEC_MODE=0, Ethernet8 ADMIN_STATE=1"},
		{"FEC given up", func(o objects, p []*intent.Port) {
			o.add(p[0].Facet(graph.Link), num(sai.PortAttrSpeed, 100000), num(sai.PortAttrMTU, 9122))
		}, "Ethernet0 ADMIN_STATE=0, Ethernet0 FEC_MODE=0, Ethernet0 ADMIN_STATE=1"},
		{"MTU", func(o objects, p []*intent.Port) {
			o.add(p[0].Facet(graph.Link), num(sai.PortAttrSpeed, 100000), num(sai.PortAttrMTU, 1522), num(sai.PortAttrFECMode, uint64(sai.PortFECModeRs)))
		}, "Ethernet0 MTU=1522"},
		{"MTU of another", func(o objects, p []*intent.Port) {
			o.fec(p[0], 40000, sai.PortFECModeRs)
			o.add(p[1].Facet(graph.Link), num(sai.PortAttrSpeed, 100000), num(sai.PortAttrMTU, 1522), num(sai.PortAttrFECMode, uint64(sai.PortFECModeRs)))
		}, "Ethernet8 MTU=1522, Ethernet0 ADMIN_STATE=0, Ethernet0 SPEED=40000, Ethernet0 ADMIN_STATE=1"},
		{"goes down", func(o objects, p []*intent.Port) {
			o.fec(p[0], 40000, sai.PortFECModeNone)
			delete(o, p[0].Facet(graph.Admin))
		}, "Ethernet0 ADMIN_STATE=0, Ethernet0 SPEED=40000, Ethernet0 FEC_MODE=0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "default", 2)
			o := up100(r)
			r.mustApply(o.graph())
			before := r.actual()
			l := r.links()
			tt.change(o, r.dev.Ports)
			r.mustApply(o.graph())
			if got := strings.Join(l.wrote, ", "); got != tt.want {
				t.Errorf("wrote %s, want %s", got, tt.want)
			}
			r.believes("after the change")
			if res := r.rec.Undo(); res.Dirty {
				t.Errorf("undone: %v", res.Err())
			}
			if got := r.actual(); got != before {
				t.Errorf("undone the chip has\n%s\nand had\n%s", got, before)
			}
		})
	}
}

// TestOfflineOfPortDown: a port that is down, or comes up, has nothing written but its link.
func TestOfflineOfPortDown(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := up100(r)
	delete(o, r.dev.Ports[0].Facet(graph.Admin))
	r.mustApply(o.graph())
	l := r.links()
	o.fec(r.dev.Ports[0], 40000, sai.PortFECModeRs)
	r.mustApply(o.graph())
	o.fec(r.dev.Ports[0], 40000, sai.PortFECModeNone)
	o.up(r.dev.Ports[0])
	r.mustApply(o.graph())
	if got, want := strings.Join(l.wrote, ", "), "Ethernet0 SPEED=40000, Ethernet0 FEC_MODE=0, Ethernet0 ADMIN_STATE=1"; got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
}

// TestOfflineFails fails every write of a change of two ports in turn, undone and as far
// as it gets. A port is never up with terms that nobody asked for, and ends up up.
func TestOfflineFails(t *testing.T) {
	t.Parallel()
	for _, mode := range []reconcile.Mode{reconcile.Atomic, reconcile.BestEffort} {
		for _, harsh := range []bool{false, true} {
			for n := 1; ; n++ {
				r := newRig(t, "default", 2)
				o := up100(r)
				r.mustApply(o.graph())
				before := r.actual()
				l := r.links(fast, slow)
				for _, p := range r.dev.Ports {
					o.fec(p, 40000, sai.PortFECModeNone)
				}
				hit := r.faultAt(n)
				r.apply(o.graph(), mode, reconcile.Options{Disruptive: harsh})
				r.chip.OnCall(nil)
				if mode == reconcile.BestEffort { // what failed goes back to what it was
					r.mustApply(up100(r).graph())
				}
				if got := r.actual(); *hit && got != before {
					t.Fatalf("write %d failed, the chip has\n%s\nand had\n%s", n, got, before)
				}
				if len(l.bad) > 0 && !harsh {
					t.Fatalf("write %d failed, a port was up with %v:\n%s", n, l.bad, strings.Join(l.wrote, "\n"))
				}
				if !*hit {
					break
				}
			}
		}
	}
}

// TestOfflineCutShort: an agent that begins while a port is down for a change brings it up.
func TestOfflineCutShort(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 4; n++ {
		r := newRig(t, "default", 1)
		o := up100(r)
		r.mustApply(o.graph())
		l := r.links(fast, slow)
		o.fec(r.dev.Ports[0], 40000, sai.PortFECModeNone)
		writes := 0
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if c.Op.Write() && !c.IsBulk() {
				writes++
			}
			if writes >= n {
				return sai.StatusUninitialized // the agent is gone
			}
			return 0
		})
		r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
		r.chip.OnCall(nil)
		r.rec = r.readback()
		r.mustApply(o.graph())
		if got := l.wrote[len(l.wrote)-1]; got != "Ethernet0 ADMIN_STATE=1" || len(l.bad) > 0 {
			t.Errorf("ended after %d writes: %v, bad pairs %v", n-1, l.wrote, l.bad)
		}
		r.believes("in the end")
	}
}

// TestOfflineBesideFailure: what else fails of a port keeps it neither down nor from its change.
func TestOfflineBesideFailure(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 1)
	o := twoClass(r)
	r.mustApply(o.graph())
	p := r.dev.Ports[0]
	r.failSet(sai.IngressPriorityGroupAttrBufferProfile.AttrMeta, always)
	delete(o, p.PGs[0])
	o.link(p, 25000, 9100)
	res := r.apply(o.graph(), reconcile.BestEffort, reconcile.Options{})
	r.chip.OnCall(nil)
	if len(res.Failed) != 1 {
		t.Errorf("failed: %v", res.Err())
	}
	id := r.adopted[p.Object]
	if speed, up := r.num(id, sai.Port{}, sai.PortAttrSpeed.AttrMeta), r.num(id, sai.Port{}, sai.PortAttrAdminState.AttrMeta); speed != 25000 || up == 0 {
		t.Errorf("speed %d, up %d\n%s", speed, up, res.Plan)
	}
}
