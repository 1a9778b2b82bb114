package configdb

import (
	"fmt"
	"net/netip"
	"strings"
)

// Neighbor is a row NEIGH|<interface>|<address>.
//
// Source: sonic-neigh.yang.
type Neighbor struct {
	ID        RowKey
	Interface string // a port or a VLAN
	Addr      netip.Addr
	MAC       string // "" when absent
	Family    string // "IPv4", "IPv6", or "" when absent
}

// RowKey implements Row.
func (r *Neighbor) RowKey() RowKey { return r.ID }

// Link is the row of the interface that the neighbour is on.
func (r *Neighbor) Link() RowKey { return InterfaceRow(r.Interface) }

// InterfaceRow is the row that makes a router interface of a port or a VLAN.
func InterfaceRow(name string) RowKey {
	if isVLAN(name) {
		return Key("VLAN_INTERFACE", name)
	}
	return Key("INTERFACE", name)
}

var neighborTable = define(Table{
	Name:   "NEIGH",
	Doc:    "A neighbour whose MAC address is known beforehand. xon does not resolve addresses: a row without one waits.",
	Key:    "<interface>|<address>",
	Source: "sonic-neigh.yang",
}, &spec[Neighbor, *Neighbor]{
	key: parseNeighbor,
	id:  func(r *Neighbor) *RowKey { return &r.ID },
	columns: []column[Neighbor]{
		checked(Field{Name: "neigh", Type: MAC, Range: "six octets in hexadecimal", Example: "02:00:00:00:20:00", Doc: "The neighbour's MAC address."},
			checkUnicastMAC, func(r *Neighbor) *string { return &r.MAC }),
		choice(Field{Name: "family", Example: "IPv4", Doc: "The family of the address, which the key tells; another one is warned of."},
			func(r *Neighbor) *string { return &r.Family }, "IPv4", "IPv6"),
	},
	needs: func(r *Neighbor) []RowKey { return []RowKey{r.Link()} },
	at:    func(c *Config) *map[string]*Neighbor { return &c.Neighbors },
})

func parseNeighbor(r *Neighbor, key string) error {
	name, address, ok := strings.Cut(key, "|")
	if !ok {
		return fmt.Errorf("key %s: want an interface and an address, like Ethernet0|10.0.0.1", quote(key))
	}
	r.Interface = name
	if err := checkName(name); err != nil {
		return wrapKey(key, err)
	}
	p, err := parseHost(address + "/32")
	if a, e := parseAddr(address); e != nil {
		err = e
	} else if a.Is6() {
		p, err = parseHost(address + "/128")
	}
	r.Addr = p.Addr()
	return wrapKey(key, err)
}
