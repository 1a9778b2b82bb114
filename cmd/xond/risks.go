package main

import (
	"errors"
	"fmt"
	"io"

	"xon/schema/configdb"
	"xon/schema/statedb"
)

// errStrict ends a strict check with 1 after everything has been said.
var errStrict = errors.New("lossless packets may be dropped")

// risks are what may cost packets of lossless classes: groups that are not in force, and
// what rows in force are warned of for that.
func (t *tried) risks() []statedb.Said {
	var all []statedb.Said
	for k, f := range t.fates {
		if why := t.without(k, f); why != "" {
			all = append(all, statedb.Said{Row: k, Text: why, Loses: true})
		}
		for _, w := range f.Warnings[:f.Loses] {
			all = append(all, statedb.Said{Row: k, Text: w, Loses: true})
		}
	}
	return all
}

// without says why lossless priority groups of a row are not there; "" if they are, or
// the row has none. A profile that is not known may be a lossless one.
func (t *tried) without(k configdb.RowKey, f statedb.Fate) string {
	if k.Table() != "BUFFER_PG" || f.State != statedb.Waiting && f.State != statedb.Refused {
		return ""
	}
	name := t.rows[k]["profile"]
	if fields, ok := t.rows[configdb.Key("BUFFER_PROFILE", name)]; ok && name != configdb.DynamicHeadroom {
		if row, _, err := configdb.Parse(configdb.Key("BUFFER_PROFILE", name), fields); err == nil {
			if p, ok := row.(*configdb.BufferProfile); ok && !p.Lossless() {
				return ""
			}
		}
	}
	return fmt.Sprintf("is %s: %s", f.State, f.Reason)
}

// printRisks writes them, the same of several rows once.
func (t *tried) printRisks(out io.Writer) {
	groups := statedb.Group(t.risks())
	if len(groups) == 0 {
		return
	}
	fmt.Fprintln(out, "lossless packets may be dropped:")
	printSame(out, groups)
	fmt.Fprintln(out)
}
