package configdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// fileMode is the mode of a new config_db.json: it may hold passwords.
const fileMode fs.FileMode = 0o640

// WriteFile writes a config_db.json, so that at any moment, even of a power cut,
// there is the old file or the new one: into a new file in the same directory,
// synced, then renamed. An existing file's mode is kept; a symbolic link is
// followed.
//
// Like Encode it may return Faults for rows that were left out; the file is
// written then. With any other error the old file is untouched.
func WriteFile(path string, rows RawRows) error {
	target, mode, err := resolve(path)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	left, err := replaceFile(target, mode, rows)
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	if len(left) > 0 {
		return left
	}
	return nil
}

// resolve finds the file behind path and the mode that it has or shall have.
func resolve(path string) (string, fs.FileMode, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, fileMode, nil
	}
	if err != nil {
		return "", 0, err
	}
	info, err := os.Stat(target)
	if err != nil {
		return "", 0, err
	}
	return target, info.Mode().Perm(), nil
}

func replaceFile(target string, mode fs.FileMode, rows RawRows) (left Faults, err error) {
	dir := filepath.Dir(target)
	f, err := os.CreateTemp(dir, "."+filepath.Base(target)+".*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if left, err = fill(f, mode, rows); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err = f.Close(); err != nil {
		return nil, err
	}
	if err = os.Rename(f.Name(), target); err != nil {
		return nil, err
	}
	return left, syncDir(dir)
}

func fill(f *os.File, mode fs.FileMode, rows RawRows) (Faults, error) {
	left, err := encode(f, rows)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(mode); err != nil {
		return nil, err
	}
	return left, f.Sync()
}

// syncDir makes a rename in dir last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Encode writes rows in the form that Decode reads, tables by name, keys and fields
// in natural order, so that equal rows give equal bytes. A field "x@" becomes a
// list called "x".
//
// A row that is not UTF-8, or that has no name, has no form in JSON. Such rows are
// left out and returned as Faults, after all others were written.
func Encode(w io.Writer, rows RawRows) error {
	left, err := encode(w, rows)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return left
	}
	return nil
}

func encode(w io.Writer, rows RawRows) (left Faults, err error) {
	keys := map[string][]RowKey{}
	for key, f := range rows {
		if fault := unwritable(key, f); fault != nil {
			left = append(left, fault)
			continue
		}
		keys[key.Table()] = append(keys[key.Table()], key)
	}
	slices.SortFunc(left, func(a, b *Fault) int { return strings.Compare(string(a.Row), string(b.Row)) })
	e := encoder{new(bytes.Buffer)}
	e.object(0, slices.Sorted(maps.Keys(keys)), func(table string) {
		e.table(keys[table], rows)
	})
	e.w.WriteByte('\n')
	_, err = e.w.WriteTo(w)
	return left, err
}

// unwritable says why a row can't be written; nil if it can.
func unwritable(key RowKey, f Fields) *Fault {
	if !utf8.ValidString(string(key)) {
		return &Fault{Row: RowKey(printable(string(key))), Err: errors.New("the key is not UTF-8")}
	}
	if !strings.Contains(string(key), "|") || key.Table() == "" {
		return &Fault{Row: key, Err: errors.New("the row's name is not a table and a key")}
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name == "" {
			return &Fault{Row: key, Err: errors.New("a field has no name")}
		}
		if !utf8.ValidString(name) || !utf8.ValidString(f[name]) {
			return &Fault{Row: key, Field: printable(name), Err: fmt.Errorf("%s is not UTF-8", quote(f[name]))}
		}
	}
	return nil
}

// encoder writes indented JSON.
type encoder struct{ w *bytes.Buffer }

func (e encoder) table(keys []RowKey, rows RawRows) {
	byKey := make(map[string]Fields, len(keys))
	for _, k := range keys {
		byKey[k.Key()] = rows[k]
	}
	e.object(1, slices.SortedFunc(maps.Keys(byKey), CompareNatural), func(key string) {
		e.row(byKey[key])
	})
}

func (e encoder) row(f Fields) {
	stored := slices.DeleteFunc(slices.Collect(maps.Keys(f)), func(name string) bool {
		return name == nullName && f[name] == nullName
	})
	slices.SortFunc(stored, CompareNatural)
	e.braces(2, len(stored), func(i int) {
		value := f[stored[i]]
		name, list := jsonName(stored[i], f)
		e.name(3, name)
		if list {
			e.list(3, strings.Split(value, ","))
		} else {
			e.text(value)
		}
	})
}

// jsonName is the name of a stored field in the file, and whether it is a list
// there. A "@" stays, with a plain text, where without it the file could not be
// read back to the same row: an empty list in a file is a field that is not there.
func jsonName(stored string, f Fields) (name string, list bool) {
	base, list := plain(stored)
	_, twice := f[base]
	if !list || twice || f[stored] == "" || base == "" || strings.HasSuffix(base, "@") {
		return stored, false
	}
	return base, true
}

func (e encoder) object(depth int, names []string, each func(name string)) {
	e.braces(depth, len(names), func(i int) {
		e.name(depth+1, names[i])
		each(names[i])
	})
}

func (e encoder) braces(depth, n int, each func(i int)) {
	e.w.WriteByte('{')
	for i := range n {
		if i > 0 {
			e.w.WriteByte(',')
		}
		each(i)
	}
	if n > 0 {
		e.line(depth)
	}
	e.w.WriteByte('}')
}

func (e encoder) list(depth int, items []string) {
	e.w.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			e.w.WriteByte(',')
		}
		e.line(depth + 1)
		e.text(item)
	}
	if len(items) > 0 {
		e.line(depth)
	}
	e.w.WriteByte(']')
}

func (e encoder) name(depth int, name string) {
	e.line(depth)
	e.text(name)
	e.w.WriteString(": ")
}

func (e encoder) line(depth int) {
	e.w.WriteByte('\n')
	for range depth {
		e.w.WriteString("    ")
	}
}

// text writes a string. Nearly all need no escaping.
func (e encoder) text(s string) {
	if plainText(s) {
		e.w.WriteByte('"')
		e.w.WriteString(s)
		e.w.WriteByte('"')
		return
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	e.w.Write(quoted)
}

func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
