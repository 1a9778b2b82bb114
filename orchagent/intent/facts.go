package intent

import (
	"maps"
	"slices"
)

// Facts is what was found out about the network, as opposed to what the operator
// asks for. It does not change once it is part of a snapshot.
type Facts struct {
	// Storms are the queues on which a PFC storm lasts, by port: bit n is queue n. A
	// port without storm has no entry.
	Storms map[string]uint8
}

// Clone returns a copy to change. f may be nil: nothing was found out.
func (f *Facts) Clone() *Facts {
	if f == nil {
		return &Facts{Storms: map[string]uint8{}}
	}
	return &Facts{Storms: maps.Clone(f.Storms)}
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

// Stormed returns the queues of a port on which a storm lasts. f may be nil.
func (f *Facts) Stormed(port string) uint8 {
	if f == nil {
		return 0
	}
	return f.Storms[port]
}

// Changed returns the ports of which f and other say different things, in order.
// Either may be nil.
func (f *Facts) Changed(other *Facts) []string {
	var ports []string
	for _, x := range []*Facts{f, other} {
		if x == nil {
			continue
		}
		for port := range x.Storms {
			if f.Stormed(port) != other.Stormed(port) {
				ports = append(ports, port)
			}
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}
