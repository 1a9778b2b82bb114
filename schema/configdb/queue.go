package configdb

// maxQueue is the highest queue index that a key may have. A chip has fewer; how
// many, this package can't know.
const maxQueue = 255

// Queue is a row QUEUE|<ports>|<range>. An empty name is no reference.
//
// Source: sonic-queue.yang.
type Queue struct {
	ID RowKey
	Span
	Scheduler string
	WRED      string
}

// RowKey implements Row.
func (r *Queue) RowKey() RowKey { return r.ID }

var queueTable = define(Table{
	Name:   "QUEUE",
	Doc:    "How queues are served and when they mark.",
	Key:    spanForm,
	Source: "sonic-queue.yang",
}, &spec[Queue, *Queue]{
	key: spanKey(maxQueue, func(r *Queue) *Span { return &r.Span }),
	id:  func(r *Queue) *RowKey { return &r.ID },
	columns: []column[Queue]{
		reference(Field{Name: "scheduler", Example: "scheduler.0", Doc: "How the queues are served."},
			"SCHEDULER", func(r *Queue) *string { return &r.Scheduler }),
		reference(Field{Name: "wred_profile", Example: "AZURE_LOSSLESS", Doc: "When the queues mark or drop."},
			"WRED_PROFILE", func(r *Queue) *string { return &r.WRED }),
	},
	place: placedSpan(OnQueue, func(r *Queue) *Span { return &r.Span }),
	at:    func(c *Config) *map[string]*Queue { return &c.Queues },
})
