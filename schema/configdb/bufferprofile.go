package configdb

import (
	"errors"
	"math"
)

// BufferProfile is a row BUFFER_PROFILE|<name>.
//
// Source: sonic-buffer-profile.yang.
type BufferProfile struct {
	ID      RowKey
	Name    string
	Pool    string
	Size    uint64 // reserved bytes
	HasSize bool   // false only with HeadroomType Dynamic
	Mode    string // Dynamic: DynamicTh holds; Static: StaticTh; "" when neither field is there
	// DynamicTh sets the threshold at 2^n of the free buffer, -8 to 8. YANG ends at
	// 7, SONiC's mmuconfig at 8; what a chip can do is for the chip to say.
	DynamicTh    int8
	StaticTh     uint64 // bytes
	Xon          uint64 // bytes
	XonOffset    uint64 // bytes
	Xoff         uint64 // bytes of headroom
	HasXon       bool
	HasXonOffset bool
	HasXoff      bool   // makes the profile lossless
	HeadroomType string // Static (default) or Dynamic: computed by the headroom model
	Trim         bool   // packet_discard_action is "trim"
	HasDiscard   bool   // packet_discard_action is there
}

// RowKey implements Row.
func (r *BufferProfile) RowKey() RowKey { return r.ID }

// Lossless reports whether the profile has headroom.
func (r *BufferProfile) Lossless() bool { return r.HasXoff || r.HeadroomType == Dynamic }

var bufferProfileTable = define(Table{
	Name:   "BUFFER_PROFILE",
	Doc:    "How much a priority group, a queue or a port may take of a pool, and when it pauses.",
	Key:    "<name>",
	Source: "sonic-buffer-profile.yang",
}, &spec[BufferProfile, *BufferProfile]{
	key:     titleKey(func(r *BufferProfile) *string { return &r.Name }),
	id:      func(r *BufferProfile) *RowKey { return &r.ID },
	columns: bufferProfileColumns,
	check:   checkProfile,
	at:      func(c *Config) *map[string]*BufferProfile { return &c.BufferProfiles },
})

var bufferProfileColumns = []column[BufferProfile]{
	needed(reference(Field{Name: "pool", Example: "ingress_lossless_pool", Doc: "The pool that it takes from. It can't be changed later."},
		"BUFFER_POOL", func(r *BufferProfile) *string { return &r.Pool })),
	optional(unsigned(Field{Name: "size", Unit: bytesUnit, Example: "18432", Doc: "Bytes that are reserved. Needed unless headroom_type is dynamic."},
		0, math.MaxUint64, func(r *BufferProfile) *uint64 { return &r.Size }),
		func(r *BufferProfile) *bool { return &r.HasSize }),
	threshold(signed(Field{Name: "dynamic_th", Example: "-3", Doc: "It may take 2^n times the pool's free bytes. Not with static_th."},
		-8, 8, func(r *BufferProfile) *int8 { return &r.DynamicTh }), Dynamic),
	threshold(unsigned(Field{Name: "static_th", Unit: bytesUnit, Example: "82434938", Doc: "It may take this many bytes of the pool. Not with dynamic_th."},
		0, math.MaxUint64, func(r *BufferProfile) *uint64 { return &r.StaticTh }), Static),
	// YANG's default of the next three, 0, is the same as none.
	optional(unsigned(Field{Name: "xon", Unit: bytesUnit, Example: "18432", Doc: "Fill below which a paused sender may go on."},
		0, math.MaxUint64, func(r *BufferProfile) *uint64 { return &r.Xon }),
		func(r *BufferProfile) *bool { return &r.HasXon }),
	optional(unsigned(Field{Name: "xon_offset", Unit: bytesUnit, Example: "2496", Doc: "How far below the pausing threshold a sender may go on; the higher of it and xon counts."},
		0, math.MaxUint64, func(r *BufferProfile) *uint64 { return &r.XonOffset }),
		func(r *BufferProfile) *bool { return &r.HasXonOffset }),
	optional(unsigned(Field{Name: "xoff", Unit: bytesUnit, Example: "55120", Doc: "Headroom for what still arrives after a pause. Its presence makes the profile lossless."},
		0, math.MaxUint64, func(r *BufferProfile) *uint64 { return &r.Xoff }),
		func(r *BufferProfile) *bool { return &r.HasXoff }),
	choice(Field{Name: "headroom_type", Default: Static, Example: Dynamic, Doc: "Whether sizes are as written, or computed by the headroom model."},
		func(r *BufferProfile) *string { return &r.HeadroomType }, Static, Dynamic),
	optional(flag(Field{Name: "packet_discard_action", Default: "drop", Example: "trim", Doc: "What becomes of a packet that is not admitted: dropped, or cut to its header and sent on."},
		"drop", "trim", func(r *BufferProfile) *bool { return &r.Trim }),
		func(r *BufferProfile) *bool { return &r.HasDiscard }),
}

// threshold has the field c say which mode the profile has. A profile with both
// thresholds gets the mode "both", which checkProfile refuses.
func threshold(c column[BufferProfile], mode string) column[BufferProfile] {
	parse, format := c.parse, c.format
	c.parse = func(r *BufferProfile, s string) error {
		if r.Mode == "" {
			r.Mode = mode
		} else {
			r.Mode = Both
		}
		return parse(r, s)
	}
	c.format = func(r *BufferProfile) (string, bool) {
		s, _ := format(r)
		return s, r.Mode == mode
	}
	return c
}

func checkProfile(r *BufferProfile, p *parsing) {
	if r.Name == nullName {
		p.fail("", errors.New("the name is reserved: in BUFFER_PG it asks for computed headroom"))
	}
	if !r.HasSize && r.HeadroomType != Dynamic {
		p.rule(errors.New("is required unless headroom_type is dynamic"), "size", "headroom_type")
	}
	if r.Mode == Both {
		p.fail("static_th", errors.New("is there together with dynamic_th; only one of them can be meant"))
	}
}
