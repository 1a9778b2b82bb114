package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

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
	t.printRisks(out)
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
	var all []statedb.Said
	for k, f := range t.fates {
		if f.State != s {
			continue
		}
		why := f.Reason
		if f.Field != "" {
			why = fmt.Sprintf("field %q: %s", f.Field, why)
		}
		all = append(all, statedb.Said{Row: k, Text: why})
	}
	printGroups(out, title, all)
}

// warnings are what rows are warned of.
func (t *tried) warnings() []statedb.Said {
	var all []statedb.Said
	for k, f := range t.fates {
		for i, warning := range f.Warnings {
			all = append(all, statedb.Said{Row: k, Text: warning, Loses: i < f.Loses})
		}
	}
	return all
}

// printWarnings writes those that printRisks has not written.
func (t *tried) printWarnings(out io.Writer) {
	printGroups(out, "applied, but", slices.DeleteFunc(t.warnings(), func(s statedb.Said) bool { return s.Loses }))
}

// printGroups writes what is said of rows, the same of several rows once.
func printGroups(out io.Writer, title string, all []statedb.Said) {
	if len(all) > 0 {
		fmt.Fprintf(out, "\n%s:\n", title)
		printSame(out, statedb.Group(all))
	}
}

func printSame(out io.Writer, groups []statedb.Same) {
	for i := range groups {
		fmt.Fprintf(out, "  %s: %s\n", groups[i].Who(), groups[i].Text)
	}
}
