package publish

import (
	"context"
	"strconv"
	"strings"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/schema/asicdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// writes mirrors what the chip executed.
func (p *Publisher) writes(ctx context.Context, writes []reconcile.Write) error {
	if len(writes) == 0 {
		return nil
	}
	var b redisdb.Batch
	for _, w := range writes {
		id := w.OID.String()
		key := asicdb.ObjectKey(w.Key.Type.FullName(), id)
		switch w.Verb {
		case reconcile.Create:
			b.Set(key, attributes(w.Attrs))
			b.SetField(asicdb.VIDToRID, id, id)
			b.SetField(asicdb.RIDToVID, id, id)
		case reconcile.Set:
			if len(w.Attrs) > 0 {
				b.Set(key, attributes(w.Attrs))
			}
		case reconcile.Remove:
			b.Delete(key)
			b.DeleteFields(asicdb.VIDToRID, id)
			b.DeleteFields(asicdb.RIDToVID, id)
		}
	}
	return p.asic.Write(ctx, &b)
}

func attributes(attrs []sai.Attribute) redisdb.Fields {
	f := make(redisdb.Fields, len(attrs))
	for _, a := range attrs {
		f[a.FullName()] = a.AttrMeta.Format(a.Value)
	}
	return f
}

// fullASIC compares ASIC_DB with everything that the chip has.
func (p *Publisher) fullASIC(ctx context.Context, r orchagent.Report) error {
	want := p.objects()
	for _, n := range r.Actual {
		setNode(want, n, r.Handles)
	}
	replay(want, r.Writes)
	ids := redisdb.Fields{}
	for key := range want {
		if _, id, ok := asicdb.ParseObjectKey(key); ok {
			ids[id] = id
		}
	}
	var b redisdb.Batch
	if err := compare(ctx, p.asic, &b, want, asicdb.StateTable); err != nil {
		return err
	}
	maps := []string{asicdb.VIDToRID, asicdb.RIDToVID}
	have, err := p.asic.Rows(ctx, maps...)
	if err != nil {
		return err
	}
	for i, name := range maps {
		b.Change(name, have[i], ids)
	}
	return p.asic.Write(ctx, &b)
}

// objects lists all objects of the chip, without attributes: none was set yet.
func (p *Publisher) objects() map[string]redisdb.Fields {
	rows := map[string]redisdb.Fields{}
	for _, o := range sai.Objects {
		keys, st := p.sw.Objects(p.sw.ID.OID(), o)
		if o.Entry > 0 || st != 0 { // a chip need not know every type
			continue
		}
		for _, k := range keys {
			rows[asicdb.ObjectKey(o.Type.FullName(), k.OID.String())] = redisdb.Fields{}
		}
	}
	return rows
}

func setNode(rows map[string]redisdb.Fields, n *graph.Node, handles map[graph.Key]sai.OID) {
	id, ok := handles[n.Key.Object()]
	if !ok {
		return
	}
	key := asicdb.ObjectKey(n.Key.Type.FullName(), id.String())
	f := rows[key]
	if f == nil {
		f = redisdb.Fields{}
		rows[key] = f
	}
	for _, a := range n.Attrs {
		f[a.FullName()] = symbolic(a, handles)
	}
}

// symbolic prints a value whose references are names.
func symbolic(a graph.Attr, handles map[graph.Key]sai.OID) string {
	var ids []string
	for k := range a.Value.Targets() {
		ids = append(ids, handles[k].String())
	}
	switch {
	case a.Kind == sai.KindOIDList && len(ids) > 0:
		return strconv.Itoa(len(ids)) + ":" + strings.Join(ids, ",")
	case len(ids) > 0:
		return ids[0]
	case a.Value.Plain() != "":
		return a.Value.Plain()
	}
	return a.AttrMeta.Format(sai.Value{Num: a.Value.Num()})
}

// replay does to rows what writes did to the chip.
func replay(rows map[string]redisdb.Fields, writes []reconcile.Write) {
	for _, w := range writes {
		key := asicdb.ObjectKey(w.Key.Type.FullName(), w.OID.String())
		if w.Verb == reconcile.Remove {
			delete(rows, key)
			continue
		}
		f := rows[key]
		if f == nil {
			f = redisdb.Fields{}
			rows[key] = f
		}
		for name, v := range attributes(w.Attrs) {
			f[name] = v
		}
	}
}

// pools keeps the names of buffer pools in COUNTERS_DB.
func (p *Publisher) pools(ctx context.Context, r orchagent.Report) error {
	var b redisdb.Batch
	if r.Full {
		have, err := p.counters.Row(ctx, countersdb.PoolNameMap)
		if err != nil {
			return err
		}
		var want redisdb.Fields
		for k, id := range r.Handles {
			if k.Type == sai.ObjectTypeBufferPool {
				if want == nil {
					want = redisdb.Fields{}
				}
				want[k.Name] = id.String()
			}
		}
		b.Change(countersdb.PoolNameMap, have, want)
		return p.counters.Write(ctx, &b)
	}
	for _, w := range r.Writes {
		switch {
		case w.Key.Type != sai.ObjectTypeBufferPool || w.Verb == reconcile.Set:
		case w.Verb == reconcile.Create:
			b.SetField(countersdb.PoolNameMap, w.Key.Name, w.OID.String())
		default:
			b.DeleteFields(countersdb.PoolNameMap, w.Key.Name)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return p.counters.Write(ctx, &b)
}
