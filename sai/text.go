package sai

import (
	"fmt"
	"strconv"
	"strings"
)

// Format writes a value as SONiC's ASIC_DB does, which is SAI's text form in
// this project:
//
//	bool                  true, false
//	number                decimal; a pointer 0x1f
//	enum                  SAI_QUEUE_TYPE_UNICAST; a number if the enum lacks it
//	object                oid:0x1500000000001a, null oid:0x0
//	list                  2:oid:0x1,oid:0x2 or 3:1,2,3; empty 0:null
//	MAC address           02:00:5E:00:53:01
//	IP address, prefix    10.0.0.1, 2001:db8::/64
//	range                 1,4094; a list of them 2:1,4;6,9
//	text                  as it is; \\ for \, \x09 for what is not printable ASCII
//	struct, list of them  JSON with members in alphabetical order
//	ACL field             3&mask:0xff, 2:1,2&mask:2:0xff,0xff, oid:0x1; disabled
//	ACL action            as its parameter; disabled
//
// QoS maps so read {"count":1,"list":[{"key":{"color":…},"value":{…}}]} with the
// nine members that SONiC knows; dei and vc are written only when they are set.
// The forms of lists of ranges, ACL capabilities, filter taps and of structs other
// than QoS maps are this package's own, in the manner of the others: attributes
// of these kinds are read only, or SONiC does not write them.
func (a *AttrMeta) Format(v Value) string { return string(a.AppendText(nil, v)) }

// AppendText appends what Format returns.
func (a *AttrMeta) AppendText(b []byte, v Value) []byte { return appendText(b, a.Kind, a.Enum, v) }

// Parse is the inverse of Format. The error names the attribute, the input and what is
// allowed.
func (a *AttrMeta) Parse(text string) (Value, error) {
	v, err := parseText(text, a.Kind, a.Enum)
	if err != nil {
		return Value{}, fmt.Errorf("%s: %w", a.FullName(), err)
	}
	return v, nil
}

func appendText(b []byte, k Kind, e *EnumMeta, v Value) []byte {
	if r := codecs[k]; r != nil {
		return r.text(b, e, v.Ref)
	}
	switch k {
	case KindBool:
		return strconv.AppendBool(b, v.Num != 0)
	case KindEnum:
		return e.appendFull(b, int32(v.Num))
	case KindOID:
		return appendOID(b, OID(v.Num))
	case KindPointer:
		return appendHex(b, v.Num)
	case KindS8, KindS16, KindS32, KindS64:
		return strconv.AppendInt(b, int64(v.Num), 10)
	default:
		return strconv.AppendUint(b, v.Num, 10)
	}
}

func parseText(s string, k Kind, e *EnumMeta) (Value, error) {
	if r := codecs[k]; r != nil {
		ref, err := r.parse(s, e)
		return Value{Ref: ref}, err
	}
	n, err := parseNum(s, k, e)
	return Value{Num: n}, err
}

func parseNum(s string, k Kind, e *EnumMeta) (uint64, error) {
	switch k {
	case KindBool:
		return parseBool(s)
	case KindEnum:
		n, err := e.parse(s)
		return uint64(int64(n)), err
	case KindOID:
		id, err := parseOID(s)
		return uint64(id), err
	case KindPointer:
		return parseHex(s, 64)
	default:
		bits, signed := k.width()
		return parseDecimal(s, bits, signed)
	}
}

func parseDecimal(s string, bits int, signed bool) (uint64, error) {
	if !signed {
		n, err := strconv.ParseUint(s, 10, bits)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number of 0..%d", clip(s), ^uint64(0)>>(64-bits))
		}
		return n, nil
	}
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		top := int64(^uint64(0) >> (65 - bits))
		return 0, fmt.Errorf("%q is not a number of %d..%d", clip(s), -top-1, top)
	}
	return uint64(n), nil
}

func parseBool(s string) (uint64, error) {
	switch s {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	return 0, fmt.Errorf("%q is neither true nor false", clip(s))
}

func appendHex(b []byte, n uint64) []byte {
	return strconv.AppendUint(append(b, "0x"...), n, 16)
}

func parseHex(s string, bits int) (uint64, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, bits)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is not a number of 0x0..%#x", clip(s), ^uint64(0)>>(64-bits))
	}
	return n, nil
}

func appendOID(b []byte, id OID) []byte { return appendHex(append(b, "oid:"...), uint64(id)) }

// ParseOID reads what OID.String writes: oid:0x1500000000001a.
func ParseOID(s string) (OID, error) { return parseOID(s) }

func parseOID(s string) (OID, error) {
	digits, ok := strings.CutPrefix(s, "oid:0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is not an object id such as oid:0x1a", clip(s))
	}
	return OID(n), nil
}

// clip shortens a text for an error message.
func clip(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}

// appendFull appends the full name of a value, or its number if it has none.
func (e *EnumMeta) appendFull(b []byte, v int32) []byte {
	if e != nil {
		if i := e.index(v); i >= 0 {
			return append(b, e.Full[i]...)
		}
	}
	return strconv.AppendInt(b, int64(v), 10)
}

// parse reads what appendFull writes.
func (e *EnumMeta) parse(s string) (int32, error) {
	if e != nil {
		if v, ok := e.Value(s); ok {
			return v, nil
		}
	}
	n, err := strconv.ParseInt(s, 10, 32)
	switch {
	case err == nil:
		return int32(n), nil
	case e == nil:
		return 0, fmt.Errorf("%q is not a number of -2147483648..2147483647", clip(s))
	}
	return 0, fmt.Errorf("%q is not a value of %s, such as %s", clip(s), e.Name, e.Full[0])
}
