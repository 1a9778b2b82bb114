package faults

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xon/sai"
	"xon/sai/remote"
	"xon/schema/asicdb"
	"xon/schema/redisdb"
)

// object is one object of a chip.
type object struct {
	kind  string // SAI_OBJECT_TYPE_QUEUE
	made  bool   // by an agent; the others are the chip's own
	attrs map[string]string
}

// state is all objects by id.
type state map[string]*object

var oid = regexp.MustCompile(`oid:0x[0-9a-f]+`)

// canon describes every object by a line. Objects that an agent made are named by
// what they are and not by their ids, which depend on what came before; those of the
// chip have the same ids on each chip of a layout.
func (s state) canon() []string {
	lines := make([]string, 0, len(s))
	for id, o := range s {
		if o.made {
			lines = append(lines, s.describe(o))
		} else {
			lines = append(lines, id+" "+s.describe(o))
		}
	}
	slices.Sort(lines)
	return lines
}

func (s state) describe(o *object) string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(o.kind, "SAI_OBJECT_TYPE_"))
	for _, name := range slices.Sorted(maps.Keys(o.attrs)) {
		value := oid.ReplaceAllStringFunc(o.attrs[name], func(id string) string {
			if to := s[id]; to != nil && to.made {
				return "<" + digest(s.describe(to)) + ">"
			}
			return id
		})
		fmt.Fprintf(&b, " %s=%s", name, value)
	}
	return b.String()
}

// digest stands for a long text.
func digest(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash takes everything
	kind, _, _ := strings.Cut(text, " ")
	return fmt.Sprintf("%s %x", kind, h.Sum64())
}

// apart leaves of a line what another one does not have.
func apart(line, other string) string {
	have := map[string]bool{}
	for _, w := range strings.Split(other, " SAI_") {
		have[w] = true
	}
	words := strings.Split(line, " SAI_")
	rest := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return have[w] })
	for i, w := range rest {
		rest[i] = w[:min(len(w), 120)]
	}
	return strings.Join(append(words[:1], rest...), " SAI_")
}

// differ compares states; "" if they are the same. Of lines about one object of the
// chip's own it shows what differs.
func differ(got, want []string) string {
	var b strings.Builder
	have := map[string]int{}
	for _, l := range got {
		have[l]++
	}
	for _, l := range want {
		have[l]--
	}
	lines := 0
	for _, l := range slices.Sorted(maps.Keys(have)) {
		if have[l] == 0 {
			continue
		}
		if lines++; lines == 16 {
			b.WriteString("  and more\n")
			break
		}
		about, _, _ := strings.Cut(l, " SAI_")
		other := ""
		for o, n := range have {
			if n != 0 && o != l && strings.HasPrefix(o, "oid:") && (strings.HasPrefix(o, about+" ") || o == about) {
				other = o
			}
		}
		if n := have[l]; n > 0 {
			fmt.Fprintf(&b, "  too many (%d): %s\n", n, apart(l, other))
		} else {
			fmt.Fprintf(&b, "  missing (%d): %s\n", -n, apart(l, other))
		}
	}
	return b.String()
}

// published is the state that ASIC_DB tells of. Attributes at their defaults are
// left out: whether somebody once set one makes no difference here.
func published(rows map[string]redisdb.Fields) state {
	s := state{}
	cold := rows[asicdb.ColdVIDs]
	for key, f := range rows {
		kind, id, ok := asicdb.ParseObjectKey(key)
		if !ok {
			continue
		}
		_, own := cold[id]
		o := &object{kind: kind, made: !own, attrs: map[string]string{}}
		for name, value := range f {
			def, has := defaultOf(kind, name)
			switch {
			case value == "oid:0x0" || value == "0:null" || value == "NULL" || has && value == def:
			case !has && !o.made: // it had a value before anybody set it; the chip itself is asked for it
			default:
				o.attrs[name] = value
			}
		}
		s[id] = o
	}
	return s
}

// defaultOf is the default of an attribute; false if it has none.
func defaultOf(kind, name string) (string, bool) {
	t, ok := sai.ObjectTypeByName(kind)
	if !ok || sai.ByType(t) == nil {
		return "", false
	}
	a := sai.ByType(t).AttrByName(name)
	if a == nil {
		return "", false
	}
	if a.Kind == sai.KindOID || a.Kind == sai.KindOIDList {
		return "oid:0x0", true
	}
	n, ok := a.DefaultNum()
	return a.Format(sai.Value{Num: n}), ok
}

// call is a line of a chip's record.
type call struct {
	op, kind, id string
	attrs        map[string]string
	status       string
}

// calls reads the record of a chip's writes.
func calls(t testing.TB, file string) []call {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	var all []call
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(f) < 4 || !strings.HasSuffix(line, "\n") {
			continue // its writer was killed
		}
		kind, id, _ := strings.Cut(f[2], ":")
		c := call{op: f[1], kind: kind, id: id, attrs: map[string]string{}, status: f[len(f)-1]}
		for _, a := range f[3 : len(f)-1] {
			name, value, _ := strings.Cut(a, "=")
			c.attrs[name] = value
		}
		all = append(all, c)
	}
	return all
}

// lastLife are the calls since the chip was started.
func lastLife(all []call) []call {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].op == "create" && all[i].kind == "SAI_OBJECT_TYPE_SWITCH" {
			return all[i:]
		}
	}
	return all
}

// made are the objects that the calls made and did not remove.
func made(all []call) map[string]bool {
	ids := map[string]bool{}
	for _, c := range all {
		switch {
		case c.status != "SAI_STATUS_SUCCESS":
		case c.op == "create":
			ids[c.id] = true
		case c.op == "remove":
			delete(ids, c.id)
		}
	}
	return ids
}

// written are the attributes that the calls wrote, by type of object.
func written(lists ...[]call) map[string]map[string]bool {
	w := map[string]map[string]bool{}
	for _, c := range slices.Concat(lists...) {
		if w[c.kind] == nil {
			w[c.kind] = map[string]bool{}
		}
		for name := range c.attrs {
			w[c.kind][name] = true
		}
	}
	return w
}

// look reads from a chip, which no agent may be connected to, all attributes that
// are written of a type, of all objects of the type.
func look(t testing.TB, socket string, record []call, attrs map[string]map[string]bool) (s state, names int) {
	t.Helper()
	c, err := remote.Dial(t.Context(), socket)
	must(t, err)
	defer c.Close()
	sw, st := c.Objects(sai.Null, sai.SwitchObject{}.Meta())
	if st != 0 || len(sw) != 1 {
		t.Fatalf("the chip has %d switches: %v", len(sw), st)
	}
	known, err := c.Names()
	must(t, err)
	s = state{}
	ids := made(record)
	for kind, names := range attrs {
		typ, ok := sai.ObjectTypeByName(kind)
		if !ok {
			t.Fatalf("the record has the type %s", kind)
		}
		o := sai.ByType(typ)
		keys, st := c.Objects(sw[0].OID, o)
		if st != 0 {
			t.Fatalf("list %s: %v", kind, st)
		}
		for _, k := range keys {
			x := &object{kind: kind, made: ids[k.OID.String()], attrs: map[string]string{}}
			for name := range names {
				x.attrs[name] = read(c, o, k, o.AttrByName(name))
			}
			s[k.OID.String()] = x
		}
	}
	delete(s, sw[0].OID.String())
	return s, len(known)
}

func read(c *remote.Client, o *sai.ObjectMeta, k sai.Key, a *sai.AttrMeta) string {
	want := []sai.Attribute{{AttrMeta: a}}
	if st := c.Get(o, k, want); st != 0 {
		return st.Name()
	}
	return a.Format(want[0].Value)
}
