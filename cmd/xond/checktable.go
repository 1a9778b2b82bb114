package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"xon/schema/configdb"
	"xon/schema/statedb"
)

// print writes a table of rows per table and fate, and then why rows are not
// applied, those with the same reason together.
func (t *tried) print(out io.Writer) error {
	fmt.Fprintf(out, "chip class %s", t.profile)
	if t.guess != "" {
		fmt.Fprintf(out, ": %s", t.guess)
	}
	fmt.Fprint(out, "\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rows\tapplied\twaiting\trefused\tignored\t  table")
	tables, sum := t.tables(), census{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		c := tables[name]
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t  %s\n", c.Rows, dash(c.Applied), dash(c.Waiting), dash(c.Refused), dash(c.Ignored), name)
		sum.Rows, sum.Applied, sum.Waiting = sum.Rows+c.Rows, sum.Applied+c.Applied, sum.Waiting+c.Waiting
		sum.Refused, sum.Ignored = sum.Refused+c.Refused, sum.Ignored+c.Ignored
	}
	fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t  in all\n", sum.Rows, dash(sum.Applied), dash(sum.Waiting), dash(sum.Refused), dash(sum.Ignored))
	if err := w.Flush(); err != nil {
		return err
	}
	t.printReasons(out, statedb.Refused, "refused")
	t.printReasons(out, statedb.Waiting, "waiting")
	t.printWarnings(out)
	if len(t.notes) > 0 {
		fmt.Fprintf(out, "\nleft out of the file:\n  %s\n", strings.Join(t.notes, "\n  "))
	}
	return nil
}

func dash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func (t *tried) printReasons(out io.Writer, s statedb.State, title string) {
	groups := map[string][]configdb.RowKey{}
	for k, f := range t.fates {
		if f.State == s {
			why := f.Reason
			if f.Field != "" {
				why = fmt.Sprintf("field %q: %s", f.Field, why)
			}
			groups[k.Table()+"\x00"+why] = append(groups[k.Table()+"\x00"+why], k)
		}
	}
	printGroups(out, title, groups)
}

func (t *tried) printWarnings(out io.Writer) {
	groups := map[string][]configdb.RowKey{}
	for k, f := range t.fates {
		for _, warning := range f.Warnings {
			warning = strings.ReplaceAll(warning, " on "+k.Key(), "") // said by the row's key
			groups[k.Table()+"\x00"+warning] = append(groups[k.Table()+"\x00"+warning], k)
		}
	}
	printGroups(out, "applied, but", groups)
}

// printGroups writes what is said of rows: "TABLE\x00what" → rows.
func printGroups(out io.Writer, title string, groups map[string][]configdb.RowKey) {
	if len(groups) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", title)
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		keys := groups[g]
		slices.SortFunc(keys, func(a, b configdb.RowKey) int { return configdb.CompareNatural(string(a), string(b)) })
		_, why, _ := strings.Cut(g, "\x00")
		who := string(keys[0])
		if n := len(keys); n > 1 {
			who = fmt.Sprintf("%s and %d more of %s", who, n-1, keys[0].Table())
		}
		fmt.Fprintf(out, "  %s: %s\n", who, why)
	}
}
