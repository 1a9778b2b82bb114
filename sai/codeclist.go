package sai

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// numeric are the element types of number lists.
type numeric interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32
}

// listCodec encodes a list as []T. elem is the kind of an element: KindOID, KindEnum or
// a plain number.
type listCodec[T numeric] struct{ elem Kind }

func (r listCodec[T]) text(b []byte, e *EnumMeta, ref any) []byte {
	s, _ := ref.([]T)
	return appendList(b, ",", s, func(b []byte, x T) []byte { return appendText(b, r.elem, e, Value{Num: widen(x)}) })
}

// widen converts a number to the form of Value.Num, with sign extension.
func widen[T numeric](x T) uint64 { return uint64(x) }

func (r listCodec[T]) parse(s string, e *EnumMeta) (any, error) {
	list, err := parseList(s, ",", func(s string) (T, error) {
		n, err := parseNum(s, r.elem, e)
		return T(n), err
	})
	return listRef(list), err
}

func (listCodec[T]) put(b []byte, ref any) []byte {
	s, _ := ref.([]T)
	return append(binary.AppendUvarint(b, uint64(len(s))), raw(s)...)
}

func (listCodec[T]) get(b []byte) (any, []byte, error) { return readRaw[T](b) }

func (listCodec[T]) equal(x, y any) bool {
	a, _ := x.([]T)
	b, _ := y.([]T)
	return slices.Equal(a, b)
}

func (r listCodec[T]) check(e *EnumMeta, ref any) bool {
	s, ok := ref.([]T)
	if r.elem == KindEnum && e != nil {
		for _, v := range s {
			if e.index(int32(v)) < 0 {
				return false
			}
		}
	}
	return ok || ref == nil
}

// readRaw reads a list whose elements are encoded as in memory.
func readRaw[T any](b []byte) (any, []byte, error) {
	var t T
	size := int(unsafe.Sizeof(t))
	n, rest, err := readCount(b, size)
	if err != nil || n == 0 {
		return nil, rest, err
	}
	s := make([]T, n)
	copy(raw(s), rest)
	return s, rest[n*size:], nil
}

// listRef is a list as Value.Ref: nil if it is empty.
func listRef[T any](s []T) any {
	if len(s) == 0 {
		return nil
	}
	return s
}

// appendList formats a list as in ASIC_DB: 2:a,b, and 0:null if it is empty.
func appendList[T any](b []byte, sep string, s []T, elem func([]byte, T) []byte) []byte {
	b = append(strconv.AppendInt(b, int64(len(s)), 10), ':')
	if len(s) == 0 {
		return append(b, "null"...)
	}
	for i, x := range s {
		if i > 0 {
			b = append(b, sep...)
		}
		b = elem(b, x)
	}
	return b
}

// parseList is the inverse of appendList.
func parseList[T any](s, sep string, elem func(string) (T, error)) ([]T, error) {
	count, rest, ok := strings.Cut(s, ":")
	n, err := strconv.ParseUint(count, 10, 32)
	if !ok || err != nil {
		return nil, fmt.Errorf("%q is not a list such as 2:a,b", clip(s))
	}
	if n == 0 {
		if rest != "null" {
			return nil, fmt.Errorf("an empty list is 0:null, not %q", clip(s))
		}
		return nil, nil
	}
	if have := strings.Count(rest, sep) + 1; n != uint64(have) {
		return nil, fmt.Errorf("count is %d, length of the list is %d", n, have)
	}
	out := make([]T, 0, n)
	for w := range strings.SplitSeq(rest, sep) {
		x, err := elem(w)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// s32ListListCodec encodes a list of lists, such as the filter taps of each lane, as
// [][]int32. Its text separates the inner lists with semicolons: 2:1:5;2:6,7.
type s32ListListCodec struct{}

func (s32ListListCodec) text(b []byte, _ *EnumMeta, ref any) []byte {
	s, _ := ref.([][]int32)
	return appendList(b, ";", s, func(b []byte, x []int32) []byte { return listCodec[int32]{KindS32}.text(b, nil, x) })
}

func (s32ListListCodec) parse(s string, _ *EnumMeta) (any, error) {
	list, err := parseList(s, ";", func(s string) ([]int32, error) {
		x, err := listCodec[int32]{KindS32}.parse(s, nil)
		inner, _ := x.([]int32)
		return inner, err
	})
	return listRef(list), err
}

func (s32ListListCodec) put(b []byte, ref any) []byte {
	s, _ := ref.([][]int32)
	b = binary.AppendUvarint(b, uint64(len(s)))
	for _, x := range s {
		b = listCodec[int32]{}.put(b, x)
	}
	return b
}

func (s32ListListCodec) get(b []byte) (any, []byte, error) {
	n, rest, err := readCount(b, 1)
	if err != nil || n == 0 {
		return nil, rest, err
	}
	var s [][]int32 // not preallocated: n is not trusted
	for range n {
		var x any
		if x, rest, err = (listCodec[int32]{}).get(rest); err != nil {
			return nil, nil, err
		}
		inner, _ := x.([]int32)
		s = append(s, inner)
	}
	return s, rest, nil
}

func (s32ListListCodec) equal(x, y any) bool {
	a, _ := x.([][]int32)
	b, _ := y.([][]int32)
	return slices.EqualFunc(a, b, slices.Equal[[]int32])
}

func (s32ListListCodec) check(_ *EnumMeta, ref any) bool {
	_, ok := ref.([][]int32)
	return ok || ref == nil
}
