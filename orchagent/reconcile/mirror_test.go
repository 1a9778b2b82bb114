package reconcile_test

import (
	"fmt"

	"xon/orchagent/graph/traits"
	"xon/orchagent/reconcile"
	"xon/sai"
)

// mirror is what ASIC_DB would hold: every write applied, and nothing else known.
type mirror map[sai.OID]map[*sai.AttrMeta]sai.Value

// take applies writes as they were executed.
func (m mirror) take(writes []reconcile.Write) error {
	for _, w := range writes {
		switch w.Verb {
		case reconcile.Create:
			if m[w.ID.OID] != nil {
				return fmt.Errorf("create %s: %v is there already", w.Key, w.ID.OID)
			}
			m[w.ID.OID] = map[*sai.AttrMeta]sai.Value{}
		case reconcile.Set:
			if m[w.ID.OID] == nil {
				m[w.ID.OID] = map[*sai.AttrMeta]sai.Value{}
			}
		case reconcile.Remove:
			if m[w.ID.OID] == nil {
				return fmt.Errorf("remove %s: %v is not there", w.Key, w.ID.OID)
			}
			delete(m, w.ID.OID)
		}
		for _, a := range w.Attrs {
			m[w.ID.OID][a.AttrMeta] = a.Value
		}
	}
	return nil
}

// compare compares the mirror with the chip: the same objects, and every attribute
// ever written has the value that was written last.
func (m mirror) compare(r *rig) error {
	seen := 0
	for _, t := range []sai.ObjectType{
		sai.ObjectTypeBufferPool, sai.ObjectTypeBufferProfile, sai.ObjectTypeQoSMap, sai.ObjectTypeScheduler, sai.ObjectTypeWred, sai.ObjectTypeHostif,
		sai.ObjectTypePort, sai.ObjectTypeQueue, sai.ObjectTypeIngressPriorityGroup, sai.ObjectTypeSchedulerGroup, sai.ObjectTypeSwitch,
	} {
		o := sai.ByType(t)
		keys, st := r.chip.Objects(r.sw.ID.OID(), o)
		if st != 0 {
			return st
		}
		for _, k := range keys {
			if m[k.OID] == nil && !traits.Adopted(t) {
				return fmt.Errorf("%s %v was never written", t, k.OID)
			}
			if m[k.OID] != nil {
				seen++
			}
			for a, want := range m[k.OID] {
				attrs := []sai.Attribute{{AttrMeta: a}}
				if st := r.chip.Get(o, k, attrs); st != 0 || !sai.Equal(a.Kind, attrs[0].Value, want) {
					return fmt.Errorf("%s %v %s: written %s, chip has %s (%w)", t, k.OID, a.Name, a.Format(want), a.Format(attrs[0].Value), st.Err())
				}
			}
		}
	}
	if seen != len(m) {
		return fmt.Errorf("%d objects written, %d of them are there", len(m), seen)
	}
	return nil
}
