package sai

import (
	"errors"
	"strconv"
	"strings"
)

// Status is a SAI status code. It is an error unless it is zero.
type Status int32

// Error is the status in words: "table full", "invalid attr value 3".
func (s Status) Error() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(s.Name(), "SAI_STATUS_"), "_", " "))
}

// Name is the name as SAI's headers spell it: SAI_STATUS_TABLE_FULL, or
// SAI_STATUS_INVALID_ATTR_VALUE_3 for one that names the fourth attribute.
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

// Attr splits a status that names an attribute of the call into its class, such
// as StatusInvalidAttrValue0, and the attribute's index. The index is -1 for
// any other status.
//
// SAI's codes are negative on Linux, so index i of a class at -0x20000 is
// -0x20000-i. Some libraries compute -0x20000+i instead; that falls at the top
// of the class below, where no call has that many attributes, so both are read.
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

// Error is a failed call. errors.Is matches it with its Status, and with the
// class of a status that names an attribute: StatusInvalidAttrValue0 for any
// index.
type Error struct {
	Op     string // create, remove, set, get, …
	Object *ObjectMeta
	Key    Key
	Status Status
	Attr   *AttrMeta // the attribute at fault, if it is known
}

// Error says which operation on which object failed, for which attribute and
// why: "sai: set queue oid:0x15: WRED_PROFILE_ID: invalid attr value".
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

// Is makes errors.Is match the class of a status that names an attribute.
func (e *Error) Is(target error) bool {
	t, ok := target.(Status)
	if !ok {
		return false
	}
	c, _ := e.Status.Attr()
	return t == c
}

// callError is the error of a call, or nil. attrs are those of the call, which
// the status may name by index.
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

// Retriable reports whether the same call may succeed later although nobody
// changed the configuration: the switch was short of something that may be
// freed, the call was not tried, or the library told no more than that it
// failed. Everything else (a bad value, an attribute that the chip lacks) stays
// as it is.
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
