package configdb

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// rowOf is the pointer to a row's struct.
type rowOf[R any] interface {
	*R
	Row
}

// spec is how the rows of one table are read and written.
type spec[R any, P rowOf[R]] struct {
	key     func(r *R, key string) error // reads the key behind the table's name
	id      func(r *R) *RowKey
	columns []column[R]
	// hides reports that a row does not have the field, though others of its table do;
	// nil if all have the same.
	hides func(r *R, name string) bool
	open  *open[R]               // for fields that are named by data
	check func(r *R, p *parsing) // what concerns several fields; nil for none
	// idle says why a field of a row, or with "" the row, comes to nothing in xon, nil if it does
	// not; nil for tables whose rows never do.
	idle  func(r *R) (field string, err error)
	place *placement[R]       // the ports that the key names; nil for tables whose keys name none
	needs func(r *R) []RowKey // other rows that the key, or fields together, refer to; nil for none
	// keep says what a row means that was written while another one was in effect, in
	// a table whose fields can't be taken back; nil for tables of which they can.
	keep func(now, was Fields) Fields
	// remember adds to a row, in fields named XON_…, what of the one in effect before may
	// still be of use; nil for tables that need nothing of it.
	remember func(now, was Fields) Fields
	at       func(c *Config) *map[string]P

	byName  map[string]int // index into columns
	initial R              // all defaults
}

// open are the fields of a table whose names are data, like the code points of a
// map.
type open[R any] struct {
	Field
	// match reports whether a name can belong to the table at all; parse then
	// finds faults in name and value.
	match func(name string) bool
	// all says that parse is to find fault with the other names too: the row is not good
	// without what they mean.
	all    bool
	parse  func(r *R, name, value string) error
	finish func(r *R, p *parsing) // after all fields; nil for nothing
	format func(r *R, f Fields)
}

// define makes a table of its description and its spec.
func define[R any, P rowOf[R]](t Table, s *spec[R, P]) *Table {
	s.byName = make(map[string]int, len(s.columns))
	for i, c := range s.columns {
		s.byName[c.Name] = i
		t.Fields = append(t.Fields, c.Field)
		if err := c.setDefault(&s.initial); err != nil {
			panic(fmt.Sprintf("configdb: default of %s.%s: %v", t.Name, c.Name, err))
		}
	}
	if s.open != nil {
		t.Fields = append(t.Fields, s.open.Field)
	}
	t.rows = s
	return &t
}

// parsing gathers the faults of one row.
type parsing struct {
	row    RowKey
	faults Faults
}

func (p *parsing) fail(field string, err error) {
	if err != nil {
		p.faults = append(p.faults, &Fault{Row: p.row, Field: field, Err: err})
	}
}

// rule fails the first of several fields that contradict each other. It keeps
// quiet when one of them is at fault in itself: its value means nothing then.
func (p *parsing) rule(err error, fields ...string) {
	for _, f := range p.faults {
		if f.Field != "" && slices.Contains(fields, f.Field) {
			return
		}
	}
	p.fail(fields[0], err)
}

func (s *spec[R, P]) parse(key RowKey, f Fields) (Row, []string, Faults) {
	r := s.initial
	p := &parsing{row: key}
	*s.id(&r) = key
	p.fail("", s.parseKey(&r, key))
	unknown := s.parseFields(&r, f, p)
	for i := range s.columns {
		if c := &s.columns[i]; c.Required && !has(f, c.Name) {
			p.fail(c.Name, errors.New("is required"))
		}
	}
	if s.open != nil && s.open.finish != nil {
		s.open.finish(&r, p)
	}
	if s.check != nil {
		s.check(&r, p)
	}
	slices.SortStableFunc(p.faults, func(a, b *Fault) int { return CompareNatural(a.Field, b.Field) })
	return P(&r), unknown, p.faults
}

func (s *spec[R, P]) parseKey(r *R, key RowKey) error {
	if !utf8.ValidString(string(key)) {
		return fmt.Errorf("key %s is not UTF-8", quote(key.Key()))
	}
	return s.key(r, key.Key())
}

// has reports whether the row has the field in either spelling.
func has(f Fields, name string) bool {
	if _, ok := f[name]; ok {
		return true
	}
	_, ok := f[name+"@"]
	return ok
}

func (s *spec[R, P]) parseFields(r *R, f Fields, p *parsing) (unknown []string) {
	for stored, value := range f {
		switch {
		case !utf8.ValidString(stored):
			p.fail(strings.Trim(quote(stored), `"`), errors.New("the field's name is not UTF-8"))
		case !utf8.ValidString(value):
			p.fail(stored, fmt.Errorf("%s is not UTF-8", quote(value)))
		case stored == nullName && value == nullName: // a placeholder
		case !s.parseField(r, f, stored, p):
			unknown = append(unknown, stored)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// parseField reads one field and reports whether the table has it.
func (s *spec[R, P]) parseField(r *R, f Fields, stored string, p *parsing) bool {
	c := s.column(stored)
	if c == nil || (s.hides != nil && s.hides(r, c.Name)) {
		if s.open == nil || !s.open.all && !s.open.match(stored) {
			return false
		}
		p.fail(stored, s.open.parse(r, stored, f[stored]))
		return true
	}
	if other, ok := f[c.Name]; ok && stored != c.Name && other != f[stored] {
		p.fail(c.Name, fmt.Errorf("is there twice: as %q with %s and as %q with %s", c.Name, quote(other), stored, quote(f[stored])))
		return true
	}
	p.fail(c.Name, c.parse(r, f[stored]))
	return true
}

// column finds the column of a stored field; nil if there is none.
func (s *spec[R, P]) column(stored string) *column[R] {
	name, list := plain(stored)
	i, ok := s.byName[name]
	if !ok || (list && !s.columns[i].List) {
		return nil
	}
	return &s.columns[i]
}

// typed returns a row as what the rows of this table are.
func (s *spec[R, P]) typed(row Row) P {
	r, ok := row.(P)
	if !ok {
		panic(fmt.Sprintf("configdb: %s is a row of type %T", row.RowKey(), row))
	}
	return r
}

func (s *spec[R, P]) format(row Row) Fields {
	r := (*R)(s.typed(row))
	f := Fields{}
	for i := range s.columns {
		c := &s.columns[i]
		if text, present := c.format(r); present || c.Required {
			f[c.Stored()] = text
		}
	}
	if s.open != nil {
		s.open.format(r, f)
	}
	return f
}

func (s *spec[R, P]) target() Target {
	if s.place == nil {
		return NoTarget
	}
	return s.place.target
}

func (s *spec[R, P]) span(row Row) Span {
	if s.place == nil {
		return Span{}
	}
	return s.place.span((*R)(s.typed(row)))
}

func (s *spec[R, P]) withPorts(row Row, key RowKey, ports []string) Row {
	r := *s.typed(row)
	*s.id(&r) = key
	s.place.move(&r, ports)
	return P(&r)
}

func (s *spec[R, P]) required(row Row) []RowKey {
	if s.needs == nil {
		return nil
	}
	return s.needs((*R)(s.typed(row)))
}

func (s *spec[R, P]) refs(row Row, yield func(Ref) bool) {
	r := (*R)(s.typed(row))
	for i := range s.columns {
		c := &s.columns[i]
		if c.refers == nil {
			continue
		}
		for _, name := range c.refers(r) {
			if !yield(Ref{Field: c.Name, Table: c.Refers, Name: name}) {
				return
			}
		}
	}
}

func (s *spec[R, P]) field(stored string) (Field, bool) {
	if c := s.column(stored); c != nil {
		return c.Field, true
	}
	if s.open != nil && s.open.match(stored) {
		return s.open.Field, true
	}
	return Field{}, false
}

func (s *spec[R, P]) withoutEffect(row Row) (field string, err error) {
	if s.idle == nil {
		return "", nil
	}
	return s.idle((*R)(s.typed(row)))
}

func (s *spec[R, P]) keeps() bool { return s.keep != nil }

func (s *spec[R, P]) kept(now, was Fields) Fields {
	switch {
	case s.keep != nil:
		return s.keep(now, was)
	case s.remember != nil:
		return s.remember(now, was)
	}
	return now
}

func (s *spec[R, P]) get(c *Config, key string) Row {
	if r, ok := (*s.at(c))[key]; ok {
		return r
	}
	return nil
}

func (s *spec[R, P]) put(c *Config, row Row)       { (*s.at(c))[row.RowKey().Key()] = s.typed(row) }
func (s *spec[R, P]) remove(c *Config, key string) { delete(*s.at(c), key) }

// own gives c a map of its own, to be written to.
func (s *spec[R, P]) own(c *Config) {
	at := s.at(c)
	if *at = maps.Clone(*at); *at == nil {
		*at = map[string]P{}
	}
}

func (s *spec[R, P]) take(c, from *Config) { *s.at(c) = *s.at(from) }

// diff yields the keys of rows that differ, until yield returns false, which it returns.
func (s *spec[R, P]) diff(c, other *Config, yield func(RowKey) bool) bool {
	a, b := *s.at(c), *s.at(other)
	if reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() {
		return true
	}
	for name, row := range a {
		if row != b[name] && !yield(row.RowKey()) {
			return false
		}
	}
	for name, row := range b {
		if a[name] == nil && !yield(row.RowKey()) {
			return false
		}
	}
	return true
}

// each yields the rows in no order.
func (s *spec[R, P]) each(c *Config) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, row := range *s.at(c) {
			if !yield(row) {
				return
			}
		}
	}
}

func (s *spec[R, P]) all(c *Config) []Row {
	m := *s.at(c)
	list := make([]Row, 0, len(m))
	for _, key := range slices.SortedFunc(maps.Keys(m), CompareNatural) {
		list = append(list, m[key])
	}
	return list
}
