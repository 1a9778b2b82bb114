package configdb

import (
	"fmt"
	"strings"
)

// Tagging modes.
const (
	Untagged       = "untagged"
	Tagged         = "tagged"
	PriorityTagged = "priority_tagged"
)

// VLANMember is a row VLAN_MEMBER|<vlan>|<port>.
//
// Source: sonic-vlan.yang.
type VLANMember struct {
	ID      RowKey
	VLAN    string // its name
	Port    string // or a port channel
	Tagging string // Untagged, Tagged or PriorityTagged
}

// RowKey implements Row.
func (r *VLANMember) RowKey() RowKey { return r.ID }

var vlanMemberTable = define(Table{
	Name: "VLAN_MEMBER",
	Doc: "A port in a VLAN. A port is untagged in one VLAN at most, and is no router interface: of rows that contradict each other " +
		"the one in force stays. Port channels are not supported: their rows wait.",
	Key:    "<vlan>|<port>",
	Source: "sonic-vlan.yang",
}, &spec[VLANMember, *VLANMember]{
	key: parseMember,
	id:  func(r *VLANMember) *RowKey { return &r.ID },
	columns: []column[VLANMember]{
		require(choice(Field{Name: "tagging_mode", Example: Tagged, Doc: "Whether packets of the VLAN have a tag on the port's link. The port's packets without tag are of the VLAN in which it is untagged."},
			func(r *VLANMember) *string { return &r.Tagging }, Untagged, Tagged, PriorityTagged)),
	},
	needs: func(r *VLANMember) []RowKey { return []RowKey{Key("PORT", r.Port), Key("VLAN", r.VLAN)} },
	at:    func(c *Config) *map[string]*VLANMember { return &c.VLANMembers },
})

func parseMember(r *VLANMember, key string) error {
	vlan, port, ok := strings.Cut(key, "|")
	if !ok {
		return fmt.Errorf("key %s: want a VLAN and a port, like Vlan100|Ethernet0", quote(key))
	}
	r.VLAN, r.Port = vlan, port
	if _, err := parseVLAN(vlan); err != nil {
		return wrapKey(key, err)
	}
	return wrapKey(key, checkName(port))
}
