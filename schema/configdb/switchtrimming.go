package configdb

import (
	"fmt"
	"math"
	"strconv"
)

// SwitchTrimming is the row SWITCH_TRIMMING|GLOBAL: what becomes of packets that
// are cut to their headers instead of dropped (packet_discard_action of a buffer
// profile). What is absent is left as the chip has it.
//
// Source: sonic-trimming.yang.
type SwitchTrimming struct {
	ID      RowKey
	Size    uint32 // bytes that are left of a packet
	HasSize bool

	DSCP  Resolved // 0 to 63; Elsewhere ("from-tc"): that of a traffic class
	Queue Resolved // an index; Elsewhere ("dynamic"): that of the new DSCP's class
	// TC is the traffic class whose DSCP is taken, with DSCP.Elsewhere only.
	TC    uint8
	HasTC bool

	// What the chip has beside what is in use: SONiC leaves the old values in place.
	KeptDSCP, KeptQueue, KeptTC          uint8
	HasKeptDSCP, HasKeptQueue, HasKeptTC bool
}

// Resolved is a number, or the statement that it is found elsewhere. The zero
// Resolved is neither.
type Resolved struct {
	Given     bool
	Elsewhere bool
	Value     uint8 // 0 with Elsewhere
}

// RowKey implements Row.
func (r *SwitchTrimming) RowKey() RowKey { return r.ID }

// Words of SWITCH_TRIMMING.
const (
	fromTC  = "from-tc"
	dynamic = "dynamic"
)

// Fields of SWITCH_TRIMMING. Those of xon's own remember what is in the chip
// although the row in effect does not use it.
const (
	trimDSCP, keptDSCP   = "dscp_value", "XON_dscp_value"
	trimQueue, keptQueue = "queue_index", "XON_queue_index"
	trimTC, keptTC       = "tc_value", "XON_tc_value"
)

var switchTrimmingTable = define(Table{
	Name:   "SWITCH_TRIMMING",
	Doc:    "How packets are trimmed that do not fit into a buffer. One row. What it once set stays until it is set otherwise.",
	Key:    globalRow,
	Source: "sonic-trimming.yang",
}, &spec[SwitchTrimming, *SwitchTrimming]{
	key: onlyKey[SwitchTrimming](globalRow),
	id:  func(r *SwitchTrimming) *RowKey { return &r.ID },
	columns: []column[SwitchTrimming]{
		optional(unsigned(Field{Name: "size", Unit: bytesUnit, Example: "128", Doc: "What is left of a packet."},
			0, math.MaxUint32, func(r *SwitchTrimming) *uint32 { return &r.Size }), func(r *SwitchTrimming) *bool { return &r.HasSize }),
		resolved(Field{Name: trimDSCP, Example: "48", Doc: "The DSCP that a trimmed packet gets, or \"from-tc\": that of the traffic class tc_value."},
			63, fromTC, func(r *SwitchTrimming) *Resolved { return &r.DSCP }),
		octet(Field{Name: trimTC, Example: "6", Doc: "The traffic class whose DSCP a trimmed packet gets, with dscp_value from-tc."}, math.MaxUint8,
			func(r *SwitchTrimming) *uint8 { return &r.TC }, func(r *SwitchTrimming) *bool { return &r.HasTC }),
		resolved(Field{Name: trimQueue, Example: "6", Doc: "The queue that a trimmed packet leaves by, or \"dynamic\": that of its new DSCP."},
			math.MaxUint8, dynamic, func(r *SwitchTrimming) *Resolved { return &r.Queue }),
		octet(Field{Name: keptDSCP, Example: "48", Doc: "Kept by xon: the DSCP that stays in the chip while it is taken from a class."}, 63,
			func(r *SwitchTrimming) *uint8 { return &r.KeptDSCP }, func(r *SwitchTrimming) *bool { return &r.HasKeptDSCP }),
		octet(Field{Name: keptTC, Example: "6", Doc: "Kept by xon: the class that stays in the chip while the DSCP is fixed."}, math.MaxUint8,
			func(r *SwitchTrimming) *uint8 { return &r.KeptTC }, func(r *SwitchTrimming) *bool { return &r.HasKeptTC }),
		octet(Field{Name: keptQueue, Example: "6", Doc: "Kept by xon: the queue that stays in the chip while it is dynamic."}, math.MaxUint8,
			func(r *SwitchTrimming) *uint8 { return &r.KeptQueue }, func(r *SwitchTrimming) *bool { return &r.HasKeptQueue }),
	},
	keep: keepTrimming,
	at:   func(c *Config) *map[string]*SwitchTrimming { return &c.SwitchTrimmings },
})

func octet(f Field, most uint64, at func(*SwitchTrimming) *uint8, has func(*SwitchTrimming) *bool) column[SwitchTrimming] {
	return optional(unsigned(f, 0, most, at), has)
}

// resolved is a number, or a word that says that it is found elsewhere.
func resolved[R any](f Field, most uint64, word string, at func(*R) *Resolved) column[R] {
	f.Type, f.Range = Text, fmt.Sprintf("0 to %d or %s", most, word)
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			if s == word {
				*at(r) = Resolved{Given: true, Elsewhere: true}
				return nil
			}
			n, err := parseUint(s, 0, most)
			if err != nil {
				return fmt.Errorf("%w, or %q", err, word)
			}
			*at(r) = Resolved{Given: true, Value: uint8(n)}
			return nil
		},
		format: func(r *R) (string, bool) {
			if v := *at(r); !v.Elsewhere {
				return strconv.Itoa(int(v.Value)), v.Given
			}
			return word, true
		},
	}
}

// keepTrimming keeps fields, and of those that are not in use any more what the
// chip has.
func keepTrimming(now, was Fields) Fields {
	whole := keepFields(now, was)
	remember := func(inUse bool, kept, value string) {
		if inUse {
			delete(whole, kept)
		} else if value != "" {
			whole[kept] = value
		}
	}
	inChip := func(name, kept string, inUse bool) string {
		if inUse && was[name] != "" {
			return was[name]
		}
		return was[kept]
	}
	fixed, old := whole[trimDSCP] != fromTC, was[trimDSCP] != fromTC
	remember(fixed, keptDSCP, inChip(trimDSCP, keptDSCP, old))
	remember(!fixed, keptTC, inChip(trimTC, keptTC, !old))
	static, before := whole[trimQueue] != dynamic, was[trimQueue] != dynamic
	remember(static, keptQueue, inChip(trimQueue, keptQueue, before))
	return whole
}
