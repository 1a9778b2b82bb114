package configdb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// column is one field of a table: its description together with the code that
// reads it into a row and writes it back, so that the three can't differ.
type column[R any] struct {
	Field
	parse  func(r *R, text string) error
	format func(r *R) (text string, present bool)
	// preset puts the default in, where parse would do more than that; else nil.
	preset func(r *R, text string) error
	// refers returns the names that the field refers to; nil if it never does.
	refers func(r *R) []string
}

// setDefault has r hold what an absent field means.
func (c *column[R]) setDefault(r *R) error {
	switch {
	case c.Default == "":
		return nil
	case c.preset != nil:
		return c.preset(r, c.Default)
	}
	return c.parse(r, c.Default)
}

// text is a field that holds any text.
func text[R any](f Field, at func(*R) *string) column[R] {
	f.Type = Text
	return column[R]{
		Field:  f,
		parse:  func(r *R, s string) error { *at(r) = s; return nil },
		format: func(r *R) (string, bool) { return *at(r), *at(r) != f.Default },
	}
}

// checked is a field whose text has a form of its own.
func checked[R any](f Field, check func(string) error, at func(*R) *string) column[R] {
	c := text(f, at)
	c.Type = f.Type
	c.parse = func(r *R, s string) error {
		if err := check(s); err != nil {
			return err
		}
		*at(r) = s
		return nil
	}
	return c
}

// unsigned is a number from lo to hi. A field that is absent and has no default
// is 0.
func unsigned[R any, T ~uint8 | ~uint32 | ~uint64](f Field, lo, hi uint64, at func(*R) *T) column[R] {
	f.Type, f.Range = Integer, fmt.Sprintf("%d to %d", lo, hi)
	absent, _ := strconv.ParseUint(f.Default, 10, 64)
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			n, err := parseUint(s, lo, hi)
			*at(r) = T(n)
			return err
		},
		format: func(r *R) (string, bool) {
			n := uint64(*at(r))
			return strconv.FormatUint(n, 10), n != absent
		},
	}
}

// signed is a number from lo to hi.
func signed[R any](f Field, lo, hi int64, at func(*R) *int8) column[R] {
	f.Type, f.Range = Integer, fmt.Sprintf("%d to %d", lo, hi)
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			n, err := parseInt(s, lo, hi)
			*at(r) = int8(n)
			return err
		},
		format: func(r *R) (string, bool) { return strconv.Itoa(int(*at(r))), *at(r) != 0 },
	}
}

// optional makes a field of c whose presence alone has a meaning.
func optional[R any](c column[R], has func(*R) *bool) column[R] {
	parse, format := c.parse, c.format
	c.preset = parse
	c.parse = func(r *R, s string) error { *has(r) = true; return parse(r, s) }
	c.format = func(r *R) (string, bool) { s, _ := format(r); return s, *has(r) }
	return c
}

// choice is one of several words. Without a default, "" is none.
func choice[R any](f Field, at func(*R) *string, values ...string) column[R] {
	f.Type, f.Values, f.Range = Choice, values, orList(values)
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			if !slices.Contains(values, s) {
				return fmt.Errorf("%s is not %s", quote(s), f.Range)
			}
			*at(r) = s
			return nil
		},
		format: func(r *R) (string, bool) { return *at(r), *at(r) != f.Default },
	}
}

// flag is a choice of two words, the second of which is true.
func flag[R any](f Field, no, yes string, at func(*R) *bool) column[R] {
	f.Type, f.Values, f.Range = Choice, []string{no, yes}, no+" or "+yes
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			if s != no && s != yes {
				return fmt.Errorf("%s is not %s", quote(s), f.Range)
			}
			*at(r) = s == yes
			return nil
		},
		format: func(r *R) (string, bool) {
			if *at(r) {
				return yes, f.Default != yes
			}
			return no, f.Default == yes
		},
	}
}

// boolean is a flag of "true" and "false", in any case: SONiC's YANG allows "True",
// which is how Python writes it.
func boolean[R any](f Field, at func(*R) *bool) column[R] {
	c := flag(f, "false", "true", at)
	c.Type = Boolean
	parse := c.parse
	c.parse = func(r *R, s string) error {
		if lower := strings.ToLower(s); slices.Contains(c.Values, lower) {
			s = lower
		}
		return parse(r, s)
	}
	return c
}

// reference is the name of a row of another table. Empty is none.
func reference[R any](f Field, table string, at func(*R) *string) column[R] {
	f.Type, f.Refers, f.Range = Reference, table, "a name in "+table
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			if s == "" {
				*at(r) = ""
				return nil
			}
			name, err := parseReference(table, s)
			if err == nil {
				*at(r) = name
			}
			return err
		},
		format: func(r *R) (string, bool) { return *at(r), *at(r) != "" },
		refers: func(r *R) []string {
			if *at(r) == "" {
				return nil
			}
			return []string{*at(r)}
		},
	}
}

// require makes a field of c that must be there.
func require[R any](c column[R]) column[R] {
	c.Required = true
	return c
}

// needed has the reference c refuse "no reference".
func needed[R any](c column[R]) column[R] {
	c.Required = true
	parse := c.parse
	c.parse = func(r *R, s string) error {
		if s == "" {
			return errors.New("empty: a name in " + c.Refers + " is needed; remove the row to have none")
		}
		return parse(r, s)
	}
	return c
}

// references is a list of names of rows of another table, in the order given,
// each once.
func references[R any](f Field, table string, at func(*R) *[]string) column[R] {
	f.Type, f.Refers, f.Range, f.List = Reference, table, "names in "+table, true
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			names := splitList(s)
			for i, s := range names {
				name, err := parseReference(table, s)
				if err != nil {
					return err
				}
				names[i] = name
			}
			if name, twice := duplicate(names); twice {
				return fmt.Errorf("%s is named twice", name)
			}
			*at(r) = names
			return nil
		},
		format: func(r *R) (string, bool) { return strings.Join(*at(r), ","), len(*at(r)) > 0 },
		refers: func(r *R) []string { return *at(r) },
	}
}

// numbers is a list of numbers from lo to hi, in the order given.
func numbers[R any](f Field, lo, hi uint64, at func(*R) *[]uint32) column[R] {
	f.Type, f.List, f.Range = Integer, true, fmt.Sprintf("%d to %d each", lo, hi)
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			list, err := parseNumbers(s, lo, hi)
			*at(r) = list
			return err
		},
		format: func(r *R) (string, bool) {
			words := make([]string, len(*at(r)))
			for i, n := range *at(r) {
				words[i] = strconv.FormatUint(uint64(n), 10)
			}
			return strings.Join(words, ","), len(words) > 0
		},
	}
}

func parseNumbers(s string, lo, hi uint64) ([]uint32, error) {
	var list []uint32
	for _, word := range splitList(s) {
		n, err := parseUint(word, lo, hi)
		if err != nil {
			return nil, err
		}
		list = append(list, uint32(n))
	}
	return list, nil
}

// bits is a list of numbers 0 to 7 that is kept as a mask.
func bits[R any](f Field, at func(*R) *uint8) column[R] {
	f.Type, f.List, f.Range = Integer, true, "0 to 7 each"
	return column[R]{
		Field: f,
		parse: func(r *R, s string) error {
			list, err := parseNumbers(s, 0, 7)
			*at(r) = 0
			for _, n := range list {
				*at(r) |= 1 << n
			}
			return err
		},
		format: func(r *R) (string, bool) {
			var words []string
			for n := range 8 {
				if *at(r)>>n&1 != 0 {
					words = append(words, strconv.Itoa(n))
				}
			}
			return strings.Join(words, ","), len(words) > 0
		},
	}
}

// passive are fields that SONiC knows and xon does not act on. They are kept as
// they are, so that a row loses nothing on its way through xon.
func passive[R any](at func(*R) *Fields, names ...string) []column[R] {
	columns := make([]column[R], len(names))
	for i, stored := range names {
		name, list := plain(stored)
		columns[i] = column[R]{
			Field: Field{Name: name, Type: Text, List: list, At: list, Passive: true, Example: "x", Doc: "Known to SONiC; xon keeps it and does not act on it."},
			parse: func(r *R, s string) error {
				if *at(r) == nil {
					*at(r) = Fields{}
				}
				(*at(r))[name] = s
				return nil
			},
			format: func(r *R) (string, bool) { s, ok := (*at(r))[name]; return s, ok },
		}
	}
	return columns
}

// idle are passive fields that SONiC acts on. asIs has the value of each that asks for what
// xon does anyway, "" if there is none.
func idle[R any](at func(*R) *Fields, asIs map[string]string) []column[R] {
	columns := passive(at, slices.Sorted(maps.Keys(asIs))...)
	for i := range columns {
		c := &columns[i]
		c.Unlike, c.AsIs = true, asIs[c.Name]
		c.Doc = "SONiC acts on it; xon keeps it and warns that it has no effect."
	}
	return columns
}

// orList joins words for a message: "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
