package configdb

// XonPort is a row XON_PORT|<port>: what xon has of a port beyond PORT.
type XonPort struct {
	ID          RowKey
	Name        string
	FlowControl string // one of the FlowControl words; "off" when absent
}

// RowKey implements Row.
func (r *XonPort) RowKey() RowKey { return r.ID }

// The directions of 802.3x: obeying pauses is rx, sending them tx.
const (
	FlowControlOff  = "off"
	FlowControlRx   = "rx"
	FlowControlTx   = "tx"
	FlowControlBoth = "both"
)

var xonPortTable = define(Table{
	Name: "XON_PORT",
	Doc: "Pausing of a whole port (802.3x), which PORT has no field for. A port has this or PFC, not both: of a row with flow_control and one that " +
		"has pfc_enable or pfc_asym for the same port, that which is in force stays and the other is refused.",
	Key:    "<port>",
	Source: "xon; IEEE 802.3 annex 31B",
}, &spec[XonPort, *XonPort]{
	key: nameKey(func(r *XonPort) *string { return &r.Name }),
	id:  func(r *XonPort) *RowKey { return &r.ID },
	columns: []column[XonPort]{
		choice(Field{Name: "flow_control", Default: FlowControlOff, Example: FlowControlBoth, Doc: "Pausing of all priorities at once: rx obeys pauses, tx sends them."},
			func(r *XonPort) *string { return &r.FlowControl }, FlowControlOff, FlowControlRx, FlowControlTx, FlowControlBoth),
	},
	place: placedPort(func(r *XonPort) *string { return &r.Name }),
	at:    func(c *Config) *map[string]*XonPort { return &c.XonPorts },
})

// Pauses reports whether the row has the port pause or obey pauses. r may be nil: no row.
func (r *XonPort) Pauses() bool { return r != nil && r.FlowControl != FlowControlOff }
