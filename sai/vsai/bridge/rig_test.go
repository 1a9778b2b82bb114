package bridge_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

// rig is a chip whose first ports have a host each.
type rig struct {
	t     *testing.T
	sim   *dataplane.Sim
	chip  *vsai.Chip
	sw    *sai.Switch
	dev   *bridge.Device
	ports []sai.ID[sai.Port]
	hosts []*dataplane.Host
}

// newRig makes a chip of a profile with ports that are on, at 100 Gb/s.
func newRig(t *testing.T, profile string, hosts int) *rig {
	t.Helper()
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		t.Fatal(err)
	}
	var layout []vsai.PortLayout
	for i := range max(hosts, 2) {
		l := uint32(4*i + 1)
		layout = append(layout, vsai.PortLayout{Lanes: []uint32{l, l + 1, l + 2, l + 3}, SpeedMbps: 100000})
	}
	r := &rig{t: t, sim: dataplane.New(dataplane.Config{Overhead: 20}), chip: vsai.New(vsai.Config{Profile: p, Ports: layout})}
	if r.dev, err = bridge.Attach(r.sim, r.chip, "sw"); err != nil {
		t.Fatal(err)
	}
	r.sw = &sai.Switch{Driver: r.chip}
	if r.sw.ID, err = sai.Create(r.sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	for _, id := range r.chip.Ports() {
		r.ports = append(r.ports, sai.ID[sai.Port](id))
	}
	r.sync()
	for i := range hosts {
		r.connect(i, r.dev.PortByLane(uint32(4*i+1)))
		set(r, r.ports[i], sai.PortAttrAdminState.Is(true))
		set(r, r.ports[i], sai.PortAttrMTU.Is(uint32(9122)))
	}
	r.addStaticFDB()
	return r
}

// connect makes host i at a port, with a link of a microsecond.
func (r *rig) connect(i int, to *dataplane.Port) {
	r.t.Helper()
	mac := dataplane.MAC{2, 0, 0, 0, 0, byte(i)}
	h, err := r.sim.AddHost(dataplane.HostConfig{
		Name: "h", MAC: mac, AckClass: 6,
		Port: dataplane.PortConfig{Rate: 100e9, PFCReceive: 0xff},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.sim.Connect(h.Port(), to, dataplane.Link{Delay: dataplane.Microsecond}); err != nil {
		r.t.Fatal(err)
	}
	r.hosts = append(r.hosts, h)
}

// addStaticFDB adds static FDB entries for the hosts, so that nothing is flooded.
func (r *rig) addStaticFDB() {
	r.t.Helper()
	vlan := get(r, r.sw.ID, sai.SwitchAttrDefaultVLANID)
	for _, h := range r.hosts {
		p := h.Port().Peer()
		at := sai.FDBEntry{SwitchID: r.sw.ID.OID(), MACAddress: sai.MAC(h.Config().MAC), BvID: vlan.OID()}
		err := sai.CreateEntry(r.sw, at, sai.FDBEntryAttrType.Is(sai.FDBEntryTypeStatic), sai.FDBEntryAttrBridgePortID.Is(r.bridgePort(p)))
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.sync()
}

// bridgePort finds the bridge port of a port.
func (r *rig) bridgePort(p *dataplane.Port) sai.ID[sai.BridgePort] {
	r.t.Helper()
	keys, _ := r.sw.Objects(r.sw.ID.OID(), sai.BridgePort{}.Meta())
	for _, k := range keys {
		id := sai.ID[sai.BridgePort](k.OID)
		if r.dev.PortByID(get(r, id, sai.BridgePortAttrPortID)) == p {
			return id
		}
	}
	r.t.Fatalf("%s is not bridged", p.Name())
	return 0
}

func (r *rig) sync() {
	r.t.Helper()
	if err := r.dev.Sync(); err != nil {
		r.t.Fatal(err)
	}
}

// run applies writes and runs for a while.
func (r *rig) run(d dataplane.Time) {
	r.t.Helper()
	r.sync()
	if err := r.sim.Run(r.sim.Now() + d); err != nil {
		r.t.Fatal(err)
	}
	if err := r.sim.Check(); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) flow(cfg dataplane.FlowConfig, from, to int) *dataplane.Flow {
	r.t.Helper()
	cfg.From, cfg.To = r.hosts[from], r.hosts[to]
	if cfg.DSCP == 0 {
		cfg.DSCP = cfg.Class
	}
	f, err := r.sim.AddFlow(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

func set[O sai.Object](r *rig, at sai.Ref[O], to ...sai.Setting[O]) {
	r.t.Helper()
	if err := sai.Set(r.sw, at, to...); err != nil {
		r.t.Fatal(err)
	}
}

func create[O sai.Object](r *rig, with ...sai.Setting[O]) sai.ID[O] {
	r.t.Helper()
	id, err := sai.Create(r.sw, with...)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func get[O sai.Object, V any](r *rig, at sai.Ref[O], a sai.Attr[O, V]) V {
	r.t.Helper()
	v, err := sai.Get(r.sw, at, a)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// stat reads one statistic.
func stat[O sai.Object](r *rig, at sai.Ref[O], id sai.Stat[O]) uint64 {
	r.t.Helper()
	out := make([]uint64, 1)
	if err := sai.Stats(r.sw, at, []sai.Stat[O]{id}, out); err != nil {
		r.t.Fatal(err)
	}
	return out[0]
}

func (r *rig) queue(port, i int) sai.ID[sai.Queue] {
	return get(r, r.ports[port], sai.PortAttrQoSQueueList)[i]
}

func (r *rig) group(port, i int) sai.ID[sai.IngressPriorityGroup] {
	return get(r, r.ports[port], sai.PortAttrIngressPriorityGroupList)[i]
}

// trust creates a map from 64 DSCPs to classes, by their lower three bits, and binds it
// to all ports.
func (r *rig) trust() {
	r.t.Helper()
	var items []sai.QoSMapItem
	for i := range uint8(64) {
		items = append(items, sai.QoSMapItem{Key: sai.QoSMapParams{DSCP: i}, Value: sai.QoSMapParams{TC: i & 7}})
	}
	m := create(r, sai.QoSMapAttrType.Is(sai.QoSMapTypeDSCPToTC), sai.QoSMapAttrMapToValueList.Is(items))
	for _, p := range r.ports {
		set(r, p, sai.PortAttrQoSDSCPToTCMap.Is(m))
	}
}

// buffers are pools and profiles for a lossless class 3 beside lossy ones.
type buffers struct {
	in, out                sai.ID[sai.BufferPool]
	lossless, lossy, queue sai.ID[sai.BufferProfile]
}

// lossless gives all ports buffers and PFC for class 3.
func (r *rig) lossless(size uint64) buffers {
	r.t.Helper()
	r.trust()
	b := buffers{
		in:  create(r, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress), sai.BufferPoolAttrSize.Is(size)),
		out: create(r, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeEgress), sai.BufferPoolAttrSize.Is(2*size)),
	}
	dynamic := sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic)
	b.lossless = create(r, sai.BufferProfileAttrPoolID.Is(b.in), sai.BufferProfileAttrReservedBufferSize.Is(0), dynamic,
		sai.BufferProfileAttrSharedDynamicTH.Is(int8(0)), sai.BufferProfileAttrXoffTH.Is(uint64(160000)), sai.BufferProfileAttrXonTH.Is(uint64(20000)))
	b.lossy = create(r, sai.BufferProfileAttrPoolID.Is(b.in), sai.BufferProfileAttrReservedBufferSize.Is(0), dynamic, sai.BufferProfileAttrSharedDynamicTH.Is(int8(3)))
	b.queue = create(r, sai.BufferProfileAttrPoolID.Is(b.out), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeStatic), sai.BufferProfileAttrSharedStaticTH.Is(2*size))
	for i, p := range r.ports {
		set(r, p, sai.PortAttrPriorityFlowControl.Is(uint8(1<<3)))
		for _, q := range get(r, p, sai.PortAttrQoSQueueList) {
			set(r, q, sai.QueueAttrBufferProfileID.Is(b.queue))
		}
		for g := range 8 {
			profile := b.lossy
			if g == 3 {
				profile = b.lossless
			}
			set(r, r.group(i, g), sai.IngressPriorityGroupAttrBufferProfile.Is(profile))
		}
	}
	r.sync()
	return b
}
