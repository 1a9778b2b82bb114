package configdb

import (
	"fmt"
	"maps"
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
	// Kept are the last applied lengths of ports that have none in Metres any more, or 0 m:
	// headroom that is in use still comes from them. nil for none.
	Kept map[string]uint32
}

// RowKey implements Row.
func (r *CableLength) RowKey() RowKey { return r.ID }

// maxMetres is as much as a uint32 holds; headroom for less is refused by the
// chip long before.
const maxMetres = 1<<32 - 1

// keptLength is what the name of a field begins with that remembers a length; the port follows.
const keptLength = "XON_"

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
			n, err := parseLength(s)
			if err != nil {
				return err
			}
			at := &r.Metres
			if was, kept := strings.CutPrefix(port, keptLength); kept {
				at, port = &r.Kept, was
			}
			if *at == nil {
				*at = map[string]uint32{}
			}
			(*at)[port] = n
			return nil
		},
		format: func(r *CableLength, f Fields) {
			for port, n := range r.Metres {
				f[port] = formatLength(n)
			}
			for port, n := range r.Kept {
				f[keptLength+port] = formatLength(n)
			}
		},
	},
	remember: rememberLengths,
	at:       func(c *Config) *map[string]*CableLength { return &c.CableLengths },
})

func parseLength(s string) (uint32, error) {
	digits, unit := strings.CutSuffix(strings.Trim(s, space), "m")
	n, err := parseUint(digits, 0, maxMetres)
	if err != nil || !unit || !isNumber(digits) {
		return 0, fmt.Errorf("%s is not a length in whole metres (0m to %dm)", quote(s), maxMetres)
	}
	return uint32(n), nil
}

func formatLength(n uint32) string { return strconv.FormatUint(uint64(n), 10) + "m" }

// rememberLengths remembers the lengths of was for ports that now has none for: their
// field is bad, 0m or gone.
func rememberLengths(now, was Fields) Fields {
	if now.IsNotHash() {
		return now
	}
	whole := maps.Clone(now)
	for name, value := range was {
		port := strings.TrimPrefix(name, keptLength)
		if !isLong(value) || isLong(now[port]) {
			continue
		}
		whole[keptLength+port] = value
	}
	return whole
}

// isLong reports whether a text is a length, and not 0m.
func isLong(s string) bool {
	n, err := parseLength(s)
	return err == nil && n > 0
}
