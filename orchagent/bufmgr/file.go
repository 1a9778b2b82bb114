package bufmgr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"xon/schema/configdb"
)

// object is one object of a file of tables: the name of a table, a key and fields.
type object struct {
	table, key string
	fields     configdb.Fields
}

// parseObjects reads a file in the form in which SONiC loads tables into a database:
//
//	[{"ASIC_TABLE:NAME": {"cell_size": "128"}, "OP": "SET"}]
//
// A key may be separated by a bar as well. Errors name the file and the line, or what
// in it is wrong.
func parseObjects(source string, text []byte) ([]object, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes are too many: at most %d", source, len(text), maxFile)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var items []map[string]json.RawMessage
	if err := d.Decode(&items); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", source, lineOf(text, d, err), fault(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: there is more behind the list", source, lineOf(text, d, nil))
	}
	var all []object
	for i, item := range items {
		for _, name := range slices.Sorted(maps.Keys(item)) {
			if name == "OP" {
				continue
			}
			o, err := parseObject(name, item[name])
			if err != nil {
				return nil, fmt.Errorf("%s: object %d: %w", source, i+1, err)
			}
			all = append(all, o)
		}
	}
	return all, nil
}

func parseObject(name string, raw json.RawMessage) (object, error) {
	table, key := name, ""
	if i := strings.IndexAny(name, ":|"); i >= 0 {
		table, key = name[:i], name[i+1:]
	}
	o := object{table: table, key: key, fields: configdb.Fields{}}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		return o, fmt.Errorf("%q: %w", name, fault(err))
	}
	for field, value := range fields {
		switch v := value.(type) {
		case string:
			o.fields[field] = v
		case json.Number:
			o.fields[field] = v.String()
		default:
			return o, fmt.Errorf("%q: field %q is neither a string nor a number", name, field)
		}
	}
	return o, nil
}

// fault says in words of the file what is wrong with it.
func fault(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Type.Kind() == reflect.Slice:
		return fmt.Errorf("a list of objects ought to be here, [{...}], not %s", kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("an object ought to be here, {...}, not %s", kind.Value)
	case errors.Is(err, io.EOF):
		return errors.New("there is nothing in it")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle of a value")
	}
	return err
}

// lineOf is the line in which reading stopped.
func lineOf(text []byte, d *json.Decoder, err error) int {
	offset := d.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		offset = int64(len(text))
	}
	return bytes.Count(text[:min(max(offset, 0), int64(len(text)))], []byte("\n")) + 1
}
