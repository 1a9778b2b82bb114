package sai

import "unsafe"

// NotifyMeta describes a notification.
type NotifyMeta struct {
	Attr  uint32 // the switch attribute that a driver sets to a function
	Index int    // in Notifications
	Name  string // QueuePFCDeadlock
	Size  int    // size of one element of the data in bytes; 0 for scalars
}

// Notification is one event from the library.
type Notification struct {
	*NotifyMeta
	Switch OID
	Args   [2]uint64   // scalars, if there is no data
	Data   []byte      // a copy of the elements in C layout; or a packet
	Attrs  []Attribute // of a packet
}

// Elems returns the data of a notification as elements of type T; nil if T is not the
// notification's type.
func Elems[T any](n Notification) []T {
	var t T
	if int(unsafe.Sizeof(t)) != n.Size || n.Size == 0 {
		return nil
	}
	out := make([]T, len(n.Data)/n.Size)
	copy(raw(out), n.Data)
	return out
}
