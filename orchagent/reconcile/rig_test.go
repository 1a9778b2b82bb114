package reconcile_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
)

var update = flag.Bool("update", false, "rewrite golden files")

const kb = 1 << 10

// rig is a reconciler on a virtual chip, without the rest of an agent.
type rig struct {
	t       testing.TB
	chip    *vsai.Chip
	names   sai.Names
	sw      *sai.Switch
	inv     *inventory.Inventory
	dev     *intent.Device
	adopted map[graph.Key]sai.OID
	rec     *reconcile.Reconciler

	mu     sync.Mutex
	broken error // the first invariant that did not hold
}

// link is how a reconciler reaches a chip.
type link func(testing.TB, *vsai.Chip) (sai.Driver, sai.Names)

func direct(_ testing.TB, c *vsai.Chip) (sai.Driver, sai.Names) { return c, c }

// newRig boots a chip with a number of ports Ethernet0, Ethernet8, … of four lanes
// of 100G, and checks the lossless invariant after every write.
func newRig(t testing.TB, profile string, ports int) *rig {
	t.Helper()
	return newRigOver(t, direct, profile, ports)
}

func newRigOver(t testing.TB, over link, profile string, ports int) *rig {
	t.Helper()
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		t.Fatal(err)
	}
	known := *p
	known.OfflineLinks = true
	known.HideBuffer = false // walks ask for more than there is, too
	cfg := vsai.Config{Profile: &known, Record: -1}
	rows := map[string]*configdb.Port{}
	for i := range ports {
		lanes := []uint32{uint32(4*i + 1), uint32(4*i + 2), uint32(4*i + 3), uint32(4*i + 4)}
		cfg.Ports = append(cfg.Ports, vsai.PortLayout{Lanes: lanes, SpeedMbps: 100000})
		name := fmt.Sprintf("Ethernet%d", 8*i)
		rows[name] = &configdb.Port{Name: name, Lanes: lanes}
	}
	r := &rig{t: t, chip: vsai.New(cfg)}
	var drv sai.Driver
	drv, r.names = over(t, r.chip)
	if r.sw, _, err = inventory.Open(drv); err != nil {
		t.Fatal(err)
	}
	if r.inv, err = inventory.Discover(r.sw); err != nil {
		t.Fatal(err)
	}
	r.dev, r.adopted = r.inv.Name(rows)
	r.rec = r.readback()
	r.mustApply(graph.Graph{}) // the ports leave the VLAN that they are in from the start
	return r
}

// watch checks after every write that no priority is paused without headroom.
func (r *rig) watch() {
	r.chip.AfterCall(func(c vsai.Call) {
		if !c.Op.Write() || c.Status != 0 || c.IsBulk() {
			return
		}
		if err := r.lossless(); err != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.broken = cmp.Or(r.broken, fmt.Errorf("after %s %s %v: %w", c.Op, c.Object.Name, c.Attrs, err))
		}
	})
}

func (r *rig) lossless() error {
	for _, p := range r.dev.Ports {
		id := sai.ID[sai.Port](r.adopted[p.Object])
		mask := r.num(id.OID(), sai.Port{}, sai.PortAttrPriorityFlowControl.AttrMeta)
		mode := r.num(id.OID(), sai.Port{}, sai.PortAttrPriorityFlowControlMode.AttrMeta)
		if mode == uint64(sai.PortPriorityFlowControlModeSeparate) {
			mask = r.num(id.OID(), sai.Port{}, sai.PortAttrPriorityFlowControlTx.AttrMeta)
		}
		for i, pg := range p.PGs {
			if mask>>i&1 == 0 {
				continue
			}
			profile := r.num(r.adopted[pg.Object()], sai.IngressPriorityGroup{}, sai.IngressPriorityGroupAttrBufferProfile.AttrMeta)
			if profile == 0 || r.num(sai.OID(profile), sai.BufferProfile{}, sai.BufferProfileAttrXoffTH.AttrMeta) == 0 {
				return fmt.Errorf("%s pauses priority %d without headroom", p.Name, i)
			}
		}
	}
	return nil
}

func (r *rig) num(id sai.OID, o sai.Object, a *sai.AttrMeta) uint64 {
	attrs := []sai.Attribute{{AttrMeta: a}}
	if st := r.chip.Get(o.Meta(), sai.Key{OID: id}, attrs); st != 0 {
		return 0
	}
	return attrs[0].Num
}

func (r *rig) readback() *reconcile.Reconciler {
	r.t.Helper()
	rec, err := reconcile.Readback(r.sw, r.names, r.adopted)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec
}

// actual reads the chip, trusting nothing that the reconciler remembers.
func (r *rig) actual() string {
	r.t.Helper()
	return r.readback().Actual().String()
}

func (r *rig) apply(g graph.Graph, mode reconcile.Mode, opt reconcile.Options) reconcile.Result {
	r.t.Helper()
	res := r.rec.Reconcile(r.whole(g), mode, opt)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken != nil {
		r.t.Fatalf("%v\nplan:\n%s", r.broken, res.Plan)
	}
	return res
}

// whole adds to g the ports that the chip has, so that they stay.
func (r *rig) whole(g graph.Graph) graph.Graph {
	for _, p := range r.dev.Ports {
		if g[p.Object] == nil {
			objects(g).lanes(p.Name, p.Lanes...)
		}
	}
	return g
}

func (r *rig) mustApply(g graph.Graph) reconcile.Result {
	r.t.Helper()
	res := r.apply(g, reconcile.Atomic, reconcile.Options{})
	if err := res.Err(); err != nil || len(res.Leftover) > 0 {
		r.t.Fatalf("reconcile: %v %v\nplan:\n%s", err, res.Leftover, res.Plan)
	}
	return res
}

// believes checks that the reconciler knows the truth.
func (r *rig) believes(when string) {
	r.t.Helper()
	if got, want := r.actual(), r.rec.Actual().String(); got != want {
		r.t.Fatalf("%s: chip has\n%s\nreconciler believes\n%s", when, got, want)
	}
	names, err := r.chip.Names()
	if err != nil {
		r.t.Fatal(err)
	}
	for k, id := range r.rec.Handles() {
		if _, adopted := r.adopted[k]; !adopted && !strings.HasPrefix(k.Name, "~oid:") && names[k.String()] != id {
			r.t.Fatalf("%s: %s is %v, named %v", when, k, id, names[k.String()])
		}
	}
	if err := r.chip.Recount(); err != nil {
		r.t.Fatalf("%s: %v", when, err)
	}
}

// The rest builds graphs by hand.

type objects map[graph.Key]*graph.Node

func (o objects) add(k graph.Key, attrs ...graph.Attr) graph.Key {
	o[k] = graph.NewNode(k, attrs)
	return k
}

func (o objects) graph() graph.Graph { return graph.Graph(o) }

// lanes adds a port as a whole.
func (o objects) lanes(name string, lanes ...uint32) graph.Key {
	return o.add(key(sai.ObjectTypePort, name), text(sai.PortAttrHwLaneList, sai.PortAttrHwLaneList.AttrMeta.Format(sai.Value{Ref: lanes})))
}

func num[O sai.Object, V any](a sai.Attr[O, V], n uint64) graph.Attr {
	return graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Uint(n)}
}

func ref[O sai.Object, V any](a sai.Attr[O, V], k ...graph.Key) graph.Attr {
	return graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Refs(k...)}
}

func text[O sai.Object, V any](a sai.Attr[O, V], s string) graph.Attr {
	return graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Text(s)}
}

func key(t sai.ObjectType, name string) graph.Key { return graph.Key{Type: t, Name: name} }

// pool adds a buffer pool.
func (o objects) pool(name string, typ sai.BufferPoolType, size, xoff uint64) graph.Key {
	return o.add(
		key(sai.ObjectTypeBufferPool, name),
		num(sai.BufferPoolAttrType, uint64(typ)),
		num(sai.BufferPoolAttrSize, size),
		num(sai.BufferPoolAttrThresholdMode, uint64(sai.BufferPoolThresholdModeDynamic)),
		num(sai.BufferPoolAttrXoffSize, xoff),
	)
}

// profile adds a buffer profile with a dynamic threshold; xoff 0 makes it lossy.
func (o objects) profile(name string, pool graph.Key, size, xoff uint64, alpha int8) graph.Key {
	return o.add(
		key(sai.ObjectTypeBufferProfile, name),
		ref(sai.BufferProfileAttrPoolID, pool),
		num(sai.BufferProfileAttrReservedBufferSize, size),
		num(sai.BufferProfileAttrThresholdMode, uint64(sai.BufferProfileThresholdModeDynamic)),
		graph.Of(sai.BufferProfileAttrSharedDynamicTH.Is(alpha)),
		num(sai.BufferProfileAttrXoffTH, xoff),
	)
}

// static adds a buffer profile with a static threshold.
func (o objects) static(name string, pool graph.Key, size, xoff, limit uint64) graph.Key {
	return o.add(
		key(sai.ObjectTypeBufferProfile, name),
		ref(sai.BufferProfileAttrPoolID, pool),
		num(sai.BufferProfileAttrReservedBufferSize, size),
		num(sai.BufferProfileAttrThresholdMode, uint64(sai.BufferProfileThresholdModeStatic)),
		num(sai.BufferProfileAttrSharedStaticTH, limit),
		num(sai.BufferProfileAttrXoffTH, xoff),
	)
}

func (o objects) wred(name string, low, high uint64) graph.Key {
	return o.add(
		key(sai.ObjectTypeWred, name),
		num(sai.WredAttrGreenEnable, 1),
		num(sai.WredAttrGreenMinThreshold, low),
		num(sai.WredAttrGreenMaxThreshold, high),
		num(sai.WredAttrGreenDropProbability, 5),
		num(sai.WredAttrECNMarkMode, uint64(sai.ECNMarkModeAll)),
		num(sai.WredAttrWeight, 0),
	)
}

func (o objects) scheduler(name string, weight uint64) graph.Key {
	return o.add(
		key(sai.ObjectTypeScheduler, name),
		num(sai.SchedulerAttrSchedulingType, uint64(sai.SchedulingTypeDwrr)),
		num(sai.SchedulerAttrSchedulingWeight, weight),
	)
}

// dscpMap adds a map of one DSCP to one traffic class.
func (o objects) dscpMap(name string, dscp, tc uint8) graph.Key {
	list := sai.QoSMapAttrMapToValueList.Is([]sai.QoSMapItem{{Key: sai.QoSMapParams{DSCP: dscp}, Value: sai.QoSMapParams{TC: tc}}})
	return o.add(
		key(sai.ObjectTypeQoSMap, "DSCP_TO_TC_MAP|"+name),
		num(sai.QoSMapAttrType, uint64(sai.QoSMapTypeDSCPToTC)),
		text(sai.QoSMapAttrMapToValueList, list.Format(list.Value)),
	)
}

// dot1pMap adds a map of one priority to one traffic class.
func (o objects) dot1pMap(name string, prio, tc uint8) graph.Key {
	list := sai.QoSMapAttrMapToValueList.Is([]sai.QoSMapItem{{Key: sai.QoSMapParams{Dot1p: prio}, Value: sai.QoSMapParams{TC: tc}}})
	return o.add(
		key(sai.ObjectTypeQoSMap, "DOT1P_TO_TC_MAP|"+name),
		num(sai.QoSMapAttrType, uint64(sai.QoSMapTypeDot1pToTC)),
		text(sai.QoSMapAttrMapToValueList, list.Format(list.Value)),
	)
}

func (o objects) pg(p *intent.Port, i int, profile graph.Key) {
	o.add(p.PGs[i], ref(sai.IngressPriorityGroupAttrBufferProfile, profile))
}

func (o objects) queue(p *intent.Port, i int, profile graph.Key) {
	o.add(p.Queues[i].Buffer, ref(sai.QueueAttrBufferProfileID, profile))
}

func (o objects) mark(p *intent.Port, i int, wred graph.Key) {
	o.add(p.Queues[i].WRED, ref(sai.QueueAttrWredProfileID, wred))
}

func (o objects) pause(p *intent.Port, mask uint64) {
	o.add(p.Facet(graph.PFC), num(sai.PortAttrPriorityFlowControl, mask))
}

// pauseApart pauses asymmetrically: mask is sent, everything is obeyed.
func (o objects) pauseApart(p *intent.Port, mask uint64) {
	o.add(p.Facet(graph.PFC),
		num(sai.PortAttrPriorityFlowControlMode, uint64(sai.PortPriorityFlowControlModeSeparate)),
		num(sai.PortAttrPriorityFlowControlTx, mask), num(sai.PortAttrPriorityFlowControlRx, 0xff))
}

func (o objects) link(p *intent.Port, speed, mtu uint64) {
	o.add(p.Facet(graph.Link), num(sai.PortAttrSpeed, speed), num(sai.PortAttrMTU, mtu))
}

func (o objects) up(p *intent.Port) { o.add(p.Facet(graph.Admin), num(sai.PortAttrAdminState, 1)) }

func (o objects) hostif(p *intent.Port) {
	o.add(
		key(sai.ObjectTypeHostif, p.Name),
		num(sai.HostifAttrType, uint64(sai.HostifTypeNetdev)),
		ref(sai.HostifAttrObjID, p.Object),
		text(sai.HostifAttrName, p.Name),
	)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}
