package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// step is one step of a condition in reverse Polish order.
type step struct {
	op   string // of the Go constants
	attr int64
	num  int64
}

func (s step) String() string {
	if s.op == "opAnd" || s.op == "opOr" {
		return "{op: " + s.op + "}"
	}
	return fmt.Sprintf("{op: %s, attr: %d, num: %d}", s.op, s.attr, s.num)
}

// stepList is a condition as Go writes it.
func stepList(steps []step) string {
	out := make([]string, len(steps))
	for i := range steps {
		out[i] = steps[i].String()
	}
	return "[]step{" + strings.Join(out, ", ") + "}"
}

// compiler reads a condition: terms in | of terms in & of comparisons, with
// parentheses.
type compiler struct {
	m    *model
	o    *object
	rest string
	out  []step
}

func (m *model) compile(o *object, text string) ([]step, error) {
	if text == "" {
		return nil, nil
	}
	c := &compiler{m: m, o: o, rest: text}
	if err := c.chain("|", "opOr", func() error { return c.chain("&", "opAnd", c.term) }); err != nil {
		return nil, fmt.Errorf("condition %q: %w", text, err)
	}
	if c.rest != "" {
		return nil, fmt.Errorf("condition %q: %q is left over", text, c.rest)
	}
	if depth(c.out) > maxDepth {
		return nil, fmt.Errorf("condition %q needs a stack of %d, %d are there", text, depth(c.out), maxDepth)
	}
	return c.out, nil
}

// maxDepth is the stack that package sai has for a condition.
const maxDepth = 16

func depth(steps []step) int {
	n, most := 0, 0
	for _, s := range steps {
		if s.op == "opAnd" || s.op == "opOr" {
			n--
		} else {
			n++
		}
		most = max(most, n)
	}
	return most
}

// chain reads terms between separators and emits op for each but the first.
func (c *compiler) chain(sep, op string, term func() error) error {
	if err := term(); err != nil {
		return err
	}
	for c.skip(sep) {
		if err := term(); err != nil {
			return err
		}
		c.out = append(c.out, step{op: op})
	}
	return nil
}

func (c *compiler) skip(prefix string) bool {
	rest, ok := strings.CutPrefix(c.rest, prefix)
	c.rest = rest
	return ok
}

func (c *compiler) term() error {
	if !c.skip("(") {
		return c.comparison()
	}
	if err := c.chain("|", "opOr", func() error { return c.chain("&", "opAnd", c.term) }); err != nil {
		return err
	}
	if !c.skip(")") {
		return fmt.Errorf("want a closing bracket before %q", c.rest)
	}
	return nil
}

func (c *compiler) comparison() error {
	end := strings.IndexAny(c.rest, "|&)")
	if end < 0 {
		end = len(c.rest)
	}
	text := c.rest[:end]
	c.rest = c.rest[end:]
	for sep, op := range map[string]string{"==": "opEqual", "!=": "opDiffers"} {
		if name, value, ok := strings.Cut(text, sep); ok {
			return c.compare(op, name, value)
		}
	}
	return fmt.Errorf("%q is not a comparison", text)
}

func (c *compiler) compare(op, name, value string) error {
	i := slices.IndexFunc(c.o.attrs, func(a attr) bool { return a.Name == name })
	if i < 0 {
		return fmt.Errorf("no attribute %s", name)
	}
	a := &c.o.attrs[i]
	n, ok := c.m.number(a.enum, value)
	if !ok {
		return fmt.Errorf("%s is no number for %s", value, name)
	}
	c.out = append(c.out, step{op: op, attr: a.ID, num: n})
	return nil
}

// number reads a constant: a bool, a number, a value of an enum, short or full,
// or one of SAI's macros.
func (m *model) number(enum, text string) (int64, bool) {
	switch text {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, true
	}
	for _, e := range m.facts.Enums {
		if e.Name != enum && !strings.HasPrefix(text, e.Prefix) {
			continue
		}
		for _, v := range e.Values {
			if e.Name == enum && v.Name == text || e.Prefix+v.Name == text {
				return v.Val, true
			}
		}
	}
	for _, k := range m.facts.Consts {
		if k.Name == text && !k.Str {
			n, err := strconv.ParseInt(k.Text, 0, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// zeroDefaults are the defaults that are the zero value of every kind.
var zeroDefaults = []string{"null", "NULL", "empty", "disabled", `""`}

// defaultNum is the default of an attribute as a number, or empty if SAI states
// none, or one that depends on the chip or on another attribute, or an address.
func (m *model) defaultNum(a *attr) (string, error) {
	d := a.Default
	switch {
	case slices.Contains(zeroDefaults, d):
		return "0", nil
	case d == "" || d == "internal" || d == "vendor" || d == "const":
		return "", nil
	case strings.HasPrefix(d, "attrvalue:") || strings.HasPrefix(d, "attrrange:"):
		return "", nil
	case strings.ContainsAny(d, ".:"): // an address
		return "", nil
	}
	n, ok := m.number(a.enum, d)
	if !ok {
		return "", fmt.Errorf("default %q is not understood", d)
	}
	return strconv.FormatInt(n, 10), nil
}
