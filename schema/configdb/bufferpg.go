package configdb

// DynamicHeadroom is the profile name that asks the headroom model for one.
const DynamicHeadroom = nullName

// maxPG is the highest priority group: there are as many as priorities.
const maxPG = 7

// BufferPG is a row BUFFER_PG|<ports>|<range>.
//
// Source: sonic-buffer-pg.yang.
type BufferPG struct {
	ID RowKey
	Span
	Profile string // a name, or DynamicHeadroom
}

// RowKey implements Row.
func (r *BufferPG) RowKey() RowKey { return r.ID }

var bufferPGTable = define(Table{
	Name:   "BUFFER_PG",
	Doc:    "The buffer profile of priority groups.",
	Key:    spanForm,
	Source: "sonic-buffer-pg.yang",
}, &spec[BufferPG, *BufferPG]{
	key:     spanKey(maxPG, func(r *BufferPG) *Span { return &r.Span }),
	id:      func(r *BufferPG) *RowKey { return &r.ID },
	columns: []column[BufferPG]{pgProfile()},
	place:   placedSpan(OnPriorityGroup, func(r *BufferPG) *Span { return &r.Span }),
	at:      func(c *Config) *map[string]*BufferPG { return &c.BufferPGs },
})

// pgProfile is a reference that may also ask for computed headroom.
func pgProfile() column[BufferPG] {
	c := needed(reference(Field{Name: "profile", Example: "ingress_lossy_profile", Doc: "The profile, or NULL for headroom that the model computes."},
		"BUFFER_PROFILE", func(r *BufferPG) *string { return &r.Profile }))
	c.Range += ", or " + DynamicHeadroom
	parse, refers := c.parse, c.refers
	c.parse = func(r *BufferPG, s string) error {
		if s == DynamicHeadroom {
			r.Profile = s
			return nil
		}
		return parse(r, s)
	}
	c.refers = func(r *BufferPG) []string {
		if r.Profile == DynamicHeadroom {
			return nil
		}
		return refers(r)
	}
	return c
}
