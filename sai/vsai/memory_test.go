package vsai_test

import (
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// step is one write that a chip takes or refuses for want of memory.
type step struct {
	what string
	do   func(b *bench) error
	full bool
}

func run(t *testing.T, b *bench, steps []step) {
	t.Helper()
	for _, s := range steps {
		before := b.c.Dump()
		err := s.do(b)
		if full := errorIs(err, sai.StatusInsufficientResources); full != s.full || !full && err != nil {
			t.Fatalf("%s: %v, want full %v", s.what, err, s.full)
		}
		if s.full && b.c.Dump() != before {
			t.Fatalf("%s: the refused call changed something", s.what)
		}
	}
	if err := b.c.Recount(); err != nil {
		t.Fatal(err)
	}
}

func poolSize(id func(b *bench) sai.ID[sai.BufferPool], n uint64) func(b *bench) error {
	return func(b *bench) error { return sai.Set(b.sw, id(b), sai.BufferPoolAttrSize.Is(n)) }
}

func poolXoff(n uint64) func(b *bench) error {
	return func(b *bench) error { return sai.Set(b.sw, b.in, sai.BufferPoolAttrXoffSize.Is(n)) }
}

func reserve(n uint64) func(b *bench) error {
	return func(b *bench) error {
		return sai.Set(b.sw, b.ingress, sai.BufferProfileAttrReservedBufferSize.Is(n))
	}
}

func xoff(n uint64) func(b *bench) error {
	return func(b *bench) error { return sai.Set(b.sw, b.ingress, sai.BufferProfileAttrXoffTH.Is(n)) }
}

// use binds the ingress profile to priority group i of the port.
func use(i int) func(b *bench) error {
	return func(b *bench) error {
		return sai.Set(b.sw, b.pgs[i], sai.IngressPriorityGroupAttrBufferProfile.Is(b.ingress))
	}
}

func in(b *bench) sai.ID[sai.BufferPool]  { return b.in }
func out(b *bench) sai.ID[sai.BufferPool] { return b.out }

func another(typ sai.BufferPoolType, n uint64) func(b *bench) error {
	return func(b *bench) error {
		_, err := sai.Create(b.sw, sai.BufferPoolAttrType.Is(typ), sai.BufferPoolAttrSize.Is(n))
		return err
	}
}

// TestPoolsFit: no pool above the chip, the ingress pools together neither;
// egress pools overlap (I9).
func TestPoolsFit(t *testing.T) {
	t.Parallel()
	const chip = 16 << 20
	known := *profile(t, "default")
	known.HideBuffer = false
	run(t, newBench(t, vsai.Config{Profile: &known}), []step{
		{"ingress as large as the chip", poolSize(in, chip), false},
		{"egress too", poolSize(out, chip), false},
		{"another egress pool", another(sai.BufferPoolTypeEgress, chip), false},
		{"another ingress pool", another(sai.BufferPoolTypeIngress, 1), true},
		{"an empty ingress pool", another(sai.BufferPoolTypeIngress, 0), false},
		{"a pool of both directions", another(sai.BufferPoolTypeBoth, 1), true},
		{"ingress above the chip", poolSize(in, chip+1), true},
		{"egress above the chip", poolSize(out, chip+1), true},
		{"a size beyond any chip", poolSize(in, 1<<63), true},
		{"headroom within the pool", poolXoff(chip), false},
		{"a pool below its headroom", poolSize(in, chip-1), true},
		{"less headroom", poolXoff(1 << 20), false},
		{"a smaller pool", poolSize(in, 1<<20), false},
		{"another ingress pool of the rest", another(sai.BufferPoolTypeIngress, 15<<20), false},
	})
}

// TestUnknownMemory: where the size of the memory is not known, as on SONiC's virtual
// switch, nothing is refused for its size, but the number of pools is.
func TestUnknownMemory(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"default", "th4", "spc5", "spc6", "voq"} {
		p := *profile(t, name)
		p.IngressPools = 2
		run(t, newBench(t, vsai.Config{Profile: &p}), []step{
			{"ingress above any chip of today", poolSize(in, 1<<34), false},
			{"egress too", poolSize(out, 1<<34), false},
			{"another ingress pool", another(sai.BufferPoolTypeIngress, 1<<34), false},
			{"headroom larger than the pool", poolXoff(1 << 35), false},
			{"a reservation", reserve(1 << 35), false},
			{"with a user", use(0), false},
			{"and another", use(1), false},
			{"a third ingress pool", another(sai.BufferPoolTypeIngress, 0), true},
			{"what no sum can hold", poolSize(in, 1<<63), true},
		})
	}
}

// TestSharedHeadroomApart: on a Tomahawk the shared headroom and what is
// reserved lie beside the pool.
func TestSharedHeadroomApart(t *testing.T) {
	t.Parallel()
	const chip = 16 << 20
	run(t, newBench(t, vsai.Config{Profile: profile(t, "th")}), []step{
		{"pool", poolSize(in, 12<<20), false},
		{"headroom beside it", poolXoff(4 << 20), false},
		{"more", poolXoff(4<<20 + 1), true},
		{"a priority group takes 1000", use(0), true},
		{"room for it", poolSize(in, 12<<20-1000), false},
		{"now it fits", use(0), false},
		{"no second one", use(1), true},
		{"nor more of the first", reserve(1001), true},
		{"less", reserve(500), false},
		{"a second one", use(1), false},
		{"a headroom of each, from the shared", xoff(1 << 20), false},
		{"no shared headroom: each has its own", poolXoff(0), false},
		{"which has to fit", xoff(4 << 20), true},
		{"the egress pool is another view", poolSize(out, chip), false},
	})
}

// TestPrivateHeadroom: on a Trident2 all is taken from the pool.
func TestPrivateHeadroom(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{Profile: profile(t, "td2")})
	run(t, b, []step{
		{"pool", poolSize(in, 10000), false},
		{"1000 and headroom of 2000", use(0), false},
		{"again", use(1), false},
		{"again", use(2), false},
		{"no fourth", use(3), true},
		{"the pool shrinks to what is taken", poolSize(in, 9000), false},
		{"no further", poolSize(in, 8999), true},
		{"a size that includes the headroom", reserve(3000), false},
		{"and no more", reserve(3001), true},
		{"a headroom beyond any chip", xoff(1 << 62), true},
	})
	if err := poolXoff(1)(b); !errorIs(err, sai.StatusInvalidAttrValue0) {
		t.Error("a Trident2 has no shared headroom:", err)
	}
}

// TestDynamicMemory: on a Spectrum the pool is what the reservations leave.
func TestDynamicMemory(t *testing.T) {
	t.Parallel()
	p := *profile(t, "spc3")
	p.PortHeadroomBytes = 5000
	run(t, newBench(t, vsai.Config{Profile: &p}), []step{
		{"pool", poolSize(in, 60<<20), false},
		{"shared headroom", poolXoff(4<<20 - 2500), false},
		{"a priority group", use(0), false},
		{"another", use(1), false},
		{"no third in the chip", use(2), true},
		{"room", poolSize(in, 50<<20), false},
		{"a third in the chip, not in the port", use(2), true},
		{"of less headroom", xoff(1600), false},
		{"fits the port", use(2), false},
		{"more headroom for all does not", xoff(1667), true},
	})
}

// TestPoolCount: a chip has so many pools.
func TestPoolCount(t *testing.T) {
	t.Parallel()
	b := newBench(t, vsai.Config{Profile: profile(t, "th5")})
	var steps []step
	for i := range 4 {
		steps = append(steps, step{"ingress", another(sai.BufferPoolTypeIngress, 0), i == 3}, step{"egress", another(sai.BufferPoolTypeEgress, 0), i == 3})
	}
	run(t, b, steps)
}

// TestLimits: a chip holds so many objects of a type.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := *profile(t, "default")
	p.Limits = map[sai.ObjectType]int{sai.ObjectTypeScheduler: 2, sai.ObjectTypeRouteEntry: 1}
	b := newBench(t, vsai.Config{Profile: &p})
	var last sai.ID[sai.Scheduler]
	for i := range 3 {
		id, err := sai.Create(b.sw, sai.SchedulerAttrSchedulingWeight.Is(1))
		if full := errorIs(err, sai.StatusInsufficientResources); full != (i == 2) {
			t.Fatal(i, err)
		}
		if i < 2 {
			last = id
		}
	}
	if err := sai.Remove(b.sw, last); err != nil {
		t.Fatal(err)
	}
	if _, err := sai.Create(b.sw, sai.SchedulerAttrSchedulingWeight.Is(1)); err != nil {
		t.Fatal(err)
	}
	for i, prefix := range []string{"10.0.0.0/8", "11.0.0.0/8"} {
		if err := sai.CreateEntry(b.sw, route(b, prefix)); errorIs(err, sai.StatusTableFull) != (i == 1) {
			t.Fatal(i, err)
		}
	}
}

// deployed are the buffers of configurations that run on such switches.
var deployed = []struct {
	profile                string
	ports                  int
	ingress, xoff, egress  uint64
	pgSize, pgXoff         uint64 // of a lossless priority group
	lossy, lossyQueueBytes uint64
}{
	{"th5", 64, 164733224, 17962880, 164733224, 8636, 724662, 0, 1778},
	{"th", 66, 10875072, 4194112, 15982720, 1248, 66560, 0, 1518},
	{"spc3", 88, 55058432, 1712128, 60817392, 19456, 33792, 0, 9216},
	{"spc3", 64, 55058432, 1712128, 60817392, 19456, 66560, 0, 9216},
	// The virtual switch, with fixed pools and with one that a dynamic buffer
	// model left after reserving the headroom beside it.
	{"default", 32, 12766208, 0, 12766208, 56368, 55120, 0, 1518},
	{"default", 32, 4921152, 0, 12766208, 91136, 72704, 0, 1518},
	{"default", 32, 7083840, 2162688, 12766208, 18432, 72704, 0, 1518},
	{"td2", 32, 12766208, 0, 12766208, 56368, 55120, 0, 1518},
}

// TestDeployed: what runs on real switches fits, with two lossless priority
// groups and five lossy queues on every port.
func TestDeployed(t *testing.T) {
	t.Parallel()
	for _, x := range deployed {
		_, sw := boot(t, vsai.Config{Profile: profile(t, x.profile), Ports: layout(x.ports)})
		p := must[sai.ID[sai.BufferPool]](t)(sai.Create(sw, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress),
			sai.BufferPoolAttrSize.Is(x.ingress), sai.BufferPoolAttrXoffSize.Is(x.xoff)))
		pg, lossy := lossless(t, sw, p, x.pgSize, x.pgXoff), lossless(t, sw, p, x.lossy, 0)
		queue := lossless(t, sw, pool(t, sw, sai.BufferPoolTypeEgress, x.egress), x.lossyQueueBytes, 0)
		for _, port := range must[[]sai.ID[sai.Port]](t)(sai.Get(sw, sw.ID, sai.SwitchAttrPortList)) {
			pgs := must[[]sai.ID[sai.IngressPriorityGroup]](t)(sai.Get(sw, port, sai.PortAttrIngressPriorityGroupList))
			for i, p := range []sai.ID[sai.BufferProfile]{0: lossy, 3: pg, 4: pg} {
				if err := sai.Set(sw, pgs[i], sai.IngressPriorityGroupAttrBufferProfile.Is(p)); err != nil {
					t.Fatalf("%s, %d ports: %v", x.profile, x.ports, err)
				}
			}
			for _, q := range must[[]sai.ID[sai.Queue]](t)(sai.Get(sw, port, sai.PortAttrQoSQueueList))[:5] {
				if err := sai.Set(sw, q, sai.QueueAttrBufferProfileID.Is(queue)); err != nil {
					t.Fatalf("%s, %d ports: %v", x.profile, x.ports, err)
				}
			}
		}
	}
}
