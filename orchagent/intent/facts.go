package intent

import (
	"maps"

	"xon/sai"
)

// Facts is what was found out about the network, as opposed to what the operator
// asks for. It does not change once it is part of a snapshot.
type Facts struct {
	// Storms are the queues on which a PFC storm lasts, by port: bit n is queue n. A
	// port without storm has no entry.
	Storms map[string]uint8
	// Links has true for the ports whose link is up, by the port's handle, as names can
	// move from one port to another.
	Links map[sai.OID]bool
}

// Clone returns a copy to change. f may be nil: nothing was found out.
func (f *Facts) Clone() *Facts {
	if f == nil {
		f = &Facts{}
	}
	return &Facts{Storms: cloned(f.Storms), Links: cloned(f.Links)}
}

// cloned is a copy to change, of nil too.
func cloned[K comparable, V any](m map[K]V) map[K]V {
	out := make(map[K]V, len(m))
	maps.Copy(out, m)
	return out
}

// SetStorm notes that a storm began on a queue, 0 to 7, or ended. A port that the
// chip does not have harms nothing.
func (f *Facts) SetStorm(port string, queue int, lasts bool) {
	mask := f.Storms[port] &^ (1 << queue)
	if lasts {
		mask |= 1 << queue
	}
	if mask == 0 {
		delete(f.Storms, port)
		return
	}
	f.Storms[port] = mask
}

// SetLinks notes links that are up (true) or down now, by the port's handle.
func (f *Facts) SetLinks(up map[sai.OID]bool) {
	for id, up := range up {
		if up {
			f.Links[id] = true
		} else {
			delete(f.Links, id)
		}
	}
}

// Stormed returns the queues of a port on which a storm lasts. f may be nil.
func (f *Facts) Stormed(port string) uint8 {
	if f == nil {
		return 0
	}
	return f.Storms[port]
}

// LinkUp reports whether a port's link is known to be up. That of a port which is
// planned is not. f may be nil.
func (f *Facts) LinkUp(p *Port) bool { return f != nil && f.Links[p.ID] }

// Changed returns the ports of a device of which f and other say different things.
// Either may be nil.
func (f *Facts) Changed(other *Facts, dev *Device) []*Port {
	var ports []*Port
	for _, p := range dev.Ports {
		if f.Stormed(p.Name) != other.Stormed(p.Name) || f.LinkUp(p) != other.LinkUp(p) {
			ports = append(ports, p)
		}
	}
	return ports
}
