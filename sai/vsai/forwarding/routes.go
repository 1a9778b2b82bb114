package forwarding

import "net/netip"

// routes are the routes of one VRF.
type routes struct {
	to      map[netip.Prefix]Target
	lengths [2][129]int // number of prefixes of each length, for IPv4 and IPv6
}

func family(a netip.Addr) int {
	if a.Is4() {
		return 0
	}
	return 1
}

func (r *routes) set(p netip.Prefix, to Target) {
	p = p.Masked()
	if _, ok := r.to[p]; !ok {
		r.lengths[family(p.Addr())][p.Bits()]++
	}
	r.to[p] = to
}

func (r *routes) remove(p netip.Prefix) {
	p = p.Masked()
	if _, ok := r.to[p]; ok {
		delete(r.to, p)
		r.lengths[family(p.Addr())][p.Bits()]--
	}
}

// find returns the route with the longest matching prefix.
func (r *routes) find(a netip.Addr) (Target, bool) {
	if r == nil {
		return Target{}, false
	}
	a = a.Unmap().WithZone("")
	of := &r.lengths[family(a)]
	for bits := a.BitLen(); bits >= 0; bits-- {
		if of[bits] == 0 {
			continue
		}
		p, err := a.Prefix(bits)
		if to, ok := r.to[p]; ok && err == nil {
			return to, true
		}
	}
	return Target{}, false
}
