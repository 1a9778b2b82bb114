package path_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"xon/gnmi/path"
)

func TestParse(t *testing.T) {
	t.Parallel()
	keyed := &gpb.PathElem{Name: "interface", Key: map[string]string{"name": "a]b", "x": "1=2"}}
	tests := []struct {
		text string
		want *gpb.Path
		back string // when it is not text
	}{
		{text: "/", want: &gpb.Path{}},
		{text: "", want: &gpb.Path{}, back: "/"},
		{text: "sonic-db:/CONFIG_DB/PORT", want: &gpb.Path{Origin: "sonic-db", Elem: path.Of("CONFIG_DB", "PORT")}},
		{text: "sonic-db:/", want: &gpb.Path{Origin: "sonic-db"}},
		{text: "sonic-db:CONFIG_DB/PORT", want: &gpb.Path{Elem: path.Of("sonic-db:CONFIG_DB", "PORT")}, back: "/sonic-db:CONFIG_DB/PORT"},
		{text: "/CONFIG_DB/BUFFER_PG/Ethernet0|3-4", want: &gpb.Path{Elem: path.Of("CONFIG_DB", "BUFFER_PG", "Ethernet0|3-4")}},
		{text: `/A/Vlan1|10.0.0.0\/24/`, want: &gpb.Path{Elem: path.Of("A", "Vlan1|10.0.0.0/24")}, back: `/A/Vlan1|10.0.0.0\/24`},
		{text: "/COUNTERS_DB/COUNTERS/oid:0x1", want: &gpb.Path{Elem: path.Of("COUNTERS_DB", "COUNTERS", "oid:0x1")}},
		{text: `/interface[name=a\]b][x=1=2]/config`, want: &gpb.Path{Elem: append([]*gpb.PathElem{keyed}, path.Of("config")...)}},
	}
	for _, tt := range tests {
		got, err := path.Parse(tt.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.text, err)
			continue
		}
		if d := cmp.Diff(tt.want, got, protocmp.Transform()); d != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.text, d)
		}
		back := tt.back
		if back == "" {
			back = tt.text
		}
		if s := path.String(got); s != back {
			t.Errorf("String of %q = %q, want %q", tt.text, s, back)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"//a":                           "without a name",
		"/a//b":                         "without a name",
		"/a[k]":                         "[name=value]",
		"/a[=v]":                        "[name=value]",
		"/a[k=v":                        "not closed",
		"/a[k=v]b":                      "behind its keys",
		strings.Repeat("/a", 65):        "65 elements",
		"/" + strings.Repeat("x", 9000): "9001 bytes",
	} {
		if _, err := path.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%.20q) = %v, want %q", text, err, want)
		}
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	old := &gpb.Path{Element: []string{"PORT", "Ethernet0"}} //nolint:staticcheck // the form under test
	got, err := path.Full(&gpb.Path{Target: "sw1", Origin: "sonic-db", Elem: path.Of("CONFIG_DB")}, old)
	if err != nil {
		t.Fatal(err)
	}
	want := &gpb.Path{Target: "sw1", Origin: "sonic-db", Elem: path.Of("CONFIG_DB", "PORT", "Ethernet0")}
	if d := cmp.Diff(want, got, protocmp.Transform()); d != "" {
		t.Error(d)
	}
	for _, bad := range [][2]*gpb.Path{
		{{Origin: "a"}, {Origin: "b"}},
		{nil, {Target: "sw1"}},
		{nil, {Elem: path.Of("")}},
		{nil, {Elem: path.Of(strings.Repeat("x", path.MaxText+1))}},
		{{Elem: make([]*gpb.PathElem, 40)}, {Elem: make([]*gpb.PathElem, 40)}},
	} {
		if _, err := path.Full(bad[0], bad[1]); err == nil {
			t.Errorf("Full(%v, %v): no error", bad[0], bad[1])
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true},
		{"*", "x", true},
		{"Ethernet*", "Ethernet0", true},
		{"Ethernet*", "Ether", false},
		{"Ethernet0", "Ethernet0", true},
		{"Ethernet0", "Ethernet01", false},
		{"*|3-4", "Ethernet0|3-4", true},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "acb", false},
		{"aa*a", "aa", false},
		{"a**a", "aa", true},
	}
	for _, tt := range tests {
		if got := path.Match(tt.pattern, tt.s); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.s, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"/", "sonic-db:/CONFIG_DB/PORT/Ethernet0|3-4", `/a[k=v\]]/b\/c`, "a:/:/b", `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := path.Parse(text)
		if err != nil {
			return
		}
		again, err := path.Parse(path.String(p))
		if err != nil && len(path.String(p)) <= path.MaxText {
			t.Fatalf("Parse(%q) of %q: %v", path.String(p), text, err)
		}
		if err == nil && !proto.Equal(p, again) {
			t.Fatalf("%q became %v, then %v", text, p, again)
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add("a*b", "axb")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if !path.Match("*", s) || !path.Match(s, s) && !path.IsPattern(s) {
			t.Fatalf("%q does not match itself or *", s)
		}
		if path.Match(pattern, s) && !path.Match(pattern+"*", s) {
			t.Fatalf("%q matches %q, with * behind it no more", pattern, s)
		}
	})
}
