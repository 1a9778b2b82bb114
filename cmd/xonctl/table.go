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
	title   string // over the columns; and the name in a JSON object of several
	columns []string
	rows    [][]any // string, uint64, shown, or nil for nothing
	// optional leaves columns without a single entry out of what people see.
	optional bool
}

// shown is a cell that people see in another form than programs.
type shown struct {
	text  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (s shown) MarshalJSON() ([]byte, error) { return json.Marshal(s.value) }

func (t *table) add(cells ...any) { t.rows = append(t.rows, cells) }

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
		b.WriteString("no rows\n")
	} else {
		t.seen().columnsTo(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// seen is the table without the columns that need not be seen.
func (t *table) seen() *table {
	if !t.optional {
		return t
	}
	s := &table{rows: make([][]any, len(t.rows))}
	for i, name := range t.columns {
		if !slices.ContainsFunc(t.rows, func(row []any) bool { return cellText(row[i]) != "-" }) {
			continue
		}
		s.columns = append(s.columns, name)
		for j, row := range t.rows {
			s.rows[j] = append(s.rows[j], row[i])
		}
	}
	return s
}

func (t *table) columnsTo(b *strings.Builder) {
	lines := [][]string{t.columns}
	for _, row := range t.rows {
		var line []string
		for _, cell := range row {
			line = append(line, cellText(cell))
		}
		lines = append(lines, line)
	}
	widths, right := make([]int, len(t.columns)), make([]bool, len(t.columns))
	for i := range t.columns {
		right[i] = t.numeric(i)
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
	}
	for _, line := range lines {
		var s strings.Builder
		for i, text := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if right[i] {
				s.WriteString(pad + text)
			} else {
				s.WriteString(text + pad)
			}
			s.WriteString("  ")
		}
		b.WriteString(strings.TrimRight(s.String(), " ") + "\n")
	}
}

// numeric reports whether a column has numbers alone.
func (t *table) numeric(i int) bool {
	found := false
	for _, row := range t.rows {
		switch row[i].(type) {
		case uint64:
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
		all[strings.ToLower(strings.ReplaceAll(t.title, " ", "_"))] = t.objects()
	}
	return indent(w, all)
}

func (t *table) objects() []map[string]any {
	list := []map[string]any{}
	for _, row := range t.rows {
		o := map[string]any{}
		for i, cell := range row {
			name := strings.ToLower(strings.ReplaceAll(t.columns[i], " ", "_"))
			if cell != nil && cell != "" {
				o[name] = cell
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
