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
		name, json, err string
		o               configdb.FileOptions
		want            raw
		left            []string // what is refused, and the notes
	}{
		{name: "empty", json: ` {} `, want: raw{}},
		{name: "empty table", json: `{"PORT": {}}`, want: raw{}},
		{
			name: "rows",
			json: `{"PORT": {"Ethernet0": {"lanes": "1,2", "adv_speeds": ["40000", "100000"], "mtu": 9100, "x": true, "y": [], "z": ""}}, "Q": {"a|0": {}, "b": {"y@": []}}}`,
			want: raw{
				"PORT|Ethernet0": {"lanes": "1,2", "adv_speeds@": "40000,100000", "mtu": "9100", "x": "true", "z": ""},
				"Q|a|0":          {"NULL": "NULL"}, "Q|b": {"NULL": "NULL"},
			},
		},
		{name: "list already marked", json: `{"L": {"a": {"x@": ["1"], "y@": "1,2"}}}`, want: raw{"L|a": {"x@": "1", "y@": "1,2"}}},
		{name: "escapes", json: `{"P": {"a": {"d": "\u00fc\n\"\\"}}}`, want: raw{"P|a": {"d": "ü\n\"\\"}}},
		{name: "no key", json: `{"P": {"": {"x": "1"}, "a": {"x": "2"}}}`, want: raw{"P|": {"x": "1"}, "P|a": {"x": "2"}}},

		{name: "nothing", json: ``, err: `1:1: the file ends in the middle`},
		{name: "truncated", json: "{\"PORT\": {\n  \"Ethernet0\": {\"mtu\": \"91", err: `2:27: table "PORT", key "Ethernet0", field "mtu": the file ends in the middle`},
		{name: "truncated behind a row", json: `{"PORT": {"Ethernet0": {}`, err: `1:26: table "PORT", key "Ethernet0": the file ends in the middle`},
		{name: "truncated in what is left out", json: `{"port": {"Ethernet0": [`, err: `1:25: table "port": the file ends in the middle`},
		{name: "syntax", json: "{\n \"PORT\" = 1}", err: `2:9: table "PORT": invalid character '=' after object key`},
		{name: "missing comma", json: "{\"P\": {\"a\": {\"x\": \"1\" \"y\": \"2\"}}}", err: `1:23: table "P", key "a", field "x": invalid character '"' after object key:value pair`},
		{name: "not UTF-8", json: "{\n\"PORT\": {\"caf\xe9\": {}}}", err: `2:14: byte 0xe9 is not UTF-8`},
		{name: "list on top", json: `[]`, err: `1:1: the file must be an object in braces, not a list`},
		{name: "more behind", json: `{} {}`, err: `there is more behind the end`},
		{name: "garbage behind", json: `{} x`, err: `there is more behind the end`},

		{
			name: "tables that are none", json: `{"A": "x", "B": null, "C": [{"a": [1]}], "D": 5, "P|a": {"b": {"x": "1"}}, "P": {"a": {"x": "1"}}}`,
			want: raw{"P|a": {"x": "1"}}, left: []string{
				`A: a table must be an object in braces, not the string "x" (line 1, column 9)`,
				`B: a table must be an object in braces, not null (line 1, column 20)`,
				`C: a table must be an object in braces, not a list (line 1, column 28)`,
				`D: a table must be an object in braces, not 5 (line 1, column 47)`,
				`P|a: "P|a" can't be the name of a table (line 1, column 54)`,
			},
		},
		{
			name: "rows that are none", json: `{"P": {"a": null, "b": [{}, []], "c": 5, "": null, "d": {}}}`,
			want: raw{"P|d": {"NULL": "NULL"}}, left: []string{
				`P|a: a row must be an object in braces, not null (line 1, column 16)`,
				`P|b: a row must be an object in braces, not a list (line 1, column 24)`,
				`P|c: a row must be an object in braces, not 5 (line 1, column 39)`,
				`P|: a row must be an object in braces, not null (line 1, column 49)`,
			},
		},
		{
			name: "fields that are none", json: `{"P": {"a": {"v": null, "w": {"p": {}}, "x": [[1], "2"], "y": ["1", null], "": "1", "z": "1"}, "b": {"z": null}}}`,
			want: raw{"P|a": {"z": "1"}, "P|b": {"NULL": "NULL"}}, left: []string{
				`P|a: field "v": null is no value; want a string or a list of strings (line 1, column 22)`,
				`P|a: field "w": an object is no value; want a string or a list of strings (line 1, column 38)`,
				`P|a: field "x": a list is no value; want a string or a list of strings (line 1, column 55)`,
				`P|a: field "y": null is no value; want a string or a list of strings (line 1, column 73)`,
				`P|a: field "\"\"": a field has no name (line 1, column 82)`,
				`P|b: field "z": null is no value; want a string or a list of strings (line 1, column 110)`,
			},
		},
		{
			name: "names that SONiC leaves out", json: `{"platform": "x", "": {}, "_T": {}, "onie": {"a": {"b": "c"}}, "9": null, "P": {"a": {"x": "1"}}}`,
			want: raw{"P|a": {"x": "1"}}, left: []string{
				`1:11: table "platform" is no table and left out, as SONiC does: the name does not begin with a capital letter`,
				`1:20: the name "" is no table and left out, as SONiC does: the name does not begin with a capital letter`,
				`1:30: table "_T" is no table and left out, as SONiC does: the name does not begin with a capital letter`,
				`1:42: table "onie" is no table and left out, as SONiC does: the name does not begin with a capital letter`,
				`1:66: table "9" is no table and left out, as SONiC does: the name does not begin with a capital letter`,
			},
		},
		{
			name: "a file that a database was written to", o: configdb.FileOptions{Verbatim: true}, json: `{"onie": {"a": {"b": "c"}}, "asic0": {"P": {"x": "1"}}}`,
			want: raw{"onie|a": {"b": "c"}, "asic0|P": {"x": "1"}},
		},
		{
			name: "what is there twice", json: `{"P": {"a": {"x": "1"}, "b": {"x": "2"}}, "P": {"a": {"x": "3", "x": "4"}, "a": {"y": ["5"], "y@": "6"}}}`,
			want: raw{"P|a": {"y@": "6"}}, left: []string{
				`1:45: table "P" is there twice; the last one counts`,
				`1:72: table "P", key "a", field "x" is there twice; the last one counts`,
				`1:78: table "P", key "a" is there twice; the last one counts`,
				`1:102: table "P", key "a", field "y@" is there twice; the last one counts`,
			},
		},
		{name: "row twice, the second one bad", json: `{"P": {"a": {}, "a": null}}`, want: raw{}, left: []string{
			`P|a: a row must be an object in braces, not null (line 1, column 25)`,
			`1:19: table "P", key "a" is there twice; the last one counts`,
		}},

		{name: "several ASICs", json: `{"localhost": {}, "asic0": {}, "asic12": null}`, err: `the file is for several ASICs; say which part to take with --asic: localhost, asic0 or asic12`},
		{name: "no ASIC beside the host", json: `{"localhost": {"P": {"b": {}}}, "P": {"a": {"x": "1"}}}`, want: raw{"P|a": {"x": "1"}}, left: []string{
			`1:12: table "localhost" is no table and left out: the file has tables beside it, and no part for an ASIC`,
		}},
		{name: "the host's alone", json: `{"localhost": {"P": {"b": {}}}, "p": 1}`, err: `the file is for several ASICs; say which part to take with --asic: localhost`},
		{name: "an ASIC, the host and tables", json: `{"localhost": {}, "P": {"a": {}}, "asic0": {}}`, err: `the file is for several ASICs; say which part to take with --asic: localhost or asic0`},
		{name: "one of several", json: `{"P": {}, "asic0": {"P": {"a": {"x": "1"}}, "p": 1}, "asic1": 5}`, o: configdb.FileOptions{ASIC: "asic0"}, want: raw{"P|a": {"x": "1"}}, left: []string{
			`1:4: table "P" is of no part of the file and left out, as asic0 alone was asked for`,
			`1:47: table "p" is no table and left out, as SONiC does: the name does not begin with a capital letter`,
		}},
		{name: "the host's", json: `{"localhost": {"P": {"a": {}}}}`, o: configdb.FileOptions{ASIC: "localhost"}, want: raw{"P|a": {"NULL": "NULL"}}},
		{name: "no such part", json: `{"localhost": {}, "asic0": {}}`, o: configdb.FileOptions{ASIC: "asic1"}, err: `the file has no part "asic1"; it has localhost and asic0`},
		{name: "no parts", json: `{"P": {}}`, o: configdb.FileOptions{ASIC: "asic1"}, err: `the file has no part "asic1": it is not for several ASICs`},
		{name: "a part that is none", json: `{"asic0": null}`, o: configdb.FileOptions{ASIC: "asic0"}, want: raw{}, left: []string{
			`asic0: a part of the file must be an object in braces, not null (line 1, column 14)`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := configdb.Decode(strings.NewReader(tt.json), tt.o)
			if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("err = %v\nwant  %s", err, tt.err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(tt.want, got.Rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			var left []string
			for _, f := range got.Refused {
				left = append(left, f.Error())
			}
			if diff := cmp.Diff(tt.left, append(left, got.Notes...)); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
		})
	}
}

// zeros is a file without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestDecodeOfTooMuch(t *testing.T) {
	t.Parallel()
	_, err := configdb.Decode(zeros{}, configdb.FileOptions{})
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
            "x@": ""
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
	if got, err := configdb.Decode(&b, configdb.FileOptions{}); err != nil || len(got.Rows) != 1 {
		t.Errorf("written: %v, %v", got, err)
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
		got, err := configdb.ReadFile(path, configdb.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, got.Rows); err != nil || diff != "" {
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
	if _, err := configdb.ReadFile(filepath.Join(dir, "x"), configdb.FileOptions{}); !errors.Is(err, fs.ErrNotExist) {
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
	if _, err := configdb.ReadFile(path, configdb.FileOptions{}); err == nil || err.Error() != want {
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
			key := rapid.StringMatching(`[A-Ca]{1,2}\|[a-c|]{0,2}`).Draw(t, "key")
			rows[configdb.RowKey(key)] = rapid.MapOfN(name, value, 1, 4).Draw(t, "fields")
		}
		var b bytes.Buffer
		if err := configdb.Encode(&b, rows); err != nil {
			t.Fatal(err)
		}
		got, err := configdb.Decode(bytes.NewReader(b.Bytes()), configdb.FileOptions{Verbatim: true})
		if err != nil || len(got.Refused)+len(got.Notes) > 0 {
			t.Fatalf("%v, %+v in\n%s", err, got, b.Bytes())
		}
		if diff := cmp.Diff(rows, got.Rows); diff != "" {
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
		if _, err := configdb.Decode(bytes.NewReader(text.Bytes()), configdb.FileOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
