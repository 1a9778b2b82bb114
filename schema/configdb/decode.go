package configdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// MaxFileSize is the size of the largest config_db.json that is read, 64 MiB: ten
// times what a switch of 512 ports needs.
const MaxFileSize = 64 << 20

// ReadFile reads a config_db.json; see Decode.
func ReadFile(path string) (RawRows, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	rows, err := Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	return rows, nil
}

// Decode reads rows in the form of SONiC's config_db.json: an object of tables, in
// it objects of keys, in it fields with a string or a list of strings. A list
// becomes a field called "x@" with its items separated by commas; a key without
// fields becomes a row with the placeholder NULL=NULL; numbers, true and false are
// taken as text. Every table is read, known or not.
//
// Errors begin with line and column ("12:5: ...") and name table, key and field.
// Input that ends early, is not UTF-8, is larger than MaxFileSize, has another
// shape or names something twice gives no rows at all.
func Decode(r io.Reader) (RawRows, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // Windows editors begin files with it
	d := newDecoder(text)
	if len(text) > MaxFileSize {
		return nil, d.errorAt(MaxFileSize, fmt.Errorf("the file is larger than %d MiB", MaxFileSize>>20))
	}
	if i := invalidUTF8(text); i >= 0 {
		return nil, d.errorAt(i, fmt.Errorf("byte 0x%02x is not UTF-8", text[i]))
	}
	rows, err := d.file()
	if err != nil {
		return nil, err
	}
	return rows, nil
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
	text []byte
	json *json.Decoder
	rows RawRows

	table, key, field string
}

func newDecoder(text []byte) *decoder {
	d := &decoder{text: text, json: json.NewDecoder(bytes.NewReader(text)), rows: RawRows{}}
	d.json.UseNumber()
	return d
}

func (d *decoder) file() (RawRows, error) {
	seen := map[string]bool{}
	err := d.object("the file", func(table string) error {
		d.table, d.key, d.field = table, "", ""
		if table == "" || strings.Contains(table, "|") {
			return d.error(fmt.Errorf("%s can't be the name of a table", quote(table)))
		}
		if seen[table] {
			return d.error(errors.New("the table is there twice"))
		}
		seen[table] = true
		return d.readTable()
	})
	if err != nil {
		return nil, err
	}
	d.table, d.key, d.field = "", "", ""
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, d.error(errors.New("there is more behind the end of the configuration"))
	}
	return d.rows, nil
}

func (d *decoder) readTable() error {
	return d.object("a table", func(key string) error {
		d.key, d.field = key, ""
		if key == "" {
			return d.error(errors.New("a row has no key"))
		}
		if _, twice := d.rows[Key(d.table, key)]; twice {
			return d.error(errors.New("the row is there twice"))
		}
		return d.row()
	})
}

func (d *decoder) row() error {
	f := Fields{}
	err := d.object("a row", func(field string) error {
		d.field = field
		if field == "" {
			return d.error(errors.New("a field has no name"))
		}
		stored, value, err := d.value(field)
		if err != nil {
			return err
		}
		if _, twice := f[stored]; twice {
			return d.error(errors.New("the field is there twice"))
		}
		f[stored] = value
		return nil
	})
	if len(f) == 0 {
		f[nullName] = nullName
	}
	d.rows[Key(d.table, d.key)] = f
	return err
}

// value reads what stands behind a field's name.
func (d *decoder) value(field string) (stored, value string, err error) {
	token, err := d.token()
	if err != nil {
		return "", "", err
	}
	if token != json.Delim('[') {
		value, err = d.scalar(token)
		return field, value, err
	}
	var items []string
	for d.json.More() {
		item, err := d.token()
		if err != nil {
			return "", "", err
		}
		text, err := d.scalar(item)
		if err != nil {
			return "", "", err
		}
		items = append(items, text)
	}
	_, err = d.token() // the closing bracket
	name, _ := plain(field)
	return name + "@", strings.Join(items, ","), err
}

func (d *decoder) scalar(token json.Token) (string, error) {
	switch t := token.(type) {
	case string:
		return t, nil
	case json.Number:
		return t.String(), nil
	case bool:
		return fmt.Sprint(t), nil
	case nil:
		return "", d.error(errors.New("null is no value; want a string or a list of strings"))
	default:
		return "", d.error(fmt.Errorf("%v begins no value; want a string or a list of strings", t))
	}
}

// object reads an object and calls each with every name in it; each has to read
// what stands behind the name.
func (d *decoder) object(what string, each func(name string) error) error {
	token, err := d.token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return d.error(fmt.Errorf("%s must be an object in braces, not %s", what, kindOf(token)))
	}
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
	_, err = d.token() // the closing brace
	return err
}

func kindOf(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
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
	before := d.text[:min(max(offset, 0), len(d.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	var place []string
	for _, p := range []struct{ what, name string }{{"table", d.table}, {"key", d.key}, {"field", d.field}} {
		if p.name != "" {
			place = append(place, p.what+" "+quote(p.name))
		}
	}
	if len(place) == 0 {
		return fmt.Errorf("%d:%d: %w", line, column, err)
	}
	return fmt.Errorf("%d:%d: %s: %w", line, column, strings.Join(place, ", "), err)
}
