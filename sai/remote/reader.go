package remote

import (
	"encoding/binary"
	"fmt"

	"xon/sai"
)

// reader decodes a message. After an error it returns zero values.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", errMalformed, what)
	}
	r.b = nil
}

// end returns an error if there was one, or if data is left.
func (r *reader) end() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail("too long")
	}
	return r.err
}

// take returns the next n bytes of the message without copying; nil if there are fewer.
func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.fail("too short")
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool { return r.u8() != 0 }

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) oid() sai.OID { return sai.OID(r.u64()) }

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail("unterminated number")
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) s32() int32 {
	n, size := binary.Varint(r.b)
	if size <= 0 || n != int64(int32(n)) {
		r.fail("number beyond 32 bits")
		return 0
	}
	r.b = r.b[size:]
	return int32(n)
}

func (r *reader) u32() uint32 {
	n := r.uvarint()
	if n > 1<<32-1 {
		r.fail("number beyond 32 bits")
		return 0
	}
	return uint32(n)
}

func (r *reader) status() sai.Status { return sai.Status(r.s32()) }

// count reads the number of elements that follow, of at least size bytes each.
func (r *reader) count(size int) int {
	n := r.uvarint()
	if n > uint64(len(r.b)/size) {
		r.fail("list longer than the message")
		return 0
	}
	return int(n)
}

func (r *reader) text(most int) string {
	n := r.count(1)
	if n > most {
		r.fail("text too long")
		return ""
	}
	return string(r.take(n))
}

func (r *reader) object() *sai.ObjectMeta {
	n := r.uvarint()
	if n < 1<<31 {
		if o := sai.ByType(sai.ObjectType(n)); o != nil {
			return o
		}
	}
	r.fail("object type")
	return nil
}

func (r *reader) key(o *sai.ObjectMeta) sai.Key {
	if o.Entry == 0 {
		return sai.Key{OID: r.oid()}
	}
	if n := r.count(1); r.err == nil {
		return sai.Key{Entry: append([]byte{}, r.take(n)...)}
	}
	return sai.Key{}
}

func (r *reader) ids() []uint32 {
	out := make([]uint32, r.count(1))
	for i := range out {
		out[i] = r.u32()
	}
	return out
}

func (r *reader) statuses(st []sai.Status) {
	for i := range st {
		st[i] = r.status()
	}
}

func (r *reader) numbers(out []uint64) {
	copy(numberBytes(out), r.take(8*len(out)))
}

// attribute reads what frame.attribute wrote.
func (r *reader) attribute(o *sai.ObjectMeta) sai.Attribute {
	switch r.u8() {
	case attrGood:
		a, rest, err := sai.ReadAttribute(o, r.b)
		if err != nil {
			r.fail(err.Error())
			return sai.Attribute{AttrMeta: unknown}
		}
		r.b = rest
		return a
	case attrBadValue:
		if a := o.Attr(r.u32()); a != nil {
			return sai.Attribute{AttrMeta: a, Value: badValue}
		}
	}
	return sai.Attribute{AttrMeta: unknown}
}

func (r *reader) attributes(o *sai.ObjectMeta) []sai.Attribute {
	out := make([]sai.Attribute, r.count(1))
	for i := range out {
		out[i] = r.attribute(o)
	}
	return out
}

// attrIDs reads what frame.attrIDs wrote.
func (r *reader) attrIDs(o *sai.ObjectMeta) []sai.Attribute {
	out := make([]sai.Attribute, r.count(1))
	for i := range out {
		out[i].AttrMeta = unknown
		if n := r.uvarint(); n < 1<<32 {
			if a := o.Attr(uint32(n)); a != nil {
				out[i].AttrMeta = a
			}
		}
	}
	return out
}

// values reads the values of attrs, which frame.attribute wrote one after the other.
func (r *reader) values(o *sai.ObjectMeta, attrs []sai.Attribute) {
	for i := range attrs {
		got, rest, err := sai.ReadAttribute(o, r.b)
		if err != nil || got.AttrMeta != attrs[i].AttrMeta {
			r.fail("value of another attribute")
			return
		}
		attrs[i].Value, r.b = got.Value, rest
	}
}
