package bufmgr_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/schema/configdb"
)

type (
	fields = configdb.Fields
	rows   = configdb.RawRows
)

// rig is a manager with the rows of its database.
type rig struct {
	testing.TB
	params  bufmgr.Params
	manager *bufmgr.Manager
	rows    *configdb.Config
	derived map[configdb.RowKey]bool
	inForce *configdb.Config // nil: nothing is
	out     bufmgr.Output
}

func newRig(t testing.TB, p bufmgr.Params, load ...rows) *rig {
	t.Helper()
	r := &rig{TB: t, params: p, manager: bufmgr.New(p), rows: &configdb.Config{}, derived: map[configdb.RowKey]bool{}}
	all := rows{}
	for _, l := range load {
		maps.Copy(all, l)
	}
	r.change(all)
	return r
}

// change writes rows, or removes those with nil fields, and has the manager work it
// out. The result must be what it is without history.
func (r *rig) change(change map[configdb.RowKey]configdb.Fields) {
	r.Helper()
	e := r.rows.Edit()
	for k, f := range change {
		delete(r.derived, k)
		if f == nil {
			e.Remove(k)
			continue
		}
		row, _, err := configdb.Parse(k, f)
		if err != nil {
			r.Fatal(err)
		}
		e.Put(row)
	}
	r.rows = e.Config()
	r.run(slices.Collect(maps.Keys(change)))
}

func (r *rig) run(changed []configdb.RowKey) {
	r.Helper()
	in := bufmgr.Input{Rows: r.rows, Derived: r.derived, Accepted: r.inForce}
	r.manager = r.manager.Next(in, changed)
	r.out = r.manager.Output()
	checkEqual(r, r.out, bufmgr.Effective(r.params, in))
}

// accept has the rows be in force that nothing is said against, as the agent does.
func (r *rig) accept() {
	r.Helper()
	e := r.rows.Edit()
	for _, p := range r.out.Problems {
		if p.Severity != graph.Warned {
			e.Remove(p.Row)
		}
	}
	changed := []configdb.RowKey{}
	for row := range r.rows.All() {
		changed = append(changed, row.RowKey())
	}
	r.inForce = e.Config()
	before := problems(r.out.Problems)
	r.run(changed)
	if now := problems(r.out.Problems); now != before || len(r.out.Changed) != 0 {
		r.Errorf("that rows are in force changed %v, and problems:\n%s", r.out.Changed, lineDiff(before, now))
	}
}

// settle writes what is derived into the database, as the agent does, and takes out
// what no longer is.
func (r *rig) settle() {
	r.Helper()
	e, changed := r.rows.Edit(), []configdb.RowKey{}
	derived := map[configdb.RowKey]bool{}
	for k, row := range r.out.Derived {
		derived[k] = true
		if e.Get(k) != row || !r.derived[k] {
			e.Put(row)
			changed = append(changed, k)
		}
	}
	for k := range r.derived {
		if !derived[k] {
			e.Remove(k)
			changed = append(changed, k)
		}
	}
	r.rows, r.derived = e.Config(), derived
	before := r.out
	r.run(changed)
	if len(r.out.Changed) != 0 || len(r.out.Derived) != len(before.Derived) {
		r.Errorf("writing what is derived changed %v", r.out.Changed)
	}
}

// checkEqual compares an output with what it should be but for Changed.
func checkEqual(t testing.TB, got, want bufmgr.Output) {
	t.Helper()
	for _, c := range []struct{ what, got, want string }{
		{"effective rows", all(got.Rows), all(want.Rows)},
		{"problems", problems(got.Problems), problems(want.Problems)},
		{"origins", text(got.Origins), text(want.Origins)},
		{"derived rows", derivedText(got), derivedText(want)},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s", c.what, lineDiff(c.want, c.got))
		}
	}
}

func all(c *configdb.Config) string {
	var b strings.Builder
	for row := range c.All() {
		b.WriteString(line(row) + "\n")
	}
	return b.String()
}

func derivedText(o bufmgr.Output) string {
	m := map[configdb.RowKey]string{}
	for k, row := range o.Derived {
		m[k] = line(row)
	}
	return text(m)
}

func text[V any](m map[configdb.RowKey]V) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s: %v\n", k, m[k])
	}
	return b.String()
}

// line is a row as one line: "BUFFER_PG|Ethernet0|3 profile=NULL".
func line(row configdb.Row) string {
	f := configdb.Format(row)
	words := []string{string(row.RowKey())}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		words = append(words, name+"="+f[name])
	}
	return strings.Join(words, " ")
}

func problems(list []graph.Problem) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintf(&b, "%s %s\n", p.Row, problem(p))
	}
	return b.String()
}

func problem(p graph.Problem) string {
	s := [...]string{"warned", "waits for", "refused"}[p.Severity]
	if on := cmp.Or(string(p.Lacks), string(p.On)); on != "" {
		s += " " + on
	}
	if p.Field != "" {
		s += " (" + p.Field + ")"
	}
	return s + ": " + p.Err.Error()
}

// lineDiff shows the lines that only one of two texts has.
func lineDiff(want, got string) string {
	var b strings.Builder
	for _, d := range []struct{ sign, a, b string }{{"-", want, got}, {"+", got, want}} {
		have := map[string]bool{}
		for l := range strings.Lines(d.b) {
			have[l] = true
		}
		for l := range strings.Lines(d.a) {
			if !have[l] {
				b.WriteString(d.sign + l)
			}
		}
	}
	return b.String()
}

// get returns an effective row as a line without its key; "" if there is none.
func (r *rig) get(k configdb.RowKey) string {
	row := r.out.Rows.Get(k)
	if row == nil {
		return ""
	}
	_, text, _ := strings.Cut(line(row), " ")
	return text
}

// want checks effective rows, "" for those that must not be.
func (r *rig) want(rows map[configdb.RowKey]string) {
	r.Helper()
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if got := r.get(k); got != rows[k] {
			r.Errorf("%s is %q, want %q", k, got, rows[k])
		}
	}
}

// wantProblems checks all problems, each as "ROW severity On: message".
// Of sizes that are too little wantLosses speaks.
func (r *rig) wantProblems(want ...string) {
	r.Helper()
	rest := slices.DeleteFunc(slices.Clone(r.out.Problems), func(p graph.Problem) bool { return graph.MeansLoss(p.Err) })
	got := strings.TrimSuffix(problems(rest), "\n")
	if w := strings.Join(want, "\n"); got != w {
		r.Errorf("problems:\n%s\nwant:\n%s", got, w)
	}
}

// wantLosses wants what is said of sizes that are too little to be just this.
func (r *rig) wantLosses(want ...string) {
	r.Helper()
	losses := slices.DeleteFunc(slices.Clone(r.out.Problems), func(p graph.Problem) bool { return !graph.MeansLoss(p.Err) })
	if got, w := strings.TrimSuffix(problems(losses), "\n"), strings.Join(want, "\n"); got != w {
		r.Errorf("losses:\n%s\nwant:\n%s", got, w)
	}
}
