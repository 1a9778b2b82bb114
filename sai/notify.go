package sai

import "unsafe"

// NotifyMeta describes a notification.
type NotifyMeta struct {
	Attr  uint32 // the attribute of the switch that a driver sets to a function
	Index int    // in Notifications
	Name  string // QueuePFCDeadlock
	Size  int    // of one element of the data, in bytes; 0 for one that carries scalars
}

// Notification is one event from the library.
type Notification struct {
	*NotifyMeta
	Switch OID
	Args   [2]uint64   // scalars, for one that has no data
	Data   []byte      // elements in C layout, a copy; or a packet
	Attrs  []Attribute // of a packet
}

// Elems reads the data of a notification as elements of type T, which is nil if
// T is not what the notification carries.
func Elems[T any](n Notification) []T {
	var t T
	if int(unsafe.Sizeof(t)) != n.Size || n.Size == 0 {
		return nil
	}
	out := make([]T, len(n.Data)/n.Size)
	copy(raw(out), n.Data)
	return out
}
