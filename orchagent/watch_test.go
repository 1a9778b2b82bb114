package orchagent_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/sai"
	"xon/sai/vsai"
)

// watch looks at a chip after every write: that no priority is paused without
// headroom unless the configuration asks for just that (I1), that none loses headroom which rows
// still ask for (I1), that no port has PFC and
// 802.3x at once, and that the pools fit into the memory (I9). It remembers the first time that something is wrong.
type watch struct {
	chip    *vsai.Chip
	weather *weather
	agent   *orchagent.Agent

	mu     sync.Mutex
	asked  map[string]uint64 // priorities by the lanes of a port for which that was asked, and which had it
	began  map[string]uint64 // those that had it when the move began, by lanes, and by the port's name
	safe   map[string]uint64 // those paused with headroom, at some time of the move
	broken error
}

// err returns what was wrong first.
func (w *watch) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// TestWatch: the watch notices the first priority that is paused without headroom, too.
func TestWatch(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.load(small())
	w := r.watched()
	id := sai.Key{OID: r.chip.Ports()[0]}
	for _, step := range []struct {
		mask  uint8
		wrong bool
	}{{0x08, false}, {0x09, true}} {
		if st := r.chip.Set(sai.Port{}.Meta(), id, sai.PortAttrPriorityFlowControl.Is(step.mask).Attribute); st != 0 {
			t.Fatal(st)
		}
		if err := w.err(); (err != nil) != step.wrong {
			t.Errorf("mask %#x: %v", step.mask, err)
		}
	}
}

// begin starts a move: what is so before it may come back while it is undone.
func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.weather.looking.Store(true)
	defer w.weather.looking.Store(false)
	w.asked, w.safe = map[string]uint64{}, map[string]uint64{}
	for port, mask := range w.look() {
		w.asked[w.lanes(port)] = mask
	}
	w.began = maps.Clone(w.asked)
	_, handles := w.agent.Wanted()
	for k, id := range handles {
		if k.Type == sai.ObjectTypePort {
			w.began[k.Name] = w.asked[w.lanes(id)]
		}
	}
}

// look takes note of what is paused, with headroom and without.
func (w *watch) look() (exposed map[sai.OID]uint64) {
	exposed = w.exposed()
	for _, port := range w.chip.Ports() {
		w.safe[w.lanes(port)] |= w.paused(port) &^ exposed[port]
	}
	return exposed
}

func (w *watch) after(c vsai.Call) {
	if !c.Op.Write() || c.Status != 0 || c.IsBulk() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.weather.looking.Store(true)
	defer w.weather.looking.Store(false)
	var err error
	switch c.Object.Type {
	case sai.ObjectTypePort, sai.ObjectTypeIngressPriorityGroup, sai.ObjectTypeBufferProfile:
		err = cmp.Or(w.lossless(), w.exclusive())
	case sai.ObjectTypeBufferPool:
		err = w.pools()
	default:
	}
	if err != nil {
		w.broken = cmp.Or(w.broken, fmt.Errorf("after %s %s %v %v: %w", c.Op, c.Object.Name, c.Key.OID, c.Attrs, err))
	}
}

// lossless checks I1. The agent is in the middle of the call, so what it wants can
// be looked at.
func (w *watch) lossless() error {
	var asks map[sai.OID]uint64
	for port, mask := range w.look() {
		if err := w.robbed(port, mask); err != nil {
			return err
		}
		lanes := w.lanes(port)
		if mask&^w.asked[lanes] == 0 {
			continue
		}
		if asks == nil {
			g, handles := w.agent.Wanted()
			asks = exposedIn(g, handles)
		}
		if bad := mask &^ w.asked[lanes] &^ asks[port]; bad != 0 {
			return fmt.Errorf("port %v pauses priorities %08b without headroom, which nobody asked for", port, bad)
		}
		w.asked[lanes] |= mask
	}
	return nil
}

// robbed checks that priorities without headroom did not lose it while rows in effect, as
// they were applied, still ask for it.
func (w *watch) robbed(port sai.OID, mask uint64) error {
	lanes := w.lanes(port)
	lost := mask & w.safe[lanes] &^ w.began[lanes]
	if lost == 0 {
		return nil
	}
	_, handles := w.agent.Wanted()
	for name, claimed := range w.agent.Claims() {
		bad := lost & claimed &^ w.began[name] // a row that takes the port over may have had none
		if handles[graph.Key{Type: sai.ObjectTypePort, Name: name}] == port && bad != 0 {
			return fmt.Errorf("port %v lost the headroom of priorities %08b, which rows of %s still ask for", port, bad, name)
		}
	}
	return nil
}

// exclusive checks that no port has PFC and 802.3x at once.
func (w *watch) exclusive() error {
	for _, port := range w.chip.Ports() {
		mode := w.num(port, sai.Port{}, sai.PortAttrGlobalFlowControlMode.AttrMeta)
		if mode == 0 {
			continue
		}
		mask := w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControl.AttrMeta)
		if w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControlMode.AttrMeta) == uint64(sai.PortPriorityFlowControlModeSeparate) {
			mask = w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControlTx.AttrMeta) | w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControlRx.AttrMeta)
		}
		if mask != 0 {
			return fmt.Errorf("port %v has 802.3x (%d) and PFC (%08b) at once", port, mode, mask)
		}
	}
	return nil
}

// exposed returns the priorities of each port that the chip pauses without headroom.
func (w *watch) exposed() map[sai.OID]uint64 {
	out := map[sai.OID]uint64{}
	for _, port := range w.chip.Ports() {
		mask := w.paused(port)
		if mask == 0 {
			continue
		}
		for i, pg := range w.groups(port) {
			profile := w.num(pg, sai.IngressPriorityGroup{}, sai.IngressPriorityGroupAttrBufferProfile.AttrMeta)
			if profile != 0 && w.num(sai.OID(profile), sai.BufferProfile{}, sai.BufferProfileAttrXoffTH.AttrMeta) != 0 {
				mask &^= 1 << i
			}
		}
		if mask != 0 {
			out[port] = mask
		}
	}
	return out
}

// paused are the priorities that a port pauses.
func (w *watch) paused(port sai.OID) uint64 {
	if w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControlMode.AttrMeta) == uint64(sai.PortPriorityFlowControlModeSeparate) {
		return w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControlTx.AttrMeta)
	}
	return w.num(port, sai.Port{}, sai.PortAttrPriorityFlowControl.AttrMeta)
}

// exposedIn is exposed for a graph.
func exposedIn(g graph.Graph, handles map[graph.Key]sai.OID) map[sai.OID]uint64 {
	out := map[sai.OID]uint64{}
	for k, n := range g {
		if k.Type != sai.ObjectTypePort || k.Facet != graph.PFC {
			continue
		}
		mask := n.Attr(sai.PortAttrPriorityFlowControl.AttrMeta).Num()
		if n.Attr(sai.PortAttrPriorityFlowControlMode.AttrMeta).Num() == uint64(sai.PortPriorityFlowControlModeSeparate) {
			mask = n.Attr(sai.PortAttrPriorityFlowControlTx.AttrMeta).Num()
		}
		for i := range 8 {
			pg := g[graph.Key{Type: sai.ObjectTypeIngressPriorityGroup, Name: fmt.Sprintf("%s|%d", k.Name, i), Facet: graph.Buffer}]
			if pg == nil {
				continue
			}
			for profile := range pg.Attr(sai.IngressPriorityGroupAttrBufferProfile.AttrMeta).Targets() {
				if p := g[profile]; p != nil && p.Attr(sai.BufferProfileAttrXoffTH.AttrMeta).Num() != 0 {
					mask &^= 1 << i
				}
			}
		}
		out[handles[k.Object()]] = mask
	}
	return out
}

// pools checks I9 by the numbers that the chip's profile has.
func (w *watch) pools() error {
	p := w.chip.Profile()
	keys, st := w.chip.Objects(0, sai.BufferPool{}.Meta())
	if st != 0 {
		return st
	}
	var ingress uint64
	for _, k := range keys {
		size := w.num(k.OID, sai.BufferPool{}, sai.BufferPoolAttrSize.AttrMeta)
		if size > p.BufferBytes {
			return fmt.Errorf("pool %v has %d bytes, the chip %d", k.OID, size, p.BufferBytes)
		}
		if w.num(k.OID, sai.BufferPool{}, sai.BufferPoolAttrType.AttrMeta) == uint64(sai.BufferPoolTypeEgress) {
			continue
		}
		if p.SharedSize == vsai.SharedExcludesHeadroom || p.SharedSize == vsai.SharedDynamic {
			size += w.num(k.OID, sai.BufferPool{}, sai.BufferPoolAttrXoffSize.AttrMeta)
		}
		ingress += size
	}
	if ingress > p.BufferBytes {
		return fmt.Errorf("the ingress pools together have %d bytes, the chip %d", ingress, p.BufferBytes)
	}
	return nil
}

// lanes are what a port is known by: one that is made again, as an undo does, has another
// handle.
func (w *watch) lanes(port sai.OID) string {
	attrs := []sai.Attribute{{AttrMeta: sai.PortAttrHwLaneList.AttrMeta}}
	_ = w.chip.Get(sai.Port{}.Meta(), sai.Key{OID: port}, attrs)
	list, _ := attrs[0].Ref.([]uint32)
	return fmt.Sprint(slices.Sorted(slices.Values(list)))
}

func (w *watch) groups(port sai.OID) []sai.OID {
	attrs := []sai.Attribute{{AttrMeta: sai.PortAttrIngressPriorityGroupList.AttrMeta}}
	_ = w.chip.Get(sai.Port{}.Meta(), sai.Key{OID: port}, attrs)
	ids, _ := attrs[0].Ref.([]sai.OID)
	return ids
}

func (w *watch) num(id sai.OID, o sai.Object, a *sai.AttrMeta) uint64 {
	attrs := []sai.Attribute{{AttrMeta: a}}
	if st := w.chip.Get(o.Meta(), sai.Key{OID: id}, attrs); st != 0 {
		return 0
	}
	return attrs[0].Num
}
