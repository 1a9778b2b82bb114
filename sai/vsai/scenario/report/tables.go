package report

import (
	"fmt"
	"slices"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

func text(s string) cell { return cell{Text: s} }

func num(s string) cell { return cell{Text: s, Class: "num"} }

// cut keeps the first rows of a table.
func (f *figure) cut(what, by string) {
	all := len(f.Table.Rows)
	f.Table.Rows = f.Table.Rows[:min(all, maxRows)]
	f.Caption += shown(len(f.Table.Rows), all, what, by)
}

func (v *runView) victims() []figure {
	list := v.r.Victims()
	if len(list) == 0 {
		return nil
	}
	f := figure{Table: &table{Head: []string{"flow", "held up at", "of its time", "without pauses", "with pauses"}}}
	for _, x := range list {
		flow := v.r.Flows[x.Flow]
		f.Table.Rows = append(f.Table.Rows, []cell{
			text(v.flowName(flow)), text(v.portName(x.Port)),
			{Text: percent(x.Paused), Class: "bad", Bar: x.Paused},
			num(rate(x.Clear)), num(rate(x.Held)),
		})
	}
	f.cut("flows", "those slowed down most")
	return []figure{f}
}

// notes lists changes and faults, and events of the whole network.
func (v *runView) notes() []figure {
	if len(v.r.Notes) == 0 {
		return nil
	}
	f := figure{Table: &table{Head: []string{"at", "what"}}}
	for _, n := range v.r.Notes {
		f.Table.Rows = append(f.Table.Rows, []cell{num(duration(n.At)), text(n.Text)})
	}
	f.cut("entries", "the first ones")
	return []figure{f}
}

// nearFull is the share of headroom that counts as scarce.
const nearFull = 0.9

func (v *runView) headroom() []figure {
	list := v.r.Headroom()
	if len(list) == 0 {
		return nil
	}
	all := len(list)
	list = slices.DeleteFunc(list, func(x trace.HeadroomUse) bool { return x.Used+x.Dropped+x.PoolDropped == 0 })
	unused := fmt.Sprintf("%d of %s used none. ", all-len(list), plural(all, "lossless group", "lossless groups"))
	if len(list) == 0 {
		return append([]figure{{Caption: unused}}, v.pools()...)
	}
	f := figure{Caption: unused, Table: &table{Head: []string{"port", "group", "used of allowed", "most used", "the chip allows", "configured (XOFF)", "lost for lack of it", "lost as the shared pool was full"}}}
	for _, x := range list {
		class := "good"
		if x.Dropped+x.PoolDropped > 0 || x.Share() >= nearFull {
			class = "bad"
		}
		f.Table.Rows = append(f.Table.Rows, []cell{
			text(v.portName(x.Port)), num(fmt.Sprint(x.Group)),
			{Text: percent(x.Share()), Class: class, Bar: x.Share()},
			num(bytes(float64(x.Used))), num(bytes(float64(x.Limit))), num(bytes(float64(x.Configured))), num(count(x.Dropped)), num(count(x.PoolDropped)),
		})
	}
	f.cut("groups", "those with least left")
	return append([]figure{f}, v.pools()...)
}

// pools lists shared headroom pools.
func (v *runView) pools() []figure {
	f := figure{
		Caption: "Headroom that the groups of a switch share. When it is full packets are lost, though each group used less than it might. Of a chip with memory in parts the share is that of the fullest part.",
		Table:   &table{Head: []string{"switch", "used of the pool", "most used of all", "size of all", "lost because it was full"}},
	}
	for _, x := range v.r.Pools {
		class := "good"
		if x.Dropped > 0 || x.Share() >= nearFull {
			class = "bad"
		}
		f.Table.Rows = append(f.Table.Rows, []cell{
			text(x.Node),
			{Text: percent(x.Share()), Class: class, Bar: x.Share()},
			num(bytes(float64(x.Used))), num(bytes(float64(x.Size))), num(count(x.Dropped)),
		})
	}
	if len(f.Table.Rows) == 0 {
		return nil
	}
	f.cut("pools", "the first ones")
	return []figure{f}
}

func (v *runView) order() []figure {
	list := v.r.Orders()
	if len(list) == 0 {
		return nil
	}
	f := figure{Table: &table{Head: []string{"port", "towards", "first mark", "first pause for it", "marks", "pauses", "first"}}}
	for _, x := range list {
		verdict := cell{Text: "pauses", Class: "bad"}
		if x.MarkedFirst() {
			verdict = cell{Text: "marks", Class: "good"}
		}
		f.Table.Rows = append(f.Table.Rows, []cell{
			text(v.portName(x.Port)), text(v.towards(x.Port)), num(moment(x.Mark, x.Marks)), num(moment(x.Stop, x.Stops)),
			num(count(x.Marks)), num(count(x.Stops)), verdict,
		})
	}
	f.cut("ports", "the first ones")
	return []figure{f}
}

// moment formats when something first happened.
func moment(t dataplane.Time, n int64) string {
	if n == 0 {
		return "never"
	}
	return duration(t)
}

func (v *runView) drops() []figure {
	if len(v.r.Drops) == 0 {
		return []figure{{Caption: "No packet was lost."}}
	}
	f := figure{Table: &table{Head: []string{"at", "class", "reason", "packets", "bytes", "first", "last"}}}
	var sum int64
	for _, d := range v.r.Drops {
		sum += d.Count.Total
		f.Table.Rows = append(f.Table.Rows, []cell{
			text(v.portName(d.Port)), num(fmt.Sprint(d.Class)),
			{Text: why(d.Why), Class: "bad"},
			num(count(d.Count.Total)), num(bytes(float64(d.Bytes))),
			num(duration(d.Count.First)), num(duration(d.Count.Last)),
		})
	}
	f.Caption = plural(int(sum), "packet was", "packets were") + " lost. "
	f.cut("places", "those that lost most")
	return []figure{f}
}

// why describes why packets were dropped.
func why(r dataplane.Reason) string {
	switch r {
	case dataplane.DropGroup:
		return "no room in the priority group"
	case dataplane.DropHeadroom:
		return "no room in headroom"
	case dataplane.DropHeadroomPool:
		return "the shared headroom was full"
	case dataplane.DropQueue:
		return "no room in the queue"
	case dataplane.DropWRED:
		return "by WRED"
	case dataplane.DropDeadlock:
		return "the queue recovered from a deadlock"
	case dataplane.DropLink:
		return "the link lost it, or was down"
	case dataplane.DropSize:
		return "exceeds the MTU"
	case dataplane.DropForward:
		return "no route to its destination"
	default:
		return r.String()
	}
}

// completion draws the number of completed flows over time.
func (v *runView) completion() []figure {
	list := v.r.Completions()
	if len(list) == 0 {
		return []figure{{Caption: fmt.Sprintf("None of %s was completed.", plural(len(v.r.Flows), "flow", "flows"))}}
	}
	times, slow := completionTimes(list)
	c := newCanvas(v.width, above+130+axis)
	p := v.plot(c, above, 130, 100)
	p.span = v.scale.fct + v.scale.fct/20
	p.valueAxis(1, "%")
	p.timeAxis()
	half, most := trace.Percentile(times, 0.5), trace.Percentile(times, 0.99)
	p.add(`<path class="cdf" d="M%.1f %.1f`, p.x, p.y+p.h)
	for i, t := range times { // sorted by Percentile
		p.add(" H%.1f V%.1f", p.atTime(t), p.atValue(float64(i+1)*100/float64(len(times))))
	}
	p.add(` H%.1f"/>`, p.x+p.w)
	for i, x := range []struct {
		at   dataplane.Time
		name string
	}{{half, "p50 "}, {most, "p99 "}} {
		p.line(p.atTime(x.at), p.y, p.atTime(x.at), p.y+p.h, "limit")
		p.label(p.atTime(x.at)-4, p.y+p.h-8-float64(i*14), "end", "mark", x.name+duration(x.at))
	}
	caption := fmt.Sprintf("%d of %s complete: half of them within %s, 99 %% within %s. Slowdown %.2f in the middle, %.2f at the 99th percentile.",
		len(list), plural(len(v.r.Flows), "flow is", "flows are"), duration(half), duration(most), trace.Percentile(slow, 0.5), trace.Percentile(slow, 0.99))
	return []figure{{Drawing: c.svg("share of flows complete over time"), Caption: caption}}
}

func completionTimes(list []trace.Completion) (took []dataplane.Time, slow []float64) {
	for _, x := range list {
		took = append(took, x.Took)
		slow = append(slow, x.Slowdown())
	}
	return took, slow
}
