package headers

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// expr evaluates a constant expression up to one of the end tokens, which stays.
func (p *parser) expr(end ...string) (int64, error) {
	var toks []string
	for depth := 0; depth > 0 || !slices.Contains(end, p.peek().text); {
		t := p.next().text
		switch t {
		case "":
			return 0, p.errf("expression does not end")
		case "(":
			depth++
		case ")":
			depth--
		}
		toks = append(toks, t)
	}
	return p.eval(toks, 0)
}

// evalText evaluates the text of a macro. depth counts how many macros it is in.
func (p *parser) evalText(s string, depth int) (int64, error) {
	toks, err := lex(File{Name: "macro", Text: s}, &p.macros)
	if err != nil {
		return 0, err
	}
	words := make([]string, len(toks))
	for i := range toks {
		words[i] = toks[i].text
	}
	return p.eval(words, depth)
}

// Macros and brackets may nest depthMax deep, and all expressions together have
// termsMax terms: macros of macros would else take for ever.
const (
	depthMax = 50
	termsMax = 1 << 20
)

func (p *parser) eval(toks []string, depth int) (int64, error) {
	e := &expression{p: p, toks: toks, depth: depth}
	v, err := e.or()
	if err == nil && len(e.toks) > 0 {
		err = fmt.Errorf("expression not understood: %s", strings.Join(toks, " "))
	}
	return v, err
}

// expression evaluates: | of << of + and - of * of terms.
type expression struct {
	p     *parser
	toks  []string
	depth int
}

// take removes and returns the next token, empty at the end.
func (e *expression) take() string {
	if len(e.toks) == 0 {
		return ""
	}
	t := e.toks[0]
	e.toks = e.toks[1:]
	return t
}

// chain reads terms between any of the operators, from left to right.
func (e *expression) chain(ops string, term func() (int64, error)) (int64, error) {
	v, err := term()
	for err == nil && len(e.toks) > 0 && slices.Contains(strings.Fields(ops), e.toks[0]) {
		op := e.take()
		var w int64
		w, err = term()
		switch op {
		case "|":
			v |= w
		case "<<":
			v <<= uint64(w) & 63
		case "+":
			v += w
		case "-":
			v -= w
		case "*":
			v *= w
		}
	}
	return v, err
}

func (e *expression) or() (int64, error)    { return e.chain("|", e.shift) }
func (e *expression) shift() (int64, error) { return e.chain("<<", e.sum) }
func (e *expression) sum() (int64, error)   { return e.chain("+ -", e.product) }
func (e *expression) product() (int64, error) {
	return e.chain("*", e.term)
}

func (e *expression) term() (int64, error) {
	if e.depth++; e.depth > depthMax {
		return 0, errors.New("macros or brackets nest too deep")
	}
	defer func() { e.depth-- }()
	if e.p.terms++; e.p.terms > termsMax {
		return 0, errors.New("expressions are too long")
	}
	t := e.take()
	switch {
	case t == "":
		return 0, errors.New("expression ends too early")
	case t == "(":
		v, err := e.or()
		if err == nil && e.take() != ")" {
			err = errors.New("want a closing bracket")
		}
		return v, err
	case t == "-":
		v, err := e.term()
		return -v, err
	case t[0] >= '0' && t[0] <= '9':
		return strconv.ParseInt(strings.TrimRight(t, "uUlL"), 0, 64)
	}
	if v, ok := e.p.values[t]; ok {
		return v, nil
	}
	return e.macro(t)
}

func (e *expression) macro(name string) (int64, error) {
	m, ok := e.p.macros.byName[name]
	if !ok {
		return 0, fmt.Errorf("unknown name %s", name)
	}
	body := m.body
	if m.params != nil {
		args, err := e.args(name)
		if err != nil {
			return 0, err
		}
		if len(args) != len(m.params) {
			return 0, fmt.Errorf("%s wants %d arguments", name, len(m.params))
		}
		for i, prm := range m.params {
			body = regexp.MustCompile(`\b`+regexp.QuoteMeta(prm)+`\b`).ReplaceAllLiteralString(body, "("+args[i]+")")
		}
		if len(body) > 1<<12 {
			return 0, fmt.Errorf("%s grows too long", name)
		}
	}
	return e.p.evalText(body, e.depth)
}

// args reads the arguments of a macro with their brackets.
func (e *expression) args(name string) ([]string, error) {
	if e.take() != "(" {
		return nil, fmt.Errorf("want arguments for %s", name)
	}
	var out []string
	for cur, depth := "", 0; ; {
		t := e.take()
		switch {
		case t == "":
			return nil, fmt.Errorf("arguments of %s do not end", name)
		case depth == 0 && t == ")":
			return append(out, cur), nil
		case depth == 0 && t == ",":
			out, cur = append(out, cur), ""
			continue
		case t == "(":
			depth++
		case t == ")":
			depth--
		}
		cur += " " + t
	}
}
