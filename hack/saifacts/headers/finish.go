package headers

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"xon/sai/facts"
)

// finish turns declarations into facts: macros to consts and statuses, enums of
// attributes to objects, tables to APIs, and computes layouts.
func (p *parser) finish() error {
	f := p.f
	for _, name := range p.order {
		m := p.macros[name]
		if m.params != nil || m.body == "" || strings.HasSuffix(name, "_H_") || strings.HasPrefix(name, "_") || !strings.HasPrefix(name, "SAI_") {
			continue
		}
		if strings.HasPrefix(m.body, `"`) {
			f.Consts = append(f.Consts, facts.Const{Name: name, Str: true, Text: strings.Trim(m.body, `"`)})
			continue
		}
		v, err := p.evalText(m.body)
		if err != nil {
			if strings.Contains(err.Error(), "PATH_MAX") {
				continue
			}
			return fmt.Errorf("#define %s: %w", name, err)
		}
		if s, ok := strings.CutPrefix(name, "SAI_STATUS_"); ok {
			f.Status = append(f.Status, facts.Value{Name: s, Val: v})
			continue
		}
		f.Consts = append(f.Consts, facts.Const{Name: name, Text: strconv.FormatInt(v, 10)})
	}
	ver := func(n string) string {
		m, ok := p.macros[n]
		if !ok {
			return "?"
		}
		return m.body
	}
	f.Version = ver("SAI_MAJOR") + "." + ver("SAI_MINOR") + "." + ver("SAI_REVISION")

	if err := p.layout(); err != nil {
		return err
	}

	for _, n := range p.apiOrder {
		id, ok := p.values["SAI_API_"+strings.ToUpper(n)]
		if !ok {
			id = -1
		}
		f.APIs = append(f.APIs, &facts.API{Name: n, ID: id, Slots: p.apiDecl[n]})
	}

	for _, e := range f.Enums {
		if n, ok := strings.CutSuffix(e.Name, "_attr_t"); ok {
			typ, ok := p.values["SAI_OBJECT_TYPE_"+strings.ToUpper(n)]
			if !ok {
				continue // extensions of another enum
			}
			e.Attr = n
			o := &facts.Object{Name: n, Type: typ, Prefix: e.Prefix, API: p.apiOf(n, e.Name)}
			if err := p.attrs(o, e); err != nil {
				return err
			}
			f.Objects = append(f.Objects, o)
		}
	}
	for _, e := range f.Enums {
		n, ok := strings.CutSuffix(e.Name, "_stat_t")
		if !ok {
			continue
		}
		o := f.Object(n)
		if o == nil {
			o = f.Object(n + "_entry")
		}
		if o == nil || o.StatEnum != "" {
			continue
		}
		e.Stat = n
		o.StatEnum, o.StatPrefix, o.Stats = e.Name, e.Prefix, e.Values
	}
	// Extensions of an attribute or statistics enum go to the same object.
	for _, e := range f.Enums {
		if n, ok := strings.CutSuffix(e.Name, "_attr_extensions_t"); ok {
			if o := f.Object(n); o != nil {
				e.Attr = n
				if err := p.attrs(o, e); err != nil {
					return err
				}
			}
		}
		if n, ok := strings.CutSuffix(e.Name, "_stat_extensions_t"); ok {
			if o := f.Object(n); o != nil {
				e.Stat = n
				for _, v := range p.names[e.Name] {
					o.Stats = append(o.Stats, facts.Value{Name: strings.TrimPrefix(v, o.StatPrefix), Val: p.values[v], Note: "ext"})
				}
			}
		}
	}
	return nil
}

func (p *parser) apiOf(obj, enum string) string {
	for _, a := range p.apiOrder {
		for _, s := range p.apiDecl[a] {
			if s.Name == "create_"+obj || s.Name == "get_"+obj+"_attribute" {
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

var spaces = regexp.MustCompile(`\s+`)

func (p *parser) attrs(o *facts.Object, e *facts.Enum) error {
	for _, full := range p.names[e.Name] {
		a := facts.Attr{ID: p.values[full], Name: strings.TrimPrefix(full, o.Prefix)}
		t := tags(p.attrDocs[full])
		if typ := t["type"]; typ != "" {
			w := strings.Fields(typ)
			for i := range w {
				w[i] = norm(w[i])
			}
			a.Type = strings.Join(w, " ")
		}
		for _, w := range strings.FieldsFunc(t["flags"], func(r rune) bool { return r == '|' || r == ' ' }) {
			switch w {
			case "MANDATORY_ON_CREATE":
				a.Flags += "M"
			case "CREATE_ONLY":
				a.Flags += "C"
			case "CREATE_AND_SET":
				a.Flags += "S"
			case "READ_ONLY":
				a.Flags += "R"
			case "KEY":
				a.Flags += "K"
			case "DYNAMIC":
				a.Flags += "D"
			case "SPECIAL":
				a.Flags += "X"
			default:
				return fmt.Errorf("%s: flag %q", full, w)
			}
		}
		if t["objects"] != "" {
			a.Objects = objects(t["objects"])
		}
		a.Null = t["allownull"] == "true"
		opt := func(tag, s string) {
			if v, ok := t[tag]; ok && v != "false" {
				a.Opts = append(a.Opts, s)
			}
		}
		opt("isvlan", "vlan")
		opt("isresourcetype", "res")
		opt("deprecated", "old")
		opt("relaxed", "relaxed")
		if v := t["precision"]; v != "" {
			a.Opts = append(a.Opts, "prec="+v)
		}
		if v := t["range"]; v != "" {
			n, err := p.evalText(v)
			if err != nil {
				return err
			}
			a.Opts = append(a.Opts, fmt.Sprintf("range=%d", n))
		}
		if e.Name != o.Name+"_attr_t" {
			a.Opts = append(a.Opts, "ext")
		}
		a.Default = p.short(o, a.Type, t["default"])
		a.If = p.cond(o, t["condition"])
		a.Valid = p.cond(o, t["validonly"])
		o.Attrs = append(o.Attrs, a)
	}
	return nil
}

// short drops the prefix of an enum value where the type tells it.
func (p *parser) short(o *facts.Object, typ, s string) string {
	if s == "" {
		return ""
	}
	if s == "SAI_NULL_OBJECT_ID" {
		return "null"
	}
	w := strings.Fields(typ)
	if len(w) > 0 {
		if e := p.f.Enum(w[len(w)-1]); e != nil && strings.HasPrefix(s, e.Prefix) {
			return strings.TrimPrefix(s, e.Prefix)
		}
	}
	s = spaces.ReplaceAllString(s, " ")
	return strings.ReplaceAll(s, "attrvalue ", "attrvalue:")
}

// cond writes a condition as A==X|B==Y, names short.
func (p *parser) cond(o *facts.Object, s string) string {
	if s == "" {
		return ""
	}
	s = spaces.ReplaceAllString(s, " ")
	s = strings.ReplaceAll(s, " or ", "|")
	s = strings.ReplaceAll(s, " and ", "&")
	s = strings.ReplaceAll(s, " ", "")
	s = strings.ReplaceAll(s, o.Prefix, "")
	return regexp.MustCompile(`SAI_[A-Z0-9_]+`).ReplaceAllStringFunc(s, func(n string) string {
		if en, ok := p.enumOf[n]; ok {
			if e := p.f.Enum(en); e != nil {
				return strings.TrimPrefix(n, e.Prefix)
			}
		}
		return n
	})
}

// layout computes sizes and offsets under LP64 (x86-64 and AArch64 Linux).
func (p *parser) layout() error {
	f := p.f
	structs := map[string]*facts.Struct{}
	for _, s := range f.Structs {
		structs[s.Name] = s
	}
	scalars := map[string]string{}
	for _, s := range f.Scalars {
		scalars[s.Name] = s.Type
	}
	enums := map[string]bool{}
	for _, e := range f.Enums {
		enums[e.Name] = true
	}
	fns := map[string]bool{}
	for _, x := range f.FnTypes {
		fns[x.Name] = true
	}
	busy := map[string]bool{}
	var sizeof func(t string) (int, int, error)
	var do func(s *facts.Struct) error
	sizeof = func(t string) (int, int, error) {
		t = strings.TrimPrefix(t, "const ")
		if i := strings.IndexByte(t, '['); i >= 0 {
			sz, al, err := sizeof(t[:i])
			if err != nil {
				return 0, 0, err
			}
			for _, d := range strings.Split(strings.Trim(t[i:], "[]"), "][") {
				n, err := strconv.Atoi(d)
				if err != nil {
					return 0, 0, err
				}
				sz *= n
			}
			return sz, al, nil
		}
		if strings.HasSuffix(t, "*") || t == "ptr" || fns[t] {
			return 8, 8, nil
		}
		switch t {
		case "u8", "s8", "bool", "char":
			return 1, 1, nil
		case "u16", "s16":
			return 2, 2, nil
		case "u32", "s32", "int":
			return 4, 4, nil
		case "u64", "s64", "size":
			return 8, 8, nil
		}
		if s, ok := scalars[t]; ok {
			return sizeof(s)
		}
		if enums[t] {
			return 4, 4, nil
		}
		if s, ok := structs[t]; ok {
			if err := do(s); err != nil {
				return 0, 0, err
			}
			return s.Size, s.Align, nil
		}
		return 0, 0, fmt.Errorf("unknown type %q", t)
	}
	do = func(s *facts.Struct) error {
		if s.Size != 0 {
			return nil
		}
		if busy[s.Name] {
			return fmt.Errorf("%s holds itself", s.Name)
		}
		busy[s.Name] = true
		off, align := 0, 1
		size := 0
		for i := range s.Fields {
			m := &s.Fields[i]
			sz, al, err := sizeof(m.Type)
			if err != nil {
				return fmt.Errorf("%s.%s: %w", s.Name, m.Name, err)
			}
			align = max(align, al)
			if s.Union {
				size = max(size, sz)
				continue
			}
			off = (off + al - 1) / al * al
			m.Off = off
			off += sz
			size = off
		}
		s.Align = align
		s.Size = (size + align - 1) / align * align
		return nil
	}
	for _, s := range f.Structs {
		if err := do(s); err != nil {
			return err
		}
	}
	return nil
}
