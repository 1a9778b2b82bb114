package configdb

import "math"

// DefaultLosslessBufferParameter is a row DEFAULT_LOSSLESS_BUFFER_PARAMETER|<name>.
// There being one is also what has the dynamic buffer model make profiles.
//
// Source: sonic-default-lossless-buffer-parameter.yang.
type DefaultLosslessBufferParameter struct {
	ID   RowKey
	Name string
	// DynamicTh is what made profiles have for a threshold: 2^n of the free buffer, -8 to 8.
	DynamicTh int8
	// OverSubscribeRatio is how many times more headroom is given out than is kept in
	// the shared headroom pool, 0 to 65535; 0: headroom is not shared for it.
	OverSubscribeRatio uint32
}

// RowKey implements Row.
func (r *DefaultLosslessBufferParameter) RowKey() RowKey { return r.ID }

var defaultLosslessBufferParameterTable = define(Table{
	Name:   "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
	Doc:    "What the dynamic buffer model gives lossless priority groups. The first row counts.",
	Key:    "<name>",
	Source: "sonic-default-lossless-buffer-parameter.yang",
}, &spec[DefaultLosslessBufferParameter, *DefaultLosslessBufferParameter]{
	key: titleKey(func(r *DefaultLosslessBufferParameter) *string { return &r.Name }),
	id:  func(r *DefaultLosslessBufferParameter) *RowKey { return &r.ID },
	columns: []column[DefaultLosslessBufferParameter]{
		require(signed(Field{Name: "default_dynamic_th", Example: "0", Doc: "Profiles that the model makes may take 2^n times their pool's free bytes."},
			-8, 8, func(r *DefaultLosslessBufferParameter) *int8 { return &r.DynamicTh })),
		unsigned(Field{Name: "over_subscribe_ratio", Example: "2", Doc: "How many times the shared headroom pool is given out. Absent or 0: each priority group has headroom of its own, unless the pool has an xoff."},
			0, math.MaxUint16, func(r *DefaultLosslessBufferParameter) *uint32 { return &r.OverSubscribeRatio }),
	},
	at: func(c *Config) *map[string]*DefaultLosslessBufferParameter {
		return &c.DefaultLosslessBufferParameters
	},
})
