package headers

import (
	"fmt"
	"strconv"
	"strings"

	"xon/sai/facts"
)

// finish turns declarations into facts: macros into constants and statuses,
// tables into APIs, enums of attributes and statistics into objects.
func (p *parser) finish() error {
	if err := p.constants(); err != nil {
		return err
	}
	p.f.Version = p.version()
	if err := p.layout(); err != nil {
		return err
	}
	for _, n := range p.apiOrder {
		id, ok := p.values["SAI_API_"+strings.ToUpper(n)]
		if !ok {
			id = -1
		}
		p.f.APIs = append(p.f.APIs, &facts.API{Name: n, ID: id, Slots: p.apis[n]})
	}
	if err := p.objects(); err != nil {
		return err
	}
	p.stats()
	return p.extensions()
}

// constants takes the macros that name a number or a string.
func (p *parser) constants() error {
	for _, name := range p.macros.order {
		m := p.macros.byName[name]
		if m.params != nil || m.body == "" || !strings.HasPrefix(name, "SAI_") || strings.Contains(m.body, "PATH_MAX") {
			continue
		}
		if strings.HasPrefix(m.body, `"`) {
			p.f.Consts = append(p.f.Consts, facts.Const{Name: name, Str: true, Text: strings.Trim(m.body, `"`)})
			continue
		}
		v, err := p.evalText(m.body, 0)
		if err != nil {
			return fmt.Errorf("#define %s: %w", name, err)
		}
		if s, ok := strings.CutPrefix(name, "SAI_STATUS_"); ok {
			p.f.Status = append(p.f.Status, facts.Value{Name: s, Val: v})
		} else {
			p.f.Consts = append(p.f.Consts, facts.Const{Name: name, Text: strconv.FormatInt(v, 10)})
		}
	}
	return nil
}

// version is that of the headers; those of before 1.7 do not say.
func (p *parser) version() string {
	var w [3]string
	for i, n := range []string{"SAI_MAJOR", "SAI_MINOR", "SAI_REVISION"} {
		if w[i] = p.macros.byName[n].body; w[i] == "" {
			w[i] = "0"
		}
	}
	return strings.Join(w[:], ".")
}

// objects makes an object of each enum of attributes.
func (p *parser) objects() error {
	for _, e := range p.f.Enums {
		n, ok := strings.CutSuffix(e.Name, "_attr_t")
		if !ok {
			continue
		}
		typ, ok := p.values["SAI_OBJECT_TYPE_"+strings.ToUpper(n)]
		if !ok {
			continue // not of an object
		}
		e.Attr = n
		o := &facts.Object{Name: n, Type: typ, Prefix: e.Prefix, API: p.apiOf(n, e.Name)}
		if err := p.attrs(o, e, false); err != nil {
			return err
		}
		p.f.Objects = append(p.f.Objects, o)
	}
	return nil
}

// apiOf finds the API that has an object's methods, or that of the same header.
func (p *parser) apiOf(object, enum string) string {
	for _, a := range p.apiOrder {
		for _, s := range p.apis[a] {
			if s.Name == "create_"+object || s.Name == "get_"+object+"_attribute" {
				return a
			}
		}
	}
	for _, a := range p.apiOrder {
		if p.fileOf["api "+a] == p.fileOf[enum] {
			return a
		}
	}
	return "-"
}

// stats gives each object the enum of its statistics.
func (p *parser) stats() {
	for _, e := range p.f.Enums {
		n, ok := strings.CutSuffix(e.Name, "_stat_t")
		if !ok {
			continue
		}
		o := p.f.Object(n)
		if o == nil {
			o = p.f.Object(n + "_entry")
		}
		if o != nil && o.StatEnum == "" {
			e.Stat = n
			o.StatEnum, o.StatPrefix, o.Stats = e.Name, e.Prefix, e.Values
		}
	}
}

// extensions adds those of an attribute or statistics enum to its object.
func (p *parser) extensions() error {
	for _, e := range p.f.Enums {
		if n, ok := strings.CutSuffix(e.Name, "_attr_extensions_t"); ok && p.f.Object(n) != nil {
			e.Attr = n
			if err := p.attrs(p.f.Object(n), e, true); err != nil {
				return err
			}
		}
		n, ok := strings.CutSuffix(e.Name, "_stat_extensions_t")
		if o := p.f.Object(n); ok && o != nil {
			e.Stat = n
			for _, v := range p.names[e.Name] {
				o.Stats = append(o.Stats, facts.Value{Name: strings.TrimPrefix(v, o.StatPrefix), Val: p.values[v], Note: "ext"})
			}
		}
	}
	return nil
}
