package vsai

import "xon/sai"

// Create implements sai.Driver.
func (c *Chip) Create(o *sai.ObjectMeta, sw sai.OID, key sai.Key, attrs []sai.Attribute) (id sai.OID, st sai.Status) {
	call := Call{Op: OpCreate, Object: o, Key: key, Attrs: attrs, Entry: -1}
	if st = c.hooks.before(&call); st == 0 {
		c.mu.Lock()
		id, st = c.create(o, sw, key, attrs)
		c.mu.Unlock()
	}
	if id != 0 {
		call.Key = sai.Key{OID: id}
	}
	c.hooks.after(&call, st)
	return id, st
}

// Remove implements sai.Driver.
func (c *Chip) Remove(o *sai.ObjectMeta, key sai.Key) (st sai.Status) {
	call := Call{Op: OpRemove, Object: o, Key: key, Entry: -1}
	if st = c.hooks.before(&call); st == 0 {
		c.mu.Lock()
		st = c.remove(o, key)
		c.mu.Unlock()
	}
	c.hooks.after(&call, st)
	return st
}

// Set implements sai.Driver.
func (c *Chip) Set(o *sai.ObjectMeta, key sai.Key, attr sai.Attribute) (st sai.Status) {
	call := Call{Op: OpSet, Object: o, Key: key, Entry: -1}
	if c.hooks.active() {
		call.Attrs = []sai.Attribute{attr}
	}
	if st = c.hooks.before(&call); st == 0 {
		c.mu.Lock()
		st = c.set(o, key, attr)
		c.mu.Unlock()
	}
	c.hooks.after(&call, st)
	return st
}

// Get implements sai.Driver.
func (c *Chip) Get(o *sai.ObjectMeta, key sai.Key, attrs []sai.Attribute) (st sai.Status) {
	call := Call{Op: OpGet, Object: o, Key: key, Attrs: attrs, Entry: -1}
	if st = c.hooks.before(&call); st == 0 {
		l := c.lockFor(o, OpGet, true)
		l.Lock()
		st = c.get(o, key, attrs)
		l.Unlock()
	}
	c.hooks.after(&call, st)
	return st
}

// Objects implements sai.Driver.
func (c *Chip) Objects(sw sai.OID, o *sai.ObjectMeta) (keys []sai.Key, st sai.Status) {
	call := Call{Op: OpObjects, Object: o, Entry: -1}
	if st = c.hooks.before(&call); st == 0 {
		keys, st = c.objects(sw, o)
	}
	c.hooks.after(&call, st)
	return keys, st
}

func (c *Chip) objects(sw sai.OID, o *sai.ObjectMeta) ([]sai.Key, sai.Status) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if sw != 0 && (c.sw == nil || c.sw.id != sw) {
		return nil, sai.StatusInvalidParameter
	}
	objs := c.list(o)
	keys := make([]sai.Key, len(objs))
	for i, x := range objs {
		keys[i] = x.key()
	}
	return keys, 0
}

func (c *Chip) create(o *sai.ObjectMeta, sw sai.OID, key sai.Key, attrs []sai.Attribute) (sai.OID, sai.Status) {
	if o.Type == sai.ObjectTypeSwitch {
		return c.createSwitch(o, attrs)
	}
	switch {
	case c.sw == nil:
		return 0, sai.StatusUninitialized
	case sw != c.sw.id:
		return 0, sai.StatusInvalidParameter
	case o.Ops[sai.OpCreate].Slot < 0:
		return 0, sai.StatusNotImplemented
	case builtinType(o.Type):
		return 0, sai.StatusNotSupported
	case o.Entry > 0 && !c.entryOK(o, key.Entry):
		return 0, sai.StatusInvalidParameter
	case c.find(o, key) != nil && o.Entry > 0:
		return 0, sai.StatusItemAlreadyExists
	}
	if st := c.checkCreate(o, attrs); st != 0 {
		return 0, st
	}
	if o.Type == sai.ObjectTypePort {
		return c.createPort(o, attrs)
	}
	if t := c.typ(o); t.limit > 0 && len(t.objs) >= t.limit {
		if o.Entry > 0 {
			return 0, sai.StatusTableFull
		}
		return 0, sai.StatusInsufficientResources
	}
	x := c.add(o, key.Entry, attrs)
	if st := c.checkMemory(x, nil); st != 0 {
		c.delete(x)
		return 0, st
	}
	return x.id, 0
}

// add creates an object from checked attributes.
func (c *Chip) add(o *sai.ObjectMeta, entry []byte, attrs []sai.Attribute) *object {
	x := &object{cells: make([]cell, 0, len(attrs))}
	c.register(x, o, entry)
	c.linkEntry(o, x.entry, 1)
	for _, a := range attrs {
		c.replace(x, a.AttrMeta, clone(a.Value))
	}
	c.changed(x)
	return x
}

// delete removes an object and its references.
func (c *Chip) delete(x *object) {
	for _, l := range x.cells {
		c.link(x, x.t.meta.Attr(l.id), x.load(l), -1)
	}
	c.linkEntry(x.t.meta, x.entry, -1)
	c.unregister(x)
	c.changed(x)
}

func (c *Chip) remove(o *sai.ObjectMeta, key sai.Key) sai.Status {
	x := c.find(o, key)
	switch {
	case x == nil && o.Entry > 0:
		return sai.StatusItemNotFound
	case x == nil:
		return sai.StatusInvalidObjectID
	case x == c.sw:
		c.reset()
		c.changed(x)
		return 0
	case builtinType(o.Type) || x.id == c.cpu:
		return sai.StatusNotSupported
	case o.Type == sai.ObjectTypePort:
		return c.removePort(x)
	case x.builtin || x.refs > 0 || o.Type == sai.ObjectTypeNeighborEntry && c.usedByNextHop(x):
		return sai.StatusObjectInUse
	}
	c.delete(x)
	return 0
}

// builtinType reports whether all objects of a type are built in.
func builtinType(t sai.ObjectType) bool {
	return t == sai.ObjectTypeQueue || t == sai.ObjectTypeIngressPriorityGroup || t == sai.ObjectTypeSchedulerGroup
}

func (c *Chip) set(o *sai.ObjectMeta, key sai.Key, a sai.Attribute) sai.Status {
	x := c.find(o, key)
	switch {
	case x == nil && o.Entry > 0:
		return sai.StatusItemNotFound
	case x == nil:
		return sai.StatusInvalidObjectID
	}
	if st := c.checkSet(x, a); st != 0 {
		return st
	}
	old, had := x.value(a.ID)
	c.replace(x, a.AttrMeta, clone(a.Value))
	if st := c.checkMemory(x, a.AttrMeta); st != 0 {
		c.undo(x, a.AttrMeta, old, had)
		return st
	}
	c.applySideEffects(x, a.AttrMeta, old)
	c.changed(x)
	return 0
}

func (c *Chip) undo(x *object, a *sai.AttrMeta, old sai.Value, had bool) {
	if had {
		c.replace(x, a, old)
		return
	}
	v, _ := x.value(a.ID)
	c.link(x, a, v, -1)
	x.drop(a.ID)
}

func (c *Chip) get(o *sai.ObjectMeta, key sai.Key, attrs []sai.Attribute) sai.Status {
	x := c.find(o, key)
	switch {
	case x == nil && o.Entry > 0:
		return sai.StatusItemNotFound
	case x == nil:
		return sai.StatusInvalidObjectID
	}
	for i := range attrs {
		a := attrs[i].AttrMeta
		if a == nil || o.Attr(a.ID) != a {
			return sai.StatusUnknownAttribute0 - sai.Status(i)
		}
		v, st := c.read(x, a)
		if st != 0 {
			return st - sai.Status(i)
		}
		attrs[i].Value = v
	}
	return 0
}

// read returns the value of an attribute: stored, derived, or the default. An error
// status is for attribute index 0.
func (c *Chip) read(x *object, a *sai.AttrMeta) (sai.Value, sai.Status) {
	m := c.meters[x.id]
	if m != nil && !a.Has(sai.ReadOnly) {
		if n, ok := m.State(a); ok {
			return sai.Value{Num: n}, 0
		}
	}
	if v, ok := x.value(a.ID); ok {
		return clone(v), 0
	}
	if c.lacksAttr(a) {
		return sai.Value{}, sai.StatusAttrNotSupported0
	}
	if m != nil {
		if n, ok := m.State(a); ok {
			return sai.Value{Num: n}, 0
		}
	}
	if f := derived[a]; f != nil {
		if v, ok := f(c, x); ok {
			return v, 0
		}
		return sai.Value{}, sai.StatusAttrNotSupported0
	}
	if a.Has(sai.ReadOnly) {
		return sai.Value{}, sai.StatusAttrNotImplemented0
	}
	if v, ok := defaultOf(a); ok {
		return v, 0
	}
	return sai.Value{}, sai.StatusAttrNotSupported0
}
