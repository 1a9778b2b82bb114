package configdb

// XonPFC is the row XON_PFC|GLOBAL: whether there is PFC at all.
type XonPFC struct {
	ID      RowKey
	Enabled bool // absent is true
}

// RowKey implements Row.
func (r *XonPFC) RowKey() RowKey { return r.ID }

// xonGlobalKey is the only key of XON_PFC, XonPFCKey the row's.
const (
	xonGlobalKey        = "GLOBAL"
	XonPFCKey    RowKey = "XON_PFC|" + xonGlobalKey
)

var xonPFCTable = define(Table{
	Name: "XON_PFC",
	Doc: "Turns PFC off on every port, and on again, while rows of PORT_QOS_MAP and PORT stay as they are. One row, of xon alone. " +
		"Whether PFC and XON_PORT's flow_control are at odds is decided by the rows, also while PFC is off.",
	Key:    xonGlobalKey,
	Source: "xon",
}, &spec[XonPFC, *XonPFC]{
	key: onlyKey[XonPFC](xonGlobalKey),
	id:  func(r *XonPFC) *RowKey { return &r.ID },
	columns: []column[XonPFC]{
		boolean(Field{Name: "enabled", Default: "true", Example: "false", Doc: "Whether ports pause and obey pauses by priority, as pfc_enable and pfc_asym say."},
			func(r *XonPFC) *bool { return &r.Enabled }),
	},
	at: func(c *Config) *map[string]*XonPFC { return &c.XonPFCs },
})

// PFCOff reports whether XON_PFC turns PFC off on every port.
func (c *Config) PFCOff() bool {
	row := c.XonPFCs[xonGlobalKey]
	return row != nil && !row.Enabled
}
