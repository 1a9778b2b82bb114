package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"xon/hack/saifacts/headers"
	"xon/sai/facts"
)

// synth writes headers, in the grammar of SAI's, that state given facts. It is
// the inverse of package headers, for tests at full scale.
type synth struct {
	f    *facts.Facts
	b    strings.Builder
	done map[string]bool
}

func (s *synth) printf(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// take returns what was written since the last take.
func (s *synth) take() string {
	defer s.b.Reset()
	return s.b.String()
}

func synthesize(f *facts.Facts) []headers.File {
	s := &synth{f: f, done: map[string]bool{}}
	s.printf("#ifndef _WIN32\n#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n#define _In_\n#define _Out_\n#define _Inout_\n#endif")
	for _, c := range f.Consts {
		if c.Str {
			s.printf("#define %s %q", c.Name, c.Text)
		} else {
			s.printf("#define %s %s", c.Name, c.Text)
		}
	}
	s.printf("#define SAI_STATUS_CODE(_S_) (-(_S_))")
	for _, v := range f.Status {
		s.printf("#define SAI_STATUS_%s SAI_STATUS_CODE(0x%xL)", v.Name, -v.Val)
	}
	for _, e := range f.Enums {
		s.enum(e.Name, e.Prefix, e.Flags, e.Values)
	}
	for _, o := range f.Objects {
		s.stats(o) // structs may use these enums
	}
	for _, x := range f.Scalars {
		s.declare(x.Name)
	}
	for _, x := range f.Structs {
		s.declare(x.Name)
	}
	for _, x := range f.FnTypes {
		s.declare(x.Name)
	}
	for _, x := range f.Funcs {
		s.printf("%s sai_%s%s;", ctype(x.Ret), x.Name, s.params(x))
	}
	files := []headers.File{{Name: "saitypes.h", Text: s.take()}}
	all := "#include <saitypes.h>\n"
	for _, a := range f.APIs {
		s.api(a)
		name := "sai" + strings.ReplaceAll(a.Name, "_", "") + ".h"
		all += "#include <" + name + ">\n"
		files = append(files, headers.File{Name: name, Text: s.take()})
	}
	return append(files, headers.File{Name: "sai.h", Text: all})
}

func (s *synth) enum(name, prefix, flags string, vs []facts.Value) {
	if flags != "" {
		s.printf("/**\n * @brief An enum\n *\n * @flags %s\n */", flags)
	}
	s.printf("typedef enum _sai_%s\n{", name)
	for _, v := range vs {
		if v.Note == "old" {
			s.printf("    /** @ignore - kept */")
		}
		s.printf("    %s%s = %d,", prefix, v.Name, v.Val)
	}
	s.printf("} sai_%s;\n", name)
}

var typeWord = regexp.MustCompile(`[a-z][a-z0-9_]*`)

// declare writes a scalar, struct or function type after those that it needs.
func (s *synth) declare(name string) {
	if s.done[name] {
		return
	}
	s.done[name] = true
	need := func(types ...string) {
		for _, t := range types {
			for _, w := range typeWord.FindAllString(t, -1) {
				s.declare(w)
			}
		}
	}
	if i := slices.IndexFunc(s.f.Scalars, func(x facts.Scalar) bool { return x.Name == name }); i >= 0 {
		t := s.f.Scalars[i].Type
		need(t)
		elem, array, ok := strings.Cut(t, "[")
		if ok {
			array = "[" + array
		}
		s.printf("typedef %s sai_%s%s;", ctype(elem), name, array)
	}
	if x := s.f.Struct(name); x != nil {
		for _, m := range x.Fields {
			need(m.Type)
		}
		s.aggregate(x)
	}
	if x := s.f.FnType(name); x != nil {
		need(x.Ret)
		for _, p := range x.Params {
			need(p.Type)
		}
		s.fnType(*x)
	}
}

func (s *synth) aggregate(x *facts.Struct) {
	kind := "struct"
	if x.Union {
		kind = "union"
	}
	s.printf("typedef %s _sai_%s\n{", kind, x.Name)
	for _, m := range x.Fields {
		if len(m.Objects) > 0 {
			s.printf("    /**\n     * @brief A member\n     *\n     * @objects SAI_OBJECT_TYPE_%s\n     */", strings.Join(m.Objects, ", SAI_OBJECT_TYPE_"))
		}
		elem, array, ok := strings.Cut(m.Type, "[")
		if ok {
			array = "[" + array
		}
		s.printf("    %s %s%s;", ctype(elem), m.Name, array)
	}
	s.printf("} sai_%s;\n", x.Name)
}

func (s *synth) fnType(x facts.Func) {
	if x.Count != "" {
		s.printf("/**\n * @brief A callback\n *\n * @count %s\n */", x.Count)
	}
	s.printf("typedef %s (*sai_%s)%s;\n", ctype(x.Ret), x.Name, s.params(x))
}

func (s *synth) params(x facts.Func) string {
	if len(x.Params) == 0 {
		return "(void)"
	}
	ps := make([]string, len(x.Params))
	for i, p := range x.Params {
		dir := map[string]string{"in": "_In_", "out": "_Out_", "inout": "_Inout_"}[p.Dir]
		ps[i] = "\n        " + dir + " " + ctype(p.Type) + " " + p.Name
	}
	return "(" + strings.Join(ps, ",") + ")"
}

func (s *synth) api(a *facts.API) {
	for _, o := range s.f.Objects {
		if o.API == a.Name {
			s.object(o)
		}
	}
	slots := make([]string, len(a.Slots))
	for i, x := range a.Slots {
		slots[i] = x.FnType
		if x.FnType == "" {
			slots[i] = x.Name + "_fn"
			fn, _ := s.f.Proto(x)
			fn.Name = slots[i]
			s.fnType(fn)
		}
	}
	s.printf("typedef struct _sai_%s_api_t\n{", a.Name)
	for i, x := range a.Slots {
		s.printf("    sai_%s %s;", slots[i], x.Name)
	}
	s.printf("} sai_%s_api_t;\n", a.Name)
}

func (s *synth) object(o *facts.Object) {
	s.attrs(o, o.Name+"_attr_t", false)
	s.attrs(o, o.Name+"_attr_extensions_t", true)
}

func (s *synth) stats(o *facts.Object) {
	if o.StatEnum == "" {
		return
	}
	own := slices.DeleteFunc(slices.Clone(o.Stats), func(v facts.Value) bool { return v.Note == "ext" })
	ext := slices.DeleteFunc(slices.Clone(o.Stats), func(v facts.Value) bool { return v.Note != "ext" })
	s.enum(o.StatEnum, o.StatPrefix, "", own)
	if len(ext) > 0 {
		s.enum(o.Name+"_stat_extensions_t", o.StatPrefix, "", ext)
	}
}

func (s *synth) attrs(o *facts.Object, enum string, ext bool) {
	own := slices.DeleteFunc(slices.Clone(o.Attrs), func(a facts.Attr) bool { return slices.Contains(a.Opts, "ext") != ext })
	if ext && len(own) == 0 {
		return
	}
	s.printf("typedef enum _sai_%s\n{", enum)
	if !ext {
		s.printf("    %sSTART,\n", o.Prefix)
	}
	for _, a := range own {
		s.attr(o, a)
	}
	if !ext {
		s.printf("    %sEND = %d,\n    %sCUSTOM_RANGE_START = 0x10000000,\n    %sCUSTOM_RANGE_END", o.Prefix, o.End(), o.Prefix, o.Prefix)
	}
	s.printf("} sai_%s;\n", enum)
}

var flagWords = map[rune]string{'M': "MANDATORY_ON_CREATE", 'C': "CREATE_ONLY", 'S': "CREATE_AND_SET", 'R': "READ_ONLY", 'K': "KEY", 'D': "DYNAMIC", 'X': "SPECIAL"}

func (s *synth) attr(o *facts.Object, a facts.Attr) {
	s.printf("    /**\n     * @brief An attribute\n     *")
	tag := func(name, text string) {
		if text != "" {
			s.printf("     * @%s %s", name, text)
		}
	}
	var words []string
	for w := range strings.FieldsSeq(a.Type) {
		words = append(words, ctype(w))
	}
	tag("type", strings.Join(words, " "))
	var fl []string
	for _, c := range a.Flags {
		fl = append(fl, flagWords[c])
	}
	tag("flags", strings.Join(fl, " | "))
	if len(a.Objects) > 0 {
		tag("objects", "SAI_OBJECT_TYPE_"+strings.Join(a.Objects, ", SAI_OBJECT_TYPE_"))
	}
	if a.Null {
		tag("allownull", "true")
	}
	for _, x := range a.Opts {
		k, v, _ := strings.Cut(x, "=")
		switch name := map[string]string{"vlan": "isvlan", "res": "isresourcetype", "old": "deprecated", "relaxed": "relaxed", "prec": "precision", "range": "range"}[k]; {
		case name != "" && v != "":
			tag(name, v)
		case name != "":
			tag(name, "true")
		}
	}
	tag("default", s.long(a.Type, a.Default))
	tag("condition", s.condition(o, a.If))
	tag("validonly", s.condition(o, a.Valid))
	s.printf("     */\n    %s%s = 0x%x,\n", o.Prefix, a.Name, a.ID)
}

// long spells a default as the headers do.
func (s *synth) long(typ, d string) string {
	if d == "null" {
		return "SAI_NULL_OBJECT_ID"
	}
	if w := strings.Fields(typ); len(w) > 0 {
		if e := s.f.Enum(w[len(w)-1]); e != nil && slices.ContainsFunc(e.Values, func(v facts.Value) bool { return v.Name == d }) {
			return e.Prefix + d
		}
	}
	return strings.ReplaceAll(d, "attrvalue:", "attrvalue ")
}

var comparison = regexp.MustCompile(`([A-Z0-9_]+)(==|!=|<=|>=|<|>)([^|&()]+)`)

func (s *synth) condition(o *facts.Object, c string) string {
	c = comparison.ReplaceAllStringFunc(c, func(x string) string {
		m := comparison.FindStringSubmatch(x)
		typ := ""
		for _, a := range o.Attrs {
			if a.Name == m[1] {
				typ = a.Type
			}
		}
		return o.Prefix + m[1] + " " + m[2] + " " + s.long(typ, m[3])
	})
	return strings.NewReplacer("|", " or ", "&", " and ").Replace(c)
}
