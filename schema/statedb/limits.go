package statedb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// OwnMaxParamTable has what xon itself wrote into a row of MaxParamTable, by the same key
// and fields: "XON_MAX_PARAM|Ethernet0". A field that now has another value was written
// by somebody else. It counts, instead of what the chip says, until it is removed.
const OwnMaxParamTable = "XON_MAX_PARAM"

// Limits are those that somebody else stated in MaxParamTable. What is 0 is not stated.
type Limits struct {
	MMUBytes uint64               // packet memory, for the sizes of pools
	Ports    map[string]MaxParams // by name; only those with something stated
}

// Equal compares limits.
func (l Limits) Equal(o Limits) bool { return l.MMUBytes == o.MMUBytes && maps.Equal(l.Ports, o.Ports) }

// Foreign returns the fields of a row of MaxParamTable that somebody else wrote. own is the
// row of OwnMaxParamTable; either may be nil.
func Foreign(row, own map[string]string) map[string]string {
	f := map[string]string{}
	for name, text := range row {
		if text != own[name] {
			f[name] = text
		}
	}
	return f
}

// ParseLimits reads the rows of MaxParamTable and OwnMaxParamTable, by their key behind the
// table's name. A field that is no number above 0 counts as not stated; the error names
// each.
func ParseLimits(rows, own map[string]map[string]string) (Limits, error) {
	l := Limits{Ports: map[string]MaxParams{}}
	var errs []error
	number := func(key string, f map[string]string, field string) uint64 {
		n, err := parseCount(f, field)
		if _, stated := f[field]; stated && (err != nil || n == 0) {
			errs = append(errs, fmt.Errorf("%s|%s: %s=%q is not a number above 0, and the chip's counts", MaxParamTable, key, field, f[field]))
			return 0
		}
		return n
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		f := Foreign(rows[key], own[key])
		if key == MaxParamGlobal {
			l.MMUBytes = number(key, f, MMUSize)
			continue
		}
		m := MaxParams{
			PriorityGroups: int(number(key, f, maxPriorityGroups)), Queues: int(number(key, f, maxQueues)), Headroom: number(key, f, maxHeadroomSize),
		}
		if m != (MaxParams{}) {
			l.Ports[key] = m
		}
	}
	return l, errors.Join(errs...)
}
