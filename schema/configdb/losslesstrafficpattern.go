package configdb

import "iter"

// LosslessTrafficPattern is a row LOSSLESS_TRAFFIC_PATTERN|<name>: what lossless
// traffic the dynamic buffer model reckons with.
//
// Source: sonic-lossless-traffic-pattern.yang.
type LosslessTrafficPattern struct {
	ID                    RowKey
	Name                  string
	MTU                   uint32 // octets of a lossless packet, 1 to 9216; 0 when absent
	SmallPacketPercentage uint8  // of packets of 64 octets, 0 to 100
	HasSmallPackets       bool   // whether SmallPacketPercentage is given
}

// RowKey implements Row.
func (r *LosslessTrafficPattern) RowKey() RowKey { return r.ID }

var losslessTrafficPatternTable = define(Table{
	Name:   "LOSSLESS_TRAFFIC_PATTERN",
	Doc:    "The lossless traffic that headroom is computed for. The first row counts.",
	Key:    "<name>",
	Source: "sonic-lossless-traffic-pattern.yang",
}, &spec[LosslessTrafficPattern, *LosslessTrafficPattern]{
	key: titleKey(func(r *LosslessTrafficPattern) *string { return &r.Name }),
	id:  func(r *LosslessTrafficPattern) *RowKey { return &r.ID },
	columns: []column[LosslessTrafficPattern]{
		unsigned(Field{Name: "mtu", Unit: "octets", Example: "1024", Doc: "The largest lossless packet. Absent: no headroom is computed."},
			1, 9216, func(r *LosslessTrafficPattern) *uint32 { return &r.MTU }),
		optional(unsigned(Field{Name: "small_packet_percentage", Unit: "percent", Example: "100", Doc: "How much of the traffic is packets of 64 octets, which fill cells badly. Absent: no headroom is computed."},
			0, 100, func(r *LosslessTrafficPattern) *uint8 { return &r.SmallPacketPercentage }),
			func(r *LosslessTrafficPattern) *bool { return &r.HasSmallPackets }),
	},
	at: func(c *Config) *map[string]*LosslessTrafficPattern { return &c.LosslessTrafficPatterns },
})

// Unread yields the rows that only the dynamic buffer model reads.
func (c *Config) Unread() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, row := range c.DefaultLosslessBufferParameters {
			if !yield(row) {
				return
			}
		}
		for _, row := range c.LosslessTrafficPatterns {
			if !yield(row) {
				return
			}
		}
	}
}
