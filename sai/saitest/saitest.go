// Package saitest is the conformance suite for every sai.Driver: it uses only the
// interface and what SAI specifies.
//
// What an implementation guarantees beyond that, such as the memory of the virtual
// chip, is tested with the implementation.
package saitest

import (
	"errors"
	"testing"
	"time"

	"xon/sai"
)

// Run runs the suite. open returns a driver for a chip on which no switch has been
// created; the suite opens many, in sequence and in parallel.
func Run(t *testing.T, open func(t *testing.T) sai.Driver) {
	for _, x := range []struct {
		name string
		f    func(r *rig)
	}{
		{"Switch", (*rig).testSwitch},
		{"Discovery", (*rig).testDiscovery},
		{"Ports", (*rig).testPorts},
		{"Life", (*rig).testLife},
		{"Defaults", (*rig).testDefaults},
		{"BadAttributes", (*rig).testBadAttributes},
		{"BadObjects", (*rig).testBadObjects},
		{"InUse", (*rig).testInUse},
		{"Lists", (*rig).testLists},
		{"LongLists", (*rig).testLongLists},
		{"Maps", (*rig).testMaps},
		{"Kinds", (*rig).testKinds},
		{"Entries", (*rig).testEntries},
		{"BulkCreate", (*rig).testBulkCreate},
		{"BulkSet", (*rig).testBulkSet},
		{"BulkRemove", (*rig).testBulkRemove},
		{"BulkGet", (*rig).testBulkGet},
		{"BulkEmpty", (*rig).testBulkEmpty},
		{"Stats", (*rig).testStats},
		{"BulkStats", (*rig).testBulkStats},
		{"Capabilities", (*rig).testCapabilities},
		{"Notifications", (*rig).testNotifications},
		{"Names", (*rig).testNames},
		{"Concurrency", (*rig).testConcurrency},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			r := &rig{t: t, d: open(t)}
			r.boot()
			x.f(r)
		})
	}
}

// rig is a driver with its switch.
type rig struct {
	t     *testing.T
	d     sai.Driver
	sw    *sai.Switch
	ports []sai.ID[sai.Port]
}

func (r *rig) boot() {
	r.t.Helper()
	r.sw = &sai.Switch{Driver: r.d}
	r.sw.ID = create(r, sai.SwitchAttrInitSwitch.Is(true))
	r.ports = read(r, r.sw.ID, sai.SwitchAttrPortList)
	if len(r.ports) < 2 {
		r.t.Fatalf("a switch of %d ports", len(r.ports))
	}
}

// create creates an object.
func create[O sai.Object](r *rig, with ...sai.Setting[O]) sai.ID[O] {
	r.t.Helper()
	id, err := sai.Create(r.sw, with...)
	if err != nil {
		r.t.Fatal(err)
	}
	if id == 0 {
		r.t.Fatal("a create that succeeded gave no id")
	}
	return id
}

// read gets an attribute.
func read[O sai.Object, V any](r *rig, at sai.Ref[O], a sai.Attr[O, V]) V {
	r.t.Helper()
	v, err := sai.Get(r.sw, at, a)
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// set sets attributes.
func set[O sai.Object](r *rig, at sai.Ref[O], to ...sai.Setting[O]) {
	r.t.Helper()
	r.ok(sai.Set(r.sw, at, to...))
}

func (r *rig) ok(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// fails requires an error with one of the statuses.
func (r *rig) fails(err error, want ...sai.Status) {
	r.t.Helper()
	for _, st := range want {
		if errors.Is(err, st) {
			return
		}
	}
	r.t.Errorf("got %v, want %v", err, want)
}

// status requires one of the statuses.
func (r *rig) status(got sai.Status, want ...sai.Status) {
	r.t.Helper()
	for _, st := range want {
		if got == st {
			return
		}
	}
	r.t.Errorf("got %v, want %v", got, want)
}

// attrs removes the types of settings.
func attrs[O sai.Object](s ...sai.Setting[O]) []sai.Attribute {
	out := make([]sai.Attribute, len(s))
	for i := range s {
		out[i] = s[i].Attribute
	}
	return out
}

// scheduler creates the simplest object.
func (r *rig) scheduler(weight uint8) sai.ID[sai.Scheduler] {
	r.t.Helper()
	return create(r, sai.SchedulerAttrSchedulingType.Is(sai.SchedulingTypeDwrr), sai.SchedulerAttrSchedulingWeight.Is(weight))
}

// profile creates an egress buffer profile and its pool.
func (r *rig) profile() (sai.ID[sai.BufferPool], sai.ID[sai.BufferProfile]) {
	r.t.Helper()
	pool := create(r, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeEgress), sai.BufferPoolAttrSize.Is(1<<20))
	return pool, create(r, sai.BufferProfileAttrPoolID.Is(pool), sai.BufferProfileAttrReservedBufferSize.Is(0),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic), sai.BufferProfileAttrSharedDynamicTH.Is(-1))
}

func (r *rig) queues() []sai.ID[sai.Queue] {
	r.t.Helper()
	return read(r, r.ports[0], sai.PortAttrQoSQueueList)
}

// await waits for an event in another goroutine or process.
func (r *rig) await(what string, c <-chan struct{}) {
	r.t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		r.t.Fatalf("%s: not within 10 s", what)
	}
}
