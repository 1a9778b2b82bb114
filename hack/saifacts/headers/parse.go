package headers

import (
	"fmt"
	"strings"

	"xon/sai/facts"
)

// parser reads declarations into facts, and keeps what finish needs to turn the
// enums of attributes into objects.
type parser struct {
	toks   []token
	pos    int
	macros macros
	terms  int // of expressions, evaluated so far

	f        *facts.Facts
	values   map[string]int64        // of enums, by full name
	enumOf   map[string]string       // full name → enum
	names    map[string][]string     // enum → full names, in order
	docs     map[string]string       // full name → its comment
	fileOf   map[string]string       // enum, or "api x" → header
	apis     map[string][]facts.Slot // table by API
	apiOrder []string
}

func newParser() *parser {
	return &parser{
		macros: macros{byName: map[string]macro{}},
		f:      &facts.Facts{},
		values: map[string]int64{}, enumOf: map[string]string{}, names: map[string][]string{}, docs: map[string]string{},
		fileOf: map[string]string{}, apis: map[string][]facts.Slot{},
	}
}

// peek is the next token, the zero token at the end.
func (p *parser) peek() token { return p.ahead(0) }

// ahead is the token n after the next.
func (p *parser) ahead(n int) token {
	if p.pos+n < len(p.toks) {
		return p.toks[p.pos+n]
	}
	return token{}
}

func (p *parser) next() token {
	t := p.peek()
	p.pos++
	return t
}

// errf is an error at the next token.
func (p *parser) errf(format string, args ...any) error {
	t := p.peek()
	if t.text == "" {
		return fmt.Errorf("%w: %s", errEnd, fmt.Sprintf(format, args...))
	}
	return fmt.Errorf("%s:%d: near %q: %s", t.file, t.line, t.text, fmt.Sprintf(format, args...))
}

func (p *parser) want(s string) error {
	if p.peek().text != s {
		return p.errf("want %q", s)
	}
	p.pos++
	return nil
}

// ident reads a name.
func (p *parser) ident() (string, error) {
	t := p.peek().text
	if t == "" || !isIdent(t[0]) || t[0] <= '9' {
		return "", p.errf("want a name")
	}
	p.pos++
	return t, nil
}

// skipTo goes behind the next s.
func (p *parser) skipTo(s string) error {
	for p.peek().text != s {
		if p.next().text == "" {
			return p.errf("want %q", s)
		}
	}
	p.pos++
	return nil
}

func (p *parser) parse() error {
	for p.pos < len(p.toks) {
		var err error
		switch p.peek().text {
		case "typedef":
			err = p.typedef()
		case ";":
			p.pos++
		case "extern", "}": // extern "C" { ... }
			p.pos++
			for p.peek().text == "{" || strings.HasPrefix(p.peek().text, `"`) {
				p.pos++
			}
		default:
			err = p.prototype()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func strip(s string) string { return strings.TrimPrefix(s, "sai_") }

var plainNames = map[string]string{
	"uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "uint64_t": "u64",
	"int8_t": "s8", "int16_t": "s16", "int32_t": "s32", "int64_t": "s64", "size_t": "size",
}

// norm maps a C type name to the name used in facts.
func norm(s string) string {
	if n, ok := plainNames[strip(s)]; ok {
		return n
	}
	return strip(s)
}

func (p *parser) typedef() error {
	doc := p.next().doc
	switch p.peek().text {
	case "enum":
		return p.enum(doc)
	case "struct", "union":
		_, err := p.aggregate("")
		return err
	}
	typ, err := p.ctype()
	if err != nil {
		return err
	}
	if p.peek().text == "(" {
		return p.fnType(doc, typ)
	}
	name, err := p.ident()
	if err != nil {
		return err
	}
	arr, err := p.arrays()
	if err != nil {
		return err
	}
	typ += arr
	if typ == "void*" {
		typ = "ptr"
	}
	if n := norm(name); n == strip(name) && typ != n {
		p.f.Scalars = append(p.f.Scalars, facts.Scalar{Name: n, Type: typ})
	}
	return p.want(";")
}

// fnType reads the rest of a function pointer type, from (* on.
func (p *parser) fnType(doc, ret string) error {
	p.pos++
	if err := p.want("*"); err != nil {
		return err
	}
	x, err := p.function(doc, ret, ")")
	p.f.FnTypes = append(p.f.FnTypes, x)
	return err
}

func (p *parser) prototype() error {
	doc := p.peek().doc
	ret, err := p.ctype()
	if err != nil {
		return err
	}
	x, err := p.function(doc, ret, "")
	p.f.Funcs = append(p.f.Funcs, x)
	return err
}

// function reads a name, what follows it, parameters and a semicolon.
func (p *parser) function(doc, ret, after string) (facts.Func, error) {
	name, err := p.ident()
	if err != nil {
		return facts.Func{}, err
	}
	x := facts.Func{Name: strip(name), Ret: ret, Count: tags(doc)["count"]}
	if after != "" {
		if err := p.want(after); err != nil {
			return x, err
		}
	}
	if x.Params, err = p.params(); err != nil {
		return x, err
	}
	return x, p.want(";")
}

// ctype reads a type: const, a name, and stars.
func (p *parser) ctype() (string, error) {
	prefix := ""
	for p.peek().text == "const" {
		prefix = "const "
		p.pos++
	}
	t, err := p.ident()
	if err == nil && (t == "struct" || t == "unsigned") {
		t, err = p.ident()
		t = strings.TrimPrefix(t, "_")
	}
	if err != nil {
		return "", err
	}
	typ := prefix + norm(t)
	for p.peek().text == "*" || p.peek().text == "const" {
		if p.next().text == "*" {
			typ += "*"
		}
	}
	return typ, nil
}

// arrays reads the bounds of an array: [4][2].
func (p *parser) arrays() (string, error) {
	out := ""
	for p.peek().text == "[" {
		p.pos++
		n, err := p.expr("]")
		if err != nil {
			return "", err
		}
		p.pos++
		out += fmt.Sprintf("[%d]", n)
	}
	return out, nil
}

func (p *parser) params() ([]facts.Param, error) {
	if err := p.want("("); err != nil {
		return nil, err
	}
	var out []facts.Param
	for p.peek().text != ")" {
		x, err := p.param()
		if err != nil {
			return nil, err
		}
		if x.Type == "void" {
			break
		}
		out = append(out, x)
		if p.peek().text == "," {
			p.pos++
		}
	}
	return out, p.want(")")
}

func (p *parser) param() (x facts.Param, err error) {
	x.Dir = "in"
	switch p.peek().text {
	case "_In_":
		p.pos++
	case "_Out_":
		x.Dir = "out"
		p.pos++
	case "_Inout_":
		x.Dir = "inout"
		p.pos++
	case "_In_reads_z_", "_In_reads_opt_z_":
		if err := p.skipTo(")"); err != nil {
			return x, err
		}
	}
	if x.Type, err = p.ctype(); err != nil || x.Type == "void" {
		return x, err
	}
	if x.Name, err = p.ident(); err != nil {
		return x, err
	}
	if p.peek().text == "[" {
		x.Type += "*"
		err = p.skipTo("]")
	}
	return x, err
}
