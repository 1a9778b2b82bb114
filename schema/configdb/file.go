package configdb

import (
	"fmt"
	"slices"
	"strings"
)

// FileOptions say how a config_db.json is to be read.
type FileOptions struct {
	// ASIC is the part to take of a file for several ASICs: "asic0", or "localhost" for
	// the host's; "" for a file that has no parts.
	ASIC string
	// Verbatim takes every top-level name for a table, as WriteFile wrote it from a
	// database: what others keep there under names that SONiC would not load is not
	// to be lost.
	Verbatim bool
}

// File is what a config_db.json says.
type File struct {
	Rows RawRows
	// Empty are the fields that are empty lists: rows do not have them.
	Empty map[RowKey][]string
	// Refused are the rows, fields and tables that are left out, as no row can be made
	// of them. A row is named without its "|" if it is a table.
	Refused Faults
	// Notes are what is left out on purpose, with line and column: names that are no
	// tables, and what is there again further down.
	Notes []string
}

// hostPart is the part of the host in a file for several ASICs.
const hostPart = "localhost"

// isPart reports whether a top-level name stands for the configuration of one ASIC, or
// for the host's beside those.
func isPart(name string) bool {
	n, ok := strings.CutPrefix(name, "asic")
	return name == hostPart || ok && isNumber(n)
}

// chosen checks that the part asked for was there.
func (d *decoder) chosen() error {
	parts := orList(d.parts)
	switch {
	case d.ASIC == "" && len(d.parts) == 0:
		return nil
	case d.ASIC == "" && d.alone():
		d.file.Notes = append(d.file.Notes, d.host)
		return nil
	case d.ASIC == "":
		return fmt.Errorf("1:1: the file is for several ASICs; say which part to take with --asic: %s", parts)
	case len(d.parts) == 0:
		return fmt.Errorf("1:1: the file has no part %s: it is not for several ASICs", quote(d.ASIC))
	}
	for _, p := range d.parts {
		if p == d.ASIC {
			return nil
		}
	}
	return fmt.Errorf("1:1: the file has no part %s; it has %s", quote(d.ASIC), strings.ReplaceAll(parts, " or ", " and "))
}

// alone reports whether the host's part is the only one, beside tables: then the file is
// that of one ASIC, and the part is nothing that SONiC would load.
func (d *decoder) alone() bool {
	return len(d.seen) > 0 && !slices.ContainsFunc(d.parts, func(name string) bool { return name != hostPart })
}

// refuse leaves out what the decoder is at.
func (d *decoder) refuse(err error) {
	line, column := d.position(int(d.json.InputOffset()) - 1)
	row := RowKey(d.table)
	if d.inRow {
		row = Key(d.table, d.key)
	}
	d.file.Refused = append(d.file.Refused, &Fault{Row: row, Field: d.field, Err: fmt.Errorf("%w (line %d, column %d)", err, line, column)})
}

// note says what becomes of what the decoder is at.
func (d *decoder) note(what string) { d.file.Notes = append(d.file.Notes, d.noteOf(what)) }

func (d *decoder) noteOf(what string) string {
	line, column := d.position(int(d.json.InputOffset()) - 1)
	place := d.place()
	if place == "" {
		place = `the name ""`
	}
	return fmt.Sprintf("%d:%d: %s %s", line, column, place, what)
}
