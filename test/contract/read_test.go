package contract

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"xon/schema/redisdb"
)

// want is what a tool needs to find in a row, by field. A value that begins with ~ is a
// regular expression for all of it; gone is a field that must not be there. The field *
// is every field.
type want map[string]string

// gone is no field, and as the only one no row.
const gone = "\x00gone"

// nothing is no row.
var nothing = want{"*": gone}

// some is any value but an empty one.
const some = "~.+"

// number is a counter.
const number = "~[0-9]+"

// read is what a tool reads.
type read struct {
	db   redisdb.ID
	key  string // with names in place of the chip's ids: {port Ethernet0}
	want want
}

// reads checks that a tool finds what it needs, now or soon.
func (s *site) reads(tool string, rows ...read) {
	s.Helper()
	for _, r := range rows {
		if err := s.await(func() error { return s.check(r) }); err != nil {
			s.Errorf("%s reads %v %s: %v", tool, r.db, r.key, err)
		}
	}
}

func (s *site) check(r read) error {
	key, err := s.resolve(r.key)
	if err != nil {
		return err
	}
	f, err := s.row(r.db, key)
	if err != nil {
		return err
	}
	for name, text := range r.want {
		if err := check(f, name, text, s); err != nil {
			return err
		}
	}
	return nil
}

func check(f redisdb.Fields, name, text string, s *site) error {
	if name != "*" {
		return compare(f, name, text, s)
	}
	if text == gone {
		if f != nil {
			return fmt.Errorf("there is %v, want nothing", f)
		}
		return nil
	}
	if len(f) == 0 {
		return errors.New("there is no field")
	}
	for name := range f {
		if err := compare(f, name, text, s); err != nil {
			return err
		}
	}
	return nil
}

func compare(f redisdb.Fields, name, text string, s *site) error {
	name, err := s.resolve(name)
	if err != nil {
		return err
	}
	value, there := f[name]
	pattern, isPattern := strings.CutPrefix(text, "~")
	switch {
	case text == gone && there:
		return fmt.Errorf("%s is %q, want no such field", name, value)
	case text == gone:
		return nil
	case !there:
		return fmt.Errorf("there is no field %s among the %d, as %v", name, len(f), slices.Sorted(maps.Keys(f))[:min(len(f), 12)])
	case isPattern && !regexp.MustCompile("^(?:"+pattern+")$").MatchString(value):
		return fmt.Errorf("%s is %q, want what matches %s", name, value, pattern)
	case isPattern:
		return nil
	}
	text, err = s.resolve(text)
	if err == nil && text != value {
		err = fmt.Errorf("%s is %q, want %q", name, value, text)
	}
	return err
}

// nameMaps are where the chip's ids are found by name.
var nameMaps = map[string]string{
	"port": "COUNTERS_PORT_NAME_MAP", "queue": "COUNTERS_QUEUE_NAME_MAP", "pg": "COUNTERS_PG_NAME_MAP",
	"pool": "COUNTERS_BUFFER_POOL_NAME_MAP", "switch": "COUNTERS_SWITCH_NAME_MAP",
}

var name = regexp.MustCompile(`\{(\w+) ([^}]+)\}`)

// resolve puts the chip's ids in place of names.
func (s *site) resolve(text string) (string, error) {
	var failed error
	out := name.ReplaceAllStringFunc(text, func(ref string) string {
		m := name.FindStringSubmatch(ref)
		f, err := s.row(redisdb.CountersDB, nameMaps[m[1]])
		if id := f[m[2]]; err == nil && id != "" {
			return id
		}
		failed = errors.Join(err, fmt.Errorf("%s has no %s", nameMaps[m[1]], m[2]))
		return ref
	})
	return out, failed
}
