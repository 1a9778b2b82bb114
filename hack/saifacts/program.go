package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"xon/sai/facts"
)

// optional are headers that sai.h does not include, and that older versions lack.
var optional = []string{"saiversion.h", "saiextensions.h"}

const prelude = `#include <stdio.h>
#include <string.h>
#include <stddef.h>
static int bad, n;
static void eq(const char *what, long long got, long long want) {
	n++;
	if (got != want) { bad++; printf("WRONG %s: compiler %lld, facts %lld\n", what, got, want); }
}
#define V(x, v) eq(#x, (long long)(x), v)
#define SIZE(t, s, a) eq("sizeof " #t, sizeof(t), s); eq("alignof " #t, _Alignof(t), a)
#define MEMBER(t, m, o, mt) eq("offsetof " #t "." #m, offsetof(t, m), o); eq("type of " #t "." #m, __builtin_types_compatible_p(__typeof__(((t *)0)->m), mt), 1)
#define TYPE(x, t) eq("type of " #x, __builtin_types_compatible_p(__typeof__(x), t), 1)
#define SAME(a, b) eq("type " #a, __builtin_types_compatible_p(a, b), 1)
#define TEXT(x, s) eq(#x, strcmp(x, s), 0)
`

// cProgram is a generated C program: check functions, and a main that calls them all.
type cProgram struct {
	bytes.Buffer
	f     *facts.Facts
	funcs int
}

func (p *cProgram) printf(format string, args ...any) { fmt.Fprintf(&p.Buffer, format+"\n", args...) }

// function writes a function with the output of body. There are several because
// compilers are slow on a long one.
func (p *cProgram) function(body func()) {
	p.printf("static void f%d(void) {", p.funcs)
	p.funcs++
	body()
	p.printf("}")
}

// program generates a C program that compares every fact with the compiler's view of
// the headers.
func program(f *facts.Facts, dirs []string) []byte {
	p := &cProgram{f: f}
	p.printf("#include <sai.h>")
	for _, h := range optional {
		for _, d := range dirs {
			if _, err := os.Stat(filepath.Join(d, h)); err == nil {
				p.printf("#include <%s>", h)
				break
			}
		}
	}
	p.WriteString(prelude)
	p.function(p.plain)
	for _, e := range f.Enums {
		p.function(func() { p.enum(e) })
	}
	nested := nestedStructs(f)
	for _, s := range f.Structs {
		if !nested[s.Name] {
			p.function(func() { p.aggregate(s, nested) })
		}
	}
	for _, a := range f.APIs {
		p.function(func() { p.api(a) })
	}
	p.function(p.functions)
	for _, o := range f.Objects {
		p.function(func() { p.object(o) })
	}
	p.printf("int main(void) {")
	for i := range p.funcs {
		p.printf("f%d();", i)
	}
	p.printf("printf(\"%%d checks, %%d wrong\\n\", n, bad);\nreturn bad != 0;\n}")
	return p.Bytes()
}

// nestedStructs are structs without a name of their own in C.
func nestedStructs(f *facts.Facts) map[string]bool {
	out := map[string]bool{}
	for _, s := range f.Structs {
		if !strings.HasSuffix(s.Name, "_t") || strings.Contains(s.Name, ".") {
			out[s.Name] = true
		}
	}
	return out
}

// ctype is the C spelling of a type in facts.
func ctype(t string) string {
	base, isConst := strings.CutPrefix(t, "const ")
	name := strings.TrimRight(base, "*")
	stars := base[len(name):]
	switch name {
	case "u8", "u16", "u32", "u64":
		name = "uint" + name[1:] + "_t"
	case "s8", "s16", "s32", "s64":
		name = "int" + name[1:] + "_t"
	case "size":
		name = "size_t"
	case "ptr":
		name = "void*"
	case "bool", "char", "int", "void":
	default:
		name = "sai_" + name
	}
	if isConst {
		name = "const " + name
	}
	return name + stars
}

// arrayType converts u8[6] to C.
func arrayType(t string) string {
	if i := strings.IndexByte(t, '['); i >= 0 {
		return ctype(t[:i]) + t[i:]
	}
	return ctype(t)
}

// pointerType is the C type of a function pointer.
func pointerType(x facts.Func) string {
	ps := make([]string, len(x.Params))
	for i, prm := range x.Params {
		ps[i] = ctype(prm.Type)
	}
	if len(ps) == 0 {
		ps = []string{"void"}
	}
	return ctype(x.Ret) + " (*)(" + strings.Join(ps, ", ") + ")"
}

func (p *cProgram) plain() {
	for _, s := range p.f.Scalars {
		p.printf("SAME(sai_%s, %s);", s.Name, arrayType(s.Type))
	}
	for _, c := range p.f.Consts {
		if c.Str {
			p.printf("TEXT(%s, %q);", c.Name, c.Text)
		} else {
			p.printf("V(%s, %sLL);", c.Name, c.Text)
		}
	}
	for _, s := range p.f.Status {
		p.printf("V(SAI_STATUS_%s, %d);", s.Name, s.Val)
	}
}

func (p *cProgram) enum(e *facts.Enum) {
	p.printf("eq(\"sizeof %s\", sizeof(sai_%s), 4);", e.Name, e.Name)
	p.values(e.Prefix, e.Values)
}

func (p *cProgram) values(prefix string, vs []facts.Value) {
	for _, v := range vs {
		p.printf("V(%s%s, %dLL);", prefix, v.Name, v.Val)
	}
}

func (p *cProgram) aggregate(s *facts.Struct, nested map[string]bool) {
	p.printf("SIZE(sai_%s, %d, %d);", s.Name, s.Size, s.Align)
	for _, m := range s.Fields {
		if nested[m.Type] {
			p.printf("V(offsetof(sai_%s, %s), %d); V(sizeof(((sai_%s *)0)->%s), %d);", s.Name, m.Name, m.Off, s.Name, m.Name, p.f.Struct(m.Type).Size)
			continue
		}
		p.printf("MEMBER(sai_%s, %s, %d, %s);", s.Name, m.Name, m.Off, arrayType(m.Type))
	}
}

func (p *cProgram) api(a *facts.API) {
	if a.ID >= 0 {
		p.printf("V(SAI_API_%s, %d);", strings.ToUpper(a.Name), a.ID)
	}
	p.printf("eq(\"sizeof %s_api_t\", sizeof(sai_%s_api_t), %d);", a.Name, a.Name, 8*len(a.Slots))
	for i, s := range a.Slots {
		x, ok := p.f.Proto(s)
		if !ok {
			p.printf("eq(\"prototype of %s.%s (%s)\", 0, 1);", a.Name, s.Name, s.Call)
			continue
		}
		p.printf("MEMBER(sai_%s_api_t, %s, %d, %s);", a.Name, s.Name, 8*i, pointerType(x))
	}
}

func (p *cProgram) functions() {
	for _, x := range p.f.Funcs {
		p.printf("TYPE(&sai_%s, %s);", x.Name, pointerType(x))
	}
	for _, x := range p.f.FnTypes {
		p.printf("eq(\"type %s\", __builtin_types_compatible_p(sai_%s, %s), 1);", x.Name, x.Name, pointerType(x))
	}
}

func (p *cProgram) object(o *facts.Object) {
	p.printf("V(SAI_OBJECT_TYPE_%s, %d);", strings.ToUpper(o.Name), o.Type)
	p.printf("V(%sEND, %d);", o.Prefix, o.End())
	for _, a := range o.Attrs {
		p.printf("V(%s%s, %dLL);", o.Prefix, a.Name, a.ID)
		for t := range strings.FieldsSeq(a.Type) {
			p.printf("(void)sizeof(%s);", ctype(t)) // checks that the type exists
		}
	}
	p.values(o.StatPrefix, o.Stats)
}
