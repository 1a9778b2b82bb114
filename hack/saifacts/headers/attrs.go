package headers

import (
	"fmt"
	"regexp"
	"strings"

	"xon/sai/facts"
)

// attrs adds the values of an enum to an object as attributes. ext tells those of
// an extension from the object's own.
func (p *parser) attrs(o *facts.Object, e *facts.Enum, ext bool) error {
	for _, full := range p.names[e.Name] {
		a, err := p.attr(o, full)
		if err != nil {
			return fmt.Errorf("%s: %w", full, err)
		}
		if ext {
			a.Opts = append(a.Opts, "ext")
		}
		o.Attrs = append(o.Attrs, a)
	}
	return nil
}

func (p *parser) attr(o *facts.Object, full string) (facts.Attr, error) {
	t := tags(p.docs[full])
	a := facts.Attr{
		ID:      p.values[full],
		Name:    strings.TrimPrefix(full, o.Prefix),
		Objects: objects(t["objects"]),
		Null:    t["allownull"] == "true",
	}
	w := strings.Fields(t["type"])
	for i := range w {
		w[i] = norm(w[i])
	}
	a.Type = strings.Join(w, " ")
	var err error
	if a.Flags, err = flags(t["flags"]); err != nil {
		return a, err
	}
	if a.Opts, err = p.options(t); err != nil {
		return a, err
	}
	a.Default = p.short(a.Type, t["default"])
	a.If = p.cond(o, t["condition"])
	a.Valid = p.cond(o, t["validonly"])
	return a, nil
}

var flagLetters = map[string]string{
	"MANDATORY_ON_CREATE": "M", "CREATE_ONLY": "C", "CREATE_AND_SET": "S", "READ_ONLY": "R", "KEY": "K", "DYNAMIC": "D", "SPECIAL": "X",
}

func flags(text string) (string, error) {
	out := ""
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ' ' }) {
		l, ok := flagLetters[w]
		if !ok {
			return "", fmt.Errorf("flag %q is not known", w)
		}
		out += l
	}
	return out, nil
}

// options are the tags that are kept as words, in this order.
func (p *parser) options(t map[string]string) ([]string, error) {
	var out []string
	for _, o := range [][2]string{{"isvlan", "vlan"}, {"isresourcetype", "res"}, {"deprecated", "old"}, {"relaxed", "relaxed"}} {
		if v, ok := t[o[0]]; ok && v != "false" {
			out = append(out, o[1])
		}
	}
	if v := strings.ReplaceAll(t["precision"], " ", ""); v != "" {
		out = append(out, "prec="+v)
	}
	if v := t["range"]; v != "" {
		n, err := p.evalText(v, 0)
		if err != nil {
			return nil, fmt.Errorf("range: %w", err)
		}
		out = append(out, fmt.Sprintf("range=%d", n))
	}
	return out, nil
}

// short drops the prefix of an enum value where the type tells it.
func (p *parser) short(typ, s string) string {
	if s == "SAI_NULL_OBJECT_ID" {
		return "null"
	}
	if w := strings.Fields(typ); len(w) > 0 {
		if e := p.f.Enum(w[len(w)-1]); e != nil && strings.HasPrefix(s, e.Prefix) {
			return strings.TrimPrefix(s, e.Prefix)
		}
	}
	s = strings.Join(strings.Fields(s), " ")
	return strings.ReplaceAll(s, "attrvalue ", "attrvalue:")
}

var constant = regexp.MustCompile(`SAI_[A-Z0-9_]+`)

// cond writes a condition as A==X|B==Y, names short.
func (p *parser) cond(o *facts.Object, s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.NewReplacer(" or ", "|", " and ", "&").Replace(s)
	s = strings.ReplaceAll(s, " ", "")
	s = strings.ReplaceAll(s, o.Prefix, "")
	return constant.ReplaceAllStringFunc(s, func(n string) string {
		if e := p.f.Enum(p.enumOf[n]); e != nil {
			return strings.TrimPrefix(n, e.Prefix)
		}
		return n
	})
}
