package configdb

import "math"

// SwitchTable is the row SWITCH_TABLE|switch: how flows are spread beyond what
// SWITCH_HASH says, and how long addresses are remembered. Absent is 0. SONiC has
// the row in APPL_DB, as SWITCH_TABLE:switch.
//
// Source: SONiC's swss-schema.md and switchorch.
type SwitchTable struct {
	ID                    RowKey
	ECMPSeed, LAGSeed     uint32
	ECMPOffset, LAGOffset uint8  // bits by which the hash is rotated
	FDBAgingSeconds       uint32 // 0: addresses do not age
	// HasECMPSeed and the others: the field is there, whatever its value.
	HasECMPSeed, HasLAGSeed, HasECMPOffset, HasLAGOffset, HasFDBAging bool

	Passive Fields // that xon does not act on, by name; nil if there are none
}

// RowKey implements Row.
func (r *SwitchTable) RowKey() RowKey { return r.ID }

var switchTable = define(Table{
	Name:   "SWITCH_TABLE",
	Doc:    "Seeds and offsets of hashes and the age of addresses. One row, which SONiC's tools write to APPL_DB.",
	Key:    "switch",
	Source: "SONiC's swss-schema.md",
}, &spec[SwitchTable, *SwitchTable]{
	key: onlyKey[SwitchTable]("switch"),
	id:  func(r *SwitchTable) *RowKey { return &r.ID },
	columns: append([]column[SwitchTable]{
		optional(unsigned(Field{Name: "ecmp_hash_seed", Default: "0", Example: "10", Doc: "Makes switches of one tier choose paths differently."},
			0, math.MaxUint32, func(r *SwitchTable) *uint32 { return &r.ECMPSeed }), func(r *SwitchTable) *bool { return &r.HasECMPSeed }),
		optional(unsigned(Field{Name: "lag_hash_seed", Default: "0", Example: "10", Doc: "The same for LAG members."},
			0, math.MaxUint32, func(r *SwitchTable) *uint32 { return &r.LAGSeed }), func(r *SwitchTable) *bool { return &r.HasLAGSeed }),
		optional(unsigned(Field{Name: "ecmp_hash_offset", Default: "0", Example: "4", Doc: "Which bits of the hash choose the path."},
			0, math.MaxUint8, func(r *SwitchTable) *uint8 { return &r.ECMPOffset }), func(r *SwitchTable) *bool { return &r.HasECMPOffset }),
		optional(unsigned(Field{Name: "lag_hash_offset", Default: "0", Example: "4", Doc: "The same for LAG members."},
			0, math.MaxUint8, func(r *SwitchTable) *uint8 { return &r.LAGOffset }), func(r *SwitchTable) *bool { return &r.HasLAGOffset }),
		optional(unsigned(Field{Name: "fdb_aging_time", Unit: "s", Default: "0", Example: "600", Doc: "How long a learned address is remembered. 0: for ever."},
			0, math.MaxUint32, func(r *SwitchTable) *uint32 { return &r.FDBAgingSeconds }), func(r *SwitchTable) *bool { return &r.HasFDBAging }),
	}, idle(func(r *SwitchTable) *Fields { return &r.Passive }, map[string]string{
		"fdb_broadcast_miss_packet_action": "forward", "fdb_multicast_miss_packet_action": "forward", "fdb_unicast_miss_packet_action": "forward",
		"ordered_ecmp": "false", "vxlan_mask": "", "vxlan_port": "", "vxlan_router_mac": "", "vxlan_sport": "",
	})...),
	at: func(c *Config) *map[string]*SwitchTable { return &c.SwitchTables },
})
