package configdb

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SwitchHash is the row SWITCH_HASH|GLOBAL: which fields of packets tell flows
// apart when they are spread over paths (ECMP) and over the members of a LAG, and
// by which function. What is absent is left as the chip has it.
//
// Source: sonic-hash.yang; the two fields of RDMA are those of saihash.h.
type SwitchHash struct {
	ID            RowKey
	ECMP, LAG     []string // of HashFields, in the order given, each once; nil when absent
	ECMPAlgorithm string   // of HashAlgorithms; "" when absent
	LAGAlgorithm  string
}

// RowKey implements Row.
func (r *SwitchHash) RowKey() RowKey { return r.ID }

// HashFields are the fields of packets that can be hashed, by their names in
// sai_native_hash_field_t. A chip can do some of them.
var HashFields = []string{
	"IN_PORT", "DST_MAC", "SRC_MAC", "ETHERTYPE", "VLAN_ID", "IP_PROTOCOL", "DST_IP", "SRC_IP", "L4_DST_PORT", "L4_SRC_PORT",
	"INNER_DST_MAC", "INNER_SRC_MAC", "INNER_ETHERTYPE", "INNER_IP_PROTOCOL", "INNER_DST_IP", "INNER_SRC_IP",
	"INNER_L4_DST_PORT", "INNER_L4_SRC_PORT", "IPV6_FLOW_LABEL", "RDMA_BTH_OPCODE", "RDMA_BTH_DEST_QP",
}

// HashAlgorithms are the hash functions, by their names in sai_hash_algorithm_t.
var HashAlgorithms = []string{"CRC", "XOR", "RANDOM", "CRC_32LO", "CRC_32HI", "CRC_CCITT", "CRC_XOR"}

// globalRow is the key of tables with one row for the whole switch.
const globalRow = "GLOBAL"

var switchHashTable = define(Table{
	Name:   "SWITCH_HASH",
	Doc:    "How flows are spread over paths and LAG members. One row. What it once set stays until it is set otherwise.",
	Key:    globalRow,
	Source: "sonic-hash.yang",
}, &spec[SwitchHash, *SwitchHash]{
	key: onlyKey[SwitchHash](globalRow),
	id:  func(r *SwitchHash) *RowKey { return &r.ID },
	columns: []column[SwitchHash]{
		choices(Field{Name: "ecmp_hash", Example: "DST_IP,SRC_IP,L4_DST_PORT,L4_SRC_PORT,RDMA_BTH_DEST_QP", Doc: "What of a packet chooses its path."},
			func(r *SwitchHash) *[]string { return &r.ECMP }, HashFields),
		choices(Field{Name: "lag_hash", Example: "DST_IP,SRC_IP", Doc: "What of a packet chooses the member of a LAG."},
			func(r *SwitchHash) *[]string { return &r.LAG }, HashFields),
		choice(Field{Name: "ecmp_hash_algorithm", Example: "CRC", Doc: "The hash function of paths."},
			func(r *SwitchHash) *string { return &r.ECMPAlgorithm }, HashAlgorithms...),
		choice(Field{Name: "lag_hash_algorithm", Example: "CRC", Doc: "The hash function of LAG members."},
			func(r *SwitchHash) *string { return &r.LAGAlgorithm }, HashAlgorithms...),
	},
	keep: keepFields,
	at:   func(c *Config) *map[string]*SwitchHash { return &c.SwitchHashes },
})

// onlyKey reads the key of a table with one row.
func onlyKey[R any](want string) func(*R, string) error {
	return func(_ *R, key string) error {
		if key != want {
			return fmt.Errorf("key %s: the only row is %q", quote(key), want)
		}
		return nil
	}
}

// choices is a list of several words, one at least and each once. Stored, its name
// ends in "@", as SONiC has it.
func choices[R any](f Field, at func(*R) *[]string, values []string) column[R] {
	f.Type, f.Values, f.List, f.At, f.Range = Choice, values, true, true, "any of "+orList(values)
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			words := splitList(s)
			for _, w := range words {
				if !slices.Contains(values, w) {
					return fmt.Errorf("%s is not %s", quote(w), orList(values))
				}
			}
			if w, twice := duplicate(words); twice {
				return fmt.Errorf("%s is named twice", w)
			}
			if len(words) == 0 {
				return errors.New("empty: name one at least of " + orList(values))
			}
			*at(r) = words
			return nil
		},
		format: func(r *R) (string, bool) { return strings.Join(*at(r), ","), *at(r) != nil },
	}
}
