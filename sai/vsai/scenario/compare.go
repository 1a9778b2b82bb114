package scenario

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// Difference is a value that differs between two results.
type Difference struct {
	What string   `json:"what"` // name of the measure or event, with its object
	A    *float64 `json:"a"`    // null: never happened, or does not exist
	B    *float64 `json:"b"`
	dim  Dimension

	verdict bool // 1 means that an assertion holds
}

func (d *Difference) shown(v *float64) string {
	switch {
	case !d.verdict:
		return formatValue(d.dim, v)
	case *v == 0:
		return "no"
	}
	return "yes"
}

// Compare lists the differences between two results: global measures, those of each
// workload and each switch, events, assertions.
func Compare(a, b *Result) (out []Difference) {
	add := func(what string, x, y *float64, d Dimension) {
		if (x == nil) != (y == nil) || x != nil && *x != *y {
			out = append(out, Difference{What: what, A: x, B: y, dim: d})
		}
	}
	tables := func(of string, x, y map[string]*float64) {
		for _, m := range measures {
			_, inA := x[m.Name]
			_, inB := y[m.Name]
			if inA || inB {
				add(m.Name+of, x[m.Name], y[m.Name], m.Dimension)
			}
		}
	}
	tables("", a.Measures, b.Measures)
	for _, e := range Events {
		add(string(e.Event), a.Moments[e.Event], b.Moments[e.Event], Span)
	}
	x, y := workloads(a), workloads(b)
	for _, name := range both(x, y) {
		tables("("+name+")", x[name], y[name])
	}
	if len(a.Switches) > 1 || len(b.Switches) > 1 {
		for _, name := range both(a.Switches, b.Switches) {
			tables("("+name+")", a.Switches[name], b.Switches[name])
		}
	}
	for i := range min(len(a.Assertions), len(b.Assertions)) {
		if v, w := a.Assertions[i], b.Assertions[i]; v.Text == w.Text && v.OK != w.OK {
			out = append(out, Difference{What: "holds: " + v.Text, A: truth(v.OK), B: truth(w.OK), verdict: true})
		}
	}
	return out
}

func truth(ok bool) *float64 {
	v := 0.0
	if ok {
		v = 1
	}
	return &v
}

func workloads(r *Result) map[string]map[string]*float64 {
	out := map[string]map[string]*float64{}
	for _, l := range r.Workloads {
		out[l.Name] = l.Measures
	}
	return out
}

func both[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// PrintDifferences prints differences as text.
func PrintDifferences(out io.Writer, a, b string, all []Difference) error {
	var text strings.Builder
	if len(all) == 0 {
		fmt.Fprintf(&text, "%s and %s are equal\n", a, b)
	} else {
		columns(&text, func(w io.Writer) {
			fmt.Fprintf(w, "WHAT\t%s\t%s\tCHANGE\n", a, b)
			for _, d := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", d.What, d.shown(d.A), d.shown(d.B), d.change())
			}
		})
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// change returns how much larger B is than A, in percent.
func (d *Difference) change() string {
	if d.verdict || d.A == nil || d.B == nil || *d.A == 0 {
		return ""
	}
	tenths := math.Round((*d.B / *d.A - 1) * 1000)
	if tenths == 0 {
		return "less than 0.1%"
	}
	return fmt.Sprintf("%+.1f%%", tenths/10)
}
