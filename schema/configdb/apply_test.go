package configdb_test

import (
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"xon/schema/configdb"
)

type (
	op   = configdb.Op
	raw  = configdb.RawRows
	edit = map[configdb.RowKey]fields
)

func TestApply(t *testing.T) {
	t.Parallel()
	rows := raw{
		"PORT|Ethernet0":  {"mtu": "9100", "speed": "100"},
		"PORT|Ethernet4":  {"mtu": "9100"},
		"QUEUE|a|0":       {"NULL": "NULL"},
		"LIST|a":          {"profile_list@": "x,y"},
		"PORT_QOS_MAP|a":  {"pfc_enable": "3"},
		"FOREIGN|a|b|c|d": {"x": "1", "y": "2"},
	}
	none := fields(nil)
	tests := []struct {
		name string
		ops  []op
		want edit
	}{
		{name: "nothing", want: edit{}},
		{
			name: "update merges",
			ops:  []op{{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "1500", "fec": "rs"}}},
			want: edit{"PORT|Ethernet0": {"mtu": "1500", "speed": "100", "fec": "rs"}},
		},
		{
			name: "replace does not",
			ops:  []op{{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "1500"}}},
			want: edit{"PORT|Ethernet0": {"mtu": "1500"}},
		},
		{
			name: "what ends up the same is no change",
			ops: []op{
				{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "1500"}},
				{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "9100"}},
				{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet4", Fields: fields{"mtu": "9100"}},
				{Kind: configdb.Update, Table: "NEW", Key: "a", Fields: fields{"x": "1"}},
				{Table: "NEW", Key: "a"},
			},
			want: edit{},
		},
		{
			name: "rows without fields",
			ops: []op{
				{Kind: configdb.Update, Table: "NEW", Key: "a"},
				{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0"},
				{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet4", Fields: fields{}},
			},
			want: edit{"NEW|a": {"NULL": "NULL"}, "PORT|Ethernet4": {"NULL": "NULL"}},
		},
		{
			name: "a field takes the placeholder's place",
			ops:  []op{{Kind: configdb.Update, Table: "QUEUE", Key: "a|0", Fields: fields{"scheduler": "s"}}},
			want: edit{"QUEUE|a|0": {"scheduler": "s"}},
		},
		{
			name: "list spelling replaces the plain one and back",
			ops: []op{
				{Kind: configdb.Update, Table: "LIST", Key: "a", Fields: fields{"profile_list": "z"}},
				{Kind: configdb.Update, Table: "PORT_QOS_MAP", Key: "a", Fields: fields{"pfc_enable@": "3,4"}},
			},
			want: edit{"LIST|a": {"profile_list": "z"}, "PORT_QOS_MAP|a": {"pfc_enable@": "3,4"}},
		},
		{
			name: "fields are deleted in either spelling",
			ops: []op{
				{Table: "LIST", Key: "a", Field: "profile_list"},
				{Table: "PORT_QOS_MAP", Key: "a", Field: "pfc_enable@"},
				{Table: "FOREIGN", Key: "a|b|c|d", Field: "x"},
				{Table: "FOREIGN", Key: "a|b|c|d", Field: "z"},
			},
			want: edit{"LIST|a": none, "PORT_QOS_MAP|a": none, "FOREIGN|a|b|c|d": {"y": "2"}},
		},
		{
			name: "row",
			ops:  []op{{Table: "PORT", Key: "Ethernet0"}, {Table: "PORT", Key: "Ethernet8"}, {Table: "PORT", Key: "Ethernet9", Field: "x"}},
			want: edit{"PORT|Ethernet0": none},
		},
		{
			name: "row deleted and made again",
			ops: []op{
				{Table: "PORT", Key: "Ethernet0"},
				{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "1500"}},
			},
			want: edit{"PORT|Ethernet0": {"mtu": "1500"}},
		},
		{
			name: "table replaced by the rows that follow",
			ops: []op{
				{Kind: configdb.Update, Table: "PORT", Key: "Ethernet8", Fields: fields{"mtu": "1"}},
				{Table: "PORT"},
				{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet4", Fields: fields{"mtu": "9100"}},
				{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet12", Fields: fields{"mtu": "2"}},
				{Table: "NOTHING"},
			},
			want: edit{"PORT|Ethernet0": none, "PORT|Ethernet12": {"mtu": "2"}},
		},
		{
			name: "tables are not their prefixes",
			ops:  []op{{Table: "PORT_QOS"}, {Table: "PORT"}},
			want: edit{"PORT|Ethernet0": none, "PORT|Ethernet4": none},
		},
		{
			name: "everything",
			ops: []op{
				{Table: "PORT"},
				{Kind: configdb.Update, Table: "NEW", Key: "a", Fields: fields{"x": "1"}},
				{},
				{Kind: configdb.Update, Table: "QUEUE", Key: "b|1", Fields: fields{"x": "1"}},
				{Table: "QUEUE", Key: "b|1", Field: "x"},
			},
			want: edit{
				"PORT|Ethernet0": none, "PORT|Ethernet4": none, "QUEUE|a|0": none, "PORT_QOS_MAP|a": none, "NEW|a": {"x": "1"},
			},
		},
		{
			name: "tables of others by name",
			ops:  []op{{}, {Table: "LIST"}, {Table: "FOREIGN", Key: "a|b|c|d", Field: "y"}, {Kind: configdb.Replace, Table: "LIST", Key: "b", Fields: fields{"x": "1"}}},
			want: edit{
				"PORT|Ethernet0": none, "PORT|Ethernet4": none, "QUEUE|a|0": none, "PORT_QOS_MAP|a": none,
				"LIST|a": none, "LIST|b": {"x": "1"}, "FOREIGN|a|b|c|d": {"x": "1"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := configdb.Apply(rows, tt.ops)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNotHash: a key that holds a string or a list is a bad row, which is removed or
// replaced as a whole or not at all.
func TestNotHash(t *testing.T) {
	t.Parallel()
	const row = configdb.RowKey("PORT|Ethernet0")
	if r, _, err := configdb.Parse(row, configdb.NotHash()); r != nil || !errors.Is(err, configdb.ErrNotHash) {
		t.Errorf("parsed: %v, %v", r, err)
	}
	tests := []struct {
		op   op
		want fields
		err  bool
	}{
		{op: op{Table: "PORT", Key: "Ethernet0"}},
		{op: op{Table: "PORT"}},
		{op: op{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "1500"}}, want: fields{"mtu": "1500"}},
		{op: op{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: fields{"mtu": "1500"}}, err: true},
		{op: op{Table: "PORT", Key: "Ethernet0", Field: "mtu"}, err: true},
	}
	for _, tt := range tests {
		got, err := configdb.Apply(raw{row: configdb.NotHash()}, []op{tt.op})
		if errors.Is(err, configdb.ErrNotHash) != tt.err {
			t.Errorf("%+v: %v", tt.op, err)
		}
		if diff := cmp.Diff(edit{row: tt.want}, got); !tt.err && diff != "" {
			t.Errorf("%+v: %s", tt.op, diff)
		}
	}
}

func TestApplyRefusesNonsense(t *testing.T) {
	t.Parallel()
	rows := raw{"PORT|Ethernet0": {"mtu": "9100"}}
	_, err := configdb.Apply(rows, []op{
		{Table: "PORT|Ethernet0"},
		{Kind: configdb.Update, Key: "a"},
		{Kind: configdb.Replace, Table: "PORT", Fields: fields{"mtu": "1"}},
		{Table: "PORT", Field: "mtu"},
		{Table: "", Key: "a"},
		{Kind: configdb.Update, Table: "PORT", Key: "caf\xe9"},
		{Kind: configdb.Update, Table: "PORT", Key: "a", Fields: fields{"x": "\xff"}},
		{Kind: configdb.Update, Table: "PORT", Key: "a", Fields: fields{"\xff": "x"}},
		{Kind: configdb.Update, Table: "PORT", Key: "a", Fields: fields{"": "x"}},
		{Kind: configdb.Update, Table: "PORT", Key: "a", Fields: fields{"x": "1", "x@": "1"}},
		{Kind: configdb.Update, Table: "PORT", Key: "a", Field: "x"},
		{Kind: 7, Table: "PORT", Key: "a"},
		{Table: "PORT", Key: "Ethernet0"},
	})
	want := []string{
		`PORT|Ethernet0: table "PORT|Ethernet0" has a bar, which separates a table from its keys`,
		`|a: the table is missing`,
		`PORT: the row's key is missing`,
		`PORT: field "mtu": the row's key is missing`,
		`|a: the table is missing`,
		`PORT|caf\xe9: the name is not UTF-8`,
		`PORT|a: field "x": "\xff" is not UTF-8`,
		`PORT|a: field "\xff": the name is not UTF-8`,
		`PORT|a: a field has no name`,
		`PORT|a: field "x" is there twice, as "x@" too`,
		`PORT|a: field "x": replace and update take fields with their values, not one field's name`,
		`PORT|a: operation 7 is none of delete, replace and update`,
	}
	var faults configdb.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("err = %v", err)
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// slowApply does what Apply does, one operation after the other on a whole copy.
func slowApply(rows raw, ops []op) raw {
	now := raw{}
	for k, f := range rows {
		now[k] = maps.Clone(f)
	}
	for _, o := range ops {
		key := configdb.Key(o.Table, o.Key)
		switch {
		case o.Kind == configdb.Delete && o.Field != "":
			if _, there := now[key][o.Field]; there {
				delete(now[key], o.Field)
				if len(now[key]) == 0 {
					delete(now, key)
				}
			}
		case o.Kind == configdb.Delete:
			maps.DeleteFunc(now, func(k configdb.RowKey, _ fields) bool {
				_, managed := configdb.Lookup(k.Table())
				return o.Table == "" && managed || k == key || (o.Key == "" && k.Table() == o.Table)
			})
		case o.Kind == configdb.Replace || now[key] == nil:
			now[key] = maps.Clone(o.Fields)
		default:
			maps.Copy(now[key], o.Fields)
		}
	}
	return now
}

func drawRaw(t *rapid.T, least int) fields {
	one := rapid.SampledFrom([]string{"a", "b", "c"})
	return rapid.MapOfN(one, one, least, 3).Draw(t, "fields")
}

func drawOp(t *rapid.T) op {
	o := op{
		Kind:  rapid.SampledFrom([]configdb.OpKind{configdb.Delete, configdb.Replace, configdb.Update}).Draw(t, "kind"),
		Table: rapid.SampledFrom([]string{"T", "u", "PORT", "QUEUE"}).Draw(t, "table"),
		Key:   rapid.SampledFrom([]string{"1", "2", "1|2"}).Draw(t, "key"),
	}
	if o.Kind != configdb.Delete {
		o.Fields = drawRaw(t, 1)
		return o
	}
	switch rapid.IntRange(0, 9).Draw(t, "depth") {
	case 0:
		o.Table, o.Key = "", ""
	case 1, 2:
		o.Key = ""
	case 3, 4, 5, 6:
		o.Field = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "field")
	}
	return o
}

// TestApplyEqualsSlowApply compares with the plainest implementation, and checks
// that nothing given is changed.
func TestApplyEqualsSlowApply(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := raw{}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			o := drawOp(t)
			if o.Key != "" {
				rows[configdb.Key(o.Table, o.Key)] = drawRaw(t, 1)
			}
		}
		ops := rapid.SliceOfN(rapid.Custom(drawOp), 0, 12).Draw(t, "ops")
		before := slowApply(rows, nil)
		want := slowApply(rows, ops)
		changed, err := configdb.Apply(rows, ops)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, rows); diff != "" {
			t.Fatalf("rows were changed:\n%s", diff)
		}
		got := slowApply(rows, nil)
		for k, f := range changed {
			if f == nil {
				delete(got, k)
			} else {
				got[k] = f
			}
			if maps.Equal(f, rows[k]) && (f == nil) == (rows[k] == nil) {
				t.Fatalf("%s is no change", k)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// manyRows makes 8 rows with an index for each of n ports.
func manyRows(n int) raw {
	rows := raw{}
	for port := range n {
		for q := range 8 {
			rows[configdb.Key("BUFFER_QUEUE", "Ethernet"+strconv.Itoa(port)+"|"+strconv.Itoa(q))] = fields{"profile": "egress_lossy_profile"}
		}
	}
	return rows
}

// TestApplyIsNotQuadratic deletes and fills a table over and over; it would not
// end if each deletion looked at all rows.
func TestApplyIsNotQuadratic(t *testing.T) {
	t.Parallel()
	rows := manyRows(2500)
	var ops []op
	for i := range 20000 {
		ops = append(ops, op{Table: "BUFFER_QUEUE"}, op{Kind: configdb.Update, Table: "BUFFER_QUEUE", Key: strconv.Itoa(i), Fields: fields{"profile": "x"}})
	}
	changed, err := configdb.Apply(rows, ops)
	if err != nil || len(changed) != len(rows)+1 {
		t.Errorf("%d changes, err = %v", len(changed), err)
	}
}

func BenchmarkApplyTenRows(b *testing.B) {
	rows := manyRows(512)
	var ops []op
	for i := range 10 {
		ops = append(ops, op{Kind: configdb.Update, Table: "BUFFER_QUEUE", Key: "Ethernet" + strconv.Itoa(i) + "|3", Fields: fields{"profile": "x"}})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := configdb.Apply(rows, ops); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	rows := manyRows(512)
	b.ReportAllocs()
	for b.Loop() {
		for k, f := range rows {
			if _, _, err := configdb.Parse(k, f); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(rows)), "rows/op")
}
