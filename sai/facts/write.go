package facts

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writer writes records. Flush returns its errors.
type writer struct{ *bufio.Writer }

func (w writer) printf(format string, args ...any) { fmt.Fprintf(w.Writer, format, args...) }

// opt writes " text" if it is not empty.
func (w writer) opt(prefix, text string) {
	if text != "" {
		w.printf(" %s%s", prefix, text)
	}
}

// Write writes f in the text form. Parse reads the same facts back, and writing those
// gives the same text.
func (f *Facts) Write(out io.Writer) error {
	w := writer{bufio.NewWriter(out)}
	w.printf("sai %s\n", f.Version)
	f.writePlain(w)
	for _, e := range f.Enums {
		if e.Attr == "" && e.Stat == "" {
			w.enum(e)
		}
	}
	for _, s := range f.Structs {
		w.record(s)
	}
	for _, x := range f.Funcs {
		w.fn("func", x)
	}
	for _, x := range f.FnTypes {
		if f.Shape(x.Name) == "" {
			w.fn("fn", x)
		}
	}
	for _, a := range f.APIs {
		f.writeAPI(w, a)
	}
	for _, o := range f.Objects {
		w.object(o)
	}
	return w.Flush()
}

// writePlain writes the one-line records.
func (f *Facts) writePlain(w writer) {
	for _, s := range f.Scalars {
		w.printf("scalar %s %s\n", s.Name, s.Type)
	}
	for _, c := range f.Consts {
		text := c.Text
		if c.Str {
			text = strconv.Quote(text)
		}
		w.printf("const %s %s\n", c.Name, text)
	}
	for _, s := range f.Status {
		w.printf("status %s %d\n", s.Name, s.Val)
	}
}

func (w writer) enum(e *Enum) {
	w.printf("enum %s %s", e.Name, e.Prefix)
	w.opt("", e.Flags)
	w.printf("\n")
	w.values(e.Values)
}

func (w writer) values(vs []Value) {
	for _, v := range vs {
		if marker(v) {
			continue
		}
		w.printf(" %s %s", num(v.Val), v.Name)
		w.opt("", v.Note)
		w.opt("since=", v.Since)
		w.printf("\n")
	}
}

func num(v int64) string {
	if v >= 0x1000 {
		return fmt.Sprintf("0x%x", v)
	}
	return strconv.FormatInt(v, 10)
}

func (w writer) record(s *Struct) {
	kind := "struct"
	if s.Union {
		kind = "union"
	}
	w.printf("%s %s %d %d\n", kind, s.Name, s.Size, s.Align)
	for _, m := range s.Fields {
		w.printf(" %d %s %s", m.Off, m.Name, m.Type)
		w.opt("obj=", strings.Join(m.Objects, ","))
		w.opt("since=", m.Since)
		w.printf("\n")
	}
}

func (w writer) fn(kind string, x Func) {
	ps := make([]string, len(x.Params))
	for i, p := range x.Params {
		if p.Dir == "out" || p.Dir == "inout" {
			ps[i] = p.Dir + " "
		}
		ps[i] += p.Type + " " + p.Name
	}
	w.printf("%s %s %s (%s)", kind, x.Name, x.Ret, strings.Join(ps, ", "))
	w.opt("count=", x.Count)
	w.opt("since=", x.Since)
	w.printf("\n")
}

func (f *Facts) writeAPI(w writer, a *API) {
	w.printf("api %s %d\n", a.Name, a.ID)
	for i, s := range a.Slots {
		w.printf(" %d %s %s", i, s.Name, f.call(s))
		w.opt("since=", s.Since)
		w.printf("\n")
	}
}

// call returns how a slot is called: by a usual shape, or by its function type.
func (f *Facts) call(s Slot) string {
	if s.Call != "" && s.Call != "fn" {
		return s.Call
	}
	if shape := f.Shape(s.FnType); shape != "" {
		return shape
	}
	if s.FnType == s.Name+"_fn" {
		return "fn"
	}
	return "fn:" + s.FnType
}

func (w writer) object(o *Object) {
	w.printf("object %s %s %s %s", o.Name, num(o.Type), o.API, o.Prefix)
	if end := o.End(); end != o.next() {
		w.printf(" end=%d", end)
	}
	w.printf("\n")
	for _, a := range o.Attrs {
		if !marker(Value{Name: a.Name, Val: a.ID}) && a.Name != "START" && a.Name != "END" {
			w.attr(a)
		}
	}
	if o.StatEnum != "" {
		w.printf("stats %s %s %s\n", o.Name, o.StatEnum, o.StatPrefix)
		w.values(o.Stats)
	}
}

func (w writer) attr(a Attr) {
	typ := "-"
	if a.Type != "" {
		typ = strings.ReplaceAll(a.Type, " ", ":")
	}
	w.printf(" %s %s %s", num(a.ID), a.Name, typ)
	w.opt("", a.Flags)
	w.opt("obj=", strings.Join(a.Objects, ","))
	if a.Null {
		w.opt("", "null")
	}
	for _, x := range a.Opts {
		w.opt("", x)
	}
	w.opt("def=", strings.ReplaceAll(a.Default, " ", ""))
	w.opt("if=", a.If)
	w.opt("valid=", a.Valid)
	w.printf("\n")
}
