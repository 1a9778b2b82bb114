package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/graph/traits"
	"xon/sai"
)

// Readback returns a reconciler that knows what the switch holds, by reading it.
// It serves cold start, restart, recovery after Result.Dirty, and the audit for
// drift alike: no orchestrator has restart code.
//
// adopted has the handle of every object that the chip made, by its key without
// facet (inventory finds them). Those that agents made are found by their names;
// one without a name gets a name that nobody wants, so that the next Diff removes
// it. The first time that the switch is seen all it holds counts as the chip's
// own, and is left alone for ever; but for what is in the way (see inTheWay), and for
// routes and neighbours, which are known by what they are for.
func Readback(sw *sai.Switch, names sai.Names, adopted map[graph.Key]sai.OID) (*Reconciler, error) {
	r := &Reconciler{
		belief: belief{nodes: make(graph.Graph, len(adopted)), share: true}, sw: sw, names: names,
		handles: maps.Clone(adopted), single: map[call]bool{}, whole: true,
	}
	b := readback{Reconciler: r, keys: make(map[sai.OID]graph.Key, len(adopted))}
	if err := b.nameCreated(); err != nil {
		return nil, err
	}
	for k, id := range r.handles {
		b.keys[id] = k
	}
	byType := map[sai.ObjectType][]graph.Key{}
	for k := range r.handles {
		if !k.Own() {
			byType[k.Type] = append(byType[k.Type], k)
		}
	}
	for _, t := range entries {
		var err error
		if byType[t], err = b.nameEntries(t); err != nil {
			return nil, err
		}
	}
	for _, t := range slices.Sorted(maps.Keys(byType)) {
		if err := b.read(t, byType[t]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type readback struct {
	*Reconciler
	keys map[sai.OID]graph.Key // by handle
}

// nameCreated finds the objects of the types that agents create.
func (b *readback) nameCreated() error {
	known, err := b.names.Names()
	if err != nil {
		return fmt.Errorf("names of objects: %w", err)
	}
	first := known[mark] != b.sw.ID.OID()
	named := map[sai.OID]graph.Key{}
	for name, id := range known {
		if k, err := graph.ParseKey(name); err == nil && !first && slices.Contains(created, k.Type) {
			named[id] = k
		}
	}
	own := map[string]sai.OID{mark: b.sw.ID.OID()}
	for _, t := range created {
		ids, err := b.objects(t, named)
		if err != nil {
			return err
		}
		for _, id := range ids {
			k, ok := named[id]
			switch {
			case first && !b.inTheWay(t, id):
				k = ownKey(t, id)
				own[k.String()] = id
			case !ok:
				k = unnamedKey(t, id)
			}
			b.handles[k] = id
		}
	}
	if !first {
		return nil
	}
	gone := slices.DeleteFunc(slices.Collect(maps.Keys(known)), func(n string) bool { _, kept := own[n]; return kept })
	if err := b.names.SetNames(own, gone); err != nil {
		return fmt.Errorf("name the chip's own objects: %w", err)
	}
	return nil
}

// inTheWay reports whether the agent takes an object away that the chip has from the
// start: chips put every port into the default VLAN, by a bridge port of it, and such a
// port can be neither a router interface nor in the VLANs of the configuration.
func (b *readback) inTheWay(t sai.ObjectType, id sai.OID) bool {
	switch t {
	case sai.ObjectTypeVLANMember:
		return true
	case sai.ObjectTypeBridgePort:
		kind, err := sai.Get(b.sw, sai.ID[sai.BridgePort](id), sai.BridgePortAttrType)
		return err == nil && kind == sai.BridgePortTypePort
	default:
		return false
	}
}

// nameEntries finds the objects of a type that have no handle. Whoever made them, they
// are named by what they are found by.
func (b *readback) nameEntries(t sai.ObjectType) ([]graph.Key, error) {
	ids, st := b.sw.Objects(b.sw.ID.OID(), sai.ByType(t))
	if st != 0 && st != sai.StatusNotImplemented && st != sai.StatusNotSupported {
		return nil, fmt.Errorf("list objects of type %s: %w", t, st)
	}
	var keys []graph.Key
	for _, id := range ids {
		if k, ok := graph.EntryKey(t, id.Entry, b.keys); ok {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// objects lists the objects of a type. A library that can't list is believed to
// have those that have a name.
func (b *readback) objects(t sai.ObjectType, named map[sai.OID]graph.Key) ([]sai.OID, error) {
	keys, st := b.sw.Objects(b.sw.ID.OID(), sai.ByType(t))
	switch st {
	case 0:
		ids := make([]sai.OID, len(keys))
		for i, k := range keys {
			ids[i] = k.OID
		}
		return ids, nil
	case sai.StatusNotImplemented, sai.StatusNotSupported:
		var ids []sai.OID
		for id, k := range named {
			if k.Type == t {
				ids = append(ids, id)
			}
		}
		return ids, nil
	default:
		return nil, fmt.Errorf("list objects of type %s: %w", t, st)
	}
}

// read reads all objects of one type.
func (b *readback) read(t sai.ObjectType, objects []graph.Key) error {
	// In the order of handles, so that equal chips are asked equal questions.
	slices.SortFunc(objects, func(x, y graph.Key) int { return cmp.Or(cmp.Compare(b.handles[x], b.handles[y]), x.Compare(y)) })
	always, sometimes := b.attributes(t)
	attrs, err := b.get(t, objects, func(int) []*sai.AttrMeta { return always })
	if err != nil {
		return err
	}
	if len(sometimes) > 0 {
		more, err := b.get(t, objects, func(i int) []*sai.AttrMeta { return wanted(t, sometimes, attrs[i]) })
		if err != nil {
			return err
		}
		for i := range attrs {
			attrs[i] = append(attrs[i], more[i]...)
		}
	}
	for i, k := range objects {
		if attrs[i] != nil {
			b.take(k, attrs[i])
		}
	}
	return nil
}

// attributes returns what to read of objects of a type: always, and only where a
// condition holds.
func (b *readback) attributes(t sai.ObjectType) (always, sometimes []*sai.AttrMeta) {
	version := b.sw.Version()
	for _, a := range sai.ByType(t).Attrs {
		_, ours := graph.FacetOf(a)
		if !traits.Adopted(t) {
			ours = a.Has(sai.Settable) || a.Has(sai.CreateOnly)
		}
		switch {
		case !ours || a.Since > version:
		case a.If != "" && !traits.Adopted(t):
			sometimes = append(sometimes, a)
		default:
			always = append(always, a)
		}
	}
	return always, sometimes
}

// wanted returns those of attrs that an object with the given attributes has.
func wanted(t sai.ObjectType, attrs []*sai.AttrMeta, given []sai.Attribute) []*sai.AttrMeta {
	have := func(m *sai.AttrMeta) (sai.Value, bool) {
		i := slices.IndexFunc(given, func(a sai.Attribute) bool { return a.AttrMeta == m })
		if i < 0 {
			return sai.Value{}, false
		}
		return given[i].Value, true
	}
	o := sai.ByType(t)
	return slices.DeleteFunc(slices.Clone(attrs), func(a *sai.AttrMeta) bool { return !o.Wants(a, have) })
}

// get reads attributes of objects; those that are gone are forgotten.
func (b *readback) get(t sai.ObjectType, objects []graph.Key, which func(i int) []*sai.AttrMeta) ([][]sai.Attribute, error) {
	keys, attrs := make([]sai.Key, len(objects)), make([][]sai.Attribute, len(objects))
	for i, k := range objects {
		keys[i], _ = b.id(k) // none of one that is gone meanwhile
		list := which(i)
		attrs[i] = make([]sai.Attribute, len(list))
		for j, a := range list {
			attrs[i][j].AttrMeta = a
		}
	}
	for i, err := range sai.GetAll(b.sw, sai.ByType(t), keys, attrs) {
		gone := errors.Is(err, sai.StatusInvalidObjectID) || errors.Is(err, sai.StatusItemNotFound)
		switch {
		case err == nil:
		case gone && !traits.Adopted(t):
			attrs[i] = nil
			delete(b.keys, b.handles[objects[i]])
			delete(b.handles, objects[i])
		default:
			return nil, fmt.Errorf("read back %s: %w", objects[i], err)
		}
	}
	return attrs, nil
}

// take makes the nodes of an object.
func (b *readback) take(object graph.Key, attrs []sai.Attribute) {
	byFacet := map[graph.Facet][]graph.Attr{}
	for _, a := range attrs {
		v := symbolic(a, b.name)
		f, _ := graph.FacetOf(a.AttrMeta)
		if d, ok := graph.Default(a.AttrMeta); !ok || v != d || a.Has(sai.Mandatory) {
			byFacet[f] = append(byFacet[f], graph.Attr{AttrMeta: a.AttrMeta, Value: v})
		}
	}
	if !traits.Adopted(object.Type) {
		b.put(graph.NewNode(object, byFacet[""]))
		return
	}
	for f, list := range byFacet {
		k := object
		k.Facet = f
		b.put(graph.NewNode(k, list))
	}
}

// name tells the key of a handle. One that nobody listed is the chip's own.
func (b *readback) name(a *sai.AttrMeta, id sai.OID) graph.Key {
	k, ok := b.keys[id]
	if !ok {
		k = ownKey(a.Objects[0], id)
		b.keys[id], b.handles[k] = k, id
	}
	return k
}
