package remote

import "xon/sai"

var _ sai.Injector = (*Client)(nil)

// InjectStat implements sai.Injector.
func (c *Client) InjectStat(o *sai.ObjectMeta, id sai.OID, stat uint32, v uint64) sai.Status {
	return c.call(opInjectStat, func(f *frame) {
		f.object(o)
		f.oid(id)
		f.uvarint(uint64(stat))
		f.uvarint(v)
	}, nil)
}

// InjectAttr implements sai.Injector.
func (c *Client) InjectAttr(o *sai.ObjectMeta, id sai.OID, a sai.Attribute) sai.Status {
	return c.call(opInjectAttr, func(f *frame) {
		f.object(o)
		f.oid(id)
		f.attribute(o, a)
	}, nil)
}

func (s *session) injectStat(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	id, stat, v := r.oid(), r.u32(), r.uvarint()
	if r.end() == nil {
		f.status(s.inject(func(chip sai.Injector) sai.Status { return chip.InjectStat(o, id, stat, v) }))
	}
}

func (s *session) injectAttr(r *reader, f *frame) {
	o := r.object()
	if o == nil {
		return
	}
	id, a := r.oid(), r.attribute(o)
	if r.end() == nil {
		f.status(s.inject(func(chip sai.Injector) sai.Status { return chip.InjectAttr(o, id, a) }))
	}
}

func (s *session) inject(do func(sai.Injector) sai.Status) sai.Status {
	chip, ok := s.drv.(sai.Injector)
	if !ok {
		return sai.StatusNotSupported
	}
	return do(chip)
}
