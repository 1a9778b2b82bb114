package scenario

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"xon/sai/vsai/dataplane"
)

// Print prints a result as text.
func (r *Result) Print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of virtual time, seed %d, %s events", r.Scenario, Span.Format(r.Seconds*1e12), r.Seed, significant(float64(r.Events)))
	if r.Wall > 0 {
		fmt.Fprintf(&b, " in %.2f s", r.Wall)
	}
	b.WriteString("\n\n")
	printRows(&b, "problem", r.Problems)
	printRows(&b, "warning", grouped(r.Warnings))
	r.printSummary(&b)
	r.printPorts(&b)
	r.printWorkloads(&b)
	printVerdicts(&b, r.Assertions)
	_, err := io.WriteString(out, b.String())
	return err
}

// printRows prints lines with a title, and a blank line after them.
func printRows(b *strings.Builder, title string, rows []string) {
	for i, row := range rows {
		if i == maxRows {
			fmt.Fprintf(b, "and %d more, in --json\n", len(rows)-i)
			break
		}
		fmt.Fprintf(b, "%s: %s\n", title, strings.Map(printing, row))
	}
	if len(rows) > 0 {
		b.WriteByte('\n')
	}
}

// printing removes characters that would control a terminal.
func printing(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}

func columns(b *strings.Builder, write func(w io.Writer)) {
	var padded strings.Builder
	w := tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)
	write(w)
	_ = w.Flush() // a builder's writes never fail
	for line := range strings.Lines(padded.String()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
}

// value formats a global measure or event.
func (r *Result) value(name string) string { return formatValue(dimensionOf(name), r.Measures[name]) }

func (r *Result) moment(e Event) string { return formatValue(Span, r.Moments[e]) }

// formatValue formats a value of a result.
func formatValue(d Dimension, v *float64) string {
	if v == nil {
		return "never"
	}
	if d == Span {
		return d.Format(*v * 1e12)
	}
	return d.Format(*v)
}

func dimensionOf(name string) Dimension {
	for _, m := range measures {
		if m.Name == name {
			return m.Dimension
		}
	}
	return Count
}

func (r *Result) printSummary(b *strings.Builder) {
	columns(b, func(w io.Writer) {
		fmt.Fprintf(w, "dropped\t%s\t%s\n", r.value("drops"), r.reasons())
		if *r.Measures["lost"] > 0 {
			fmt.Fprintf(w, "lost by links\t%s\t\n", r.value("lost"))
		}
		fmt.Fprintf(w, "paused\t%s times\tfirst %s; %s\n", r.value("pauses"), r.moment(FirstPause), r.frames())
		fmt.Fprintf(w, "longest paused\t%s\tof the time, at a port of a switch or a host\n", r.value("paused"))
		fmt.Fprintf(w, "marked\t%s\tfirst %s%s\n", r.value("marks"), r.moment(FirstMark), r.order())
		fmt.Fprintf(w, "greatest queue\t%s\t%s\n", r.value("max_queue"), r.where(func(p *PortResult) int64 { return p.MaxQueue }))
		fmt.Fprintf(w, "headroom used\t%s\t%s\n", r.value("headroom_used"), r.headroom())
		if *r.Measures["max_headroom_pool"] > 0 {
			fmt.Fprintf(w, "headroom pool\t%s\t%s of a switch's shared headroom; the share is that of the fullest slice of its memory\n", r.value("headroom_pool_used"), r.value("max_headroom_pool"))
		}
		if *r.Measures["trimmed"] > 0 {
			fmt.Fprintf(w, "trimmed\t%s\ttrimmed to their headers, of which receivers got %s\n", r.value("trimmed"), r.value("heads"))
		}
		if *r.Measures["deadlocks"] > 0 || *r.Measures["locked"] > 0 {
			fmt.Fprintf(w, "deadlocks\t%s\tfirst detected %s, recovered %s; %s classes of ports are stuck at the end\n",
				r.value("deadlocks"), r.moment(Detected), r.moment(Recovered), r.value("locked"))
		}
	})
}

// frames counts pause frames of both types.
func (r *Result) frames() string {
	text := r.value("pfc_frames") + " PFC frames"
	if *r.Measures["pause_frames"] > 0 {
		text += ", " + r.value("pause_frames") + " of 802.3x"
	}
	return text
}

// reasons lists why switches dropped packets.
func (r *Result) reasons() string {
	var out []string
	for _, name := range reasonNames() {
		if n := r.Drops[name]; n > 0 && name != reasonName(dataplane.DropLink) {
			text := fmt.Sprintf("%s %d", strings.ReplaceAll(name, "_", " "), n)
			if name == reasonName(dataplane.DropHeadroomPool) {
				text += " (the shared headroom was full)"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// order says whether marks came before pauses.
func (r *Result) order() string {
	mark, pause := r.Moments[FirstMark], r.Moments[FirstPause]
	switch {
	case mark == nil || pause == nil:
		return ""
	case *mark < *pause:
		return ", before the first pause"
	}
	return ", after the first pause"
}

// where says where a level was at its maximum.
func (r *Result) where(level func(*PortResult) int64) string {
	most := int64(0)
	at := ""
	for i := range r.Ports {
		if p := &r.Ports[i]; level(p) > most {
			most, at = level(p), fmt.Sprintf(" %s class %d", p.Port, p.Class)
		}
	}
	return at
}

// headroom describes the group that used the largest share of its headroom.
func (r *Result) headroom() string {
	var most PortResult
	for i := range r.Ports {
		if p := &r.Ports[i]; p.Used > most.Used {
			most = *p
		}
	}
	if most.Used == 0 {
		return "0B"
	}
	return fmt.Sprintf("%s %s class %d", Bytes.Format(float64(most.Headroom)), most.Port, most.Class)
}

// maxRows of a printed table; --json has all.
const maxRows = 12

func (r *Result) printPorts(b *strings.Builder) {
	rows := slices.Clone(r.Ports)
	slices.SortStableFunc(rows, func(x, y PortResult) int {
		return int(math.Copysign(1, float64(y.MaxQueue+y.MaxGroup)-float64(x.MaxQueue+x.MaxGroup)))
	})
	more := max(len(rows)-maxRows, 0)
	b.WriteByte('\n')
	columns(b, func(w io.Writer) {
		fmt.Fprintln(w, "PORT\tCLASS\tQUEUE\tGROUP\tHEADROOM\tOF\tPAUSES\tIS PAUSED\tMARKS\tTRIMMED\tDROPS\tLOST")
		for _, p := range rows[:len(rows)-more] {
			has := "-"
			if p.Limit > 0 {
				has = Bytes.Format(float64(p.Limit))
			}
			fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%d\t%s\t%d\t%d\t%d\t%d\n", p.Port, p.Class, Bytes.Format(float64(p.MaxQueue)),
				Bytes.Format(float64(p.MaxGroup)), Bytes.Format(float64(p.Headroom)), has, p.Pauses, Ratio.Format(p.Paused), p.Marks, p.Trimmed, p.Drops, p.Lost)
		}
	})
	if more > 0 {
		fmt.Fprintf(b, "and %d more, in --json\n", more)
	}
}

func (r *Result) printWorkloads(b *strings.Builder) {
	b.WriteByte('\n')
	names := []string{"throughput", "min_throughput", "fairness", "p50_fct", "p99_fct", "p50_slowdown", "p99_slowdown", "completion"}
	columns(b, func(w io.Writer) {
		fmt.Fprintln(w, "WORKLOAD\tFLOWS\tDONE\tTHROUGHPUT\tSLOWEST\tFAIRNESS\tP50 FCT\tP99 FCT\tP50 SLOWDOWN\tP99 SLOWDOWN\tALL")
		for _, l := range r.Workloads {
			fmt.Fprintf(w, "%s\t%d\t%d", l.Name, l.Flows, l.Done)
			for _, name := range names {
				cell := "-"
				if v := l.Measures[name]; v != nil {
					cell = formatValue(dimensionOf(name), v)
				}
				fmt.Fprint(w, "\t", cell)
			}
			fmt.Fprintln(w)
		}
	})
}

func printVerdicts(b *strings.Builder, all []Verdict) {
	if len(all) == 0 {
		return
	}
	b.WriteByte('\n')
	columns(b, func(w io.Writer) {
		for _, v := range all {
			mark := "✓"
			if !v.OK {
				mark = "✗"
			}
			fmt.Fprintf(w, "%s %s\t%s\n", mark, v.Text, v.Seen)
		}
	})
}
