package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario"
	"xon/sai/vsai/scenario/report"
	"xon/sai/vsai/scenario/trace"
	"xon/sai/vsai/scenario/trace/tracetest"
)

func write(t *testing.T, in report.Input) string {
	t.Helper()
	var b strings.Builder
	if err := report.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.String())
	return b.String()
}

// wellFormed: the page is XML except for its document type, refers to nothing outside,
// runs no scripts, and contains no NaN.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!DOCTYPE html>")))
	ids := map[string]bool{}
	var links []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if e.Name.Local == "script" || e.Name.Local == "link" || e.Name.Local == "img" || e.Name.Local == "iframe" {
			t.Errorf("there is a <%s>", e.Name.Local)
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "id":
				ids[a.Value] = true
			case a.Name.Local == "href":
				links = append(links, a.Value)
			case a.Name.Local == "src" || strings.HasPrefix(a.Name.Local, "on"):
				t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
	for _, l := range links {
		if !strings.HasPrefix(l, "#") || !ids[l[1:]] {
			t.Errorf("link to %q, which is nowhere on the page", l)
		}
	}
	if hit := regexp.MustCompile(`NaN|Inf\b|%!|ZgotmplZ|url\(|@import|https?://[^"w]`).FindString(page); hit != "" {
		t.Errorf("the page has %q", hit)
	}
}

func has(t *testing.T, page string, texts ...string) {
	t.Helper()
	plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "")
	for _, s := range texts {
		if !strings.Contains(plain, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
}

func TestIncast(t *testing.T) {
	r := tracetest.Incast(t, 8, dataplane.NICDCQCN(tracetest.Rate))
	got := 12.3e9 // as the result says, however the recording counts
	page := write(t, report.Input{
		Title: `incast <of> "8" & more`, Recording: r,
		Result: &scenario.Result{
			About: "a test", Measures: map[string]*float64{"throughput": &got},
			Problems: []string{"a fault never came"}, Warnings: []string{"sw|0: x", "sw|0: y for Ethernet0", "sw|0: y for Ethernet4"}, Assertions: []scenario.Verdict{
				{Text: "drops == 0", OK: true, Seen: "0"}, {Text: "pauses == 0", Seen: "61"},
			},
		},
	})
	queue := r.Queues[0]
	has(t, page,
		"incast &lt;of&gt; &#34;8&#34; &amp; more", "a test", "12.3 Gb/s", "drops == 0", "pauses == 0", "Problem: a fault never came", "sw|0: x", "y for Ethernet0 (and 1 similar, to Ethernet4)", "No packet was lost.",
		fmt.Sprintf("%.2f MB at", float64(queue.Length.Max)/1e6), "Kmin 200 KB", "Kmax 800 KB", "towards receiver",
		"8 of 8", "8 flows are complete", "marks", fmt.Sprintf("%d CNPs", r.Flows[0].CNPs.Total),
		"98.3 KB", "sw|0 towards receiver is overloaded", "sw|1 stops h1",
	)
	if n := strings.Count(page, "<svg viewBox=\"0 0 1080"); n != 9 {
		t.Errorf("%d drawings, want topology, a queue, three groups, goodput, single flows, pauses, completion", n)
	}
}

func TestStorm(t *testing.T) {
	has(t, write(t, report.Input{Recording: tracetest.Storm(t)}),
		"It began at 200 µs: host c asked for pauses of class 3.", "host c asks for pauses", "once, from 200 µs, 500 µs in all",
		"right|2 stops left", "left|0 stops a", "left|1 stops b", "Victims", "b → d", "held up at",
	)
}

func TestRing(t *testing.T) {
	has(t, write(t, report.Input{Recording: tracetest.Ring(t, 4)}),
		"Deadlock: at the end each of these ports waits for the next: sw1|1 → sw2|2 → sw3|2 → sw4|2 → sw1|1.",
		"None of 4 flows was completed.", "0 of 4",
	)
}

// TestMany: what is too much to draw is counted.
func TestMany(t *testing.T) {
	page := write(t, report.Input{Recording: tracetest.Incast(t, 63, nil)})
	has(t, page, "1 switch, 64 hosts.", "Shown are 3 of 63 lossless groups", "Shown are 8 of 63 flows", "Shown are 24 of 63 ports and classes", "and 55 more", "55 others")
	if len(page) > 1<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// TestCompare: two runs stand side by side, on the same scale.
func TestCompare(t *testing.T) {
	a := tracetest.Incast(t, 4, nil)
	b := tracetest.Incast(t, 4, dataplane.NICDCQCN(tracetest.Rate))
	page := write(t, report.Input{
		Title: "without", Recording: a, Result: &scenario.Result{Assertions: []scenario.Verdict{{Text: "pauses == 0"}}},
		Against: &report.Input{Title: "with", Recording: b, Result: &scenario.Result{Assertions: []scenario.Verdict{{Text: "pauses == 0", OK: true}}}},
	})
	has(t, page, "without and with", "What differs", "packets marked", "from none", "does not hold", "differs")
	if strings.Count(page, ">without</h3>") != strings.Count(page, ">with</h3>") {
		t.Error("the runs have not the same sections")
	}
}

// TestNothing: a run without activity and an input without a recording give different
// results.
func TestNothing(t *testing.T) {
	n := tracetest.New(t, trace.New(trace.Options{}))
	has(t, write(t, report.Input{Recording: n.Done(dataplane.Microsecond)}), "simulation", "0 of 0")
	w := n.Switch("sw", 2, 1<<20)
	n.Host("a", w)
	has(t, write(t, report.Input{Recording: n.Recorder.Recording()}), "1 switch, 1 host.", "No packet was lost.")
	if err := report.Write(io.Discard, report.Input{Result: &scenario.Result{}}); !errors.Is(err, report.ErrNothing) {
		t.Errorf("%v, want ErrNothing", err)
	}
}
