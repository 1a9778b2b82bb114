package headers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// macro is a #define.
type macro struct {
	params []string // nil for one without brackets
	body   string
}

// macros keeps them in the order in which they are defined.
type macros struct {
	byName map[string]macro
	order  []string
}

func (m *macros) define(name string, x macro) {
	if _, ok := m.byName[name]; !ok {
		m.order = append(m.order, name)
	}
	m.byName[name] = x
}

// on reports whether no conditional leaves out what is read.
func (l *lexer) on() bool { return !slices.Contains(l.conds, false) }

// directive reads and obeys a line that begins with #.
func (l *lexer) directive() error {
	text := l.directiveText()
	l.doc = ""
	end := 0
	for end < len(text) && isIdent(text[end]) {
		end++
	}
	word, rest := text[:end], strings.TrimSpace(text[end:])
	switch word {
	case "include", "undef", "pragma", "error", "warning":
		return nil
	case "define":
		return l.define(rest)
	case "if", "ifdef", "ifndef":
		return l.openCond(word, rest)
	case "else", "endif":
		return l.closeCond(word)
	}
	return fmt.Errorf("directive not understood: #%s", text)
}

// directiveText is the text of the line, with those that it is continued on, up
// to a comment.
func (l *lexer) directiveText() string {
	start := l.pos + 1
	for l.pos < len(l.file.Text) && l.file.Text[l.pos] != '\n' && !l.at("/*") && !l.at("//") {
		if l.at("\\\n") {
			l.pos++
			l.line++
		}
		l.pos++
	}
	return strings.TrimSpace(strings.ReplaceAll(l.file.Text[start:min(l.pos, len(l.file.Text))], "\\\n", " "))
}

func (l *lexer) define(text string) error {
	if !l.on() {
		return nil
	}
	end := 0
	for end < len(text) && isIdent(text[end]) {
		end++
	}
	name, body := text[:end], text[end:]
	if name == "" {
		return errors.New("#define without a name")
	}
	var x macro
	if args, ok := strings.CutPrefix(body, "("); ok {
		params, rest, ok := strings.Cut(args, ")")
		if !ok {
			return fmt.Errorf("#define %s: the parameters do not end", name)
		}
		x.params = []string{}
		for p := range strings.SplitSeq(params, ",") {
			x.params = append(x.params, strings.TrimSpace(p))
		}
		body = rest
	}
	x.body = strings.TrimSpace(body)
	l.macros.define(name, x)
	return nil
}

// openCond reads #ifdef NAME, #if defined(NAME) and #if !defined(NAME).
func (l *lexer) openCond(word, text string) error {
	name := strings.ReplaceAll(text, " ", "")
	want := word != "ifndef"
	if word == "if" {
		var not bool
		name, not = strings.CutPrefix(name, "!")
		want = !not
		name = strings.Trim(strings.TrimPrefix(name, "defined"), "()")
	}
	plain := name != "" && !slices.ContainsFunc([]byte(name), func(c byte) bool { return !isIdent(c) })
	if !plain && l.on() {
		return fmt.Errorf("condition not understood: #%s %s", word, text)
	}
	_, have := l.macros.byName[name]
	l.conds = append(l.conds, have == want)
	return nil
}

func (l *lexer) closeCond(word string) error {
	last := len(l.conds) - 1
	if last < 0 {
		return fmt.Errorf("#%s without an #if", word)
	}
	if word == "endif" {
		l.conds = l.conds[:last]
	} else {
		l.conds[last] = !l.conds[last]
	}
	return nil
}
