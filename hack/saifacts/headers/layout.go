package headers

import (
	"fmt"
	"strconv"
	"strings"

	"xon/sai/facts"
)

// sizer computes sizes and offsets as the compilers of 64-bit Linux do, on x86-64
// and AArch64 alike.
type sizer struct {
	structs map[string]*facts.Struct
	scalars map[string]string
	known   map[string]size // everything that is neither
	busy    map[string]bool
}

type size struct{ bytes, align int }

func (p *parser) layout() error {
	z := &sizer{
		structs: map[string]*facts.Struct{}, scalars: map[string]string{}, busy: map[string]bool{},
		known: map[string]size{
			"u8": {1, 1}, "s8": {1, 1}, "bool": {1, 1}, "char": {1, 1}, "u16": {2, 2}, "s16": {2, 2},
			"u32": {4, 4}, "s32": {4, 4}, "int": {4, 4}, "u64": {8, 8}, "s64": {8, 8}, "size": {8, 8}, "ptr": {8, 8},
		},
	}
	for _, s := range p.f.Structs {
		z.structs[s.Name] = s
	}
	for _, s := range p.f.Scalars {
		z.scalars[s.Name] = s.Type
	}
	for _, e := range p.f.Enums {
		z.known[e.Name] = size{4, 4}
	}
	for _, x := range p.f.FnTypes {
		z.known[x.Name] = size{8, 8}
	}
	for _, s := range p.f.Structs {
		if _, err := z.of(s.Name); err != nil {
			return err
		}
	}
	return nil
}

// of is the size of a type.
func (z *sizer) of(t string) (size, error) {
	t = strings.TrimPrefix(t, "const ")
	if i := strings.IndexByte(t, '['); i >= 0 {
		return z.array(t[:i], t[i:])
	}
	if strings.HasSuffix(t, "*") {
		return size{8, 8}, nil
	}
	if s, ok := z.known[t]; ok {
		return s, nil
	}
	if z.busy[t] {
		return size{}, fmt.Errorf("type %s holds itself", t)
	}
	z.busy[t] = true
	defer delete(z.busy, t)
	if s, ok := z.scalars[t]; ok {
		return z.of(s)
	}
	s, ok := z.structs[t]
	if !ok {
		return size{}, fmt.Errorf("unknown type %q", t)
	}
	return z.record(s)
}

// arrayMax bounds the sizes that are computed, so that they do not overflow.
const arrayMax = 1 << 20

func (z *sizer) array(elem, bounds string) (size, error) {
	s, err := z.of(elem)
	if err != nil {
		return size{}, err
	}
	for d := range strings.SplitSeq(strings.Trim(bounds, "[]"), "][") {
		n, err := strconv.Atoi(d)
		if err != nil || n < 0 || n*s.bytes > arrayMax || n > arrayMax {
			return size{}, fmt.Errorf("array %s%s has no size", elem, bounds)
		}
		s.bytes *= n
	}
	return s, nil
}

// record lays a struct or union out.
func (z *sizer) record(s *facts.Struct) (size, error) {
	out := size{0, 1}
	for i := range s.Fields {
		m := &s.Fields[i]
		x, err := z.of(m.Type)
		if err != nil {
			return size{}, fmt.Errorf("%s.%s: %w", s.Name, m.Name, err)
		}
		out.align = max(out.align, x.align)
		if s.Union {
			out.bytes = max(out.bytes, x.bytes)
			continue
		}
		m.Off = roundUp(out.bytes, x.align)
		out.bytes = m.Off + x.bytes
		if out.bytes > arrayMax {
			return size{}, fmt.Errorf("%s is too large", s.Name)
		}
	}
	out.bytes = roundUp(out.bytes, out.align)
	s.Size, s.Align = out.bytes, out.align
	z.known[s.Name] = out
	return out, nil
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
