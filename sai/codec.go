package sai

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// valueCodec encodes the values of one kind in Value.Ref, as text and as bytes. Kinds
// of numbers have none: they are in Value.Num.
//
// A nil Ref is the zero value of every kind: an empty list, an empty text, the zero
// address, a disabled ACL field. Decoders return the zero value of a list as nil, so
// that a value has only one form.
type valueCodec interface {
	// text appends the canonical text of a value.
	text(b []byte, e *EnumMeta, ref any) []byte
	// parse is the inverse of text.
	parse(s string, e *EnumMeta) (any, error)
	// put appends the wire form of a value.
	put(b []byte, ref any) []byte
	// get reads the wire form and returns what follows it.
	get(b []byte) (ref any, rest []byte, err error)
	equal(x, y any) bool
	// check reports whether ref has the Go type of the kind, and its content is in
	// range.
	check(e *EnumMeta, ref any) bool
}

// ErrWire is the error for bytes that AppendAttribute did not write: a length beyond
// the end, a number too wide, an unknown attribute.
var ErrWire = errors.New("malformed attribute")

func wireErr(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrWire}, args...)...)
}

// AppendAttribute appends the wire form of an attribute: its ID, then the value in the
// format of its kind. It is for a connection between two processes of the same build on
// one machine, not for storage.
//
// A value whose Ref does not have the kind's type is written as zero.
func AppendAttribute(b []byte, a Attribute) []byte {
	return appendWire(binary.AppendUvarint(b, uint64(a.ID)), a.Kind, a.Value)
}

// ReadAttribute reads what AppendAttribute wrote for an attribute of o, and returns
// what follows. It accepts any input: errors match ErrWire, and a length allocates
// nothing unless the input has the bytes.
func ReadAttribute(o *ObjectMeta, b []byte) (a Attribute, rest []byte, err error) {
	id, rest, err := readUvarint(b, math.MaxUint32)
	if err != nil {
		return Attribute{}, nil, fmt.Errorf("%s: attribute id: %w", o.Name, err)
	}
	if a.AttrMeta = o.Attr(uint32(id)); a.AttrMeta == nil {
		return Attribute{}, nil, wireErr("%s has no attribute %d", o.Name, id)
	}
	if a.Value, rest, err = readWire(a.Kind, rest); err != nil {
		return Attribute{}, nil, fmt.Errorf("%s: %w", a.FullName(), err)
	}
	return a, rest, nil
}

func appendWire(b []byte, k Kind, v Value) []byte {
	if r := codecs[k]; r != nil {
		return r.put(b, v.Ref)
	}
	if bits, signed := k.width(); signed {
		return binary.AppendVarint(b, int64(v.Num))
	} else if bits > 0 {
		return binary.AppendUvarint(b, v.Num)
	}
	return b
}

func readWire(k Kind, b []byte) (Value, []byte, error) {
	if r := codecs[k]; r != nil {
		ref, rest, err := r.get(b)
		return Value{Ref: ref}, rest, err
	}
	bits, signed := k.width()
	if bits == 0 {
		return Value{}, b, nil
	}
	if !signed {
		n, rest, err := readUvarint(b, math.MaxUint64>>(64-bits))
		return Value{Num: n}, rest, err
	}
	n, size := binary.Varint(b)
	if size <= 0 {
		return Value{}, nil, wireErr("unterminated number")
	}
	if n<<(64-bits)>>(64-bits) != n {
		return Value{}, nil, wireErr("number %d needs more than %d bits", n, bits)
	}
	return Value{Num: uint64(n)}, b[size:], nil
}

func readUvarint(b []byte, limit uint64) (uint64, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, wireErr("unterminated number")
	}
	if n > limit {
		return 0, nil, wireErr("number %d is above %d", n, limit)
	}
	return n, b[size:], nil
}

// readCount reads the length of a list of elements of at least size bytes, and checks
// that the bytes are there.
func readCount(b []byte, size int) (int, []byte, error) {
	n, rest, err := readUvarint(b, math.MaxUint32)
	if err != nil {
		return 0, nil, err
	}
	if n > uint64(len(rest)/size) {
		return 0, nil, wireErr("list of %d elements in %d bytes", n, len(rest))
	}
	return int(n), rest, nil
}

// width is the number of bits of a numeric kind, or 0.
func (k Kind) width() (bits int, signed bool) {
	switch k {
	case KindBool:
		return 1, false
	case KindU8:
		return 8, false
	case KindU16:
		return 16, false
	case KindU32:
		return 32, false
	case KindU64, KindOID, KindPointer:
		return 64, false
	case KindS8:
		return 8, true
	case KindS16:
		return 16, true
	case KindS32, KindEnum:
		return 32, true
	case KindS64:
		return 64, true
	default:
		return 0, false
	}
}

// raw returns the memory of a slice of values without pointers.
func raw[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}

// Equal reports whether two values of a kind are equal. A nil Ref equals the zero
// value.
func Equal(k Kind, a, b Value) bool {
	if r := codecs[k]; r != nil {
		return r.equal(a.Ref, b.Ref)
	}
	return a.Num == b.Num
}
