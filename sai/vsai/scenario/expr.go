package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// An assertion is one of
//
//	MEASURE OP NUMBER           drops == 0, p99_fct(incast) < 3ms, headroom_used < 80%
//	MEASURE OP MEASURE          throughput(a) >= throughput(b)
//	EVENT within TIME           detected within 5ms: after the last fault before it, or the start
//	EVENT before EVENT          first_mark before first_pause; also after. An event that never happens is after all others
//
// where MEASURE is a name of Measures or Events, with its objects in parentheses: a
// switch, a host, a port (SWITCH/PORT, or SWITCH/HOST for the one that leads to it), a
// class, a workload, a flow, a drop reason, in any order. OP is one of == != < <= > >=.
// A measure of several objects is their sum or maximum, as its description says.
type assertion struct {
	at    Pos
	text  string
	left  term
	op    string
	right term
}

// term is a measure, an event or a number.
type term struct {
	measure *Measure
	event   Event // "" for none
	of      selection
	number  float64
	dim     Dimension
}

// operators compare numbers.
var operators = []string{"==", "!=", "<=", ">=", "<", ">"}

// parse parses an assertion.
func (w *world) parse(c *Assertion) (*assertion, error) {
	a := &assertion{at: c.At, text: c.Text}
	words := tokens(c.Text)
	var err error
	if a.left, words, err = w.term(words); err != nil {
		return nil, c.fault(err)
	}
	if a.left.event == "" && a.left.measure == nil {
		return nil, c.fault(fmt.Errorf("it starts with a number: want a measure first"))
	}
	if len(words) == 0 {
		return nil, c.fault(fmt.Errorf("nothing is asserted: want one of %s, within, before, after", strings.Join(operators, " ")))
	}
	a.op = words[0]
	if a.right, words, err = w.term(words[1:]); err != nil {
		return nil, c.fault(err)
	}
	if len(words) > 0 {
		return nil, c.fault(fmt.Errorf("unexpected %q: want one assertion per line", strings.Join(words, " ")))
	}
	if err := a.check(); err != nil {
		return nil, c.fault(err)
	}
	return a, nil
}

func (c *Assertion) fault(err error) error { return c.At.errorf("assert: %q: %w", c.Text, err) }

// check reports whether the two sides can be compared.
func (a *assertion) check() error {
	number := a.right.measure == nil && a.right.event == ""
	switch {
	case a.op == "within":
		if a.left.event == "" || !number || a.right.dim != Span {
			return fmt.Errorf("within: want an event before it and a time after it, as in detected within 5ms")
		}
	case a.op == "before" || a.op == "after":
		if a.left.event == "" || a.right.event == "" {
			return fmt.Errorf("%s: want two events; there are %s", a.op, strings.Join(eventNames(), ", "))
		}
	case !slices.Contains(operators, a.op):
		return fmt.Errorf("%q: want one of %s, within, before, after", a.op, strings.Join(operators, " "))
	case number && a.right.dim == Count:
		a.right.dim = a.left.dim // 2000 is accepted for 2000B
		if a.left.dim == Span && a.right.number != 0 {
			return fmt.Errorf("the time has no unit: want one of ps ns us ms s")
		}
	case a.right.dim != a.left.dim:
		return fmt.Errorf("%s is compared with %s", a.left.dim, a.right.dim)
	}
	return nil
}

// tokens splits a text into words, operators, parentheses and commas.
func tokens(text string) (out []string) {
	word := ""
	end := func() {
		if word != "" {
			out = append(out, word)
		}
		word = ""
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t':
			end()
		case '(', ')', ',':
			end()
			out = append(out, string(c))
		case '<', '>', '=', '!':
			end()
			if i+1 < len(text) && text[i+1] == '=' {
				out = append(out, text[i:i+2])
				i++
			} else {
				out = append(out, string(c))
			}
		default:
			word += string(c)
		}
	}
	end()
	return out
}

// term parses a measure, an event or a number.
func (w *world) term(words []string) (term, []string, error) {
	if len(words) == 0 {
		return term{}, nil, fmt.Errorf("unexpected end: want a measure or a number")
	}
	name, rest := words[0], words[1:]
	if c := name[0]; c >= '0' && c <= '9' || c == '.' {
		v, dim, err := quantity(name)
		return term{number: v, dim: dim}, rest, err
	}
	if name[0] == '-' {
		return term{}, nil, fmt.Errorf("%q: no measure is below 0", name)
	}
	t := term{dim: Span, event: Event(name)}
	if i := slices.IndexFunc(measures, func(m Measure) bool { return m.Name == name }); i >= 0 {
		t = term{measure: &measures[i], dim: measures[i].Dimension}
	} else if !slices.Contains(eventNames(), name) {
		return term{}, nil, fmt.Errorf("there is no measure %q; there are %s; and the events %s", name, strings.Join(measureNames(), ", "), strings.Join(eventNames(), ", "))
	}
	if len(rest) == 0 || rest[0] != "(" {
		return t, rest, nil
	}
	end := slices.Index(rest, ")")
	if end < 0 {
		return term{}, nil, fmt.Errorf("%s(: want a closing parenthesis", name)
	}
	if t.event != "" {
		return term{}, nil, fmt.Errorf("%s: an event applies to the whole run", name)
	}
	for _, word := range rest[1:end] {
		if word == "," {
			continue
		}
		if err := w.choose(&t.of, word); err != nil {
			return term{}, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if t.of.flows() && !t.measure.OfFlows || t.of.ports() && t.measure.OfFlows {
		return term{}, nil, fmt.Errorf("%s is not of %s", name, map[bool]string{true: "flows", false: "switches, ports and classes"}[t.of.flows()])
	}
	return t, rest[end+1:], nil
}

// Verdict is the result of an assertion.
type Verdict struct {
	Text  string `json:"text"`
	Place string `json:"place"`
	OK    bool   `json:"ok"`
	Seen  string `json:"seen"` // formatted value
	// Value is the value of the left side, in the unit of its dimension (seconds for
	// times); null if it never happened.
	Value *float64 `json:"value"`
}

// evaluate compares both sides after a run.
func (a *assertion) evaluate(w *world) Verdict {
	l, r := a.left.value(w), a.right.value(w)
	v := Verdict{Text: a.text, Place: a.at.String(), Seen: a.left.dim.Format(l), Value: jsonValue(a.left.dim, l)}
	switch a.op {
	case "==":
		v.OK = l == r
	case "!=":
		v.OK = l != r
	case "<", "before":
		v.OK = l < r
	case "<=":
		v.OK = l <= r
	case ">", "after":
		v.OK = l > r
	case ">=":
		v.OK = l >= r
	case "within":
		since := w.lastFault(l)
		v.OK = l-since <= r
		v.Seen = Span.Format(l - since)
		v.Value = jsonValue(Span, l-since)
	}
	if a.right.measure != nil || a.right.event != "" {
		v.Seen += ", " + a.right.dim.Format(r)
	}
	return v
}

// lastFault returns when the last fault before a time began; 0: none did.
func (w *world) lastFault(at float64) (since float64) {
	for _, f := range w.watch.faults {
		if float64(f) <= at {
			since = float64(f)
		}
	}
	return since
}

// jsonValue converts a value for JSON: times in seconds; nil for never.
func jsonValue(d Dimension, v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	if d == Span {
		v /= 1e12
	}
	return &v
}

func (t *term) value(w *world) float64 {
	switch {
	case t.event != "":
		if at, ok := w.watch.moments[t.event]; ok {
			return float64(at)
		}
		return math.Inf(1)
	case t.measure != nil:
		return t.measure.of(w, t.of)
	}
	return t.number
}
