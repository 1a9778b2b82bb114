package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// table is what a command shows: for people in columns, for programs as JSON
// objects with the columns' names.
type table struct {
	title string // over the columns; and the name in a JSON object of several
	// columns are the names over the columns, and behind a bar, where another is better,
	// that in JSON: "PAUSED|paused_us".
	columns []string
	rows    [][]any // string, uint64, float64, shown, or nil for nothing
	// keys is how many columns name a row. A terminal too narrow for all columns gets the
	// table in parts below each other, each with these; 0: rows stay whole.
	keys int
	// optional leaves columns without a single entry out of what people see.
	optional bool
	// rare are columns that people see only where one entry is not zero.
	rare []string
	// counts are the columns of counters.
	counts []string
	none   string   // instead of rows where there are none; "no rows" if not given
	notes  []string // below the rows: why something is not known, and what to do
}

// shown is a cell that people see in another form than programs.
type shown struct {
	text  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (s shown) MarshalJSON() ([]byte, error) { return json.Marshal(s.value) }

func (t *table) add(cells ...any) { t.rows = append(t.rows, cells) }

// heading is a column's name for people.
func heading(column string) string {
	name, _, _ := strings.Cut(column, "|")
	return name
}

// member is a column's name in JSON.
func member(column string) string {
	if _, name, ok := strings.Cut(column, "|"); ok {
		return name
	}
	return strings.ToLower(strings.ReplaceAll(column, " ", "_"))
}

// index is where the column with a heading is; a heading that is not there is a bug.
func (t *table) index(name string) int {
	return slices.IndexFunc(t.columns, func(c string) bool { return heading(c) == name })
}

// isZero reports that a cell has nothing, or the number 0.
func isZero(cell any) bool {
	if s, ok := cell.(shown); ok {
		cell = s.value
	}
	return cell == nil || cell == "" || cell == uint64(0) || cell == float64(0)
}

// dropZeros leaves out the rows of which all counters that are known are zero. One of
// which none is known stays.
func (t *table) dropZeros() {
	if len(t.rows) > 0 {
		t.none = "no counter is other than 0, in " + count(len(t.rows), "row")
	}
	t.rows = slices.DeleteFunc(t.rows, func(row []any) bool {
		known := false
		for _, name := range t.counts {
			cell := row[t.index(name)]
			if !isZero(cell) {
				return false
			}
			known = known || cell != nil
		}
		return known
	})
}

// print writes tables, with or without their titles.
func (a *app) print(w io.Writer, tables ...*table) error {
	if a.json {
		return printJSON(w, tables)
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.text(w); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) text(w io.Writer) error {
	var b strings.Builder
	if t.title != "" {
		b.WriteString(t.title + "\n")
	}
	if len(t.rows) == 0 {
		b.WriteString(cmp.Or(t.none, "no rows") + "\n")
	} else {
		t.seen().columnsTo(&b, widthOf(w))
	}
	for _, n := range t.notes {
		b.WriteString(n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// seen is the table without the columns that need not be seen.
func (t *table) seen() *table {
	if !t.optional && len(t.rare) == 0 {
		return t
	}
	s := &table{rows: make([][]any, len(t.rows)), keys: t.keys}
	for i, name := range t.columns {
		if t.hidden(i) {
			continue
		}
		s.columns = append(s.columns, name)
		for j, row := range t.rows {
			s.rows[j] = append(s.rows[j], row[i])
		}
	}
	return s
}

func (t *table) hidden(i int) bool {
	empty := func(cell any) bool { return cellText(cell) == "-" }
	switch {
	case slices.Contains(t.rare, heading(t.columns[i])):
		empty = isZero
	case !t.optional:
		return false
	}
	return !slices.ContainsFunc(t.rows, func(row []any) bool { return !empty(row[i]) })
}

// numeric reports whether a column has numbers alone.
func (t *table) numeric(i int) bool {
	found := false
	for _, row := range t.rows {
		cell := row[i]
		if s, ok := cell.(shown); ok {
			cell = s.value
		}
		switch cell.(type) {
		case uint64, float64:
			found = true
		case nil:
		default:
			return false
		}
	}
	return found
}

func cellText(cell any) string {
	switch c := cell.(type) {
	case nil:
		return "-"
	case string:
		return printable(cmp.Or(c, "-"))
	case shown:
		return printable(c.text)
	}
	return fmt.Sprint(cell)
}

// printJSON writes a list of objects, or for several tables an object of lists.
func printJSON(w io.Writer, tables []*table) error {
	if len(tables) == 1 {
		return indent(w, tables[0].objects())
	}
	all := map[string]any{}
	for _, t := range tables {
		all[member(t.title)] = t.objects()
	}
	return indent(w, all)
}

func (t *table) objects() []map[string]any {
	list := []map[string]any{}
	for _, row := range t.rows {
		o := map[string]any{}
		for i, cell := range row {
			if cell != nil && cell != "" {
				o[member(t.columns[i])] = cell
			}
		}
		list = append(list, o)
	}
	return list
}

func indent(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func width(text string) int { return utf8.RuneCountInString(text) }
