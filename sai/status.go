package sai

import (
	"errors"
	"strconv"
	"strings"
)

// Status is a SAI status code. It is an error unless it is zero.
type Status int32

// Error describes the status: "table full", "invalid attr value 3".
func (s Status) Error() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(s.Name(), "SAI_STATUS_"), "_", " "))
}

// Name is the name in SAI's headers: SAI_STATUS_TABLE_FULL, or
// SAI_STATUS_INVALID_ATTR_VALUE_3 for a status of the fourth attribute.
func (s Status) Name() string {
	if n, ok := statusNames[s]; ok {
		return "SAI_STATUS_" + n
	}
	if c, i := s.Attr(); i >= 0 {
		return "SAI_STATUS_" + strings.TrimSuffix(statusNames[c], "0") + strconv.Itoa(i)
	}
	return "SAI_STATUS_" + strconv.Itoa(int(s))
}

// Err is nil for success.
func (s Status) Err() error {
	if s == StatusSuccess {
		return nil
	}
	return s
}

// Attr splits a status about an attribute of the call into its class, such as
// StatusInvalidAttrValue0, and the attribute's index. The index is -1 for any other
// status.
//
// SAI's codes are negative on Linux, so index i of a class at -0x20000 is -0x20000-i.
// Some libraries compute -0x20000+i instead, which falls into the end of the class
// below, where no call has that many attributes; so both forms are understood.
func (s Status) Attr() (class Status, index int) {
	n := -int(s)
	c, i := n&^0xffff, n&0xffff
	if i >= 0xff00 {
		c, i = c+0x10000, 0x10000-i
	}
	if c < -int(StatusInvalidAttribute0) || c > -int(StatusAttrNotSupported0) {
		return s, -1
	}
	return Status(-c), i
}

// Error is a failed call. errors.Is matches it with its Status, and with the class of a
// status about an attribute: StatusInvalidAttrValue0 for any index.
type Error struct {
	Op     string // create, remove, set, get, …
	Object *ObjectMeta
	Key    Key
	Status Status
	Attr   *AttrMeta // the invalid attribute, if known
}

// Error says which operation on which object failed, for which attribute and why: "sai:
// set queue oid:0x15: WRED_PROFILE_ID: invalid attr value".
func (e *Error) Error() string {
	s := "sai: " + e.Op + " " + e.Object.Name
	if e.Key.OID != Null {
		s += " " + e.Key.OID.String()
	}
	if e.Attr == nil {
		return s + ": " + e.Status.Error()
	}
	c, _ := e.Status.Attr()
	return s + ": " + e.Attr.Name + ": " + strings.TrimSuffix(c.Error(), " 0")
}

// Unwrap returns the status.
func (e *Error) Unwrap() error { return e.Status }

// Is makes errors.Is match the class of a status about an attribute.
func (e *Error) Is(target error) bool {
	t, ok := target.(Status)
	if !ok {
		return false
	}
	c, _ := e.Status.Attr()
	return t == c
}

// callError returns the error of a call, or nil. attrs are the attributes of the call,
// which the status may identify by index.
func callError(op string, o *ObjectMeta, k Key, st Status, attrs []Attribute) error {
	if st == StatusSuccess {
		return nil
	}
	e := &Error{Op: op, Object: o, Key: k, Status: st}
	_, i := st.Attr()
	switch {
	case i >= 0 && i < len(attrs):
		e.Attr = attrs[i].AttrMeta
	case st == StatusMandatoryAttributeMissing:
		e.Attr = o.missing(attrs)
	}
	return e
}

// Retriable reports whether the same call may succeed later without a configuration
// change: the switch lacked a resource that may be freed, the call was not tried, or
// the library returned only a general failure. Everything else (a bad value, an
// unsupported attribute) is permanent.
func Retriable(err error) bool {
	var st Status
	if !errors.As(err, &st) {
		return false
	}
	switch st {
	case StatusInsufficientResources, StatusNoMemory, StatusNvStorageFull, StatusTableFull,
		StatusObjectInUse, StatusNotExecuted, StatusFailure:
		return true
	default:
		return false
	}
}
