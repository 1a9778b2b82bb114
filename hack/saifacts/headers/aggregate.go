package headers

import (
	"fmt"
	"strings"

	"xon/sai/facts"
)

// enum reads an enum from "enum" on.
func (p *parser) enum(doc string) error {
	p.pos++
	if p.peek().text != "{" {
		p.pos++ // a tag
	}
	if err := p.want("{"); err != nil {
		return err
	}
	file := p.peek().file
	full, err := p.enumValues()
	if err != nil {
		return err
	}
	name, err := p.ident()
	if err != nil {
		return err
	}
	e := &facts.Enum{Name: strip(name), Flags: tags(doc)["flags"], Prefix: prefix(name, full)}
	for _, v := range full {
		x := facts.Value{Name: strings.TrimPrefix(v, e.Prefix), Val: p.values[v]}
		if strings.Contains(p.docs[v], "@ignore") {
			x.Note = "old"
		}
		e.Values = append(e.Values, x)
		p.enumOf[v] = e.Name
	}
	p.fileOf[e.Name] = file
	p.names[e.Name] = full
	p.f.Enums = append(p.f.Enums, e)
	return p.want(";")
}

// enumValues reads the values up to and with the closing brace, and returns
// their names.
func (p *parser) enumValues() (full []string, err error) {
	next := int64(0)
	for p.peek().text != "}" {
		t := p.peek()
		if _, err := p.ident(); err != nil {
			return nil, err
		}
		v := next
		if p.peek().text == "=" {
			p.pos++
			if v, err = p.expr(",", "}"); err != nil {
				return nil, fmt.Errorf("%s: %w", t.text, err)
			}
		}
		next = v + 1
		p.values[t.text] = v
		full = append(full, t.text)
		if t.doc != "" {
			p.docs[t.text] = t.doc
		}
		if p.peek().text == "," {
			p.pos++
		}
	}
	p.pos++
	return full, nil
}

// prefix is what SAI calls the values of an enum by, or if one is called
// otherwise, what all of them begin with, up to an underscore.
func prefix(name string, full []string) string {
	pre := strings.ToUpper(strings.TrimSuffix(name, "_t")) + "_"
	usual := true
	for _, v := range full {
		usual = usual && strings.HasPrefix(v, pre)
	}
	if usual || len(full) == 0 {
		return pre
	}
	pre = full[0]
	for _, v := range full {
		for !strings.HasPrefix(v, pre) {
			pre = pre[:len(pre)-1]
		}
	}
	return pre[:strings.LastIndexByte(pre, '_')+1]
}

// aggregate reads a struct or union from its keyword on, and returns its name.
// One that is a member of another has outer's tag.
func (p *parser) aggregate(outer string) (string, error) {
	s := &facts.Struct{Union: p.next().text == "union"}
	tag := ""
	if p.peek().text != "{" {
		tag = p.next().text
	}
	file := p.peek().file
	if err := p.want("{"); err != nil {
		return "", err
	}
	for p.peek().text != "}" {
		m, err := p.member(tag)
		if err != nil {
			return "", err
		}
		s.Fields = append(s.Fields, m)
	}
	p.pos++
	if outer != "" {
		return p.nested(s, tag, outer), nil
	}
	name, err := p.ident()
	if err != nil {
		return "", err
	}
	if api, ok := strings.CutSuffix(strip(name), "_api_t"); ok {
		p.addAPI(api, file, s)
	} else {
		s.Name = strip(name)
		p.f.Structs = append(p.f.Structs, s)
	}
	return s.Name, p.want(";")
}

// nested adds a struct inside another. It has its tag as name, or else that of
// the outer one and its member's, as some of SAI's unions.
func (p *parser) nested(s *facts.Struct, tag, outer string) string {
	s.Name = strip(strings.TrimPrefix(tag, "_"))
	if s.Name == "" {
		s.Name = strip(strings.TrimPrefix(outer, "_")) + "." + p.peek().text
	}
	p.f.Structs = append(p.f.Structs, s)
	return s.Name
}

func (p *parser) addAPI(name, file string, s *facts.Struct) {
	slots := make([]facts.Slot, len(s.Fields))
	for i, m := range s.Fields {
		slots[i] = facts.Slot{Name: m.Name, FnType: m.Type}
	}
	p.apis[name] = slots
	p.apiOrder = append(p.apiOrder, name)
	p.fileOf["api "+name] = file
}

// member reads one member with its semicolon.
func (p *parser) member(tag string) (facts.Field, error) {
	objs := tags(p.peek().doc)["objects"]
	typ, err := p.memberType(tag)
	if err != nil {
		return facts.Field{}, err
	}
	name, err := p.ident()
	if err != nil {
		return facts.Field{}, err
	}
	arr, err := p.arrays()
	if err != nil {
		return facts.Field{}, err
	}
	return facts.Field{Name: name, Type: typ + arr, Objects: objects(objs)}, p.want(";")
}

func (p *parser) memberType(tag string) (string, error) {
	k := p.peek().text
	if (k == "union" || k == "struct") && (p.ahead(1).text == "{" || p.ahead(2).text == "{") {
		return p.aggregate(tag)
	}
	typ, err := p.ctype()
	return strings.TrimPrefix(typ, "const "), err
}

// objects splits a list of object types.
func objects(s string) []string {
	var out []string
	for _, o := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
		out = append(out, strings.TrimPrefix(o, "SAI_OBJECT_TYPE_"))
	}
	return out
}
