package configdb_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"xon/schema/configdb"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		json string
		want raw
		err  string
	}{
		{name: "empty", json: ` {} `, want: raw{}},
		{name: "empty table", json: `{"PORT": {}}`, want: raw{}},
		{
			name: "rows",
			json: `{"PORT": {"Ethernet0": {"lanes": "1,2", "adv_speeds": ["40000", "100000"], "mtu": 9100, "x": true, "y": []}}, "Q": {"a|0": {}}}`,
			want: raw{
				"PORT|Ethernet0": {"lanes": "1,2", "adv_speeds@": "40000,100000", "mtu": "9100", "x": "true", "y@": ""},
				"Q|a|0":          {"NULL": "NULL"},
			},
		},
		{name: "list already marked", json: `{"L": {"a": {"x@": ["1"], "y@": "1,2"}}}`, want: raw{"L|a": {"x@": "1", "y@": "1,2"}}},
		{name: "escapes", json: `{"P": {"a": {"d": "\u00fc\n\"\\"}}}`, want: raw{"P|a": {"d": "ü\n\"\\"}}},
		{name: "nothing", json: ``, err: `1:1: the file ends in the middle`},
		{name: "truncated", json: "{\"PORT\": {\n  \"Ethernet0\": {\"mtu\": \"91", err: `2:27: table "PORT", key "Ethernet0", field "mtu": the file ends in the middle`},
		{name: "truncated behind a row", json: `{"PORT": {"Ethernet0": {}`, err: `1:26: table "PORT", key "Ethernet0": the file ends in the middle`},
		{name: "syntax", json: "{\n \"PORT\" = 1}", err: `2:9: table "PORT": invalid character '=' after object key`},
		{name: "missing comma", json: "{\"P\": {\"a\": {\"x\": \"1\" \"y\": \"2\"}}}", err: `1:23: table "P", key "a", field "x": invalid character '"' after object key:value pair`},
		{name: "not UTF-8", json: "{\n\"PORT\": {\"caf\xe9\": {}}}", err: `2:14: byte 0xe9 is not UTF-8`},
		{name: "list on top", json: `[]`, err: `1:1: the file must be an object in braces, not a list`},
		{name: "table is a string", json: `{"PORT": "x"}`, err: `1:12: table "PORT": a table must be an object in braces, not the string "x"`},
		{name: "row is null", json: `{"PORT": {"a": null}}`, err: `1:19: table "PORT", key "a": a row must be an object in braces, not null`},
		{name: "row is a list", json: `{"PORT": {"a": []}}`, err: `1:16: table "PORT", key "a": a row must be an object in braces, not a list`},
		{name: "row is a number", json: `{"PORT": {"a": 5}}`, err: `1:16: table "PORT", key "a": a row must be an object in braces, not 5`},
		{name: "value is null", json: `{"P": {"a": {"x": null}}}`, err: `1:22: table "P", key "a", field "x": null is no value; want a string or a list of strings`},
		{name: "value is an object", json: `{"P": {"a": {"x": {}}}}`, err: `1:19: table "P", key "a", field "x": { begins no value; want a string or a list of strings`},
		{name: "list in a list", json: `{"P": {"a": {"x": [[]]}}}`, err: `1:20: table "P", key "a", field "x": [ begins no value; want a string or a list of strings`},
		{name: "field twice", json: `{"P": {"a": {"x": "1", "x": "2"}}}`, err: `field "x": the field is there twice`},
		{name: "field twice as a list", json: `{"P": {"a": {"x": ["1"], "x@": "2"}}}`, err: `field "x@": the field is there twice`},
		{name: "row twice", json: `{"P": {"a": {}, "a": {}}}`, err: `table "P", key "a": the row is there twice`},
		{name: "table twice", json: `{"P": {}, "P": {}}`, err: `table "P": the table is there twice`},
		{name: "table with a bar", json: `{"P|a": {}}`, err: `"P|a" can't be the name of a table`},
		{name: "no table name", json: `{"": {}}`, err: `"" can't be the name of a table`},
		{name: "no key", json: `{"P": {"": {}}}`, err: `table "P": a row has no key`},
		{name: "no field name", json: `{"P": {"a": {"": "1"}}}`, err: `a field has no name`},
		{name: "more behind", json: `{} {}`, err: `there is more behind the end`},
		{name: "garbage behind", json: `{} x`, err: `there is more behind the end`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := configdb.Decode(strings.NewReader(tt.json))
			if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("err = %v\nwant  %s", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// zeros is a file without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestDecodeOfTooMuch(t *testing.T) {
	t.Parallel()
	_, err := configdb.Decode(zeros{})
	if err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("err = %v", err)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	rows := raw{
		"PORT|Ethernet10": {"mtu": "9100"},
		"PORT|Ethernet2":  {"adv_speeds@": "1,2", "alias": `<&"ü">`, "x@": ""},
		"BUFFER_PG|a|0":   {"NULL": "NULL"},
		"BUFFER_PG|a|1":   {"NULL": "NULL", "both": "1", "both@": "1"},
	}
	want := `{
    "BUFFER_PG": {
        "a|0": {},
        "a|1": {
            "both": "1",
            "both@": "1"
        }
    },
    "PORT": {
        "Ethernet2": {
            "adv_speeds": [
                "1",
                "2"
            ],
            "alias": "\u003c\u0026\"ü\"\u003e",
            "x": []
        },
        "Ethernet10": {
            "mtu": "9100"
        }
    }
}
`
	var b bytes.Buffer
	if err := configdb.Encode(&b, rows); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEncodeLeavesOutWhatHasNoForm(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	err := configdb.Encode(&b, raw{
		"P|good": {"x": "1"}, "P|a": {"x": "\xff"}, "P|b": {"\xff": "x"}, "P|\xff": {"x": "1"}, "P": {"x": "1"}, "P|c": {"": "1"},
	})
	var faults configdb.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("err = %v", err)
	}
	want := []string{
		`P: the row's name is not a table and a key`,
		`P|\xff: the key is not UTF-8`,
		`P|a: field "x": "\xff" is not UTF-8`,
		`P|b: field "\\xff": "x" is not UTF-8`,
		`P|c: a field has no name`,
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if rows, err := configdb.Decode(&b); err != nil || len(rows) != 1 {
		t.Errorf("written: %v, %v", rows, err)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "config_db.json")
	rows := raw{"PORT|Ethernet0": {"mtu": "9100"}}
	write := func(rows raw) {
		t.Helper()
		if err := configdb.WriteFile(path, rows); err != nil {
			t.Fatal(err)
		}
		got, err := configdb.ReadFile(path)
		if diff := cmp.Diff(rows, got); err != nil || diff != "" {
			t.Errorf("read back: %v\n%s", err, diff)
		}
	}
	write(rows)
	checkMode(t, path, 0o640)

	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	rows["PORT|Ethernet4"] = fields{"NULL": "NULL"}
	write(rows)
	checkMode(t, path, 0o604)

	target := path
	path = filepath.Join(dir, "link")
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	write(raw{"PORT|Ethernet8": {"mtu": "1"}})
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}

	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
}

func checkMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != want {
		t.Errorf("mode of %s: %v, %v, want %v", path, info.Mode(), err, want)
	}
}

func TestWriteFileThatFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := configdb.WriteFile(filepath.Join(dir, "none", "x"), raw{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
	taken := filepath.Join(dir, "directory")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := configdb.WriteFile(taken, raw{}); err == nil {
		t.Error("a directory was written over")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left in the directory: %v, %v", entries, err)
	}
	if _, err := configdb.ReadFile(filepath.Join(dir, "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func TestReadFileNamesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := path + ":2:1: the file ends in the middle"
	if _, err := configdb.ReadFile(path); err == nil || err.Error() != want {
		t.Errorf("err = %v, want %s", err, want)
	}
}

// TestEncodeDecode checks that every database content that has a form in JSON comes
// back as it was.
func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	name := rapid.OneOf(rapid.StringMatching(`[A-Za-z@|]{1,3}@{0,2}`), rapid.StringN(1, 4, -1))
	value := rapid.OneOf(rapid.StringMatching(`[a-c,@]{0,5}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		rows := raw{}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			key := rapid.StringMatching(`[A-C]{1,2}\|[a-c|]{1,2}`).Draw(t, "key")
			rows[configdb.RowKey(key)] = rapid.MapOfN(name, value, 1, 4).Draw(t, "fields")
		}
		var b bytes.Buffer
		if err := configdb.Encode(&b, rows); err != nil {
			t.Fatal(err)
		}
		got, err := configdb.Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.Bytes())
		}
		if diff := cmp.Diff(rows, got); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, b.Bytes())
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	rows := manyRows(512)
	b.ReportAllocs()
	for b.Loop() {
		if err := configdb.Encode(io.Discard, rows); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	var text bytes.Buffer
	if err := configdb.Encode(&text, manyRows(512)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := configdb.Decode(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
}
