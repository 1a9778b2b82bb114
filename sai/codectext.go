package sai

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// CharsMax is the maximum length of a chardata attribute, in bytes.
const CharsMax = 32

// stringCodec encodes a string of at most CharsMax bytes without zero bytes.
type stringCodec struct{}

// text prints printable ASCII unchanged, \\ for a backslash and \x0A for other bytes.
func (stringCodec) text(b []byte, _ *EnumMeta, ref any) []byte {
	s, _ := ref.(string)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\\':
			b = append(b, `\\`...)
		case c < ' ' || c > '~':
			b = append(b, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return b
}

const hexDigits = "0123456789ABCDEF"

func (stringCodec) parse(s string, _ *EnumMeta) (any, error) {
	b := make([]byte, 0, len(s))
	for rest := s; rest != ""; {
		c, n, err := unescape(rest)
		if err != nil {
			return nil, err
		}
		b, rest = append(b, c), rest[n:]
	}
	return stringRef(string(b)), checkChars(string(b))
}

// unescape reads the first byte of a text and returns the length of its escaped form.
func unescape(s string) (c byte, n int, err error) {
	switch {
	case s[0] != '\\':
		return s[0], 1, nil
	case strings.HasPrefix(s, `\\`):
		return '\\', 2, nil
	case strings.HasPrefix(s, `\x`) && len(s) >= 4:
		v, err := strconv.ParseUint(s[2:4], 16, 8)
		if err == nil {
			return byte(v), 4, nil
		}
	}
	return 0, 0, fmt.Errorf(`%q: a backslash begins \\ or \x0A`, clip(s))
}

func checkChars(s string) error {
	if len(s) > CharsMax {
		return fmt.Errorf("%q has %d bytes, at most %d fit", clip(s), len(s), CharsMax)
	}
	if strings.IndexByte(s, 0) >= 0 {
		return fmt.Errorf("%q holds a zero byte", clip(s))
	}
	return nil
}

// stringRef is a text as Value.Ref: nil if it is empty.
func stringRef(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (stringCodec) put(b []byte, ref any) []byte { return jsonCodec{}.put(b, ref) }

func (stringCodec) get(b []byte) (any, []byte, error) {
	ref, rest, err := jsonCodec{}.get(b)
	if s, _ := ref.(string); checkChars(s) != nil {
		return nil, nil, wireErr("text of %d bytes, at most %d without zeros fit", len(s), CharsMax)
	}
	return ref, rest, err
}

func (stringCodec) equal(x, y any) bool { return jsonCodec{}.equal(x, y) }

func (stringCodec) check(_ *EnumMeta, ref any) bool {
	s, ok := ref.(string)
	return ref == nil || ok && checkChars(s) == nil
}

// jsonCodec encodes a string of any length, which SAI defines as JSON.
type jsonCodec struct{}

func (jsonCodec) text(b []byte, _ *EnumMeta, ref any) []byte {
	s, _ := ref.(string)
	return append(b, s...)
}

func (jsonCodec) parse(s string, _ *EnumMeta) (any, error) { return stringRef(s), nil }

func (jsonCodec) put(b []byte, ref any) []byte {
	s, _ := ref.(string)
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (jsonCodec) get(b []byte) (any, []byte, error) {
	n, rest, err := readCount(b, 1)
	if err != nil {
		return nil, nil, err
	}
	return stringRef(string(rest[:n])), rest[n:], nil
}

func (jsonCodec) equal(x, y any) bool {
	a, _ := x.(string)
	b, _ := y.(string)
	return a == b
}

func (jsonCodec) check(_ *EnumMeta, ref any) bool {
	_, ok := ref.(string)
	return ok || ref == nil
}
