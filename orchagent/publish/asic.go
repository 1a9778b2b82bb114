package publish

import (
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/asicdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// rows are ASIC_DB, or a picture of it.
type rows interface {
	add(o object, f redisdb.Fields) // an object that was made, or found
	set(o object, f redisdb.Fields) // some of its attributes
	remove(o object)
}

// object is a row of ASIC_DB in the making. id is "" for one without handle.
type object struct{ id, key string }

func objectOf(t sai.ObjectType, oid sai.OID) object {
	id := oid.String()
	return object{id, asicdb.ObjectKey(t.FullName(), id)}
}

func objectAt(t sai.ObjectType, k sai.Key) object {
	if k.Entry != nil {
		return object{key: asicdb.ObjectKey(t.FullName(), sai.EntryText(sai.ByType(t), k.Entry))}
	}
	return objectOf(t, k.OID)
}

// replay does to rows what writes did to the chip.
func replay(to rows, writes []reconcile.Write) {
	for _, w := range writes {
		o := objectAt(w.Key.Type, w.ID)
		switch w.Verb {
		case reconcile.Create:
			to.add(o, attributes(w.Attrs))
			for _, p := range w.Parts {
				to.add(objectOf(p.Type, p.ID), redisdb.Fields{})
			}
		case reconcile.Set:
			if len(w.Attrs) > 0 {
				to.set(o, attributes(w.Attrs))
			}
		case reconcile.Remove:
			to.remove(o)
			for _, p := range w.Parts {
				to.remove(objectOf(p.Type, p.ID))
			}
		}
	}
}

func attributes(attrs []sai.Attribute) redisdb.Fields {
	f := make(redisdb.Fields, len(attrs))
	for _, a := range attrs {
		f[a.FullName()] = a.Format(a.Value)
	}
	return f
}

// batch is rows that are written.
type batch struct{ *redisdb.Batch }

// placeholder is the field of an object without attributes.
const placeholder = "NULL"

// add also takes back what discovery wrote if the object was being made just then.
func (b batch) add(o object, f redisdb.Fields) {
	b.Set(o.key, f)
	if len(f) > 0 {
		b.DeleteFields(o.key, placeholder)
	}
	if o.id == "" {
		return
	}
	b.DeleteFields(asicdb.ColdVIDs, o.id)
	b.SetField(asicdb.VIDToRID, o.id, o.id)
	b.SetField(asicdb.RIDToVID, o.id, o.id)
}

func (b batch) set(o object, f redisdb.Fields) { b.Set(o.key, f) }

func (b batch) remove(o object) {
	b.Delete(o.key)
	if o.id == "" {
		return
	}
	b.DeleteFields(asicdb.VIDToRID, o.id)
	b.DeleteFields(asicdb.RIDToVID, o.id)
	b.DeleteFields(asicdb.ColdVIDs, o.id)
}

// namePools keeps the names of buffer pools, by which SONiC's tools find them. A
// pool that is replaced by one of the same name may go after the new one has come,
// so what comes is entered last.
func namePools(b *redisdb.Batch, writes []reconcile.Write) {
	there := map[string]string{} // "" for one that is gone
	made := map[string]string{}
	for _, w := range writes {
		name := w.Key.Name
		switch {
		case w.Key.Type != sai.ObjectTypeBufferPool:
		case w.Verb == reconcile.Create:
			there[name], made[name] = w.ID.OID.String(), w.ID.OID.String()
		case w.Verb == reconcile.Remove && (made[name] == "" || made[name] == w.ID.OID.String()):
			there[name] = ""
		}
	}
	for name, id := range there {
		if id == "" {
			b.DeleteFields(countersdb.PoolNameMap, name)
		} else {
			b.SetField(countersdb.PoolNameMap, name, id)
		}
	}
}
