package sai

// strip removes the object type from settings.
func strip[O Object](s []Setting[O]) []Attribute {
	out := make([]Attribute, len(s))
	for i := range s {
		out[i] = s[i].Attribute
	}
	return out
}

// Create creates an object. Errors are of type *Error.
func Create[O Object](sw *Switch, with ...Setting[O]) (ID[O], error) {
	var o O
	a := strip(with)
	id, st := sw.Create(o.Meta(), sw.ID.OID(), Key{}, a)
	return ID[O](id), callError("create", o.Meta(), Key{}, st, a)
}

// CreateEntry creates an object with an entry struct. Errors are of type *Error.
func CreateEntry[O Object](sw *Switch, at Ref[O], with ...Setting[O]) error {
	var o O
	a := strip(with)
	k := at.key(o)
	_, st := sw.Create(o.Meta(), sw.ID.OID(), k, a)
	return callError("create", o.Meta(), k, st, a)
}

// Remove removes an object. Errors are of type *Error.
func Remove[O Object](sw *Switch, at Ref[O]) error {
	var o O
	k := at.key(o)
	return callError("remove", o.Meta(), k, sw.Remove(o.Meta(), k), nil)
}

// Set sets attributes, one call each, until one fails. Errors are of type *Error and
// have the attribute.
func Set[O Object](sw *Switch, at Ref[O], to ...Setting[O]) error {
	var o O
	k := at.key(o)
	for i := range to {
		if st := sw.Set(o.Meta(), k, to[i].Attribute); st != StatusSuccess {
			return &Error{Op: "set", Object: o.Meta(), Key: k, Status: st, Attr: to[i].AttrMeta}
		}
	}
	return nil
}

// Get reads one attribute. Errors are of type *Error and have the attribute. A disabled
// ACL action reads as the zero V.
func Get[O Object, V any](sw *Switch, at Ref[O], attr Attr[O, V]) (V, error) {
	var o O
	a := [1]Attribute{{AttrMeta: attr.AttrMeta}}
	k := at.key(o)
	if st := sw.Get(o.Meta(), k, a[:]); st != StatusSuccess {
		var zero V
		return zero, &Error{Op: "get", Object: o.Meta(), Key: k, Status: st, Attr: attr.AttrMeta}
	}
	return unpack[V](attr.AttrMeta.Kind, a[0].Value), nil
}

// Stats reads one counter for each ID into out. Errors are of type *Error.
func Stats[O Object](sw *Switch, at Ref[O], ids []Stat[O], out []uint64) error {
	var o O
	k := at.key(o)
	st := sw.Stats(o.Meta(), k, rawStats(ids), StatsModeRead, out)
	return callError("get stats of", o.Meta(), k, st, nil)
}

// Support says how a library supports an attribute.
type Support struct{ Create, Set, Get bool }

// Supported asks the library how it supports an attribute. If the library does not
// know, the error is an *Error with StatusNotSupported or StatusNotImplemented.
func Supported[O Object, V any](sw *Switch, attr Attr[O, V]) (Support, error) {
	var o O
	var s Support
	var st Status
	s.Create, s.Set, s.Get, st = sw.AttrCapability(sw.ID.OID(), o.Meta(), attr.AttrMeta.ID)
	return s, attrError("query", o.Meta(), st, attr.AttrMeta)
}

// SupportedValues asks the library which values of an enum, or a list of enums, it
// supports. Errors are of type *Error.
func SupportedValues[O Object, V any](sw *Switch, attr Attr[O, V]) ([]int32, error) {
	var o O
	v, st := sw.EnumCapability(sw.ID.OID(), o.Meta(), attr.AttrMeta.ID)
	return v, attrError("query values of", o.Meta(), st, attr.AttrMeta)
}

// SupportedStats asks the library which counters of object type O it supports, and the
// modes in which each can be read. Errors are of type *Error.
func SupportedStats[O Object](sw *Switch) (map[Stat[O]]StatsMode, error) {
	var o O
	list, st := sw.StatsCapability(sw.ID.OID(), o.Meta())
	if st != StatusSuccess {
		return nil, callError("query stats of", o.Meta(), Key{}, st, nil)
	}
	out := make(map[Stat[O]]StatsMode, len(list))
	for _, c := range list {
		out[Stat[O](c.StatEnum)] = StatsMode(c.StatModes)
	}
	return out, nil
}

func attrError(op string, o *ObjectMeta, st Status, a *AttrMeta) error {
	if st == StatusSuccess {
		return nil
	}
	return &Error{Op: op, Object: o, Status: st, Attr: a}
}
