// Package path reads, writes, joins and matches gNMI paths.
//
// What a path means is not for here: that is gnmi/translate.
package path

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// Limits of a path. They are far above what any schema needs and keep a hostile
// request from costing much.
const (
	MaxElems = 64
	MaxText  = 8192 // bytes of the text form, and of one element's name
)

// Any is the wildcard for one element, Rest the one for any number of them.
const (
	Any  = "*"
	Rest = "..."
)

// Full joins prefix and path to one absolute path with the prefix's target. Both
// may be nil. The origin is that of the one that has it; it is an error when both
// have one, or when the path breaks a limit of this package. The deprecated
// "element" form is understood.
func Full(prefix, p *gpb.Path) (*gpb.Path, error) {
	if prefix.GetOrigin() != "" && p.GetOrigin() != "" {
		return nil, fmt.Errorf("origin %q in the prefix and origin %q in the path: only one may have it",
			prefix.GetOrigin(), p.GetOrigin())
	}
	if p.GetTarget() != "" {
		return nil, fmt.Errorf("target %q in a path: a target belongs in the prefix", p.GetTarget())
	}
	full := &gpb.Path{
		Origin: prefix.GetOrigin() + p.GetOrigin(),
		Target: prefix.GetTarget(),
		Elem:   slices.Concat(Elems(prefix), Elems(p)),
	}
	return full, check(full)
}

func check(p *gpb.Path) error {
	if len(p.GetElem()) > MaxElems {
		return fmt.Errorf("path of %d elements: at most %d", len(p.GetElem()), MaxElems)
	}
	for i, e := range p.GetElem() {
		if e.GetName() == "" {
			return fmt.Errorf("element %d of path %s has no name", i+1, String(p))
		}
		if len(e.GetName()) > MaxText {
			return fmt.Errorf("element %d of a path has %d bytes: at most %d", i+1, len(e.GetName()), MaxText)
		}
	}
	return nil
}

// Elems returns the elements of p, those of the deprecated form included.
func Elems(p *gpb.Path) []*gpb.PathElem {
	if len(p.GetElem()) > 0 || len(p.GetElement()) == 0 { //nolint:staticcheck // old clients still send it
		return p.GetElem()
	}
	return Of(p.GetElement()...) //nolint:staticcheck // as above
}

// Of makes elements without keys.
func Of(names ...string) []*gpb.PathElem {
	elems := make([]*gpb.PathElem, len(names))
	for i, n := range names {
		elems[i] = &gpb.PathElem{Name: n}
	}
	return elems
}

// Names returns the names of elems; it is an error when one has keys.
func Names(elems []*gpb.PathElem) ([]string, error) {
	names := make([]string, len(elems))
	for i, e := range elems {
		if len(e.GetKey()) > 0 {
			return nil, fmt.Errorf("element %q has keys: here a key is an element of its own", e.GetName())
		}
		names[i] = e.GetName()
	}
	return names, nil
}

// String writes p as "origin:/a/b[k=v]", keys in order of their names. The target
// is not part of it.
func String(p *gpb.Path) string {
	var b strings.Builder
	if p.GetOrigin() != "" {
		b.WriteString(p.GetOrigin() + ":")
	}
	for _, e := range Elems(p) {
		b.WriteByte('/')
		escape(&b, e.GetName(), `/[\`)
		for _, k := range slices.Sorted(maps.Keys(e.GetKey())) {
			b.WriteByte('[')
			escape(&b, k, `=]\`)
			b.WriteByte('=')
			escape(&b, e.GetKey()[k], `]\`)
			b.WriteByte(']')
		}
	}
	if len(Elems(p)) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

func escape(b *strings.Builder, s, special string) {
	for i := range len(s) {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
}

var errEmptyElem = errors.New("an element without a name")

// Parse reads the text form "[origin:][/]a/b[k=v]/c". A backslash takes the
// meaning from the character behind it: "Vlan10|10.0.0.0\/24" is one element.
// "" and "/" are the root.
func Parse(text string) (*gpb.Path, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("path of %d bytes: at most %d", len(text), MaxText)
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("path %q is not UTF-8", text)
	}
	p := &gpb.Path{}
	rest := text
	if origin, after, ok := strings.Cut(text, ":/"); ok && isOrigin(origin) {
		p.Origin, rest = origin, after
	}
	rest = strings.TrimPrefix(rest, "/")
	for rest != "" {
		e, after, err := parseElem(rest)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", text, err)
		}
		p.Elem, rest = append(p.Elem, e), after
	}
	return p, check(p)
}

func isOrigin(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r)
	})
}

// parseElem takes one element and the slash behind it from s.
func parseElem(s string) (*gpb.PathElem, string, error) {
	name, rest := until(s, "/[")
	if name == "" {
		return nil, "", errEmptyElem
	}
	e := &gpb.PathElem{Name: name}
	for strings.HasPrefix(rest, "[") {
		key, after := until(rest[1:], "=]")
		if !strings.HasPrefix(after, "=") || key == "" {
			return nil, "", fmt.Errorf("element %q: a key is written [name=value]", name)
		}
		value, after := until(after[1:], "]")
		if after == "" {
			return nil, "", fmt.Errorf("element %q: key %q is not closed with ]", name, key)
		}
		if e.Key == nil {
			e.Key = map[string]string{}
		}
		e.Key[key], rest = value, after[1:]
	}
	if rest == "" {
		return e, "", nil
	}
	if rest[0] != '/' {
		return nil, "", fmt.Errorf("element %q: %q behind its keys", name, rest)
	}
	return e, rest[1:], nil
}

// until returns s up to the first unescaped byte of stops, without escapes, and
// the rest, which begins with that byte.
func until(s, stops string) (taken, rest string) {
	var b []byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
		case strings.IndexByte(stops, s[i]) >= 0:
			return string(b), s[i:]
		}
		b = append(b, s[i])
	}
	return string(b), ""
}

// IsPattern reports whether name holds a wildcard.
func IsPattern(name string) bool { return strings.Contains(name, "*") || name == Rest }

// Match reports whether s fits pattern, in which each "*" stands for any text,
// none included.
func Match(pattern, s string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == s
	}
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}
