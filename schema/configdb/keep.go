package configdb

import (
	"maps"
	"slices"
	"strings"
)

// Keep returns what a row means that was written as now while was was in effect,
// in a table whose fields SAI can set but not take back: what now leaves out stays
// as it was. kept are the names of the fields that come from was, which is
// nil if nothing was in effect. Of a table that only remembers what was, whole has
// fields named XON_… beside those of now; in others now is all there is.
func Keep(key RowKey, now, was Fields) (whole Fields, kept []string) {
	t, ok := Lookup(key.Table())
	if !ok {
		return now, nil
	}
	whole = t.rows.kept(now, was)
	if !t.rows.keeps() {
		return whole, nil
	}
	for name := range whole {
		// What xon adds to remember is nothing that anybody took away.
		if plain, _ := plain(name); !has(now, plain) && !strings.HasPrefix(name, "XON_") {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	return whole, kept
}

// Keeps reports whether a table is one whose fields SAI can set but not take back: a
// field or a row that is removed leaves the chip as it is.
func Keeps(table string) bool {
	t, ok := Lookup(table)
	return ok && t.rows.keeps()
}

// keepFields keeps each field that a row does not have any more.
func keepFields(now, was Fields) Fields {
	whole := maps.Clone(now)
	for name, value := range was {
		if plain, _ := plain(name); plain != nullName && !has(now, plain) {
			whole[name] = value
		}
	}
	return whole
}
