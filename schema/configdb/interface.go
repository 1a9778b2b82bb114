package configdb

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Interface is a row of InterfaceTables: <table>|<interface>, which makes a router
// interface of a port or a VLAN, or <table>|<interface>|<address>/<length>, an address
// of it. A row of an address has neither VRF nor MAC.
//
// Source: sonic-interface.yang, sonic-vlan.yang, sonic-loopback-interface.yang.
type Interface struct {
	ID     RowKey
	Name   string
	Prefix netip.Prefix // the address with the length of its network; the zero Prefix if the row has none
	VRF    string       // "" when absent: the default one
	MAC    string       // "" when absent: the switch's
	// Passive are the fields that xon does not act on, by name without "@"; nil if
	// there are none.
	Passive Fields
}

// RowKey implements Row.
func (r *Interface) RowKey() RowKey { return r.ID }

// Parent is the row of the interface that an address is of.
func (r *Interface) Parent() RowKey { return Key(r.ID.Table(), r.Name) }

// DefaultVRF is the name of the VRF that everything is in for which none is named.
const DefaultVRF = "default"

var interfaceTable = interfaces("INTERFACE", "A port that is routed, and its addresses. A port in a VLAN can't be one.", "sonic-interface.yang",
	checkName, "PORT", func(c *Config) *map[string]*Interface { return &c.Interfaces })

var vlanInterfaceTable = interfaces("VLAN_INTERFACE", "A VLAN that is routed, and its addresses.", "sonic-vlan.yang",
	func(s string) error { _, err := parseVLAN(s); return err }, "VLAN", func(c *Config) *map[string]*Interface { return &c.VLANInterfaces })

var loopbackInterfaceTable = interfaces("LOOPBACK_INTERFACE", "Addresses of the switch that belong to no link.", "sonic-loopback-interface.yang",
	checkLoopback, "", func(c *Config) *map[string]*Interface { return &c.LoopbackInterfaces })

// interfaces makes a table of interfaces, each named as a row of another table, or after
// nothing.
func interfaces(name, doc, source string, check func(string) error, of string, at func(*Config) *map[string]*Interface) *Table {
	key := map[string]string{"PORT": "<port>", "VLAN": "<vlan>", "": "<loopback>"}[of]
	return define(Table{Name: name, Doc: doc, Key: key + " or " + key + "|<address>/<length>", Source: source}, &spec[Interface, *Interface]{
		key: func(r *Interface, key string) error { return r.parseKey(key, check) },
		id:  func(r *Interface) *RowKey { return &r.ID },
		columns: append([]column[Interface]{
			text(Field{Name: "vrf_name", Example: DefaultVRF, Doc: "The VRF. xon has the default one alone."},
				func(r *Interface) *string { return &r.VRF }),
			checked(Field{Name: "mac_addr", Type: MAC, Range: "six octets in hexadecimal", Example: "02:00:00:00:10:00", Doc: "The interface's MAC address. Absent: the switch's."},
				checkUnicastMAC, func(r *Interface) *string { return &r.MAC }),
		}, slices.Concat(
			passive(func(r *Interface) *Fields { return &r.Passive }, "family", "scope", "secondary"),
			idle(func(r *Interface) *Fields { return &r.Passive }, map[string]string{
				"admin_status": "up", "grat_arp": "disabled", "ipv6_use_link_local_only": "disable", "loopback_action": "forward", "mpls": "disable",
				"nat_zone": "0", "proxy_arp": "disabled", "static_anycast_gateway": "false",
			}),
		)...),
		idle: func(r *Interface) (field string, err error) {
			if of == "" && r.MAC != "" {
				return "mac_addr", errors.New("a loopback interface sends nothing")
			}
			return "", nil
		},
		hides: func(r *Interface, name string) bool {
			return r.Prefix.IsValid() && (name == "vrf_name" || name == "mac_addr")
		},
		needs: func(r *Interface) []RowKey {
			switch {
			case r.Prefix.IsValid():
				return []RowKey{r.Parent()}
			case of == "":
				return nil
			}
			return []RowKey{Key(of, r.Name)}
		},
		at: at,
	})
}

func (r *Interface) parseKey(key string, check func(string) error) error {
	name, address, ok := strings.Cut(key, "|")
	r.Name = name
	if err := check(name); err != nil || !ok {
		return wrapKey(key, err)
	}
	var err error
	r.Prefix, err = parseHost(address)
	return wrapKey(key, err)
}

func checkLoopback(s string) error {
	if digits, ok := strings.CutPrefix(s, "Loopback"); !ok || !isNumber(digits) || len(digits) > 3 {
		return fmt.Errorf("%s is not the name of a loopback interface, Loopback0 to Loopback999", quote(s))
	}
	return nil
}
