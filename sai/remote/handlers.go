package remote

import (
	"errors"

	"xon/sai"
)

// handlers execute requests: they decode a request, make the call, and write the status
// and the results. A malformed request makes no call. A failure has only its status,
// except for bulk and names calls.
var handlers = [256]func(s *session, r *reader, f *frame){
	opCreate:          (*session).create,
	opRemove:          (*session).remove,
	opSet:             (*session).set,
	opGet:             (*session).get,
	opStats:           (*session).stats,
	opClearStats:      (*session).clearStats,
	opBulkCreate:      (*session).bulkCreate,
	opBulkRemove:      (*session).bulkRemove,
	opBulkSet:         (*session).bulkSet,
	opBulkGet:         (*session).bulkGet,
	opBulkStats:       (*session).bulkStats,
	opAttrCapability:  (*session).attrCapability,
	opEnumCapability:  (*session).enumCapability,
	opStatsCapability: (*session).statsCapability,
	opObjects:         (*session).objects,
	opNotify:          (*session).notify,
	opNames:           (*session).readNames,
	opSetNames:        (*session).setNames,
	opInjectStat:      (*session).injectStat,
	opInjectAttr:      (*session).injectAttr,
}

func (s *session) create(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	sw, key, attrs := r.oid(), r.key(o), r.attributes(o)
	if r.end() != nil {
		return
	}
	id, st := s.drv.Create(o, sw, key, attrs)
	if f.status(st); st == 0 {
		f.oid(id)
	}
}

func (s *session) remove(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	key := r.key(o)
	if r.end() == nil {
		f.status(s.drv.Remove(o, key))
	}
}

func (s *session) set(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	key, attr := r.key(o), r.attribute(o)
	if r.end() == nil {
		f.status(s.drv.Set(o, key, attr))
	}
}

func (s *session) get(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	key, attrs := r.key(o), r.attrIDs(o)
	if r.end() != nil {
		return
	}
	st := s.drv.Get(o, key, attrs)
	if f.status(st); st == 0 {
		f.values(attrs)
	}
}

// values writes attribute values, the inverse of reader.values.
func (f *frame) values(attrs []sai.Attribute) {
	for _, a := range attrs {
		f.b = sai.AppendAttribute(f.b, a)
	}
}

func (s *session) stats(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	key, mode, ids := r.key(o), sai.StatsMode(r.u32()), r.ids()
	if r.end() != nil {
		return
	}
	out := make([]uint64, len(ids))
	st := s.drv.Stats(o, key, ids, mode, out)
	if f.status(st); st == 0 {
		f.numbers(out)
	}
}

func (s *session) clearStats(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	key, ids := r.key(o), r.ids()
	if r.end() == nil {
		f.status(s.drv.ClearStats(o, key, ids))
	}
}

func (s *session) attrCapability(r *reader, f *frame) {
	o, sw, id := r.object(), r.oid(), r.u32()
	if r.end() != nil {
		return
	}
	create, set, get, st := s.drv.AttrCapability(sw, o, id)
	if f.status(st); st == 0 {
		f.bool(create)
		f.bool(set)
		f.bool(get)
	}
}

func (s *session) enumCapability(r *reader, f *frame) {
	o, sw, id := r.object(), r.oid(), r.u32()
	if r.end() != nil {
		return
	}
	values, st := s.drv.EnumCapability(sw, o, id)
	if f.status(st); st != 0 {
		return
	}
	f.uvarint(uint64(len(values)))
	for _, v := range values {
		f.s32(v)
	}
}

func (s *session) statsCapability(r *reader, f *frame) {
	o, sw := r.object(), r.oid()
	if r.end() != nil {
		return
	}
	caps, st := s.drv.StatsCapability(sw, o)
	if f.status(st); st != 0 {
		return
	}
	f.uvarint(uint64(len(caps)))
	for _, c := range caps {
		f.uvarint(uint64(c.StatEnum))
		f.uvarint(uint64(c.StatModes))
	}
}

func (s *session) objects(r *reader, f *frame) {
	o, sw := r.object(), r.oid()
	if r.end() != nil {
		return
	}
	keys, st := s.drv.Objects(sw, o)
	if f.status(st); st == 0 {
		f.keys(o, keys)
	}
}

func (s *session) notify(r *reader, f *frame) {
	n, on := r.notification(), r.bool()
	if r.end() != nil {
		return
	}
	v := s.subscribe(n, on)
	f.status(0)
	f.uvarint(v.Num)
}

func (s *session) readNames(r *reader, f *frame) {
	if r.end() != nil {
		return
	}
	var names map[string]sai.OID
	err := error(sai.StatusNotSupported)
	if s.names != nil {
		names, err = s.names.Names()
	}
	if f.failure(err); err == nil {
		f.names(names)
	}
}

func (s *session) setNames(r *reader, f *frame) {
	put := r.names()
	gone := make([]string, r.count(1))
	for i := range gone {
		gone[i] = r.text(maxFrame)
	}
	if r.end() != nil {
		return
	}
	err := error(sai.StatusNotSupported)
	if s.names != nil {
		err = s.names.SetNames(put, gone)
	}
	f.failure(err)
}

// failure writes an error or success: its status, and its text.
func (f *frame) failure(err error) {
	if err == nil {
		f.status(0)
		f.text("")
		return
	}
	var st sai.Status
	if !errors.As(err, &st) || st == 0 {
		st = sai.StatusFailure
	}
	f.status(st)
	f.text(err.Error())
}
