package publish

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/report"
	"xon/sai"
	"xon/schema/asicdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// image is rows in memory, by key.
type image map[string]redisdb.Fields

func (i image) add(o object, f redisdb.Fields) { i[o.key] = f }

func (i image) set(o object, f redisdb.Fields) {
	if i[o.key] == nil {
		i[o.key] = redisdb.Fields{}
	}
	maps.Copy(i[o.key], f)
}

func (i image) remove(o object) { delete(i, o.key) }

// everyObject makes ASIC_DB hold what the chip has.
func (p *Publisher) everyObject(ctx context.Context, r report.Report) error {
	have, err := stored(ctx, p.asic, asicdb.StateTable)
	if err != nil {
		return err
	}
	want, cold := p.discover(r.Handles)
	for _, n := range r.Actual {
		if o, ok := p.object(n.Key, r.Handles); ok {
			want.set(o, symbols(n, r.Handles, have[o.key]))
		}
	}
	want.set(objectOf(sai.ObjectTypeSwitch, p.sw.ID.OID()), initialised)
	replay(want, r.Writes)
	p.statements(r, want.set)
	for key, f := range have {
		keepResets(key, f, want[key])
	}
	maps.Copy(want, p.notes(r, want, cold))
	tables := []string{asicdb.VIDToRID, asicdb.RIDToVID, asicdb.Lanes, asicdb.Hidden, asicdb.ColdVIDs}
	rows, err := p.asic.RowsAsFound(ctx, tables...)
	if err != nil {
		return err
	}
	for i, table := range tables {
		if rows[i] != nil {
			have[table] = rows[i]
		}
	}
	return write(ctx, p.asic, have, want)
}

// statements hands over the attributes that rows ask for and that the chip has so, by
// object.
func (p *Publisher) statements(r report.Report, set func(object, redisdb.Fields)) {
	for k, attrs := range r.Asked {
		o, ok := p.object(k, r.Handles)
		if !ok || len(attrs) == 0 {
			continue
		}
		f := make(redisdb.Fields, len(attrs))
		for _, a := range attrs {
			f[a.FullName()] = symbolic(a, r.Handles)
		}
		set(o, f)
	}
}

// object returns the row of a node that is there.
func (p *Publisher) object(k graph.Key, handles map[graph.Key]sai.OID) (o object, ok bool) {
	if k.Entry() {
		b, err := k.EntryBytes(p.sw.ID.OID(), handles, func(k graph.Key) error { return fmt.Errorf("no handle of %s", k) })
		return objectAt(k.Type, sai.Key{Entry: b}), err == nil
	}
	id, ok := handles[k.Object()]
	return objectOf(k.Type, id), ok
}

// initialised is what a switch is made with.
var initialised = redisdb.Fields{sai.SwitchAttrInitSwitch.AttrMeta.FullName(): "true"}

// discover lists all objects of the chip, without attributes: none was set yet.
// cold has the type of those that the chip made itself, by handle.
func (p *Publisher) discover(handles map[graph.Key]sai.OID) (all image, cold redisdb.Fields) {
	made := map[sai.OID]bool{}
	for k, id := range handles {
		if !k.Native() && !k.Own() {
			made[id] = true
		}
	}
	all, cold = image{}, redisdb.Fields{}
	for _, o := range sai.Objects {
		keys, st := p.sw.Objects(p.sw.ID.OID(), o)
		if st != 0 { // a chip need not know every type
			continue
		}
		for _, k := range keys {
			x := objectAt(o.Type, k)
			all[x.key] = redisdb.Fields{}
			if x.id != "" && !made[k.OID] {
				cold[x.id] = o.Type.FullName()
			}
		}
	}
	return all, cold
}

// symbols prints the attributes of a node, whose references are names. An attribute
// without a default, a port's speed, has a value from the start: of an object that
// the chip made it counts as set only if its row says so.
func symbols(n *graph.Node, handles map[graph.Key]sai.OID, have redisdb.Fields) redisdb.Fields {
	f := make(redisdb.Fields, len(n.Attrs))
	for _, a := range n.Attrs {
		_, differs := graph.Default(a.AttrMeta)
		if _, shown := have[a.FullName()]; differs || shown || !n.Key.Native() {
			f[a.FullName()] = symbolic(a, handles)
		}
	}
	return f
}

func symbolic(a graph.Attr, handles map[graph.Key]sai.OID) string {
	switch a.Kind {
	case sai.KindOID:
		for k := range a.Value.Targets() {
			return handles[k].String()
		}
		return sai.Null.String()
	case sai.KindOIDList:
		var ids []sai.OID
		for k := range a.Value.Targets() {
			ids = append(ids, handles[k])
		}
		return a.Format(sai.Value{Ref: ids})
	default:
		if text := a.Value.Plain(); text != "" {
			return text
		}
		return a.Format(sai.Value{Num: a.Value.Num()})
	}
}

// keepResets keeps fields of attributes that somebody set once and that are at
// their default again, maybe since a write that nobody was told of. A graph can't tell
// them from those that were never set, but readers of ASIC_DB can.
func keepResets(key string, have, want redisdb.Fields) {
	typ, _, ok := asicdb.ParseObjectKey(key)
	if !ok || want == nil {
		return
	}
	for name := range have {
		if _, given := want[name]; given {
			continue
		}
		if text := defaultText(typ, name); text != "" {
			want[name] = text
		}
	}
}

// defaultText is the default of an attribute as ASIC_DB has it; "" if there is none.
func defaultText(typ, name string) string {
	t, ok := sai.ObjectTypeByName(typ)
	if !ok || sai.ByType(t) == nil {
		return ""
	}
	a := sai.ByType(t).AttrByName(name)
	if a == nil {
		return ""
	}
	n, ok := a.DefaultNum()
	if !ok {
		return ""
	}
	return a.Format(sai.Value{Num: n})
}

// notes are the hashes beside the objects that SONiC's syncd keeps. VIDCOUNTER is
// not among them: it counts handles that syncd hands out, and here the chip does.
func (p *Publisher) notes(r report.Report, objects image, cold redisdb.Fields) image {
	ids := make(redisdb.Fields, len(objects))
	for key := range objects {
		if _, id, ok := asicdb.ParseObjectKey(key); ok && !asicdb.IsEntry(id) {
			ids[id] = id
		}
	}
	all := image{asicdb.VIDToRID: ids, asicdb.RIDToVID: ids, asicdb.ColdVIDs: cold, asicdb.Lanes: lanes(r.Device, r.Handles), asicdb.Hidden: p.hidden()}
	for table, f := range all {
		if len(f) == 0 {
			delete(all, table) // no hash rather than one with a placeholder
		}
	}
	return all
}

func lanes(dev *intent.Device, handles map[graph.Key]sai.OID) redisdb.Fields {
	f := redisdb.Fields{}
	for _, port := range dev.Ports {
		for _, lane := range port.Lanes {
			f[strconv.FormatUint(uint64(lane), 10)] = handles[port.Object].String()
		}
	}
	return f
}

// hiddenAttrs are those attributes of the switch that name its own objects.
var hiddenAttrs = []*sai.AttrMeta{
	sai.SwitchAttrCPUPort.AttrMeta, sai.SwitchAttrDefaultVLANID.AttrMeta, sai.SwitchAttrDefaultVirtualRouterID.AttrMeta,
	sai.SwitchAttrDefault1qBridgeID.AttrMeta, sai.SwitchAttrDefaultStpInstID.AttrMeta, sai.SwitchAttrDefaultTrapGroup.AttrMeta,
	sai.SwitchAttrECMPHash.AttrMeta, sai.SwitchAttrLAGHash.AttrMeta,
}

func (p *Publisher) hidden() redisdb.Fields {
	f := redisdb.Fields{}
	for _, m := range hiddenAttrs {
		a := []sai.Attribute{{AttrMeta: m}}
		st := p.sw.Get(sai.SwitchObject{}.Meta(), sai.Key{OID: p.sw.ID.OID()}, a)
		if st == 0 && a[0].Num != 0 {
			f[m.FullName()] = m.Format(a[0].Value)
		}
	}
	return f
}

// everyPool makes COUNTERS_DB name all buffer pools. Those of nobody's making have
// names that no row can have, and are left out.
func (p *Publisher) everyPool(ctx context.Context, handles map[graph.Key]sai.OID) error {
	have, err := p.counters.RowsAsFound(ctx, countersdb.PoolNameMap)
	if err != nil {
		return err
	}
	var want redisdb.Fields
	for k, id := range handles {
		if k.Type == sai.ObjectTypeBufferPool && !strings.Contains(k.Name, "~") {
			if want == nil {
				want = redisdb.Fields{}
			}
			want[k.Name] = id.String()
		}
	}
	var b redisdb.Batch
	b.Change(countersdb.PoolNameMap, have[0], want)
	return p.counters.Write(ctx, &b)
}
