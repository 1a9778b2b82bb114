package configdb

import (
	"fmt"
	"strconv"
	"strings"
)

// CableLength is a row CABLE_LENGTH|<name>: the length of each port's cable.
//
// Source: sonic-cable-length.yang.
type CableLength struct {
	ID     RowKey
	Name   string
	Metres map[string]uint32 // by port; 0 m leaves the port's buffers alone
}

// RowKey implements Row.
func (r *CableLength) RowKey() RowKey { return r.ID }

// maxMetres is as much as a uint32 holds; headroom for less is refused by the
// chip long before.
const maxMetres = 1<<32 - 1

var cableLengthTable = define(Table{
	Name:   "CABLE_LENGTH",
	Doc:    "How long the cable at each port is; headroom depends on it.",
	Key:    "<name>",
	Source: "sonic-cable-length.yang",
	apart:  true,
}, &spec[CableLength, *CableLength]{
	key: titleKey(func(r *CableLength) *string { return &r.Name }),
	id:  func(r *CableLength) *RowKey { return &r.ID },
	open: &open[CableLength]{
		Field: Field{
			Name: "<port>", Names: "any port's name", Type: Length,
			Range: fmt.Sprintf("0m to %dm", maxMetres), Unit: "m", Example: "5m",
			Doc: "The cable's length in whole metres. 0m leaves the port's buffers alone.",
		},
		match: func(name string) bool { return checkName(name) == nil },
		parse: func(r *CableLength, port, s string) error {
			digits, unit := strings.CutSuffix(strings.Trim(s, space), "m")
			n, err := parseUint(digits, 0, maxMetres)
			if err != nil || !unit || !isNumber(digits) {
				return fmt.Errorf("%s is not a length in whole metres (0m to %dm)", quote(s), maxMetres)
			}
			if r.Metres == nil {
				r.Metres = map[string]uint32{}
			}
			r.Metres[port] = uint32(n)
			return nil
		},
		format: func(r *CableLength, f Fields) {
			for port, n := range r.Metres {
				f[port] = strconv.FormatUint(uint64(n), 10) + "m"
			}
		},
	},
	at: func(c *Config) *map[string]*CableLength { return &c.CableLengths },
})
