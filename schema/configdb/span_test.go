package configdb_test

import (
	"slices"
	"strings"
	"testing"

	"xon/schema/configdb"
)

func TestParseSpan(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		key  string
		want span
		err  string // a part of it
	}{
		{name: "one", key: "Ethernet0|3", want: span{Ports: []string{"Ethernet0"}, Lo: 3, Hi: 3}},
		{name: "lists", key: "Ethernet0,Ethernet4|0-7", want: span{Ports: []string{"Ethernet0", "Ethernet4"}, Hi: 7}},
		{name: "reversed range", key: "Ethernet0|4-3", err: `range "4-3"`},
		{name: "range of one", key: "Ethernet0|3-3", err: `range "3-3"`},
		{name: "leading zero", key: "Ethernet0|03", err: "leading zero"},
		{name: "no index", key: "Ethernet0|", err: `index "" is not a whole number (0 to 9)`},
		{name: "open range", key: "Ethernet0|3-", err: `index "" is not a whole number`},
		{name: "list of indexes", key: "Ethernet0|3,4", err: `index "3,4" is not a whole number`},
		{name: "above the limit", key: "Ethernet0|3-10", err: `index "10" is out of range (0 to 9)`},
		{name: "no bar", key: "Ethernet0", err: "want ports and an index"},
		{name: "no ports", key: "|3", err: "a name is missing"},
		{name: "port twice", key: "a,b,a|3", err: "a is named twice"},
		{name: "not ASCII", key: "Ethernet\u00e9|3", err: `has "\u00e9"`},
		{name: "sign in front", key: "-a|3", err: "does not begin with"},
		{name: "long name", key: strings.Repeat("a", 256) + "|3", err: "(256 bytes) is too long (at most 255 characters)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := configdb.ParseSpan(tt.key, 9)
			if (err == nil) != (tt.err == "") || (err != nil && !strings.Contains(err.Error(), tt.err)) {
				t.Fatalf("err = %v, want %q", err, tt.err)
			}
			if !slices.Equal(got.Ports, tt.want.Ports) || got.Lo != tt.want.Lo || got.Hi != tt.want.Hi {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if err == nil && got.Key() != tt.key {
				t.Errorf("Key() = %q", got.Key())
			}
		})
	}
}

func TestSpanLen(t *testing.T) {
	t.Parallel()
	if n := (span{Ports: []string{"a", "b"}, Lo: 3, Hi: 4}).Len(); n != 4 {
		t.Errorf("Len() = %d", n)
	}
}

func FuzzParseSpan(f *testing.F) {
	for _, key := range []string{"Ethernet0|3", "Ethernet0,Ethernet4|3-4", "a|3-3", "|", "a|-1", "a|00"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		s, err := configdb.ParseSpan(key, 255)
		if err != nil {
			return
		}
		if s.Lo < 0 || s.Lo > s.Hi || s.Hi > 255 || len(s.Ports) == 0 {
			t.Errorf("accepted %+v", s)
		}
		if s.Key() != key {
			t.Errorf("%q has the key %q", key, s.Key())
		}
	})
}

func TestCompareNatural(t *testing.T) {
	t.Parallel()
	ordered := []string{
		"", "0", "00", "1", "02", "2", "10", "99999999999999999999", "100000000000000000000", "A", "Ethernet0|3", "Ethernet2|10",
		"Ethernet10|2", "Ethernet10|2-3", "Ethernet10|10", "PortChannel1", "a1b", "a1b2", "a01b3", "ab",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := configdb.CompareNatural(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("CompareNatural(%q, %q) = %d", a, b, got)
			}
		}
	}
}
