package report

import (
	"fmt"
	"slices"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario"
	"xon/sai/vsai/scenario/trace"
)

// tile is a number in the headline.
type tile struct{ Value, Name, Class, Title string }

// verdict is an assertion and whether it holds.
type verdict struct {
	OK     bool
	Text   string
	Detail string
}

// headline shows the verdict and the main numbers.
func (v *runView) headline() []figure {
	all := v.numbers()
	f := figure{Caption: fmt.Sprintf("%s of virtual time.", span(float64(v.r.Span)))}
	for _, m := range all[:len(all)-1] {
		class := ""
		if m.bad != nil && m.bad(m.value) {
			class = "bad"
		}
		f.Cards = append(f.Cards, tile{Value: m.show(m.value), Name: m.name, Class: class, Title: m.title})
	}
	if v.result != nil {
		for _, text := range v.result.Problems {
			f.Verdict = append(f.Verdict, verdict{Text: "Problem: " + text})
		}
		for _, a := range v.result.Assertions {
			f.Verdict = append(f.Verdict, verdict{OK: a.OK, Text: a.Text, Detail: a.Seen})
		}
	}
	if circle := v.r.Circle(); circle != nil {
		f.Verdict = append(f.Verdict, v.deadlock(circle))
	}
	return append([]figure{f}, v.warnings()...)
}

// warnings lists what looks wrong and changes nothing of the verdict.
func (v *runView) warnings() []figure {
	if v.result == nil || len(v.result.Warnings) == 0 {
		return nil
	}
	f := figure{Table: &table{Head: []string{"warnings"}}}
	for _, w := range v.result.Grouped() {
		f.Table.Rows = append(f.Table.Rows, []cell{text(w)})
	}
	f.cut("warnings", "the first ones")
	return []figure{f}
}

// measure is a number of a run, which two runs can be compared by.
type measure struct {
	name, title string
	as          string // the measure of a result that replaces the value, if any
	value       float64
	show        func(float64) string
	bad         func(float64) bool
	better      int // -1: less is better, 1: more is
}

// none formats a number that is 0 if there was nothing to measure.
func none(show func(float64) string) func(float64) string {
	return func(v float64) string {
		if v == 0 {
			return "–"
		}
		return show(v)
	}
}

func some(v float64) bool { return v > 0 }

func whole(v float64) string { return count(int64(v)) }

func span(v float64) string { return duration(dataplane.Time(v)) }

// numbers are the headline numbers in order; the last is the length of the run.
func (v *runView) numbers() []measure {
	r := v.r
	var goodput, dropped, stops, marks, cnps float64
	for _, f := range r.Flows {
		goodput += float64(f.Stats.Delivered) * 8
		cnps += float64(f.CNPs.Total)
	}
	for _, d := range r.Drops {
		dropped += float64(d.Count.Total)
	}
	for _, q := range r.Queues {
		marks += float64(q.Marks.Total)
	}
	var paused, queue float64
	for _, c := range r.Controls {
		stops += float64(c.Stops.Times)
		paused = max(paused, c.Pauses.Fraction(r.Span))
	}
	for _, q := range r.Queues {
		queue = max(queue, float64(q.Length.Max))
	}
	var room float64
	for _, x := range r.Headroom() {
		room = max(room, x.Share())
	}
	var pool float64
	for _, x := range r.Pools {
		pool = max(pool, x.Share())
	}
	took, slow := completionTimes(r.Completions())
	last := trace.Percentile(took, 0.99)
	return v.asResult([]measure{
		{name: "lost packets", value: dropped, show: whole, bad: some, better: -1},
		{name: "deadlocks", title: "detected, and one that lasts at the end", value: v.deadlocks(), show: whole, bad: some, better: -1},
		{name: "times that a port stopped its peer", value: stops, show: whole, better: -1},
		{name: "of the time paused, the port most so", value: paused, show: percent, bad: func(v float64) bool { return v > 0.5 }, better: -1},
		{name: "longest queue", value: queue, show: bytes, better: -1},
		{name: "of headroom used at most", value: room, show: percent, bad: func(v float64) bool { return v >= nearFull }, better: -1},
		{name: "of shared headroom used at most", value: pool, show: none(percent), bad: func(v float64) bool { return v >= nearFull }, better: -1},
		{name: "packets marked", value: marks, show: whole},
		{name: "CNPs heard", value: cnps, show: whole},
		{name: "flows complete", value: float64(len(took)), show: func(x float64) string { return fmt.Sprintf("%s of %s", whole(x), count(len(r.Flows))) }, better: 1},
		{name: "completion, p99", value: float64(last), show: none(span), better: -1},
		{name: "slowdown, p99", value: trace.Percentile(slow, 0.99), show: none(func(v float64) string { return fmt.Sprintf("%.2f×", v) }), better: -1},
		{name: "goodput of all flows", as: "throughput", value: goodput / max(r.Span.Seconds(), 1e-12), show: rate, better: 1},
		{name: "virtual time", value: float64(r.Span), show: span},
	})
}

// asResult replaces numbers by those of the result, where it has them.
func (v *runView) asResult(all []measure) []measure {
	if v.result == nil {
		return all
	}
	for i := range all {
		if x := v.result.Measures[all[i].as]; x != nil {
			all[i].value = *x
		}
	}
	return all
}

func (v *runView) deadlocks() float64 {
	n := float64(v.r.DeadlockCount)
	if v.r.Circle() != nil {
		n = max(n, 1)
	}
	return n
}

// difference compares the numbers of two runs.
func difference(a, b *runView) section {
	t := &table{Head: []string{"", a.name, b.name, "change"}}
	x, y := a.numbers(), b.numbers()
	for i := range x {
		t.Rows = append(t.Rows, []cell{text(x[i].name), num(x[i].show(x[i].value)), num(y[i].show(y[i].value)), change(&x[i], &y[i])})
	}
	if lines := assertions(a, b); len(lines) > 0 {
		t.Rows = append(t.Rows, lines...)
	}
	return section{
		ID: "difference", Title: "What differs", Sides: []side{{Figures: []figure{{Table: t}}}},
		About: "Two runs side by side, on the same scales. Green is better in the second run, red is worse.",
	}
}

func change(a, b *measure) cell {
	c := cell{Class: "num"}
	switch d := b.value - a.value; {
	case d == 0:
		c.Text = "equal"
		return c
	case d*float64(a.better) > 0:
		c.Class = "num good"
	case d*float64(a.better) < 0:
		c.Class = "num bad"
	}
	if a.value == 0 {
		c.Text = "from none"
	} else {
		c.Text = fmt.Sprintf("%+.1f %%", (b.value/a.value-1)*100)
	}
	return c
}

// assertions compares the assertions that both runs have.
func assertions(a, b *runView) (rows [][]cell) {
	if a.result == nil || b.result == nil {
		return nil
	}
	for _, x := range a.result.Assertions {
		i := slices.IndexFunc(b.result.Assertions, func(y scenario.Verdict) bool { return y.Text == x.Text })
		if i < 0 {
			continue
		}
		y := b.result.Assertions[i]
		rows = append(rows, []cell{text(x.Text), holds(x.OK), holds(y.OK), {Text: map[bool]string{true: "equal", false: "differs"}[x.OK == y.OK], Class: "num"}})
	}
	return rows
}

func holds(ok bool) cell {
	if ok {
		return cell{Text: "holds", Class: "num good"}
	}
	return cell{Text: "does not hold", Class: "num bad"}
}
