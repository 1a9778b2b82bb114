package headers

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"xon/sai/facts"
)

type parser struct {
	toks   []token
	p      int
	macros map[string]macro
	order  []string

	f        *facts.Facts
	values   map[string]int64 // every enum value by full name
	enumOf   map[string]string
	enumDoc  map[string]string
	attrDocs map[string]string // by full value name
	fileOf   map[string]string // enum or struct or api -> header
	apiDecl  map[string][]facts.Slot
	apiOrder []string
	names    map[string][]string // enum -> full value names
	notes    map[string]string
}

// Read parses the headers in the given directories as one SAI version.
func Read(dirs ...string) (*facts.Facts, error) {
	p := &parser{
		macros: map[string]macro{}, f: &facts.Facts{},
		values: map[string]int64{}, enumOf: map[string]string{}, attrDocs: map[string]string{},
		fileOf: map[string]string{}, apiDecl: map[string][]facts.Slot{}, names: map[string][]string{}, notes: map[string]string{},
	}
	var files []string
	for _, d := range dirs {
		m, err := filepath.Glob(filepath.Join(d, "*.h"))
		if err != nil {
			return nil, err
		}
		sort.Strings(m)
		files = append(files, m...)
	}
	// Types and statuses first, so that values defined from others resolve.
	sort.SliceStable(files, func(i, j int) bool { return rank(files[i]) < rank(files[j]) })
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		l := &lexer{file: filepath.Base(file), src: string(src), line: 1, macros: p.macros, order: &p.order}
		if err := l.run(); err != nil {
			return nil, err
		}
		p.toks = append(p.toks, l.toks...)
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.f, nil
}

func rank(file string) int {
	switch filepath.Base(file) {
	case "saitypes.h":
		return 0
	case "saistatus.h":
		return 1
	case "sai.h":
		return 2
	case "saiextensions.h", "saitypesextensions.h":
		return 4
	}
	if strings.Contains(filepath.Base(file), "experimental") || strings.Contains(filepath.Base(file), "extensions") {
		return 5
	}
	return 3
}

func (p *parser) peek() token {
	if p.p < len(p.toks) {
		return p.toks[p.p]
	}
	return token{}
}

func (p *parser) next() token { t := p.peek(); p.p++; return t }

func (p *parser) errf(format string, a ...any) error {
	t := p.peek()
	return fmt.Errorf("%s:%d: near %q: %s", t.file, t.line, t.text, fmt.Sprintf(format, a...))
}

func (p *parser) want(s string) error {
	if p.peek().text != s {
		return p.errf("want %q", s)
	}
	p.p++
	return nil
}

func (p *parser) parse() error {
	for p.p < len(p.toks) {
		var err error
		if p.peek().text == "typedef" {
			err = p.typedef()
		} else if p.peek().text == ";" {
			p.p++
		} else if p.peek().text == "extern" || p.peek().text == "}" {
			// extern "C" { ... }
			p.p++
			for p.peek().text == "{" || strings.HasPrefix(p.peek().text, `"`) {
				p.p++
			}
		} else {
			err = p.prototype()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func strip(s string) string { return strings.TrimPrefix(s, "sai_") }

// norm maps a C type name to the name used in facts.
func norm(s string) string {
	switch s {
	case "uint8_t", "sai_uint8_t":
		return "u8"
	case "uint16_t", "sai_uint16_t":
		return "u16"
	case "uint32_t", "sai_uint32_t":
		return "u32"
	case "uint64_t", "sai_uint64_t":
		return "u64"
	case "int8_t", "sai_int8_t":
		return "s8"
	case "int16_t", "sai_int16_t":
		return "s16"
	case "int32_t", "sai_int32_t":
		return "s32"
	case "int64_t", "sai_int64_t":
		return "s64"
	case "size_t", "sai_size_t":
		return "size"
	}
	return strip(s)
}

func (p *parser) typedef() error {
	doc := p.peek().doc
	p.next()
	switch p.peek().text {
	case "enum":
		return p.enum(doc)
	case "struct", "union":
		_, err := p.aggregate(doc, "")
		return err
	}
	typ, ptr, err := p.ctype()
	if err != nil {
		return err
	}
	if p.peek().text == "(" { // function pointer
		p.next()
		if err := p.want("*"); err != nil {
			return err
		}
		name := p.next().text
		if err := p.want(")"); err != nil {
			return err
		}
		x := facts.Func{Name: strip(name), Ret: typ + ptr, Count: tags(doc)["count"]}
		if x.Params, err = p.params(); err != nil {
			return err
		}
		p.f.FnTypes = append(p.f.FnTypes, x)
		return p.want(";")
	}
	name := p.next().text
	arr := ""
	if p.peek().text == "[" {
		p.next()
		n, err := p.expr("]")
		if err != nil {
			return err
		}
		arr = fmt.Sprintf("[%d]", n)
	}
	if n := norm(name); n == strip(name) && typ+ptr+arr != n {
		t := typ + ptr + arr
		if t == "void*" {
			t = "ptr"
		}
		p.f.Scalars = append(p.f.Scalars, facts.Scalar{Name: n, Type: t})
	}
	return p.want(";")
}

// ctype reads a type: const, name and stars.
func (p *parser) ctype() (typ, ptr string, err error) {
	con := false
	for p.peek().text == "const" {
		con = true
		p.next()
	}
	t := p.next().text
	if t == "struct" || t == "unsigned" {
		t = p.next().text
		t = strings.TrimPrefix(t, "_")
	}
	typ = norm(t)
	if con {
		typ = "const " + typ
	}
	for p.peek().text == "*" || p.peek().text == "const" {
		if p.next().text == "*" {
			ptr += "*"
		}
	}
	return typ, ptr, nil
}

func (p *parser) params() ([]facts.Param, error) {
	if err := p.want("("); err != nil {
		return nil, err
	}
	var out []facts.Param
	for p.peek().text != ")" {
		x := facts.Param{Dir: "in"}
		switch p.peek().text {
		case "_In_":
			p.next()
		case "_Out_":
			x.Dir = "out"
			p.next()
		case "_Inout_":
			x.Dir = "inout"
			p.next()
		case "_In_reads_z_", "_In_reads_opt_z_":
			p.next()
			p.next()
			for p.next().text != ")" {
			}
		}
		typ, ptr, err := p.ctype()
		if err != nil {
			return nil, err
		}
		if typ == "void" && ptr == "" {
			break
		}
		x.Type = typ + ptr
		x.Name = p.next().text
		if p.peek().text == "[" {
			for p.next().text != "]" {
			}
			x.Type += "*"
		}
		out = append(out, x)
		if p.peek().text == "," {
			p.next()
		}
	}
	return out, p.want(")")
}

func (p *parser) prototype() error {
	doc := p.peek().doc
	typ, ptr, err := p.ctype()
	if err != nil {
		return err
	}
	name := p.next().text
	if p.peek().text != "(" {
		return p.errf("want a function after %s %s", typ, name)
	}
	x := facts.Func{Name: strip(name), Ret: typ + ptr, Count: tags(doc)["count"]}
	if x.Params, err = p.params(); err != nil {
		return err
	}
	p.f.Funcs = append(p.f.Funcs, x)
	return p.want(";")
}

func (p *parser) enum(doc string) error {
	p.next()
	if p.peek().text != "{" {
		p.next() // tag
	}
	if err := p.want("{"); err != nil {
		return err
	}
	e := &facts.Enum{Flags: ""}
	if fl := tags(doc)["flags"]; fl != "" {
		e.Flags = fl
	}
	file := p.peek().file
	var full []string
	next := int64(0)
	for p.peek().text != "}" {
		t := p.next()
		v := next
		if p.peek().text == "=" {
			p.next()
			var err error
			if v, err = p.expr(",", "}"); err != nil {
				return fmt.Errorf("%s: %w", t.text, err)
			}
			p.p-- // leave the end token
		}
		next = v + 1
		p.values[t.text] = v
		full = append(full, t.text)
		if t.doc != "" {
			p.attrDocs[t.text] = t.doc
		}
		if strings.Contains(t.doc, "@ignore") {
			p.notes[t.text] = "old"
		}
		if p.peek().text == "," {
			p.next()
		}
	}
	p.next()
	name := p.next().text
	e.Name = strip(name)
	p.fileOf[e.Name] = file
	// The usual prefix of the values, else what they all share.
	e.Prefix = strings.ToUpper(strings.TrimSuffix(name, "_t")) + "_"
	for _, v := range full {
		if !strings.HasPrefix(v, e.Prefix) {
			e.Prefix = common(full)
			break
		}
	}
	for _, v := range full {
		e.Values = append(e.Values, facts.Value{Name: strings.TrimPrefix(v, e.Prefix), Val: p.values[v], Note: p.notes[v]})
		p.enumOf[v] = e.Name
	}
	p.names[e.Name] = full
	p.f.Enums = append(p.f.Enums, e)
	return p.want(";")
}

// common is the longest prefix shared by all that ends in "_".
func common(s []string) string {
	if len(s) == 0 {
		return ""
	}
	pre := s[0]
	for _, x := range s {
		for !strings.HasPrefix(x, pre) {
			pre = pre[:len(pre)-1]
		}
	}
	return pre[:strings.LastIndexByte(pre, '_')+1]
}

func (p *parser) aggregate(doc, outer string) (string, error) {
	kind := p.next().text
	tag := ""
	if p.peek().text != "{" {
		tag = p.next().text
	}
	file := p.peek().file
	if err := p.want("{"); err != nil {
		return "", err
	}
	s := &facts.Struct{Union: kind == "union"}
	var slots []facts.Slot
	isAPI := strings.HasSuffix(tag, "_api_t") || strings.HasSuffix(tag, "_api")
	for p.peek().text != "}" {
		fdoc := p.peek().doc
		if t := p.peek().text; (t == "union" || t == "struct") && (p.toks[p.p+1].text == "{" || p.toks[p.p+2].text == "{") {
			inner, err := p.aggregate(fdoc, tag)
			if err != nil {
				return "", err
			}
			s.Fields = append(s.Fields, facts.Field{Name: p.next().text, Type: inner})
			if err := p.want(";"); err != nil {
				return "", err
			}
			continue
		}
		typ, ptr, err := p.ctype()
		if err != nil {
			return "", err
		}
		name := p.next().text
		arr := ""
		for p.peek().text == "[" {
			p.next()
			n, err := p.expr("]")
			if err != nil {
				return "", err
			}
			arr += fmt.Sprintf("[%d]", n)
		}
		if err := p.want(";"); err != nil {
			return "", err
		}
		fl := facts.Field{Name: name, Type: strings.TrimPrefix(typ, "const ") + ptr + arr}
		if o := tags(fdoc)["objects"]; o != "" {
			fl.Objects = objects(o)
		}
		if isAPI {
			slots = append(slots, facts.Slot{Name: name, FnType: typ})
		}
		s.Fields = append(s.Fields, fl)
	}
	p.next()
	if outer != "" { // a nested one has its tag as name
		s.Name = strip(strings.TrimPrefix(tag, "_"))
		if s.Name == "" {
			s.Name = strip(strings.TrimPrefix(outer, "_")) + "." + p.peek().text
		}
		p.f.Structs = append(p.f.Structs, s)
		return s.Name, nil
	}
	name := p.next().text
	if err := p.want(";"); err != nil {
		return "", err
	}
	if isAPI {
		n := strings.TrimSuffix(strip(name), "_api_t")
		p.apiDecl[n] = slots
		p.apiOrder = append(p.apiOrder, n)
		p.fileOf["api "+n] = file
		return name, nil
	}
	s.Name = strip(name)
	p.fileOf[s.Name] = file
	p.f.Structs = append(p.f.Structs, s)
	return s.Name, nil
}

// expr evaluates a constant expression up to one of the end tokens, which it
// consumes.
func (p *parser) expr(end ...string) (int64, error) {
	var toks []string
	depth := 0
	for {
		t := p.peek().text
		if t == "" {
			return 0, p.errf("expression does not end")
		}
		if depth == 0 {
			for _, e := range end {
				if t == e {
					p.next()
					return p.eval(toks)
				}
			}
		}
		if t == "(" {
			depth++
		}
		if t == ")" {
			depth--
		}
		toks = append(toks, t)
		p.next()
	}
}

func (p *parser) evalText(s string) (int64, error) {
	l := &lexer{file: "macro", src: s, line: 1, macros: p.macros, order: &[]string{}}
	if err := l.run(); err != nil {
		return 0, err
	}
	var toks []string
	for _, t := range l.toks {
		toks = append(toks, t.text)
	}
	return p.eval(toks)
}

// eval: or-expressions of shifts of sums of terms.
func (p *parser) eval(toks []string) (int64, error) {
	i := 0
	at := func() string {
		if i < len(toks) {
			return toks[i]
		}
		return ""
	}
	var or func() (int64, error)
	var term func() (int64, error)
	term = func() (int64, error) {
		t := at()
		i++
		switch {
		case t == "(":
			// a cast, (type)x, is not used in values; a group is
			v, err := or()
			if err != nil {
				return 0, err
			}
			if at() != ")" {
				return 0, fmt.Errorf("want ) in %v", toks)
			}
			i++
			return v, nil
		case t == "-":
			v, err := term()
			return -v, err
		case t == "":
			return 0, fmt.Errorf("empty expression %v", toks)
		case t[0] >= '0' && t[0] <= '9':
			return strconv.ParseInt(strings.TrimRight(t, "uUlL"), 0, 64)
		}
		if v, ok := p.values[t]; ok {
			return v, nil
		}
		m, ok := p.macros[t]
		if !ok {
			return 0, fmt.Errorf("unknown name %s", t)
		}
		if m.params == nil {
			return p.evalText(m.body)
		}
		if at() != "(" {
			return 0, fmt.Errorf("want arguments for %s", t)
		}
		i++
		var args []string
		cur, depth := "", 0
		for {
			x := at()
			if x == "" {
				return 0, fmt.Errorf("arguments of %s do not end", t)
			}
			i++
			if depth == 0 && (x == "," || x == ")") {
				args = append(args, cur)
				cur = ""
				if x == ")" {
					break
				}
				continue
			}
			if x == "(" {
				depth++
			}
			if x == ")" {
				depth--
			}
			cur += " " + x
		}
		body := m.body
		for k, prm := range m.params {
			if k < len(args) {
				body = regexp.MustCompile(`\b`+prm+`\b`).ReplaceAllString(body, "("+args[k]+")")
			}
		}
		return p.evalText(body)
	}
	mul := func() (int64, error) {
		v, err := term()
		for err == nil && at() == "*" {
			i++
			var w int64
			w, err = term()
			v *= w
		}
		return v, err
	}
	sum := func() (int64, error) {
		v, err := mul()
		for err == nil && (at() == "+" || at() == "-") {
			op := at()
			i++
			var w int64
			w, err = mul()
			if op == "+" {
				v += w
			} else {
				v -= w
			}
		}
		return v, err
	}
	shift := func() (int64, error) {
		v, err := sum()
		for err == nil && at() == "<<" {
			i++
			var w int64
			w, err = sum()
			v <<= uint(w)
		}
		return v, err
	}
	or = func() (int64, error) {
		v, err := shift()
		for err == nil && at() == "|" {
			i++
			var w int64
			w, err = shift()
			v |= w
		}
		return v, err
	}
	v, err := or()
	if err == nil && i != len(toks) {
		err = fmt.Errorf("expression not understood: %v", toks)
	}
	return v, err
}

func objects(s string) []string {
	var out []string
	for _, o := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		out = append(out, strings.TrimPrefix(o, "SAI_OBJECT_TYPE_"))
	}
	return out
}
