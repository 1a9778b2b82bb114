package configdb_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

// FuzzParse checks that no row whatever makes Parse panic, that what it accepts
// can be written and read again, and that what it refuses it refuses with Faults.
// Fields are given as lines "name=value".
func FuzzParse(f *testing.F) {
	for _, tt := range goodRows {
		f.Add(string(tt.key), lines(tt.fields))
	}
	for _, tt := range badRows {
		f.Add(string(tt.key), lines(tt.fields))
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		row := fields{}
		for line := range strings.SplitSeq(text, "\n") {
			name, value, _ := strings.Cut(line, "=")
			row[name] = value
		}
		parsed, _, err := configdb.Parse(configdb.RowKey(key), row)
		var faults configdb.Faults
		switch {
		case err == nil:
			checkRoundTrip(t, parsed)
			configdb.References(parsed)
		case !errors.As(err, &faults) || len(faults) == 0 || err.Error() == "":
			t.Errorf("err = %#v", err)
		}
	})
}

func lines(f fields) string {
	var list []string
	for name, value := range f {
		list = append(list, name+"="+value)
	}
	return strings.Join(list, "\n")
}

// FuzzDecode checks that no file whatever makes Decode panic, and that what it
// accepts can be written and read again.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"PORT": {"Ethernet0": {"lanes": "1,2", "adv_speeds": ["1", 2], "x": true}, "Ethernet4": {}}}`,
		`{"a": {"b": {"c@": [], "c": "", "NULL": "NULL", "@": "x"}}}`,
		"{\"caf\xe9\": 1}", `{"a": {"b": {"c": [[`, `[{}]`, ``, `{"a": {"b": {"\ud800": "\u0000"}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := configdb.Decode(bytes.NewReader(text), configdb.FileOptions{Verbatim: true})
		if err != nil {
			return
		}
		rows := file.Rows
		var b bytes.Buffer
		if err := configdb.Encode(&b, rows); err != nil {
			t.Fatal(err)
		}
		again, err := configdb.Decode(&b, configdb.FileOptions{Verbatim: true})
		if err != nil || len(again.Refused) > 0 {
			t.Fatal(err, again.Refused)
		}
		for key, row := range rows {
			if len(row) > 1 && row["NULL"] == "NULL" {
				delete(row, "NULL") // the placeholder goes where there is something else
			}
			if diff := cmp.Diff(row, again.Rows[key], plainly); diff != "" {
				t.Fatalf("%s:\n%s", key, diff)
			}
		}
	})
}
