package configdb

import "fmt"

// VLAN is a row VLAN|Vlan<id>.
//
// Source: sonic-vlan.yang, which allows VLAN 1 too.
type VLAN struct {
	ID     RowKey
	Name   string
	Number uint16 // 2 to 4094, by the key
	VLANID uint32 // the field "vlanid", which says the same; 0 when absent
	MTU    uint32 // octets, 1 to 9216; 9100 when absent
	// Passive are the fields that xon does not act on, by name without "@"; nil if
	// there are none.
	Passive Fields
}

// RowKey implements Row.
func (r *VLAN) RowKey() RowKey { return r.ID }

var vlanTable = define(Table{
	Name:   "VLAN",
	Doc:    "A VLAN. Ports are put into it by VLAN_MEMBER, and it is routed by VLAN_INTERFACE.",
	Key:    "<vlan>",
	Source: "sonic-vlan.yang",
}, &spec[VLAN, *VLAN]{
	key: func(r *VLAN, key string) (err error) {
		r.Name = key
		r.Number, err = parseVLAN(key)
		return wrapKey(key, err)
	},
	id: func(r *VLAN) *RowKey { return &r.ID },
	columns: append([]column[VLAN]{
		unsigned(Field{Name: "vlanid", Example: "100", Doc: "The VLAN's number, as its name says it."},
			firstVLAN, lastVLAN, func(r *VLAN) *uint32 { return &r.VLANID }),
		// The default is that of SONiC's code.
		unsigned(Field{Name: "mtu", Unit: "octets", Default: "9100", Example: "9100", Doc: "The largest packet that is routed out of the VLAN."},
			1, 9216, func(r *VLAN) *uint32 { return &r.MTU }),
	}, append(
		passive(func(r *VLAN) *Fields { return &r.Passive }, "alias", "description", "dhcp_servers@", "dhcpv6_servers@", "host_ifname", "members@"),
		idle(func(r *VLAN) *Fields { return &r.Passive }, map[string]string{"admin_status": "up", "mac": ""})...)...),
	check: func(r *VLAN, p *parsing) {
		if r.VLANID != 0 && r.Number != 0 && r.VLANID != uint32(r.Number) {
			p.rule(fmt.Errorf("%d is not the number of %s", r.VLANID, r.Name), "vlanid")
		}
	},
	at: func(c *Config) *map[string]*VLAN { return &c.VLANs },
})
