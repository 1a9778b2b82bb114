package value_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/value"
	"xon/schema/countersdb"
)

func str(s string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: s}}
}

func jsonVal(s string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonVal{JsonVal: []byte(s)}}
}

func text(s string) value.Node { return value.Node{Kind: value.Text, Text: s} }

func TestDecode(t *testing.T) {
	t.Parallel()
	list := &gpb.ScalarArray{Element: []*gpb.TypedValue{str("a"), {Value: &gpb.TypedValue_UintVal{UintVal: 2}}}}
	row := value.Node{Kind: value.Object, Members: []value.Member{
		{Name: "lanes", Node: value.Node{Kind: value.List, Items: []string{"1", "2"}}},
		{Name: "mtu", Node: text("9100")},
		{Name: "none", Node: value.Node{}},
		{Name: "up", Node: text("true")},
	}}
	tests := []struct {
		name string
		in   *gpb.TypedValue
		want value.Node
	}{
		{"string", str("up"), text("up")},
		{"ascii", &gpb.TypedValue{Value: &gpb.TypedValue_AsciiVal{AsciiVal: "up"}}, text("up")},
		{"int", &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: -3}}, text("-3")},
		{"uint", &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: 1 << 63}}, text("9223372036854775808")},
		{"bool", &gpb.TypedValue{Value: &gpb.TypedValue_BoolVal{BoolVal: true}}, text("true")},
		{"double", &gpb.TypedValue{Value: &gpb.TypedValue_DoubleVal{DoubleVal: 0.5}}, text("0.5")},
		{"leaf-list", &gpb.TypedValue{Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: list}}, value.Node{Kind: value.List, Items: []string{"a", "2"}}},
		{"bare number", jsonVal(" 9100 "), text("9100")},
		{"large number", jsonVal("18446744073709551615"), text("18446744073709551615")},
		{"object", jsonVal(`{"mtu":9100,"up":true,"none":null,"lanes":[1,"2"]}`), row},
		{"ietf", &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(`"x"`)}}, text("x")},
		{"empty object", jsonVal("{}"), value.Node{Kind: value.Object}},
		{"empty list", jsonVal("[]"), value.Node{Kind: value.List, Items: []string{}}},
	}
	for _, tt := range tests {
		got, err := value.Decode(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                                 "ends too early",
		`{"a":`:                            "ends too early",
		`{"a":1,"a":2}`:                    `"a" twice`,
		`[[1]]`:                            "a list holds scalars, not a list",
		`[{}]`:                             "not an object",
		`[null]`:                           "not null",
		`1 2`:                              "more than one value",
		`up`:                               "invalid character",
		`{"a":{"b":{"c":{"d":{"e":{}}}}}}`: "nested deeper than 5",
	} {
		if _, err := value.Decode(jsonVal(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	for _, tv := range []*gpb.TypedValue{
		{Value: &gpb.TypedValue_BytesVal{}},
		{Value: &gpb.TypedValue_ProtoBytes{}},
		{Value: &gpb.TypedValue_LeaflistVal{LeaflistVal: &gpb.ScalarArray{Element: []*gpb.TypedValue{{Value: &gpb.TypedValue_BytesVal{}}}}}},
	} {
		if _, err := value.Decode(tv); !errors.Is(err, value.ErrUnsupported) {
			t.Errorf("%v: %v", tv, err)
		}
	}
	if _, err := value.Decode(nil); err == nil {
		t.Error("nil: no error")
	}
}

func TestLeaf(t *testing.T) {
	t.Parallel()
	const raw = "a\"b\\\n\u00e9"
	for _, e := range value.Encodings {
		n, err := value.Decode(value.Leaf(e, countersdb.Text, raw))
		if err != nil || n.Text != raw {
			t.Errorf("%s: %q, %v", e, n.Text, err)
		}
	}
	if err := value.CheckEncoding(gpb.Encoding_BYTES); !errors.Is(err, value.ErrUnsupported) {
		t.Error(err)
	}
}

// TestNumbers: a field is a number by its kind, never by its looks, and a text that is
// none stays one.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind              countersdb.Kind
		text, proto, json string
	}{
		{countersdb.Text, "10", `string_val:"10"`, `"10"`},
		{countersdb.Count, "18446744073709551615", `uint_val:18446744073709551615`, `18446744073709551615`},
		{countersdb.Count, "007", `uint_val:7`, `7`},
		{countersdb.Count, "18446744073709551616", `string_val:"18446744073709551616"`, `"18446744073709551616"`},
		{countersdb.Count, "-1", `string_val:"-1"`, `"-1"`},
		{countersdb.Count, "", `string_val:""`, `""`},
		{countersdb.Rate, "729363.91191185", `double_val:729363.91191185`, `729363.91191185`},
		{countersdb.Rate, "1e-300", `double_val:1e-300`, `1e-300`},
		{countersdb.Rate, "N/A", `string_val:"N/A"`, `"N/A"`},
		{countersdb.Rate, "inf", `string_val:"inf"`, `"inf"`},
		{countersdb.Rate, "nan", `string_val:"nan"`, `"nan"`},
	} {
		if got := value.Leaf(gpb.Encoding_PROTO, tt.kind, tt.text).String(); got != tt.proto {
			t.Errorf("%q in PROTO is %s, want %s", tt.text, got, tt.proto)
		}
		doc := value.Leaf(gpb.Encoding_JSON, tt.kind, tt.text).GetJsonVal()
		if string(doc) != tt.json || !json.Valid(doc) {
			t.Errorf("%q in JSON is %s, want %s", tt.text, doc, tt.json)
		}
		if got := string(value.Leaf(gpb.Encoding_JSON_IETF, tt.kind, tt.text).GetJsonIetfVal()); got != `"`+tt.text+`"` {
			t.Errorf("%q in JSON_IETF is %s, want a string", tt.text, got)
		}
	}
}

// kinds says that only mtu is a number.
func kinds(field string) countersdb.Kind {
	if field == "mtu" {
		return countersdb.Count
	}
	return countersdb.Text
}

func TestTree(t *testing.T) {
	t.Parallel()
	var tree value.Tree
	tree.At("PORT", "Ethernet4").Put(map[string]string{"mtu": "9100", "alias": "e4"}, kinds)
	tree.At("PORT", "Ethernet0").Put(nil, kinds)
	for e, want := range map[gpb.Encoding]string{
		gpb.Encoding_JSON:      `{"PORT":{"Ethernet0":{},"Ethernet4":{"alias":"e4","mtu":9100}}}`,
		gpb.Encoding_JSON_IETF: `{"PORT":{"Ethernet0":{},"Ethernet4":{"alias":"e4","mtu":"9100"}}}`,
	} {
		if got := string(tree.AppendJSON(nil, e)); got != want {
			t.Errorf("%s: got %s\nwant %s", e, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":{"b":[1,true]}}`, `"x"`, `[]`, `null`, `{"a":1e9}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		n, err := value.ParseJSON(doc)
		if err == nil && !json.Valid(doc) {
			t.Fatalf("%q is no JSON and was taken as %v", doc, n)
		}
	})
}

func FuzzAppendText(f *testing.F) {
	f.Add("a\"\\\x00\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(value.AppendText(nil, s), &got); err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\uFFFD"); strings.ReplaceAll(got, "\uFFFD", "") != strings.ReplaceAll(want, "\uFFFD", "") {
			t.Fatalf("%q came back as %q", s, got)
		}
	})
}

// TestBadPart: the error names the part of a document that is no value.
func TestBadPart(t *testing.T) {
	t.Parallel()
	for doc, part := range map[string]string{
		`{"PORT": {"Ethernet0": {"lanes": [1, null]}}}`: `"PORT": "Ethernet0": "lanes": a list holds scalars`,
		`{"PORT": {"Ethernet0": {"a": 1, "a": 2}}}`:     `"PORT": "Ethernet0": name "a" twice`,
	} {
		if _, err := value.ParseJSON([]byte(doc)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %s", doc, err, part)
		}
	}
}
