// Package value translates between gNMI's typed values and the texts that a
// database holds, in every encoding served.
package value

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/schema/countersdb"
)

// Encodings are the ones served, the default first.
var Encodings = []gpb.Encoding{
	gpb.Encoding_JSON,
	gpb.Encoding_JSON_IETF,
	gpb.Encoding_PROTO,
	gpb.Encoding_ASCII,
}

// CheckEncoding returns an error that matches ErrUnsupported unless e is served.
func CheckEncoding(e gpb.Encoding) error {
	if !slices.Contains(Encodings, e) {
		return fmt.Errorf("%w: %s; served are %v", ErrUnsupported, e, Encodings)
	}
	return nil
}

// Structured reports whether a whole subtree can be one value in e.
func Structured(e gpb.Encoding) bool {
	return e == gpb.Encoding_JSON || e == gpb.Encoding_JSON_IETF
}

// Leaf makes the value of one field, which is a text in the database. One of a numeric
// kind is a number in JSON and PROTO if its text is one; in JSON_IETF numbers of 64 bits
// are strings (RFC 7951, section 6.1). All others are sent as texts, whatever they look
// like.
func Leaf(e gpb.Encoding, kind countersdb.Kind, text string) *gpb.TypedValue {
	switch e {
	case gpb.Encoding_JSON:
		return JSON(e, appendNatural(make([]byte, 0, len(text)+2), kind, text))
	case gpb.Encoding_JSON_IETF:
		return JSON(e, AppendText(make([]byte, 0, len(text)+2), text))
	case gpb.Encoding_ASCII:
		return &gpb.TypedValue{Value: &gpb.TypedValue_AsciiVal{AsciiVal: text}}
	default:
		return scalarOf(kind, text)
	}
}

// JSON wraps a document in the kind of value that belongs to e.
func JSON(e gpb.Encoding, doc []byte) *gpb.TypedValue {
	if e == gpb.Encoding_JSON_IETF {
		return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: doc}}
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: doc}}
}

// Tree is a subtree to be sent as one document.
type Tree struct {
	children map[string]*Tree
	fields   map[string]string
	kind     KindOf
}

// KindOf returns what a field of one row holds.
type KindOf func(field string) countersdb.Kind

// At returns the subtree at names, which is made when it is not there.
func (t *Tree) At(names ...string) *Tree {
	for _, n := range names {
		next := t.children[n]
		if next == nil {
			next = &Tree{}
			if t.children == nil {
				t.children = map[string]*Tree{}
			}
			t.children[n] = next
		}
		t = next
	}
	return t
}

// Put makes fields the leaves of t. The map is kept.
func (t *Tree) Put(fields map[string]string, kind KindOf) { t.fields, t.kind = fields, kind }

// AppendJSON writes t as a JSON object in encoding e, names in order.
func (t *Tree) AppendJSON(b []byte, e gpb.Encoding) []byte {
	b = append(b, '{')
	for _, name := range slices.Sorted(maps.Keys(t.children)) {
		b = append(AppendText(comma(b), name), ':')
		b = t.children[name].AppendJSON(b, e)
	}
	for _, name := range slices.Sorted(maps.Keys(t.fields)) {
		b = append(AppendText(comma(b), name), ':')
		if e == gpb.Encoding_JSON {
			b = appendNatural(b, t.kind(name), t.fields[name])
		} else {
			b = AppendText(b, t.fields[name])
		}
	}
	return append(b, '}')
}

func comma(b []byte) []byte {
	if b[len(b)-1] == '{' {
		return b
	}
	return append(b, ',')
}

const hex = "0123456789abcdef"

// AppendText writes s as a JSON string. What is not UTF-8 becomes U+FFFD.
func AppendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += size - 1
		}
		i++
	}
	return append(b, '"')
}
