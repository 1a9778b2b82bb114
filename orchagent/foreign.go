package orchagent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/schema/configdb"
)

// notes are warnings about how rows of the request are written, each kind once
// per table: rows of tables that xon does not manage are stored as they are, and have no
// effect.
func (t *transaction) notes(named []configdb.RowKey) []string {
	ignored, old := map[string]int{}, map[string][]string{}
	for _, k := range named {
		rec := t.next.State.Records.Get(k)
		switch {
		case rec == nil:
		case rec.Foreign:
			ignored[k.Table()]++
		case len(rec.Notes) > 0:
			old[k.Table()] = append(old[k.Table()], string(k)+": "+strings.Join(rec.Notes, "; "))
		}
	}
	var list []string
	if len(ignored) > 0 {
		list = append(list, "ignored, as xon does not manage their tables: "+counted(ignored))
	}
	for _, table := range slices.Sorted(maps.Keys(old)) {
		first, more := old[table][0], len(old[table])-1
		if more > 0 {
			first += fmt.Sprintf(" (and %d more rows of %s)", more, table)
		}
		list = append(list, first)
	}
	return list
}

// counted lists tables: "2 rows of BGP_NEIGHBOR, 1 row of TACPLUS".
func counted(tables map[string]int) string {
	var words []string
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		rows := "rows"
		if tables[table] == 1 {
			rows = "row"
		}
		words = append(words, fmt.Sprintf("%d %s of %s", tables[table], rows, table))
	}
	return strings.Join(words, ", ")
}

// count says how many rows come and go, and how many of others stay although everything,
// or all that a wildcard matches, was asked to go.
func (t *transaction) count(ops []configdb.Op) configdb.RowCount {
	var n configdb.RowCount
	for k, f := range t.changes {
		switch was := t.base.State.Records.Get(k); {
		case f == nil:
			n.Removed++
		case was == nil:
			n.Added++
		default:
			n.Changed++
		}
	}
	n.Kept = t.passedOver(ops)
	return n
}

// passedOver counts the rows of tables that xon does not manage that operations about
// everything, or about what a wildcard matched, leave as they are.
func (t *transaction) passedOver(ops []configdb.Op) (n int) {
	over := map[configdb.RowKey]bool{} // rows, whole tables by their name, and all tables by ""
	for _, op := range ops {
		if op.Passes() || op.Kind == configdb.Delete && op.Table == "" {
			over[op.Row()] = true
		}
	}
	if len(over) == 0 {
		return 0
	}
	for k, rec := range t.next.State.Records.All() {
		_, changed := t.changes[k]
		if rec.Foreign && !changed && (over[""] || over[configdb.RowKey(k.Table())] || over[k]) {
			n++
		}
	}
	return n
}
