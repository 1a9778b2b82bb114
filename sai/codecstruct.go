package sai

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// layout describes a C struct of numbers for the codecs.
type layout struct {
	name    string   // qos_map_params_t
	pair    bool     // a range of min and max: written as 1,2 and not as JSON
	members []member // in alphabetical order, as in JSON; for a pair in struct order
}

// member is one member of a layout.
type member struct {
	name string
	off  uintptr
	kind Kind      // KindNone for a struct
	enum *EnumMeta // of a KindEnum
	sub  *layout   // of a struct
	late bool      // newer than ASIC_DB's format: omitted if 0
}

func (m *member) num(base unsafe.Pointer) uint64 {
	p := unsafe.Add(base, m.off)
	switch bits, signed := m.kind.width(); {
	case bits <= 8 && signed:
		return uint64(*(*int8)(p))
	case bits <= 8:
		return uint64(*(*uint8)(p))
	case bits == 16 && signed:
		return uint64(*(*int16)(p))
	case bits == 16:
		return uint64(*(*uint16)(p))
	case bits == 32 && signed:
		return uint64(*(*int32)(p))
	case bits == 32:
		return uint64(*(*uint32)(p))
	default:
		return *(*uint64)(p)
	}
}

func (m *member) set(base unsafe.Pointer, n uint64) {
	p := unsafe.Add(base, m.off)
	switch bits, _ := m.kind.width(); bits {
	case 1, 8:
		*(*uint8)(p) = uint8(n)
	case 16:
		*(*uint16)(p) = uint16(n)
	case 32:
		*(*uint32)(p) = uint32(n)
	default:
		*(*uint64)(p) = n
	}
}

func (l *layout) text(b []byte, p unsafe.Pointer) []byte {
	if l.pair {
		b = appendText(b, l.members[0].kind, nil, Value{Num: l.members[0].num(p)})
		return appendText(append(b, ','), l.members[1].kind, nil, Value{Num: l.members[1].num(p)})
	}
	sep := byte('{')
	for i := range l.members {
		m := &l.members[i]
		if m.late && m.num(p) == 0 {
			continue
		}
		b = append(b, sep, '"')
		b = append(append(b, m.name...), '"', ':')
		b = m.text(b, p)
		sep = ','
	}
	return append(b, '}')
}

func (m *member) text(b []byte, p unsafe.Pointer) []byte {
	if m.sub != nil {
		return m.sub.text(b, unsafe.Add(p, m.off))
	}
	v := Value{Num: m.num(p)}
	if m.kind != KindEnum && m.kind != KindOID {
		return appendText(b, m.kind, m.enum, v)
	}
	return append(appendText(append(b, '"'), m.kind, m.enum, v), '"')
}

// parsePair reads 1,2.
func (l *layout) parsePair(s string, p unsafe.Pointer) error {
	w := strings.Split(s, ",")
	if len(w) != 2 {
		return fmt.Errorf("%q is not a range such as 1,2", clip(s))
	}
	for i := range l.members {
		n, err := parseNum(w[i], l.members[i].kind, nil)
		if err != nil {
			return err
		}
		l.members[i].set(p, n)
	}
	return nil
}

// parse reads a JSON object. Missing members stay 0.
func (l *layout) parse(j *jsonText, p unsafe.Pointer) error {
	return j.object(func(name string) error {
		i := slices.IndexFunc(l.members, func(m member) bool { return m.name == name })
		if i < 0 {
			return fmt.Errorf("%s has no member %q", l.name, clip(name))
		}
		if err := l.members[i].parse(j, p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// parse reads a member. Numbers may be quoted, as in some structs of ASIC_DB.
func (m *member) parse(j *jsonText, p unsafe.Pointer) error {
	if m.sub != nil {
		return m.sub.parse(j, unsafe.Add(p, m.off))
	}
	text, err := j.scalar()
	if err != nil {
		return err
	}
	n, err := parseNum(text, m.kind, m.enum)
	if err == nil {
		m.set(p, n)
	}
	return err
}

// valid reports whether the bytes are valid as a Go value: bools are 0 or 1.
func (l *layout) valid(p unsafe.Pointer) bool {
	for i := range l.members {
		m := &l.members[i]
		if m.sub != nil && !m.sub.valid(unsafe.Add(p, m.off)) {
			return false
		}
		if m.kind == KindBool && m.num(p) > 1 {
			return false
		}
	}
	return true
}

// check reports whether all enums of a struct have known values.
func (l *layout) check(p unsafe.Pointer) bool {
	for i := range l.members {
		m := &l.members[i]
		if m.sub != nil && !m.sub.check(unsafe.Add(p, m.off)) {
			return false
		}
		if m.enum != nil && m.enum.index(int32(m.num(p))) < 0 {
			return false
		}
	}
	return true
}

// structCodec encodes a T, a Go struct with the layout of its C type.
type structCodec[T comparable] struct{ of *layout }

func (r structCodec[T]) text(b []byte, _ *EnumMeta, ref any) []byte {
	x, _ := ref.(T)
	return r.of.text(b, unsafe.Pointer(&x))
}

func (r structCodec[T]) parse(s string, _ *EnumMeta) (any, error) {
	x, err := r.parseOne(s)
	return x, err
}

func (r structCodec[T]) parseOne(s string) (x T, err error) {
	if r.of.pair {
		return x, r.of.parsePair(s, unsafe.Pointer(&x))
	}
	j := &jsonText{rest: s}
	if err := r.of.parse(j, unsafe.Pointer(&x)); err != nil {
		return x, err
	}
	return x, j.end()
}

func (structCodec[T]) put(b []byte, ref any) []byte {
	x, _ := ref.(T)
	return append(b, raw([]T{x})...)
}

func (r structCodec[T]) get(b []byte) (any, []byte, error) {
	var x T
	size := int(unsafe.Sizeof(x))
	if len(b) < size {
		return nil, nil, wireErr("%s of %d bytes in %d", r.of.name, size, len(b))
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&x)), size), b)
	if !r.of.valid(unsafe.Pointer(&x)) {
		return nil, nil, wireErr("%s with a bool that is neither 0 nor 1", r.of.name)
	}
	return x, b[size:], nil
}

func (structCodec[T]) equal(x, y any) bool {
	a, _ := x.(T)
	b, _ := y.(T)
	return a == b
}

func (r structCodec[T]) check(_ *EnumMeta, ref any) bool {
	x, ok := ref.(T)
	return ref == nil || ok && r.of.check(unsafe.Pointer(&x))
}

// structListCodec encodes a []T of such structs.
type structListCodec[T comparable] struct{ of *layout }

func (r structListCodec[T]) text(b []byte, _ *EnumMeta, ref any) []byte {
	s, _ := ref.([]T)
	one := func(b []byte, x T) []byte { return r.of.text(b, unsafe.Pointer(&x)) }
	if r.of.pair {
		return appendList(b, ";", s, one)
	}
	b = strconv.AppendInt(append(b, `{"count":`...), int64(len(s)), 10)
	b = append(b, `,"list":`...)
	if len(s) == 0 {
		return append(b, "null}"...)
	}
	sep := byte('[')
	for i, x := range s {
		start := len(b)
		b, sep = one(append(b, sep), x), ','
		if i == 0 { // estimate: the others are about as long
			b = slices.Grow(b, len(s)*(len(b)-start+8))
		}
	}
	return append(b, ']', '}')
}

func (r structListCodec[T]) parse(s string, _ *EnumMeta) (any, error) {
	if r.of.pair {
		list, err := parseList(s, ";", structCodec[T](r).parseOne)
		return listRef(list), err
	}
	j := &jsonText{rest: s}
	list, err := r.parseJSON(j)
	if err == nil {
		err = j.end()
	}
	if err != nil {
		return nil, err
	}
	return listRef(list), nil
}

// parseJSON reads {"count":1,"list":[…]}.
func (r structListCodec[T]) parseJSON(j *jsonText) (list []T, err error) {
	count := "none"
	err = j.object(func(name string) error {
		switch name {
		case "count":
			count, err = j.scalar()
			return err
		case "list":
			list = nil
			return j.array(func() error {
				var x T
				if err := r.of.parse(j, unsafe.Pointer(&x)); err != nil {
					return fmt.Errorf("element %d: %w", len(list), err)
				}
				list = append(list, x)
				return nil
			})
		}
		return fmt.Errorf("a list has no member %q", clip(name))
	})
	if err == nil && count != strconv.Itoa(len(list)) {
		err = fmt.Errorf("count is %s, length of the list is %d", clip(count), len(list))
	}
	return list, err
}

func (structListCodec[T]) put(b []byte, ref any) []byte {
	s, _ := ref.([]T)
	return append(binary.AppendUvarint(b, uint64(len(s))), raw(s)...)
}

func (r structListCodec[T]) get(b []byte) (any, []byte, error) {
	ref, rest, err := readRaw[T](b)
	s, _ := ref.([]T)
	for i := range s {
		if !r.of.valid(unsafe.Pointer(&s[i])) {
			return nil, nil, wireErr("%s with a bool that is neither 0 nor 1", r.of.name)
		}
	}
	return ref, rest, err
}

func (structListCodec[T]) equal(x, y any) bool {
	a, _ := x.([]T)
	b, _ := y.([]T)
	return slices.Equal(a, b)
}

func (r structListCodec[T]) check(_ *EnumMeta, ref any) bool {
	s, ok := ref.([]T)
	for i := range s {
		if !r.of.check(unsafe.Pointer(&s[i])) {
			return false
		}
	}
	return ok || ref == nil
}
