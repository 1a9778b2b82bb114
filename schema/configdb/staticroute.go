package configdb

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// StaticRoute is a row STATIC_ROUTE|<prefix> or STATIC_ROUTE|<vrf>|<prefix>.
//
// Source: sonic-static-route.yang. Entry i of each list is about next hop i; lists other
// than nexthop and ifname may be shorter.
type StaticRoute struct {
	ID        RowKey
	VRF       string // "default" when the key has none
	Prefix    netip.Prefix
	NextHops  []string // addresses; 0.0.0.0 and :: stand for none
	IfNames   []string // "" for none
	Distances []uint32 // 0 to 255
	VRFs      []string // "" for the route's own
	Blackhole []string // "true" or "false"
	// Passive are the fields that xon does not act on, by name without "@"; nil if
	// there are none.
	Passive Fields
}

// RowKey implements Row.
func (r *StaticRoute) RowKey() RowKey { return r.ID }

// Hop is one next hop of a route.
type Hop struct {
	Addr      netip.Addr // the zero Addr for none
	Interface string     // "" for none
	Distance  uint32
	VRF       string // "" for the route's own
	Blackhole bool
}

// Hops returns the next hops, of which there is one at least.
func (r *StaticRoute) Hops() []Hop {
	hops := make([]Hop, max(len(r.NextHops), len(r.IfNames), len(r.Blackhole)))
	for i := range hops {
		h := &hops[i]
		if a, err := netip.ParseAddr(entry(r.NextHops, i)); err == nil && !a.IsUnspecified() {
			h.Addr = a
		}
		h.Interface, h.VRF, h.Blackhole = entry(r.IfNames, i), entry(r.VRFs, i), entry(r.Blackhole, i) == "true"
		h.Distance = entry(r.Distances, i)
	}
	return hops
}

// entry is an element of a list, or the zero value behind its end.
func entry[T any](list []T, i int) (v T) {
	if i < len(list) {
		return list[i]
	}
	return v
}

var staticRouteTable = define(Table{
	Name: "STATIC_ROUTE",
	Doc: "A route to one next hop or, by turns, to several. Those of the lowest distance count that have a neighbour; a route whose next hops have " +
		"none waits for them.",
	Key:    "<prefix> or <vrf>|<prefix>",
	Source: "sonic-static-route.yang",
}, &spec[StaticRoute, *StaticRoute]{
	key: parseRoute,
	id:  func(r *StaticRoute) *RowKey { return &r.ID },
	columns: append([]column[StaticRoute]{
		words(Field{Name: "nexthop", Type: Text, Range: "IP addresses; 0.0.0.0 and :: stand for none", Example: "10.0.0.1,10.0.0.3", Doc: "Where packets go."},
			checkHop, func(r *StaticRoute) *[]string { return &r.NextHops }),
		words(Field{Name: "ifname", Type: Text, Range: "names of interfaces; empty for none", Example: "Ethernet0,Ethernet4", Doc: "The interfaces that the next hops are on. Without, that whose network an address is in."},
			emptyOr(checkName), func(r *StaticRoute) *[]string { return &r.IfNames }),
		numbers(Field{Name: "distance", Example: "1", Doc: "The lowest one counts. Absent: 0."},
			0, 255, func(r *StaticRoute) *[]uint32 { return &r.Distances }),
		words(Field{Name: "nexthop-vrf", Type: Text, Range: "names of VRFs; empty for the route's own", Example: DefaultVRF, Doc: "The VRFs of the next hops. xon has the default one alone."},
			emptyOr(checkName), func(r *StaticRoute) *[]string { return &r.VRFs }),
		words(Field{Name: "blackhole", Type: Text, Range: "true or false each", Example: "false", Doc: "Whether packets are dropped instead."},
			checkBlackhole, func(r *StaticRoute) *[]string { return &r.Blackhole }),
	}, append(
		passive(func(r *StaticRoute) *Fields { return &r.Passive }, "advertise"),
		idle(func(r *StaticRoute) *Fields { return &r.Passive }, map[string]string{"bfd": "false"})...)...),
	check: checkRoute,
	needs: func(r *StaticRoute) []RowKey {
		var keys []RowKey
		for _, h := range r.Hops() {
			switch {
			case h.Interface != "" && h.Addr.IsValid():
				keys = append(keys, Key("NEIGH", h.Interface+"|"+h.Addr.String()))
			case h.Interface != "":
				keys = append(keys, InterfaceRow(h.Interface))
			}
		}
		return keys
	},
	at: func(c *Config) *map[string]*StaticRoute { return &c.StaticRoutes },
})

// words is a list of texts, each of a form of its own, in the order given.
func words[R any](f Field, check func(string) error, at func(*R) *[]string) column[R] {
	f.List = true
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			list := splitList(s)
			for _, w := range list {
				if err := check(w); err != nil {
					return err
				}
			}
			*at(r) = list
			return nil
		},
		format: func(r *R) (string, bool) { return strings.Join(*at(r), ","), len(*at(r)) > 0 },
	}
}

func emptyOr(check func(string) error) func(string) error {
	return func(s string) error {
		if s == "" {
			return nil
		}
		return check(s)
	}
}

func checkHop(s string) error {
	a, err := parseAddr(s)
	if err == nil && a.IsMulticast() {
		err = fmt.Errorf("%s is the address of a group, not of a neighbour", quote(s))
	}
	return err
}

func checkBlackhole(s string) error {
	if s != "true" && s != "false" {
		return fmt.Errorf("%s is neither true nor false", quote(s))
	}
	return nil
}

func parseRoute(r *StaticRoute, key string) error {
	vrf, prefix, ok := strings.Cut(key, "|")
	if !ok {
		vrf, prefix = DefaultVRF, key
	}
	r.VRF = vrf
	if err := checkName(vrf); err != nil {
		return wrapKey(key, err)
	}
	p, err := parsePrefix(prefix)
	switch {
	case err == nil && p != p.Masked():
		err = fmt.Errorf("%s has an address behind its length: %s is the network", quote(prefix), p.Masked())
	case err == nil && p.Addr().IsMulticast():
		err = fmt.Errorf("%s is a network of groups", quote(prefix))
	}
	r.Prefix = p
	return wrapKey(key, err)
}

// checkRoute wants a next hop, all of the route's family, and nothing that is about none.
func checkRoute(r *StaticRoute, p *parsing) {
	n := len(r.Hops())
	if n == 0 {
		p.rule(errors.New("is required, or ifname or blackhole"), "nexthop", "ifname", "blackhole")
	}
	if len(r.Distances) > n {
		p.rule(fmt.Errorf("%d distances for %d next hops", len(r.Distances), n), "distance", "nexthop", "ifname", "blackhole")
	}
	if len(r.VRFs) > n {
		p.rule(fmt.Errorf("%d VRFs for %d next hops", len(r.VRFs), n), "nexthop-vrf", "nexthop", "ifname", "blackhole")
	}
	for i, h := range r.Hops() {
		switch {
		case h.Addr.IsValid() && r.Prefix.IsValid() && h.Addr.Is4() != r.Prefix.Addr().Is4():
			p.rule(fmt.Errorf("%s is not of the family of %s", h.Addr, r.Prefix), "nexthop")
		case !h.Blackhole && !h.Addr.IsValid() && h.Interface == "":
			p.rule(errors.New("next hop "+strconv.Itoa(i+1)+" has neither an address nor an interface"), "nexthop", "ifname", "blackhole")
		}
	}
}
