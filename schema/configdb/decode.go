package configdb

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"unicode/utf8"
)

// MaxFileSize is the size of the largest config_db.json that is read, 64 MiB: ten
// times what a switch of 512 ports needs.
const MaxFileSize = 64 << 20

// ReadFile reads a config_db.json; see Decode.
func ReadFile(path string, o FileOptions) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	file, err := Decode(f, o)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return file, nil
}

// Decode reads rows in the form of SONiC's config_db.json: an object of tables, in
// it objects of keys, in it fields with a string or a list of strings. A list
// becomes a field called "x@" with its items separated by commas, an empty one no
// field; a key without fields becomes a row with the placeholder NULL=NULL; numbers,
// true and false are taken as text. Every table is read, known or not.
//
// A part that has another shape is left out by itself, and the File says so. Errors
// are about the text as a whole: input that ends early, is no JSON or not UTF-8, or is
// larger than MaxFileSize, and a file for several ASICs of which no part is chosen.
// They begin with line and column ("12:5: ...") and name table, key and field.
func Decode(r io.Reader, o FileOptions) (*File, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // Windows editors begin files with it
	d := newDecoder(text, o)
	if len(text) > MaxFileSize {
		return nil, d.errorAt(MaxFileSize, fmt.Errorf("the file is larger than %d MiB", MaxFileSize>>20))
	}
	if i := invalidUTF8(text); i >= 0 {
		return nil, d.errorAt(i, fmt.Errorf("byte 0x%02x is not UTF-8", text[i]))
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.file, nil
}

// invalidUTF8 returns where text stops being UTF-8; -1 if it is all.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
}

// decoder walks through the tokens of a file. The place it is at is in table, key
// and field, for messages.
type decoder struct {
	FileOptions
	text  []byte
	json  *json.Decoder
	file  *File
	parts []string // for ASICs, as the file names them
	host  string   // a note on the host's part, if it is the only one beside tables

	table, key, field string
	inRow             bool // key is one, even if it is ""
	seen              map[string]bool

	lines, counted int // how many lines end in the bytes up to counted
}

func newDecoder(text []byte, o FileOptions) *decoder {
	d := &decoder{
		FileOptions: o, text: text, json: json.NewDecoder(bytes.NewReader(text)),
		file: &File{Rows: RawRows{}, Empty: map[RowKey][]string{}}, seen: map[string]bool{},
	}
	d.json.UseNumber()
	return d
}

func (d *decoder) read() error {
	token, err := d.token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return d.error(fmt.Errorf("the file must be an object in braces, not %s", kindOf(token)))
	}
	if err := d.members(d.topLevel); err != nil {
		return err
	}
	d.at("")
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return d.error(errors.New("there is more behind the end of the configuration"))
	}
	return d.chosen()
}

// topLevel reads what stands under a name of the file itself.
func (d *decoder) topLevel(name string) error {
	d.at(name)
	switch {
	case d.Verbatim:
		return d.readTable(name)
	case isPart(name):
		d.parts = append(d.parts, name)
		if name == hostPart && d.host == "" {
			d.host = d.noteOf("is no table and left out: the file has tables beside it, and no part for an ASIC")
		}
		if name == d.ASIC {
			_, err := d.object("a part of the file", d.tableOfPart)
			return err
		}
		return d.skip()
	case d.ASIC != "":
		d.note("is of no part of the file and left out, as " + d.ASIC + " alone was asked for")
		return d.skip()
	}
	return d.tableOfPart(name)
}

// tableOfPart reads a table, unless its name is none that SONiC would load.
func (d *decoder) tableOfPart(name string) error {
	d.at(name)
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		d.note("is no table and left out, as SONiC does: the name does not begin with a capital letter")
		return d.skip()
	}
	return d.readTable(name)
}

func (d *decoder) readTable(table string) error {
	if table == "" || strings.Contains(table, "|") {
		d.refuse(fmt.Errorf("%s can't be the name of a table", quote(table)))
		return d.skip()
	}
	if d.seen[table] {
		maps.DeleteFunc(d.file.Rows, func(k RowKey, _ Fields) bool { return k.Table() == table })
		d.note("is there twice; the last one counts")
	}
	d.seen[table] = true
	_, err := d.object("a table", func(key string) error {
		d.key, d.field, d.inRow = key, "", true
		return d.row()
	})
	return err
}

func (d *decoder) row() error {
	key := Key(d.table, d.key)
	if _, twice := d.file.Rows[key]; twice {
		delete(d.file.Rows, key)
		d.note("is there twice; the last one counts")
	}
	f := Fields{}
	ok, err := d.object("a row", func(field string) error { return d.readField(f, field) })
	if !ok || err != nil {
		return err
	}
	if len(f) == 0 {
		f[nullName] = nullName
	}
	d.file.Rows[key] = f
	return nil
}

func (d *decoder) readField(f Fields, field string) error {
	d.field = field
	stored, value, bad, err := d.value(field)
	if err != nil {
		return err
	}
	if field == "" {
		d.field, bad = `""`, errors.New("a field has no name")
	}
	if bad != nil {
		d.refuse(bad)
		return nil
	}
	if _, twice := f[stored]; twice {
		d.note("is there twice; the last one counts")
	}
	if stored == "" {
		key := Key(d.table, d.key)
		d.file.Empty[key] = append(d.file.Empty[key], field)
		return nil
	}
	f[stored] = value
	return nil
}

// value reads what stands behind a field's name. An empty list is stored as no field.
// bad says that it is no value; err that there is none to read.
func (d *decoder) value(field string) (stored, value string, bad, err error) {
	token, err := d.token()
	if err != nil {
		return "", "", nil, err
	}
	if token != json.Delim('[') {
		value, bad, err = d.scalar(token)
		return field, value, bad, err
	}
	var items []string
	for d.json.More() {
		token, err := d.token()
		if err != nil {
			return "", "", nil, err
		}
		item, wrong, err := d.scalar(token)
		if err != nil {
			return "", "", nil, err
		}
		items, bad = append(items, item), cmp.Or(bad, wrong)
	}
	_, err = d.token() // the closing bracket
	if len(items) == 0 {
		return "", "", nil, err
	}
	name, _ := plain(field)
	return name + "@", strings.Join(items, ","), bad, err
}

// scalar reads a text, and to the end what is none.
func (d *decoder) scalar(token json.Token) (text string, bad, err error) {
	switch t := token.(type) {
	case string:
		return t, nil, nil
	case json.Number:
		return t.String(), nil, nil
	case bool:
		return fmt.Sprint(t), nil, nil
	}
	return "", fmt.Errorf("%s is no value; want a string or a list of strings", kindOf(token)), d.finish(token)
}

// object reads an object and calls each with every name in it; each has to read
// what stands behind the name. Anything else is refused and left out: ok is false.
func (d *decoder) object(what string, each func(name string) error) (ok bool, err error) {
	token, err := d.token()
	if err != nil {
		return false, err
	}
	if token != json.Delim('{') {
		d.refuse(fmt.Errorf("%s must be an object in braces, not %s", what, kindOf(token)))
		return false, d.finish(token)
	}
	return true, d.members(each)
}

// members reads an object whose brace is open.
func (d *decoder) members(each func(name string) error) error {
	for d.json.More() {
		name, err := d.token()
		if err != nil {
			return err
		}
		text, ok := name.(string)
		if !ok { // the json package lets nothing else through
			return d.error(fmt.Errorf("%v is not a name", name))
		}
		if err := each(text); err != nil {
			return err
		}
	}
	_, err := d.token() // the closing brace
	return err
}

// skip reads one value and forgets it.
func (d *decoder) skip() error {
	token, err := d.token()
	if err != nil {
		return err
	}
	return d.finish(token)
}

// finish reads to the end of what a token began.
func (d *decoder) finish(token json.Token) error {
	depth := 0
	for {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if token, err = d.token(); err != nil {
			return err
		}
	}
}

func kindOf(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return "an object"
		}
		return "a list"
	case string:
		return "the string " + quote(t)
	case nil:
		return "null"
	default:
		return fmt.Sprint(t)
	}
}

func (d *decoder) token() (json.Token, error) {
	token, err := d.json.Token()
	if err == nil {
		return token, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, d.errorAt(len(d.text), errors.New("the file ends in the middle"))
	}
	return nil, d.errorAt(int(d.json.InputOffset()), err) // where what is wrong begins
}

// error puts the place behind the last token before err.
func (d *decoder) error(err error) error { return d.errorAt(int(d.json.InputOffset())-1, err) }

func (d *decoder) errorAt(offset int, err error) error {
	line, column := d.position(offset)
	if place := d.place(); place != "" {
		return fmt.Errorf("%d:%d: %s: %w", line, column, place, err)
	}
	return fmt.Errorf("%d:%d: %w", line, column, err)
}

// position is the line and the column of a byte, from 1. It counts on from the last
// one asked for.
func (d *decoder) position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(d.text))
	if offset < d.counted {
		d.lines, d.counted = 0, 0
	}
	d.lines += bytes.Count(d.text[d.counted:offset], []byte("\n"))
	d.counted = offset
	before := d.text[:offset]
	return d.lines + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// at notes the top-level name that the decoder has come to.
func (d *decoder) at(table string) { d.table, d.key, d.field, d.inRow = table, "", "", false }

// place names the table, key and field that the decoder is at.
func (d *decoder) place() string {
	var place []string
	for _, p := range []struct{ what, name string }{{"table", d.table}, {"key", d.key}, {"field", d.field}} {
		if p.name != "" {
			place = append(place, p.what+" "+quote(p.name))
		}
	}
	return strings.Join(place, ", ")
}
