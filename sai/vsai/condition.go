package vsai

import (
	"strconv"
	"strings"

	"xon/sai"
)

// view is an object as it would be: attributes of a call over what is stored,
// and defaults for the rest.
type view struct {
	o    *sai.ObjectMeta
	x    *object // nil on create
	with []sai.Attribute
}

// value returns an attribute; ok is false if it has none, not even a default.
func (v view) value(a *sai.AttrMeta) (val sai.Value, ok bool) {
	for i := range v.with {
		if v.with[i].AttrMeta == a {
			return v.with[i].Value, true
		}
	}
	if v.x != nil {
		if val, ok = v.x.value(a.ID); ok {
			return val, true
		}
	}
	return defaultOf(a)
}

func (v view) num(a *sai.AttrMeta) uint64 {
	val, _ := v.value(a)
	return val.Num
}

// given reports whether a call brings an attribute.
func (v view) given(a *sai.AttrMeta) bool {
	for i := range v.with {
		if v.with[i].AttrMeta == a {
			return true
		}
	}
	return false
}

// condition is one of SAI's: when an attribute is mandatory and allowed.
type condition func(view) bool

// conditions of an object type, by attribute.
func conditions(o *sai.ObjectMeta) map[*sai.AttrMeta]condition {
	out := map[*sai.AttrMeta]condition{}
	for _, a := range o.Attrs {
		if a.If != "" && !relaxed[a.FullName()] {
			p := parser{o: o, text: a.If}
			out[a] = p.or()
		}
	}
	return out
}

// relaxed are the attributes whose condition says when they are mandatory, but
// which are allowed anyway (@relaxed in SAI's headers).
var relaxed = map[string]bool{
	"SAI_TUNNEL_TERM_TABLE_ENTRY_ATTR_DST_IP": true,
	"SAI_TUNNEL_TERM_TABLE_ENTRY_ATTR_SRC_IP": true,
}

// parser reads conditions: comparisons joined by & and |, which binds less, with
// parentheses.
type parser struct {
	o    *sai.ObjectMeta
	text string
}

func (p *parser) take(c byte) bool {
	if p.text != "" && p.text[0] == c {
		p.text = p.text[1:]
		return true
	}
	return false
}

func (p *parser) or() condition {
	c := p.and()
	for p.take('|') {
		l, r := c, p.and()
		c = func(v view) bool { return l(v) || r(v) }
	}
	return c
}

func (p *parser) and() condition {
	c := p.term()
	for p.take('&') {
		l, r := c, p.term()
		c = func(v view) bool { return l(v) && r(v) }
	}
	return c
}

func (p *parser) term() condition {
	if p.take('(') {
		c := p.or()
		p.take(')')
		return c
	}
	end := strings.IndexAny(p.text, "|&)")
	if end < 0 {
		end = len(p.text)
	}
	text := p.text[:end]
	p.text = p.text[end:]
	name, want, equal := strings.Cut(text, "==")
	if !equal {
		name, want, _ = strings.Cut(text, "!=")
	}
	a := p.o.AttrByName(name)
	if a == nil { // an attribute that is not in scope: the condition never holds
		return func(view) bool { return false }
	}
	n := number(a, want)
	return func(v view) bool { return (v.num(a) == n) == equal }
}

// number reads the right side of a comparison.
func number(a *sai.AttrMeta, text string) uint64 {
	if a.Enum != nil {
		n, _ := a.Enum.Value(text)
		return uint64(int64(n))
	}
	if text == "true" {
		return 1
	}
	n, _ := strconv.ParseInt(text, 0, 64)
	return uint64(n)
}
