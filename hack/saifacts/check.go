package main

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"xon/sai/facts"
)

// cname is the C spelling of a type name in facts.
func cname(f *facts.Facts, t string) string {
	con := ""
	if strings.HasPrefix(t, "const ") {
		con, t = "const ", t[6:]
	}
	stars := ""
	for strings.HasSuffix(t, "*") {
		stars += "*"
		t = t[:len(t)-1]
	}
	switch t {
	case "u8", "u16", "u32", "u64":
		t = "uint" + t[1:] + "_t"
	case "s8", "s16", "s32", "s64":
		t = "int" + t[1:] + "_t"
	case "size":
		t = "size_t"
	case "ptr":
		t = "void*"
	case "bool", "char", "int", "void":
	default:
		t = "sai_" + t
	}
	return con + t + stars
}

func cfunc(f *facts.Facts, x facts.Func) string {
	var ps []string
	for _, p := range x.Params {
		ps = append(ps, cname(f, p.Type))
	}
	if len(ps) == 0 {
		ps = []string{"void"}
	}
	return cname(f, x.Ret) + " (*)(" + strings.Join(ps, ", ") + ")"
}

// writeCheck writes a C program that compares every fact with what the
// compiler makes of the real headers.
func writeCheck(w io.Writer, f *facts.Facts, ext bool) {
	pr := func(format string, a ...any) { fmt.Fprintf(w, format, a...) }
	pr("#include <sai.h>\n#if __has_include(<saiversion.h>)\n#include <saiversion.h>\n#endif\n")
	if ext {
		pr("#include <saiextensions.h>\n")
	}
	pr(`#include <stdio.h>
#include <string.h>
#include <stddef.h>
static int bad, n;
static void eq(const char *what, long long got, long long want) {
	n++;
	if (got != want) { bad++; printf("WRONG %%s: compiler %%lld facts %%lld\n", what, got, want); }
}
#define V(x, v) eq(#x, (long long)(x), v)
#define SZ(t, s, a) eq("sizeof " #t, sizeof(t), s); eq("alignof " #t, _Alignof(t), a)
#define OFF(t, m, o, mt) eq("offsetof " #t "." #m, offsetof(t, m), o); eq("type " #t "." #m, __builtin_types_compatible_p(__typeof__(((t *)0)->m), mt), 1)
#define TY(x, t) eq("type of " #x, __builtin_types_compatible_p(__typeof__(x), t), 1)
#define STR(x, s) eq(#x, strcmp(x, s), 0)
`)
	fn := 0
	open := func() { pr("static void f%d(void) {\n", fn); fn++ }
	open()
	for _, s := range f.Scalars {
		t := s.Type
		arr := ""
		if i := strings.IndexByte(t, '['); i >= 0 {
			t, arr = t[:i], t[i:]
		}
		pr("eq(\"scalar %s\", __builtin_types_compatible_p(sai_%s, %s%s), 1);\n", s.Name, s.Name, cname(f, t), arr)
	}
	for _, c := range f.Consts {
		if c.Str {
			pr("STR(%s, %q);\n", c.Name, c.Text)
		} else {
			pr("V(%s, %s);\n", c.Name, c.Text)
		}
	}
	for _, s := range f.Status {
		pr("V(SAI_STATUS_%s, %d);\n", s.Name, s.Val)
	}
	pr("}\n")
	for _, e := range f.Enums {
		open()
		pr("eq(\"sizeof enum %s\", sizeof(sai_%s), 4);\n", e.Name, e.Name)
		for _, v := range e.Values {
			pr("V(%s%s, %dLL);\n", e.Prefix, v.Name, v.Val)
		}
		pr("}\n")
	}
	nested := map[string]bool{}
	for _, s := range f.Structs {
		if !strings.HasSuffix(s.Name, "_t") {
			nested[s.Name] = true
		}
	}
	for _, s := range f.Structs {
		if strings.Contains(s.Name, ".") || nested[s.Name] {
			continue
		}
		open()
		pr("SZ(sai_%s, %d, %d);\n", s.Name, s.Size, s.Align)
		for _, m := range s.Fields {
			t := m.Type
			arr := ""
			if i := strings.IndexByte(t, '['); i >= 0 {
				t, arr = t[:i], t[i:]
			}
			if nested[t] { // it has no name of its own in C
				pr("V(offsetof(sai_%s, %s), %d); V(sizeof(((sai_%s *)0)->%s), %d);\n", s.Name, m.Name, m.Off, s.Name, m.Name, f.Struct(t).Size)
				continue
			}
			pr("OFF(sai_%s, %s, %d, %s%s);\n", s.Name, m.Name, m.Off, cname(f, t), arr)
		}
		pr("}\n")
	}
	for _, a := range f.APIs {
		open()
		if a.ID >= 0 {
			pr("V(SAI_API_%s, %d);\n", strings.ToUpper(a.Name), a.ID)
		}
		pr("eq(\"sizeof %s\", sizeof(sai_%s_api_t), %d);\n", a.Name, a.Name, 8*len(a.Slots))
		for i, s := range a.Slots {
			x, ok := f.Proto(s)
			if !ok {
				pr("eq(\"no prototype of %s.%s (%s)\", 0, 1);\n", a.Name, s.Name, s.Call)
				continue
			}
			pr("OFF(sai_%s_api_t, %s, %d, %s);\n", a.Name, s.Name, 8*i, cfunc(f, x))
		}
		pr("}\n")
	}
	open()
	for _, x := range f.Funcs {
		pr("TY(&sai_%s, %s);\n", x.Name, cfunc(f, x))
	}
	for _, x := range f.FnTypes {
		pr("eq(\"fn %s\", __builtin_types_compatible_p(sai_%s, %s), 1);\n", x.Name, x.Name, cfunc(f, x))
	}
	pr("}\n")
	for _, o := range f.Objects {
		open()
		pr("V(SAI_OBJECT_TYPE_%s, %d);\n", strings.ToUpper(o.Name), o.Type)
		if o.Name != "" {
			pr("V(%sEND, %d);\n", o.Prefix, o.End())
		}
		for _, a := range o.Attrs {
			pr("V(%s%s, %dLL);\n", o.Prefix, a.Name, a.ID)
			for _, t := range strings.Fields(a.Type) {
				if t != "char" {
					pr("(void)sizeof(%s);\n", cname(f, t))
				}
			}
		}
		for _, v := range o.Stats {
			pr("V(%s%s, %dLL);\n", o.StatPrefix, v.Name, v.Val)
		}
		pr("}\n")
	}
	pr("int main(void) {\n")
	for i := 0; i < fn; i++ {
		pr("f%d();\n", i)
	}
	pr("printf(\"%%d checks, %%d wrong\\n\", n, bad);\nreturn bad != 0;\n}\n")
}

// check compares a facts file with real headers in both directions: every fact
// with the compiler, and everything that the compiler's debug information
// names with the facts.
func check(args []string) error {
	file, dirs := args[0], args[1:]
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := facts.Parse(r)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "saicheck")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	_, err = os.Stat(filepath.Join(dirs[len(dirs)-1], "saiextensions.h"))
	ext := err == nil
	src := filepath.Join(tmp, "check.c")
	w, err := os.Create(src)
	if err != nil {
		return err
	}
	writeCheck(w, f, ext)
	w.Close()
	var inc []string
	for _, d := range dirs {
		inc = append(inc, "-I"+d)
	}
	bin := filepath.Join(tmp, "check")
	cc := append([]string{"-w", "-g", "-O0", "-fno-eliminate-unused-debug-types", "-Wl,--unresolved-symbols=ignore-all", "-o", bin, src}, inc...)
	if out, err := exec.Command("gcc", cc...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, first(string(out), 30))
	}
	out, err := exec.Command(bin).CombinedOutput()
	fmt.Print(first(string(out), 60))
	miss, seen, derr := missing(bin, f)
	if derr != nil {
		return derr
	}
	for _, m := range miss {
		fmt.Println("MISSING", m)
	}
	fmt.Printf("%d names in debug information, %d missing from the facts\n", seen, len(miss))
	if err != nil || len(miss) > 0 {
		return fmt.Errorf("facts and headers differ")
	}
	return nil
}

func first(s string, n int) string {
	l := strings.SplitAfter(s, "\n")
	if len(l) > n {
		l = append(l[:n/2], append([]string{"...\n"}, l[len(l)-n/2:]...)...)
	}
	return strings.Join(l, "")
}

var markerName = regexp.MustCompile(`(_ATTR_START|_ATTR_END|_CUSTOM_RANGE_(START|BASE|END))$`)

// missing lists what the debug information has and the facts lack.
func missing(bin string, f *facts.Facts) ([]string, int, error) {
	have := map[string]string{}
	for _, e := range f.Enums {
		for _, v := range e.Values {
			have[e.Prefix+v.Name] = fmt.Sprint(v.Val)
		}
	}
	for _, o := range f.Objects {
		for _, a := range o.Attrs {
			have[o.Prefix+a.Name] = fmt.Sprint(a.ID)
		}
		for _, v := range o.Stats {
			have[o.StatPrefix+v.Name] = fmt.Sprint(v.Val)
		}
	}
	for _, s := range f.Structs {
		for _, m := range s.Fields {
			have["sai_"+s.Name+"."+m.Name] = fmt.Sprint(m.Off)
		}
		have["sizeof sai_"+s.Name] = fmt.Sprint(s.Size)
	}
	for _, a := range f.APIs {
		for i, s := range a.Slots {
			have["sai_"+a.Name+"_api_t."+s.Name] = fmt.Sprint(8 * i)
		}
		have["sizeof sai_"+a.Name+"_api_t"] = fmt.Sprint(8 * len(a.Slots))
	}
	ef, err := elf.Open(bin)
	if err != nil {
		return nil, 0, err
	}
	defer ef.Close()
	d, err := ef.DWARF()
	if err != nil {
		return nil, 0, err
	}
	var out []string
	seen := 0
	see := func(name, val string) {
		seen++
		if got, ok := have[name]; !ok {
			out = append(out, name+" = "+val)
		} else if got != val {
			out = append(out, name+" = "+val+", facts say "+got)
		}
	}
	rd := d.Reader()
	for {
		e, err := rd.Next()
		if err != nil {
			return nil, 0, err
		}
		if e == nil {
			break
		}
		switch e.Tag {
		case dwarf.TagEnumerationType:
			name, _ := e.Val(dwarf.AttrName).(string)
			if !strings.HasPrefix(name, "_sai") {
				rd.SkipChildren()
				continue
			}
			typ, err := d.Type(e.Offset)
			if err != nil {
				return nil, 0, err
			}
			for _, v := range typ.(*dwarf.EnumType).Val {
				// Markers are not written: they must be where the rule puts them.
				if m := markerName.FindString(v.Name); m != "" && have[v.Name] == "" {
					seen++
					if strings.Contains(m, "CUSTOM") && v.Val>>8 != 0x100000 {
						out = append(out, fmt.Sprintf("%s = %d, not where the rule puts it", v.Name, v.Val))
					}
					continue
				}
				see(v.Name, fmt.Sprint(int64(int32(v.Val))))
			}
			rd.SkipChildren()
		case dwarf.TagStructType, dwarf.TagUnionType:
			name, _ := e.Val(dwarf.AttrName).(string)
			if !strings.HasPrefix(name, "_sai") {
				rd.SkipChildren()
				continue
			}
			typ, err := d.Type(e.Offset)
			if err != nil {
				return nil, 0, err
			}
			st := typ.(*dwarf.StructType)
			see("sizeof "+name[1:], fmt.Sprint(st.ByteSize))
			for _, m := range st.Field {
				see(name[1:]+"."+m.Name, fmt.Sprint(m.ByteOffset))
			}
			rd.SkipChildren()
		}
	}
	return out, seen, nil
}

// checkSrc writes the C program of check, for another compiler.
func checkSrc(args []string) error {
	f, err := load(args[0])
	if err != nil {
		return err
	}
	writeCheck(os.Stdout, f, len(args) > 1)
	return nil
}
