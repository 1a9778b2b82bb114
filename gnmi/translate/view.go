package translate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"xon/gnmi/path"
	"xon/schema/configdb"
	"xon/schema/countersdb"
)

// Row is a row, or of a Query for fields the part of it that was asked for. All
// its texts are UTF-8.
type Row struct {
	Name   string   // of the hash
	Elems  []string // its path behind the database
	Fields Fields   // nil: it does not exist
}

// View reads what a Query is about, as often as one likes. Touches may be called
// beside the other methods, which are for one goroutine.
type View struct {
	*Query
	dbs Databases
	// places has the hashes and their paths when the Query goes by name.
	places atomic.Pointer[map[string][]string]
}

// Open makes a View.
func (q *Query) Open(dbs Databases) *View { return &View{Query: q, dbs: dbs} }

// All reads all rows, in order of their paths, Ethernet4 before Ethernet10.
func (v *View) All(ctx context.Context) ([]Row, error) {
	hashes, err := v.hashes(ctx)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", v, err)
	}
	rows := make([]Row, 0, len(hashes))
	for name, fields := range hashes {
		if r, ok := v.row(name, fields); ok && r.Fields != nil {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return slices.CompareFunc(a.Elems, b.Elems, configdb.CompareNatural) })
	return rows, nil
}

func (v *View) hashes(ctx context.Context) (map[string]Fields, error) {
	switch {
	case v.names != nil:
		places, err := v.names.resolve(ctx, v.dbs, v.table)
		if err != nil {
			return nil, err
		}
		v.places.Store(&places)
		return v.read(ctx, slices.Collect(maps.Keys(places)))
	case keyless(v.DB, v.table):
		return v.read(ctx, []string{v.table})
	case v.key != "" && !path.IsPattern(v.table) && !path.IsPattern(v.key):
		return v.read(ctx, []string{v.table + databases[v.DB].separator + v.key})
	case path.IsPattern(v.table):
		return v.dbs.Scan(ctx, v.DB, "")
	}
	return v.dbs.Scan(ctx, v.DB, v.table)
}

func (v *View) read(ctx context.Context, names []string) (map[string]Fields, error) {
	got, err := v.dbs.Read(ctx, v.DB, names)
	if err != nil {
		return nil, err
	}
	hashes := make(map[string]Fields, len(names))
	for i, name := range names {
		hashes[name] = got[i]
	}
	return hashes, nil
}

// Touches reports whether a change of the named hash may concern the View.
func (v *View) Touches(name string) bool {
	if v.names != nil {
		if slices.Contains(v.names.maps(), name) {
			return true
		}
		places := v.places.Load()
		return places != nil && (*places)[name] != nil
	}
	_, ok := v.place(name)
	return ok
}

// Some reads the named rows afresh, nil Fields for those that are gone. Names
// that do not belong here are left out. With again true the set of rows itself
// has changed and All is to be called instead.
func (v *View) Some(ctx context.Context, names []string) (rows []Row, again bool, err error) {
	if v.names != nil {
		for _, m := range v.names.maps() {
			if slices.Contains(names, m) {
				return nil, true, nil
			}
		}
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !v.Touches(n) })
	got, err := v.dbs.Read(ctx, v.DB, names)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", v, err)
	}
	for i, name := range names {
		if r, ok := v.row(name, got[i]); ok {
			rows = append(rows, r)
		}
	}
	return rows, false, nil
}

// row makes a Row of a hash, if it is asked for.
func (v *View) row(name string, fields Fields) (Row, bool) {
	elems, ok := v.place(name)
	return Row{Name: name, Elems: elems, Fields: v.pick(fields)}, ok
}

// place says where in the tree a hash is, and whether it is asked for.
func (v *View) place(name string) ([]string, bool) {
	if v.names != nil {
		elems, ok := (*v.places.Load())[name]
		return elems, ok
	}
	table, key, keyed := strings.Cut(clean(name), databases[v.DB].separator)
	if v.table != "" && !path.Match(v.table, table) || v.key != "" && !path.Match(v.key, key) {
		return nil, false
	}
	if !keyed {
		return []string{table}, true
	}
	return []string{table, key}, true
}

// pick leaves the fields that were asked for; nil when there are none.
func (v *View) pick(fields Fields) Fields {
	if v.field == "" || fields == nil {
		return cleaned(fields)
	}
	picked := Fields{}
	for f, text := range fields {
		if matchField(v.field, f) {
			picked[clean(f)] = clean(text)
		}
	}
	if len(picked) == 0 {
		return nil
	}
	return picked
}

// Kinds returns what each field of a hash holds. Only the fields of COUNTERS_DB are
// numbers; those of the other databases are texts to all who use them.
func (q *Query) Kinds(hash string) func(field string) countersdb.Kind {
	if q.DB != countersDB {
		return texts
	}
	return func(field string) countersdb.Kind { return countersdb.KindOf(hash, field) }
}

func texts(string) countersdb.Kind { return countersdb.Text }

// matchField compares names of fields: those of lists may have an @ at the end,
// which a client may leave out or write where there is none.
func matchField(pattern, field string) bool {
	return path.Match(strings.TrimSuffix(pattern, "@"), strings.TrimSuffix(field, "@")) || path.Match(pattern, field)
}

func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// cleaned makes all texts UTF-8, as gRPC wants them. Only a copy is changed.
func cleaned(fields Fields) Fields {
	for f, text := range fields {
		if !utf8.ValidString(f) || !utf8.ValidString(text) {
			all := make(Fields, len(fields))
			for f, text := range fields {
				all[clean(f)] = clean(text)
			}
			return all
		}
	}
	return fields
}

// empty stands for the fields of a row that has none, as it does in Redis.
var empty = Fields{"NULL": "NULL"}

// Leaves returns the fields that are sent one by one: a row without any has the
// one that Redis keeps it by, so that it can be seen to come and go.
func (r Row) Leaves() Fields {
	if r.Fields != nil && len(r.Fields) == 0 {
		return empty
	}
	return r.Fields
}
