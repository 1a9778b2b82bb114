package sai

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// FieldValue is the Ref of an enabled ACL field: the untyped form of a Match. Fields
// without mask (objects, lists of them, bools) leave Mask zero.
type FieldValue struct{ Data, Mask Value }

// ParamValue is the Ref of an enabled ACL action: its parameter.
type ParamValue struct{ Value }

// aclFieldCodec encodes a FieldValue with data of a kind.
type aclFieldCodec struct{ of Kind }

// masked reports whether a field of the kind has a mask.
func (r aclFieldCodec) masked() bool {
	switch r.of {
	case KindBool, KindOID, KindOIDList:
		return false
	default:
		return true
	}
}

func (r aclFieldCodec) text(b []byte, e *EnumMeta, ref any) []byte {
	f, ok := ref.(FieldValue)
	if !ok {
		return append(b, "disabled"...)
	}
	b = appendText(b, r.of, e, f.Data)
	if !r.masked() {
		return b
	}
	b = append(b, "&mask:"...)
	if bits, _ := r.of.width(); bits > 0 {
		return appendHex(b, f.Mask.Num)
	}
	if r.of == KindU8List {
		s, _ := f.Mask.Ref.([]uint8)
		return appendList(b, ",", s, func(b []byte, x uint8) []byte { return appendHex(b, uint64(x)) })
	}
	return appendText(b, r.of, nil, f.Mask)
}

func (r aclFieldCodec) parse(s string, e *EnumMeta) (any, error) {
	if s == "disabled" {
		return nil, nil
	}
	data, mask, has := strings.Cut(s, "&mask:")
	if has != r.masked() {
		return nil, fmt.Errorf("%q is not an ACL field such as 3&mask:0xff", clip(s))
	}
	var f FieldValue
	var err error
	if f.Data, err = parseText(data, r.of, e); err != nil {
		return nil, err
	}
	if has {
		if f.Mask, err = r.parseMask(mask); err != nil {
			return nil, fmt.Errorf("mask: %w", err)
		}
	}
	return f, nil
}

func (r aclFieldCodec) parseMask(s string) (Value, error) {
	bits, signed := r.of.width()
	if signed { // without the sign's hexadecimal digits
		n, err := parseHex(s, 64)
		if err == nil && int64(n)<<(64-bits)>>(64-bits) != int64(n) {
			err = fmt.Errorf("%q needs more than %d bits", clip(s), bits)
		}
		return Value{Num: n}, err
	}
	if bits > 0 {
		n, err := parseHex(s, bits)
		return Value{Num: n}, err
	}
	if r.of == KindU8List {
		list, err := parseList(s, ",", func(s string) (uint8, error) {
			n, err := parseHex(s, 8)
			return uint8(n), err
		})
		return Value{Ref: listRef(list)}, err
	}
	return parseText(s, r.of, nil)
}

func (r aclFieldCodec) put(b []byte, ref any) []byte {
	f, ok := ref.(FieldValue)
	if !ok {
		return append(b, 0)
	}
	b = appendWire(append(b, 1), r.of, f.Data)
	if !r.masked() {
		return b
	}
	return appendWire(b, r.of, f.Mask)
}

func (r aclFieldCodec) get(b []byte) (any, []byte, error) {
	on, rest, err := readBool(b)
	if err != nil || !on {
		return nil, rest, err
	}
	var f FieldValue
	if f.Data, rest, err = readWire(r.of, rest); err != nil {
		return nil, nil, err
	}
	if r.masked() {
		if f.Mask, rest, err = readWire(r.of, rest); err != nil {
			return nil, nil, fmt.Errorf("mask: %w", err)
		}
	}
	return f, rest, nil
}

func (r aclFieldCodec) equal(x, y any) bool {
	a, aOK := x.(FieldValue)
	b, bOK := y.(FieldValue)
	return aOK == bOK && Equal(r.of, a.Data, b.Data) && (!r.masked() || Equal(r.of, a.Mask, b.Mask))
}

func (r aclFieldCodec) check(e *EnumMeta, ref any) bool {
	f, ok := ref.(FieldValue)
	return ref == nil || ok && inRange(r.of, e, f.Data) && (!r.masked() || inRange(r.of, nil, f.Mask))
}

// aclParamCodec encodes a ParamValue of a kind.
type aclParamCodec struct{ of Kind }

func (r aclParamCodec) text(b []byte, e *EnumMeta, ref any) []byte {
	p, ok := ref.(ParamValue)
	if !ok {
		return append(b, "disabled"...)
	}
	return appendText(b, r.of, e, p.Value)
}

func (r aclParamCodec) parse(s string, e *EnumMeta) (any, error) {
	if s == "disabled" {
		return nil, nil
	}
	v, err := parseText(s, r.of, e)
	if err != nil {
		return nil, err
	}
	return ParamValue{v}, nil
}

func (r aclParamCodec) put(b []byte, ref any) []byte {
	p, ok := ref.(ParamValue)
	if !ok {
		return append(b, 0)
	}
	return appendWire(append(b, 1), r.of, p.Value)
}

func (r aclParamCodec) get(b []byte) (any, []byte, error) {
	on, rest, err := readBool(b)
	if err != nil || !on {
		return nil, rest, err
	}
	v, rest, err := readWire(r.of, rest)
	if err != nil {
		return nil, nil, err
	}
	return ParamValue{v}, rest, nil
}

func (r aclParamCodec) equal(x, y any) bool {
	a, aOK := x.(ParamValue)
	b, bOK := y.(ParamValue)
	return aOK == bOK && Equal(r.of, a.Value, b.Value)
}

func (r aclParamCodec) check(e *EnumMeta, ref any) bool {
	p, ok := ref.(ParamValue)
	return ref == nil || ok && inRange(r.of, e, p.Value)
}

func readBool(b []byte) (bool, []byte, error) {
	if len(b) == 0 || b[0] > 1 {
		return false, nil, wireErr("no bool")
	}
	return b[0] == 1, b[1:], nil
}

// ACLCapability is sai_acl_capability_t: the supported ACL actions of a stage. Its text
// has the members in struct order, separated by semicolons:
// false;2:SAI_ACL_ACTION_TYPE_PACKET_ACTION,SAI_ACL_ACTION_TYPE_COUNTER;SAI_ACL_TABLE_SUPPORTED_MATCH_TYPE_TERNARY;false
type ACLCapability struct {
	ActionListMandatory bool // a table must list the actions of its entries
	Actions             []ACLActionType
	Match               ACLTableSupportedMatchType // since SAI 1.12
	NonContiguousBits   bool                       // in exact matches; since SAI 1.12
}

// aclCapabilityCodec encodes an ACLCapability.
type aclCapabilityCodec struct{}

func (aclCapabilityCodec) text(b []byte, _ *EnumMeta, ref any) []byte {
	c, _ := ref.(ACLCapability)
	b = append(strconv.AppendBool(b, c.ActionListMandatory), ';')
	b = appendList(b, ",", c.Actions, func(b []byte, x ACLActionType) []byte {
		return enumACLActionType.appendFull(b, int32(x))
	})
	b = enumACLTableSupportedMatchType.appendFull(append(b, ';'), int32(c.Match))
	return strconv.AppendBool(append(b, ';'), c.NonContiguousBits)
}

func (aclCapabilityCodec) parse(s string, _ *EnumMeta) (any, error) {
	w := strings.Split(s, ";")
	if len(w) != 4 {
		return nil, fmt.Errorf("%q is not an ACL capability of four members", clip(s))
	}
	var c ACLCapability
	mandatory, err := parseBool(w[0])
	if err != nil {
		return nil, err
	}
	if c.Actions, err = parseList(w[1], ",", func(s string) (ACLActionType, error) {
		n, err := enumACLActionType.parse(s)
		return ACLActionType(n), err
	}); err != nil {
		return nil, err
	}
	match, err := enumACLTableSupportedMatchType.parse(w[2])
	if err != nil {
		return nil, err
	}
	bits, err := parseBool(w[3])
	c.ActionListMandatory, c.Match, c.NonContiguousBits = mandatory == 1, ACLTableSupportedMatchType(match), bits == 1
	return c, err
}

func (aclCapabilityCodec) put(b []byte, ref any) []byte {
	c, _ := ref.(ACLCapability)
	b = append(b, bit(c.ActionListMandatory)|bit(c.NonContiguousBits)<<1)
	b = binary.AppendVarint(b, int64(c.Match))
	return append(binary.AppendUvarint(b, uint64(len(c.Actions))), raw(c.Actions)...)
}

func bit(v bool) byte {
	if v {
		return 1
	}
	return 0
}

func (aclCapabilityCodec) get(b []byte) (any, []byte, error) {
	if len(b) == 0 || b[0] > 3 {
		return nil, nil, wireErr("no ACL capability")
	}
	c := ACLCapability{ActionListMandatory: b[0]&1 != 0, NonContiguousBits: b[0]&2 != 0}
	match, rest, err := readWire(KindEnum, b[1:])
	if err != nil {
		return nil, nil, err
	}
	c.Match = ACLTableSupportedMatchType(match.Num)
	list, rest, err := readRaw[ACLActionType](rest)
	c.Actions, _ = list.([]ACLActionType)
	return c, rest, err
}

func (r aclCapabilityCodec) equal(x, y any) bool { return bytes.Equal(r.put(nil, x), r.put(nil, y)) }

func (aclCapabilityCodec) check(_ *EnumMeta, ref any) bool {
	_, ok := ref.(ACLCapability)
	return ok || ref == nil
}
