package bridge_test

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xon/sai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
)

// TestPace: one virtual millisecond passes per second, packets move meanwhile, and SAI
// writes take effect.
func TestPace(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	r.flow(dataplane.FlowConfig{Rate: 10e9}, 0, 1)
	synctest.Test(t, func(t *testing.T) {
		p, stop := start(t, r, bridge.Pace{})
		time.Sleep(2 * time.Second)
		p.Do(func() {
			if now := r.sim.Now(); now < 1900*dataplane.Microsecond || now > 2*dataplane.Millisecond {
				t.Error("two seconds are", now)
			}
		})
		if n := stat(r, r.ports[1], sai.PortStatIfOutUcastPkts); n < 2100 || n > 2350 { // 10 Gb/s
			t.Error(n, "packets")
		}
		set(r, r.ports[0], sai.PortAttrAdminState.Is(false))
		time.Sleep(100 * time.Millisecond)
		before := stat(r, r.ports[1], sai.PortStatIfOutUcastPkts)
		time.Sleep(time.Second)
		if after := stat(r, r.ports[1], sai.PortStatIfOutUcastPkts); after != before {
			t.Errorf("%d packets through a port that is off", after-before)
		}
		stop()
	})
}

// start starts a pacer for the rig, and returns a function to stop it.
func start(t *testing.T, r *rig, pace bridge.Pace) (*bridge.Pacer, func()) {
	t.Helper()
	p, err := bridge.NewPacer(r.sim, pace, r.dev)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if err := p.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	return p, func() {
		cancel()
		done.Wait()
	}
}

// TestPaceRace: agents write and read whatever they like meanwhile.
func TestPaceRace(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 3)
	b := r.lossless(2 << 20)
	r.flow(dataplane.FlowConfig{Class: 3}, 0, 2)
	r.flow(dataplane.FlowConfig{Class: 3}, 1, 2)
	queues, groups := get(r, r.ports[2], sai.PortAttrQoSQueueList), get(r, r.ports[0], sai.PortAttrIngressPriorityGroupList)
	_, stop := start(t, r, bridge.Pace{Scale: 0.05, Share: 0.5})
	var agents sync.WaitGroup
	for n := range 3 {
		agents.Go(func() {
			for i := range 100 {
				switch (n + i) % 5 {
				case 0:
					set(r, groups[3], sai.IngressPriorityGroupAttrBufferProfile.Is(b.lossless))
				case 1:
					set(r, r.ports[2], sai.PortAttrPriorityFlowControl.Is(uint8(i)))
				case 2:
					stat(r, queues[3], sai.QueueStatWatermarkBytes)
				case 3:
					get(r, queues[3], sai.QueueAttrPauseStatus)
					if st := r.sw.ClearStats(sai.Queue{}.Meta(), sai.Key{OID: queues[3].OID()}, []uint32{uint32(sai.QueueStatPackets), uint32(sai.QueueStatWatermarkBytes)}); st != 0 {
						t.Error(st)
					}
				case 4:
					r.chip.Dump()
				}
			}
		})
	}
	agents.Wait()
	stop()
	if err := r.sim.Check(); err != nil {
		t.Error(err)
	}
}

// TestBadPace is refused.
func TestBadPace(t *testing.T) {
	t.Parallel()
	for _, p := range []bridge.Pace{{Scale: 2}, {Scale: -1}, {Share: 1.5}, {Share: -0.1}, {Scale: math.NaN()}} {
		if _, err := bridge.NewPacer(dataplane.New(dataplane.Config{}), p); err == nil {
			t.Errorf("%+v: want an error", p)
		}
	}
}

// TestPaceGoesOn: settings that the dataplane cannot carry out are reported once, and
// do not stop traffic; the other entries of the list act.
func TestPaceGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	r.flow(dataplane.FlowConfig{Rate: 10e9}, 0, 1)
	table := r.acl()
	synctest.Test(t, func(t *testing.T) {
		var reported []error
		_, stop := start(t, r, bridge.Pace{Unsupported: func(err error) { reported = append(reported, err) }})
		for _, entry := range [][]sai.Setting[sai.ACLEntry]{
			{sai.ACLEntryAttrFieldTTL.Is(sai.Match[uint8]{Data: 3, Mask: 0xff}), sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop)},
			{sai.ACLEntryAttrFieldOutPort.Is(sai.Match[sai.OID]{Data: r.ports[1].OID()}), sai.ACLEntryAttrActionPacketAction.Is(sai.PacketActionDrop)},
		} {
			id := create(r, append(entry, sai.ACLEntryAttrTableID.Is(table))...)
			time.Sleep(time.Second)
			set(r, id, sai.ACLEntryAttrPriority.Is(uint32(7)))
			before := stat(r, r.ports[1], sai.PortStatIfOutUcastPkts)
			time.Sleep(time.Second)
			if after := stat(r, r.ports[1], sai.PortStatIfOutUcastPkts); after == before {
				t.Error("no packets move any more")
			}
		}
		count := create(r, sai.ACLCounterAttrTableID.Is(table), sai.ACLCounterAttrEnablePacketCount.Is(true))
		create(r, sai.ACLEntryAttrTableID.Is(table), sai.ACLEntryAttrActionCounter.Is(count))
		time.Sleep(time.Second)
		if get(r, count, sai.ACLCounterAttrPackets) == 0 {
			t.Error("an entry beside those counts nothing")
		}
		stop()
		if len(reported) != 1 {
			t.Errorf("told %d times: %v", len(reported), reported)
		}
	})
}

// TestPaceShare: however long what happens takes, it takes its share of the time.
func TestPaceShare(t *testing.T) {
	t.Parallel()
	r := newRig(t, "default", 2)
	synctest.Test(t, func(t *testing.T) {
		var busy time.Duration
		r.sim.Every(10*dataplane.Microsecond, func() bool {
			busy += time.Millisecond
			time.Sleep(time.Millisecond)
			return true
		})
		_, stop := start(t, r, bridge.Pace{Scale: 1})
		time.Sleep(4 * time.Second)
		stop()
		if busy < 900*time.Millisecond || busy > 1100*time.Millisecond {
			t.Errorf("%v of 4s, want a quarter", busy)
		}
	})
}
