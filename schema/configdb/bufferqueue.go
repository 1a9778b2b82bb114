package configdb

// BufferQueue is a row BUFFER_QUEUE|<ports>|<range>. YANG ends the range at 15,
// though SONiC's own buffer manager goes to 19; here it ends where the chip's
// queues do.
//
// Source: sonic-buffer-queue.yang.
type BufferQueue struct {
	ID RowKey
	Span
	Profile string
}

// RowKey implements Row.
func (r *BufferQueue) RowKey() RowKey { return r.ID }

var bufferQueueTable = define(Table{
	Name:   "BUFFER_QUEUE",
	Doc:    "The buffer profile of queues.",
	Key:    spanForm,
	Source: "sonic-buffer-queue.yang",
}, &spec[BufferQueue, *BufferQueue]{
	key: spanKey(maxQueue, func(r *BufferQueue) *Span { return &r.Span }),
	id:  func(r *BufferQueue) *RowKey { return &r.ID },
	columns: []column[BufferQueue]{
		needed(reference(Field{Name: "profile", Example: "egress_lossy_profile", Doc: "The profile."},
			"BUFFER_PROFILE", func(r *BufferQueue) *string { return &r.Profile })),
	},
	place: placedSpan(OnQueue, func(r *BufferQueue) *Span { return &r.Span }),
	at:    func(c *Config) *map[string]*BufferQueue { return &c.BufferQueues },
})
