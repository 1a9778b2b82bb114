package statedb

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xon/schema/configdb"
)

// Said is something that is said of one row.
type Said struct {
	Row   configdb.RowKey
	Text  string
	Loses bool // lossless packets may be dropped
}

// Same is what is said alike of rows of one table.
type Same struct {
	Rows  []configdb.RowKey `json:"rows"` // in natural order, each once
	Text  string            `json:"text"` // as it is said of the first of them
	Loses bool              `json:"loses"`
}

// Who names the rows: "PORT_QOS_MAP|Ethernet0 and 47 more of PORT_QOS_MAP".
func (s *Same) Who() string {
	who := string(s.Rows[0])
	if n := len(s.Rows); n > 1 {
		who += fmt.Sprintf(" and %d more of %s", n-1, s.Rows[0].Table())
	}
	return who
}

// Group puts together what is said of rows of one table in the same words but for the
// ports in the names of the rows. That lossless packets may be dropped comes first, then
// what the first rows have.
func Group(all []Said) []Same {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Said) int { return configdb.CompareNatural(string(a.Row), string(b.Row)) })
	type words struct {
		table, text string
		loses       bool
	}
	var groups []*Same
	known := map[words]*Same{}
	for _, s := range all {
		w := words{s.Row.Table(), withoutPorts(s.Row, s.Text), s.Loses}
		g := known[w]
		if g == nil {
			g = &Same{Text: s.Text, Loses: s.Loses}
			known[w], groups = g, append(groups, g)
		}
		if n := len(g.Rows); n == 0 || g.Rows[n-1] != s.Row {
			g.Rows = append(g.Rows, s.Row)
		}
	}
	out := make([]Same, len(groups))
	for i, g := range groups {
		out[i] = *g
	}
	slices.SortStableFunc(out, func(a, b Same) int { return cmp.Compare(rank(a.Loses), rank(b.Loses)) })
	return out
}

func rank(loses bool) int {
	if loses {
		return 0
	}
	return 1
}

// folded is what is said of a row in the same words but for the port.
type folded struct {
	Said
	ports []int // by place among those of the row
}

// add takes up what is said of another port; the first port's words stay.
func (f *folded) add(text string, port int) {
	if len(f.ports) > 0 && port < slices.Min(f.ports) {
		f.Text = text
	}
	f.ports = append(f.ports, port)
}

// said names the ports behind the words of the first one.
func (f *folded) said(ports []string) Said {
	slices.Sort(f.ports)
	if others := slices.Compact(f.ports)[1:]; len(others) > 0 {
		f.Text += fmt.Sprintf(" (the same for %s)", ranges(ports, others))
	}
	return f.Said
}

// Fold puts together what is said of one row in the same words but for one of its ports: the
// text of the first port, with the other ones behind it. The order of the texts stays.
func Fold(all []Said) []Said {
	if len(all) < 2 {
		return all
	}
	ports := slices.Compact(slices.SortedFunc(slices.Values(all[0].Row.Ports()), configdb.CompareNatural))
	place := make(map[string]int, len(ports))
	for i, port := range ports {
		place[port] = i
	}
	var list []*folded
	known := map[Said]*folded{} // by the words without port
	for _, s := range all {
		words := s
		var port int
		words.Text, port = withoutPort(s.Text, place)
		f := known[words]
		if f == nil {
			f = &folded{Said: s}
			known[words], list = f, append(list, f)
		}
		f.add(s.Text, port)
	}
	out := make([]Said, len(list))
	for i, f := range list {
		out[i] = f.said(ports)
	}
	return out
}

// withoutPort is a text with a mark in place of the first port in it, and that port's place;
// the text itself and -1 if there is none.
func withoutPort(text string, place map[string]int) (string, int) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r >= utf8.RuneSelf || !inName(byte(r)) }) {
		if i, ok := place[word]; ok {
			return replaceWord(text, word, "\x00"), i
		}
	}
	return text, -1
}

// ranges names the ports at the given places, in order; runs of three and more by their ends.
func ranges(ports []string, at []int) string {
	var all []string
	for i, j := 0, 0; i < len(at); i = j {
		for j = i + 1; j < len(at) && at[j] == at[j-1]+1; j++ {
		}
		if first, last := ports[at[i]], ports[at[j-1]]; j-i > 2 {
			all = append(all, first+" to "+last)
		} else {
			all, j = append(all, first), i+1
		}
	}
	return strings.Join(all, ", ")
}

// withoutPorts is a text with a mark in place of the ports that a row's key begins with.
func withoutPorts(row configdb.RowKey, text string) string {
	ports, _, _ := strings.Cut(row.Key(), "|")
	for port := range strings.SplitSeq(ports, ",") {
		text = replaceWord(text, port, "\x00")
	}
	return text
}

// replaceWord replaces a word where no letter, digit or sign of a name goes on.
func replaceWord(text, word, by string) string {
	if word == "" {
		return text
	}
	var b strings.Builder
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return b.String() + text[at:]
		}
		i += at
		end := i + len(word)
		b.WriteString(text[at:i])
		if (i == 0 || !inName(text[i-1])) && (end == len(text) || !inName(text[end])) {
			b.WriteString(by)
		} else {
			b.WriteString(word)
		}
		at = end
	}
}

func inName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
