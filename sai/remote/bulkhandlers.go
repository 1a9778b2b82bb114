package remote

import "xon/sai"

// bulkStatus writes the status of a bulk call and, unless all succeeded, that of each
// entry.
func (f *frame) bulkStatus(st sai.Status, each []sai.Status) {
	f.status(st)
	if st != 0 {
		for _, s := range each {
			f.status(s)
		}
	}
}

func (s *session) bulkCreate(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	sw, stop := r.oid(), r.bool()
	attrs := make([][]sai.Attribute, r.count(1))
	for i := range attrs {
		attrs[i] = r.attributes(o)
	}
	if r.end() != nil {
		return
	}
	ids, each := make([]sai.OID, len(attrs)), make([]sai.Status, len(attrs))
	f.bulkStatus(s.drv.BulkCreate(o, sw, attrs, stop, ids, each), each)
	for _, id := range ids {
		f.oid(id)
	}
}

func (s *session) bulkRemove(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	stop, keys := r.bool(), r.keys(o)
	if r.end() != nil {
		return
	}
	each := make([]sai.Status, len(keys))
	f.bulkStatus(s.drv.BulkRemove(o, keys, stop, each), each)
}

func (s *session) bulkSet(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	stop, keys := r.bool(), r.keys(o)
	attrs := make([]sai.Attribute, len(keys))
	for i := range attrs {
		attrs[i] = r.attribute(o)
	}
	if r.end() != nil {
		return
	}
	each := make([]sai.Status, len(keys))
	f.bulkStatus(s.drv.BulkSet(o, keys, attrs, stop, each), each)
}

// maxBulkGetValues limits the values of a bulk get: if attributes are listed once, the
// message size does not limit entries times attributes.
const maxBulkGetValues = 1 << 22

func (s *session) bulkGet(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	keys, same := r.keys(o), r.bool()
	attrs := make([][]sai.Attribute, len(keys))
	var mem []sai.Attribute
	for i := range attrs {
		if !same || i == 0 {
			attrs[i] = r.attrIDs(o)
			if mem == nil && same && len(attrs[0]) <= maxBulkGetValues/len(keys) {
				mem = make([]sai.Attribute, 0, len(attrs[0])*len(keys))
			}
			continue
		}
		if mem == nil {
			r.fail("too many values requested")
			return
		}
		at := len(mem)
		mem = append(mem, attrs[0]...)
		attrs[i] = mem[at:len(mem):len(mem)]
	}
	if r.end() != nil {
		return
	}
	each := make([]sai.Status, len(keys))
	st := s.drv.BulkGet(o, keys, attrs, each)
	f.bulkStatus(st, each)
	for i := range attrs {
		if st == 0 || each[i] == 0 {
			f.values(attrs[i])
		}
	}
}

func (s *session) bulkStats(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	sw, mode, ids := r.oid(), sai.StatsMode(r.u32()), r.ids()
	keys := make([]sai.OID, r.count(8))
	for i := range keys {
		keys[i] = r.oid()
	}
	if r.end() != nil {
		return
	}
	if len(ids) > 0 && len(keys) > maxFrame/8/len(ids) {
		f.status(sai.StatusBufferOverflow)
		return
	}
	each, out := make([]sai.Status, len(keys)), make([]uint64, len(keys)*len(ids))
	f.bulkStatus(s.drv.BulkStats(o, sw, keys, ids, mode, each, out), each)
	f.numbers(out)
}
