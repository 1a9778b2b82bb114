package configdb

// XonWRED is a row XON_WRED|<name>: what xon has of a WRED profile beyond WRED_PROFILE.
type XonWRED struct {
	ID   RowKey
	Name string // of the WRED_PROFILE
	Mark string // MarkEnqueue when absent, or MarkDequeue
}

// RowKey implements Row.
func (r *XonWRED) RowKey() RowKey { return r.ID }

// When packets are marked.
const (
	MarkEnqueue = "enqueue"
	MarkDequeue = "dequeue"
)

var xonWREDTable = define(Table{
	Name: "XON_WRED",
	Doc: "When packets are marked (ECN), which WRED_PROFILE has no field for. Marked at dequeue, by the queue that they leave behind, packets tell " +
		"of congestion earlier by the time that they waited (fast ECN). The chip has to be able to.",
	Key:    "<name>",
	Source: "xon; YD/T 6320-2025 6.2.2",
}, &spec[XonWRED, *XonWRED]{
	key: titleKey(func(r *XonWRED) *string { return &r.Name }),
	id:  func(r *XonWRED) *RowKey { return &r.ID },
	columns: []column[XonWRED]{
		choice(Field{Name: "mark", Default: MarkEnqueue, Example: MarkDequeue, Doc: "When a packet is marked: as it enters its queue, or as it leaves it."},
			func(r *XonWRED) *string { return &r.Mark }, MarkEnqueue, MarkDequeue),
	},
	at: func(c *Config) *map[string]*XonWRED { return &c.XonWREDs },
})

// AtDequeue reports whether packets are marked as they leave. r may be nil: no row.
func (r *XonWRED) AtDequeue() bool { return r != nil && r.Mark == MarkDequeue }
