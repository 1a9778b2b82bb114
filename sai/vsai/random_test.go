package vsai_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// walker makes random calls, mostly sensible ones, with objects of every type.
type walker struct {
	r  *rand.Rand
	c  *vsai.Chip
	sw *sai.Switch
}

// any picks an object of a type; null if there is none.
func (w *walker) any(o *sai.ObjectMeta) sai.Key {
	keys, _ := w.sw.Objects(w.sw.ID.OID(), o)
	if len(keys) == 0 {
		return sai.Key{}
	}
	return keys[w.r.IntN(len(keys))]
}

func (w *walker) oid(a *sai.AttrMeta) sai.OID {
	switch {
	case w.r.IntN(20) == 0:
		return sai.OID(w.r.Uint64() >> 8) // nobody
	case w.r.IntN(8) == 0 || len(a.Objects) == 0:
		return 0
	}
	if o := sai.ByType(a.Objects[w.r.IntN(len(a.Objects))]); o != nil && o.Entry == 0 {
		return w.any(o).OID
	}
	return 0
}

func (w *walker) value(a *sai.AttrMeta) sai.Value {
	switch a {
	case sai.PortAttrHwLaneList.AttrMeta: // those of the two ports of the chip, or near them
		lanes := make([]uint32, 1<<w.r.IntN(3))
		first := w.r.Uint32N(9)
		for i := range lanes {
			lanes[i] = first + uint32(i)
		}
		return sai.Value{Ref: lanes}
	case sai.PortAttrSpeed.AttrMeta:
		return sai.Value{Num: []uint64{10000, 25000, 40000, 7}[w.r.IntN(4)]}
	}
	switch a.Kind {
	case sai.KindOID:
		return sai.Value{Num: uint64(w.oid(a))}
	case sai.KindOIDList:
		ids := make([]sai.OID, w.r.IntN(4))
		for i := range ids {
			ids[i] = w.oid(a)
		}
		return sai.Value{Ref: ids}
	case sai.KindFieldOID:
		return sai.Value{Ref: sai.FieldValue{Data: sai.Value{Num: uint64(w.oid(a))}}}
	case sai.KindActionOIDList:
		return sai.Value{Ref: sai.ParamValue{Value: sai.Value{Ref: []sai.OID{w.oid(a), w.oid(a)}}}}
	case sai.KindEnum:
		return sai.Value{Num: uint64(int64(a.Enum.Values[w.r.IntN(len(a.Enum.Values))]))}
	case sai.KindBool:
		return sai.Value{Num: w.r.Uint64N(2)}
	case sai.KindChars:
		return sai.Value{Ref: fmt.Sprintf("x%d", w.r.IntN(50))}
	case sai.KindU64:
		return sai.Value{Num: w.r.Uint64N(6 << 20)}
	default:
		return sai.Value{Num: w.r.Uint64N(9)}
	}
}

func (w *walker) attrs(o *sai.ObjectMeta) (out []sai.Attribute) {
	for _, a := range o.Attrs {
		if a.Has(sai.Mandatory) && (a.If == "" || w.r.IntN(3) == 0) || w.r.IntN(30) == 0 {
			out = append(out, sai.Attribute{AttrMeta: a, Value: w.value(a)})
		}
	}
	w.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// favourites come up more often than the rest.
var favourites = []sai.Object{
	sai.BufferPool{},
	sai.BufferProfile{},
	sai.Wred{},
	sai.Scheduler{},
	sai.Queue{},
	sai.IngressPriorityGroup{},
	sai.Port{},
	sai.SchedulerGroup{},
	sai.ACLTable{},
	sai.ACLEntry{},
	sai.VLAN{},
	sai.BridgePort{},
}

func (w *walker) typ() *sai.ObjectMeta {
	for {
		o := favourites[w.r.IntN(len(favourites))].Meta()
		if w.r.IntN(4) == 0 {
			o = sai.Objects[w.r.IntN(len(sai.Objects))]
		}
		if o.Entry == 0 && o.Type != sai.ObjectTypeSwitch {
			return o
		}
	}
}

func (w *walker) step() (what string, st sai.Status) {
	o := w.typ()
	switch w.r.IntN(5) {
	case 0:
		key := w.any(o)
		return fmt.Sprint("remove ", o.Name, key.OID), w.sw.Remove(o, key)
	case 1, 2:
		attrs := w.attrs(o)
		_, st = w.sw.Create(o, w.sw.ID.OID(), sai.Key{}, attrs)
		return fmt.Sprint("create ", o.Name, attrs), st
	}
	a := o.Attrs[w.r.IntN(len(o.Attrs))]
	set := sai.Attribute{AttrMeta: a, Value: w.value(a)}
	return fmt.Sprint("set ", o.Name, set), w.sw.Set(o, w.any(o), set)
}

// TestRandom: after any calls the use counts are what a recount finds, a failed
// call has changed nothing, and the memory is not overcommitted where its size is known.
func TestRandom(t *testing.T) {
	t.Parallel()
	for i, p := range vsai.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			small := *p
			small.UnicastQueues, small.MulticastQueues, small.PriorityGroups = 3, 1, 3
			w := &walker{r: rand.New(rand.NewPCG(1, uint64(i)))}
			w.c, w.sw = boot(t, vsai.Config{Profile: &small, Ports: layout(2), Record: -1})
			w.c.OnCall(func(c vsai.Call) sai.Status {
				if c.Op.Write() && w.r.IntN(20) == 0 {
					return sai.StatusNoMemory
				}
				return 0
			})
			dump, done := w.c.Dump(), 0
			for n := range 400 {
				what, st := w.step()
				now := w.c.Dump()
				if st != 0 && now != dump {
					t.Fatalf("step %d: %s: %v, but something changed", n, what, st)
				}
				if st == 0 {
					done++
				}
				dump = now
				if err := w.c.Recount(); err != nil {
					t.Fatalf("step %d: %s: %v", n, what, err)
				}
				w.checkPools(t)
			}
			if done < 60 {
				t.Errorf("only %d calls succeeded", done)
			}
		})
	}
}

// checkPools adds the pools up (I9).
func (w *walker) checkPools(t *testing.T) {
	t.Helper()
	if w.c.Profile().HideBuffer {
		return // nobody knows what would be too much
	}
	var ingress uint64
	for _, k := range objects(t, w.sw, sai.BufferPool{}) {
		id := sai.ID[sai.BufferPool](k.OID)
		attrs := with(sai.BufferPoolAttrType.Is(0), sai.BufferPoolAttrSize.Is(0), sai.BufferPoolAttrXoffSize.Is(0))
		if st := w.sw.Get(sai.BufferPool{}.Meta(), k, attrs); st != 0 {
			t.Fatal(st)
		}
		size := attrs[1].Num
		if size > w.c.Profile().BufferBytes {
			t.Fatalf("pool %v of %d bytes", id, size)
		}
		if sai.BufferPoolType(attrs[0].Num) == sai.BufferPoolTypeEgress {
			continue
		}
		ingress += size
		if s := w.c.Profile().SharedSize; s == vsai.SharedExcludesHeadroom || s == vsai.SharedDynamic {
			ingress += attrs[2].Num
		}
	}
	if ingress > w.c.Profile().BufferBytes {
		t.Fatalf("ingress pools of %d bytes", ingress)
	}
}

// TestConcurrent lets many callers work at once; the race detector and the
// recount judge.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	c, sw := boot(t, vsai.Config{Ports: layout(4)})
	c.Notify(sai.OnPortStateChange, func(sai.Notification) {})
	var wg sync.WaitGroup
	for g := range 6 {
		w := &walker{r: rand.New(rand.NewPCG(2, uint64(g))), c: c, sw: sw}
		wg.Go(func() {
			for range 200 {
				_, _ = w.step() // whatever comes of it
				_, _ = c.Names()
				for _, id := range c.Ports() {
					_ = c.SetLink(id, w.r.IntN(2) == 0)
				}
				_ = c.Calls()
			}
		})
		wg.Go(func() {
			queues, _ := sw.Objects(sw.ID.OID(), sai.Queue{}.Meta())
			ids := make([]sai.OID, len(queues))
			for i := range ids {
				ids[i] = queues[i].OID
			}
			out, st := make([]uint64, len(ids)), make([]sai.Status, len(ids))
			for i := range 50 {
				mode := sai.StatsModeBulkRead
				if i%3 == 0 {
					mode = sai.StatsModeBulkReadAndClear
				}
				if s := sw.BulkStats(sai.Queue{}.Meta(), sw.ID.OID(), ids, []uint32{0}, mode, st, out); s != 0 && s != sai.StatusFailure { // a queue may be gone with its port
					t.Error(s)
				}
				_ = c.AddStat(ids[i], 0, 1)
			}
		})
	}
	wg.Wait()
	if err := c.Recount(); err != nil {
		t.Error(err)
	}
}
