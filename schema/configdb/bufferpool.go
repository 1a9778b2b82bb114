package configdb

import (
	"errors"
	"math"
)

// BufferPool is a row BUFFER_POOL|<name>.
//
// Source: sonic-buffer-pool.yang.
type BufferPool struct {
	ID         RowKey
	Name       string
	Type       string // Ingress, Egress or Both
	Mode       string // Static or Dynamic: how its profiles' thresholds are meant
	Size       uint64 // bytes
	HasSize    bool   // false: to be computed from the headroom model
	Xoff       uint64 // bytes of shared headroom
	HasXoff    bool
	Percentage uint8 // of the computed size, 1 to 100; 0 when absent
}

// RowKey implements Row.
func (r *BufferPool) RowKey() RowKey { return r.ID }

var bufferPoolTable = define(Table{
	Name:   "BUFFER_POOL",
	Doc:    "A share of the chip's packet memory, from which profiles reserve and borrow.",
	Key:    "<name>",
	Source: "sonic-buffer-pool.yang",
}, &spec[BufferPool, *BufferPool]{
	key: titleKey(func(r *BufferPool) *string { return &r.Name }),
	id:  func(r *BufferPool) *RowKey { return &r.ID },
	columns: []column[BufferPool]{
		require(choice(Field{Name: "type", Example: Ingress, Doc: "Which side's memory is accounted. It can't be changed later."},
			func(r *BufferPool) *string { return &r.Type }, Ingress, Egress, Both)),
		require(choice(Field{Name: "mode", Example: Dynamic, Doc: "Whether its profiles' thresholds are bytes or shares of what is free. It can't be changed later."},
			func(r *BufferPool) *string { return &r.Mode }, Static, Dynamic)),
		optional(unsigned(Field{Name: "size", Unit: bytesUnit, Example: "12766208", Doc: "The pool's size. Absent: computed by the headroom model."},
			0, math.MaxUint64, func(r *BufferPool) *uint64 { return &r.Size }),
			func(r *BufferPool) *bool { return &r.HasSize }),
		// YANG's default, 0, is the same as none.
		optional(unsigned(Field{Name: "xoff", Unit: bytesUnit, Example: "1048576", Doc: "Headroom that its profiles share."},
			0, math.MaxUint64, func(r *BufferPool) *uint64 { return &r.Xoff }),
			func(r *BufferPool) *bool { return &r.HasXoff }),
		unsigned(Field{Name: "percentage", Unit: "percent", Example: "50", Doc: "The share of the computed size that this pool gets. Not with size."},
			1, 100, func(r *BufferPool) *uint8 { return &r.Percentage }),
	},
	check: func(r *BufferPool, p *parsing) {
		if r.HasSize && r.Percentage != 0 {
			p.rule(errors.New("is there together with size; only one of them can be meant"), "percentage", "size")
		}
	},
	at: func(c *Config) *map[string]*BufferPool { return &c.BufferPools },
})
