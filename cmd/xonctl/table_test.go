package main

import (
	"strings"
	"testing"
)

// TestNarrow: a terminal that is too narrow gets the columns in parts, each with those
// that name the row; every cell comes once.
func TestNarrow(t *testing.T) {
	t.Parallel()
	tab := &table{columns: []string{"PORT", "QUEUE", "PROFILE", "PACKETS", "BYTES"}, keys: 2}
	tab.add("Ethernet0", uint64(3), "a_rather_long_profile", uint64(1), uint64(1500))
	tab.add("Ethernet100", uint64(10), "x", uint64(1000), nil)
	const want = `PORT         QUEUE  PROFILE
Ethernet0        3  a_rather_long_profile
Ethernet100     10  x

PORT         QUEUE  PACKETS  BYTES
Ethernet0        3        1   1500
Ethernet100     10     1000      -
`
	for _, width := range []int{41, 44, 49} {
		var b strings.Builder
		if tab.columnsTo(&b, width); b.String() != want {
			t.Errorf("in %d columns:\n%s", width, b.String())
		}
	}
	for _, width := range []int{0, 57, 200} {
		var b strings.Builder
		if tab.columnsTo(&b, width); strings.Count(b.String(), "\n") != 3 {
			t.Errorf("in %d columns:\n%s", width, b.String())
		}
	}
	var b strings.Builder
	if tab.columnsTo(&b, 1); strings.Count(b.String(), "PORT") != 3 { // one column a part is the least
		t.Errorf("in one column:\n%s", b.String())
	}
}

func TestScaled(t *testing.T) {
	t.Parallel()
	for f, want := range map[float64]string{
		0: "0", 0.5: "0.50", 0.0012345: "<0.01", 9.994: "9.99", 9.996: "10.0", 99.96: "100", 812.4: "812",
		999.4: "999", 999.6: "1.00k", 12345: "12.3k", 5834911: "5.83M", 999.6e6: "1.00G", 400e9: "400G", 51.2e12: "51.2T", 5e16: "50000T",
	} {
		if got := cellText(scaled(f)); got != want {
			t.Errorf("%v is %s, want %s", f, got, want)
		}
	}
}

// TestDropZeros: what is not known is not zero.
func TestDropZeros(t *testing.T) {
	t.Parallel()
	tab := &table{columns: []string{"PORT", "A|a_us", "B"}, counts: []string{"A", "B"}}
	tab.add("zeros", shown{"0s", uint64(0)}, uint64(0))
	tab.add("one", uint64(0), shown{"1.00k", 1000.0})
	tab.add("half known", nil, uint64(0))
	tab.add("not known", nil, nil)
	tab.dropZeros()
	var left []string
	for _, row := range tab.rows {
		left = append(left, cellText(row[0]))
	}
	if got := strings.Join(left, ", "); got != "one, not known" {
		t.Error(got)
	}
	idle := &table{columns: []string{"PORT", "A"}, counts: []string{"A"}}
	idle.add("x", uint64(0))
	idle.dropZeros()
	var b strings.Builder
	if err := idle.text(&b); err != nil || b.String() != "no counter is other than 0, in 1 row\n" {
		t.Error(b.String(), err)
	}
}
