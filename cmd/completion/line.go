package completion

import (
	"strings"
	"unicode"
)

// Line is a command line up to the cursor, taken apart as bash does.
type Line struct {
	Words []string // complete ones behind the program's name, without quotes
	Word  string   // the one at the cursor, without quotes; "" behind a space
	// start is how much of Word stands before the text that readline replaces: it begins
	// behind an open quote, or behind the last character of COMP_WORDBREAKS.
	start int
	quote rune // the quote that is open at the cursor: ' or "; 0: none
}

// Parse takes apart the line with the cursor behind its first point characters. breaks is
// COMP_WORDBREAKS.
//
// Source: bash's manual, sections QUOTING and Programmable Completion; readline's
// rl_find_completion_word.
func Parse(line string, point int, breaks string) Line {
	runes := []rune(line)
	p := parser{breaks: breaks}
	for _, r := range runes[:max(0, min(point, len(runes)))] {
		p.take(r)
	}
	words := p.words
	for len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	return Line{Words: words[min(1, len(words)):], Word: p.word.String(), start: p.start, quote: p.quote}
}

// isAssignment reports whether a word may stand before a program's name: "XON_ADDR=unix:/s".
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// parser is in the middle of a line.
type parser struct {
	breaks string
	words  []string
	word   strings.Builder
	inWord bool
	start  int
	quote  rune
	escape bool // a backslash was the last character
}

func (p *parser) take(r rune) {
	switch {
	case p.escape:
		p.escape = false
		if p.quote == '"' && !strings.ContainsRune("$`\"\\\n", r) {
			p.word.WriteByte('\\')
		}
		p.add(r)
	case r == '\\' && p.quote != '\'':
		p.escape, p.inWord = true, true
	case p.quote != 0 && r == p.quote:
		p.quote = 0
		p.cut(r)
	case p.quote != 0:
		p.add(r)
	default:
		p.bare(r)
	}
}

// bare takes a character outside quotes.
func (p *parser) bare(r rune) {
	switch {
	case r == '\'' || r == '"':
		p.quote, p.inWord, p.start = r, true, p.word.Len()
	case strings.ContainsRune("|&;()\n", r): // another command begins
		p.end()
		p.words = nil
	case unicode.IsSpace(r) || r == '<' || r == '>':
		p.end()
	default:
		p.add(r)
		p.cut(r)
	}
}

func (p *parser) add(r rune) {
	p.word.WriteRune(r)
	p.inWord = true
}

// cut makes readline's text begin behind a character, if it breaks words.
func (p *parser) cut(r rune) {
	if strings.ContainsRune(p.breaks, r) {
		p.start = p.word.Len()
	}
}

func (p *parser) end() {
	if p.inWord {
		p.words = append(p.words, p.word.String())
	}
	p.word.Reset()
	p.inWord, p.start = false, 0
}

// insertion is what readline is to put in for a word: without what stands before, and
// with the characters escaped that mean something to bash. It is not ok where that can't
// be said within the open quotes.
func (l Line) insertion(word string) (text string, ok bool) {
	rest := word[min(l.start, len(word)):]
	switch l.quote {
	case '\'':
		return rest, !strings.Contains(rest, "'")
	case '"':
		return escaped(rest, "$`\"\\!"), true
	}
	return escaped(rest, " \t'\"\\$`|&;()<>*?[]{}#!~^"), true
}

func escaped(s, special string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
