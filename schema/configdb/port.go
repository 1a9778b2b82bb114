package configdb

import (
	"errors"
	"fmt"
	"slices"
)

// Port is a row PORT|<name>.
//
// Source: sonic-port.yang.
type Port struct {
	ID      RowKey
	Name    string
	Lanes   []uint32 // in the order given; what a port is recognised by
	Alias   string
	Index   uint32 // of the front panel, 0 to 65535
	Speed   uint32 // Mb/s, 1 to 1600000; 0 when absent
	MTU     uint32 // octets, 68 to 9216; 9100 when absent
	AdminUp bool   // absent means down
	// HasAdmin and the others: the field is there, whatever its value.
	HasAdmin, HasPFCAsym, HasAdvSpeeds, HasAdvTypes bool

	FEC     string // "none", "rs", "fc", "auto", or "" when absent
	Autoneg string // "on", "off", or "" when absent
	// AdvSpeeds are the speeds to advertise, Mb/s; nil means all.
	AdvSpeeds []uint32
	// InterfaceType is the electrical interface, one of InterfaceTypes; "" when absent.
	InterfaceType string
	// AdvInterfaceTypes are those to advertise; nil means all.
	AdvInterfaceTypes []string
	PFCAsym           bool
	LinkTraining      string // "on", "off", or "" when absent
	TPID              uint16 // the type of the outer VLAN tag, one of TPIDs; 0 when absent
	// Passive are the fields that xon does not act on, by name without "@"; nil if
	// there are none.
	Passive Fields
}

// RowKey implements Row.
func (r *Port) RowKey() RowKey { return r.ID }

// maxSpeed is the highest speed of a port, Mb/s.
const maxSpeed = 1_600_000

var portTable = define(Table{
	Name:   "PORT",
	Doc:    "A front-panel port. It is matched to the chip's port by its lanes.",
	Key:    "<port>",
	Source: "sonic-port.yang",
}, &spec[Port, *Port]{
	key:     nameKey(func(r *Port) *string { return &r.Name }),
	id:      func(r *Port) *RowKey { return &r.ID },
	columns: portColumns,
	at:      func(c *Config) *map[string]*Port { return &c.Ports },
})

var portColumns = append([]column[Port]{
	lanes(),
	text(Field{Name: "alias", Example: "etp1", Doc: "The name printed on the front panel."},
		func(r *Port) *string { return &r.Alias }),
	unsigned(Field{Name: "index", Example: "1", Doc: "The number on the front panel."},
		0, 65535, func(r *Port) *uint32 { return &r.Index }),
	unsigned(Field{Name: "speed", Unit: "Mb/s", Example: "100000", Doc: "The speed of the link. Absent: the chip's."},
		1, maxSpeed, func(r *Port) *uint32 { return &r.Speed }),
	// The default is not YANG's, which has none, but that of SONiC's code.
	unsigned(Field{Name: "mtu", Unit: "octets", Default: "9100", Example: "9100", Doc: "The largest packet, without Ethernet header and checksum."},
		68, 9216, func(r *Port) *uint32 { return &r.MTU }),
	optional(flag(Field{Name: "admin_status", Default: "down", Example: "up", Doc: "Whether the port is in use."},
		"down", "up", func(r *Port) *bool { return &r.AdminUp }), func(r *Port) *bool { return &r.HasAdmin }),
	choice(Field{Name: "fec", Example: "rs", Doc: "Forward error correction. Absent: the chip's."},
		func(r *Port) *string { return &r.FEC }, "none", "rs", "fc", "auto"),
	choice(Field{Name: "autoneg", Example: "on", Doc: "Autonegotiation. Absent: the chip's."},
		func(r *Port) *string { return &r.Autoneg }, "off", "on"),
	advSpeeds(),
	choice(Field{Name: "interface_type", Example: "CR4", Doc: "The electrical interface. Absent: the chip's."},
		func(r *Port) *string { return &r.InterfaceType }, InterfaceTypes...),
	advInterfaceTypes(),
	optional(flag(Field{Name: "pfc_asym", Default: "off", Example: "on", Doc: "Asymmetric PFC: obey pauses of every priority, send those of pfc_enable alone."},
		"off", "on", func(r *Port) *bool { return &r.PFCAsym }), func(r *Port) *bool { return &r.HasPFCAsym }),
	choice(Field{Name: "link_training", Example: "on", Doc: "Link training, which sets the transmitters of both ends of a copper link. Absent: the chip's."},
		func(r *Port) *string { return &r.LinkTraining }, "off", "on"),
	tpid(),
}, slices.Concat(
	passive(func(r *Port) *Fields { return &r.Passive },
		"asic_port_name", "core_id", "core_port_id", "description", "dom_polling", "laser_freq", "mode", "mux_cable", "role", "subport", "tx_power"),
	idle(func(r *Port) *Fields { return &r.Passive },
		map[string]string{"dhcp_rate_limit": "0", "fast_linkup": "false", "macsec": "", "num_voq": ""}),
)...)

// lanes are what ties a row to a port of the chip, so each may be there only once.
func lanes() column[Port] {
	c := numbers(Field{Name: "lanes", Required: true, Example: "1,2,3,4", Doc: "The chip's lanes that make up the port."},
		0, 1<<32-1, func(r *Port) *[]uint32 { return &r.Lanes })
	parse := c.parse
	c.parse = func(r *Port, s string) error {
		if s == "" {
			return errors.New("empty: a port has at least one lane")
		}
		err := parse(r, s)
		if lane, twice := duplicate(r.Lanes); err == nil && twice {
			err = fmt.Errorf("lane %d is there twice", lane)
		}
		return err
	}
	return c
}

// InterfaceTypes are the electrical interfaces, by their names in
// sai_port_interface_type_t; "none" is left to the chip.
var InterfaceTypes = []string{
	"none", "CR", "CR2", "CR4", "SR", "SR2", "SR4", "LR", "LR4", "KR", "KR4", "CAUI", "GMII", "SFI", "XLAUI", "KR2", "CAUI4", "XAUI", "XFI", "XGMII",
	"CR8", "KR8", "SR8", "LR8",
}

// advInterfaceTypes is a list of types, or all of them.
func advInterfaceTypes() column[Port] {
	c := choices(Field{Name: "adv_interface_types", Default: all, Example: "CR4,KR4", Doc: "The electrical interfaces to advertise when negotiating."},
		func(r *Port) *[]string { return &r.AdvInterfaceTypes }, InterfaceTypes[1:])
	c.Range = all + ", or " + c.Range
	parse := c.parse
	c.parse = func(r *Port, s string) error {
		if s == all || s == "" {
			r.AdvInterfaceTypes = nil
			return nil
		}
		return parse(r, s)
	}
	return orAll(c, func(r *Port) *bool { return &r.HasAdvTypes })
}

// orAll has a list say that it is there, and be all if it is empty.
func orAll(c column[Port], has func(*Port) *bool) column[Port] {
	format := c.format
	c.format = func(r *Port) (string, bool) {
		s, some := format(r)
		if !some {
			s = all
		}
		return s, true
	}
	return optional(c, has)
}

// TPIDs are the types of VLAN tags that a port can have, by their text in rows.
var TPIDs = map[string]uint16{"0x8100": 0x8100, "0x9100": 0x9100, "0x9200": 0x9200, "0x88a8": 0x88a8, "0x88A8": 0x88a8}

func tpid() column[Port] {
	f := Field{Name: "tpid", Type: Text, Range: "0x8100, 0x9100, 0x9200 or 0x88A8", Example: "0x8100", Doc: "The type by which the port knows VLAN tags. Absent: the chip's, 0x8100."}
	return column[Port]{
		Field: f,
		parse: func(r *Port, s string) error {
			n, ok := TPIDs[s]
			if !ok {
				return fmt.Errorf("%s is not %s", quote(s), f.Range)
			}
			r.TPID = n
			return nil
		},
		format: func(r *Port) (string, bool) { return fmt.Sprintf("0x%x", r.TPID), r.TPID != 0 },
	}
}

// all is the word for every speed, or interface, that the port can do.
const all = "all"

func advSpeeds() column[Port] {
	c := numbers(Field{Name: "adv_speeds", Unit: "Mb/s", At: true, Default: all, Example: "50000,100000", Doc: "The speeds to advertise when negotiating."},
		1, maxSpeed, func(r *Port) *[]uint32 { return &r.AdvSpeeds })
	c.Range = all + ", or " + c.Range
	parse := c.parse
	c.parse = func(r *Port, s string) error {
		if s == all {
			s = ""
		}
		return parse(r, s)
	}
	return orAll(c, func(r *Port) *bool { return &r.HasAdvSpeeds })
}
