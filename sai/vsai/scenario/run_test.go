package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"xon/sai/vsai/scenario"
)

// reference follows the rules of the packet simulator that papers on congestion control
// share; see package dataplane's tests, which have more of its numbers.
const reference = `duration: 20ms
engine: {tick: 1ns, wire: 0}
topology:
  star: {hosts: 5, rate: 100G, delay: 1us}
host: {response: 0}
switch:
  model:
    admission: after
    resume: own
    release: early
    no-expiry: true
    pause-bytes: 43
    response: 0
    buffer: 3986324
    classes:
      3: {alpha: -3, reserved: 4096, headroom: 37500, xon-offset: 3072}
workloads:
  incast: {pattern: incast, to: h5, bytes: 25MB, payload: 1000, headers: 48, ack-bytes: 60, timeout: 0}
assert:
  - drops == 0
  - pauses == 2225
  - max_queue == 1425280
  - max_queue(sw1/Ethernet16, 3) == 1425280
  - max_queue(Ethernet0) < 1KB
  - max_headroom == 27248B
  - max_fct(incast) == 8304091ns
  - first_pause == 36524ns
  - first_pause before done
  - done within 8.4ms
  - first_mark after done
  - throughput(incast) >= throughput(incast:h1-h5)
  - min_throughput(incast) < 25Gbps
  - fairness(incast) > 0.9999
  - paused(h1) > 50%
  - paused(sw1) == 0
  - unfinished == 0
  - delivered(h5) == 100MB
`

// TestReference: four hosts that send 25 MB each to a fifth, without congestion control.
func TestReference(t *testing.T) {
	r, err := run(t, reference)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Assertions {
		if !v.OK {
			t.Errorf("%s: %s: seen %s", v.Place, v.Text, v.Seen)
		}
	}
}

// TestVerdicts: an assertion that does not hold says what was seen instead.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ claim, seen string }{
		{"drops > 0", "0"},
		{"detected within 5ms", "never"},
		{"first_mark before first_pause", "never, never"},
		{"max_queue < 100KB", "107.9KB"},
		{"delivered(incast:h1-h3) != 100KB", "100KB"},
		{"throughput >= 100Gbps", "74.81Gbps"},
		{"headroom_used != 0%", "0%"},
		{"p99_fct(incast) < 1us", "21.39us"},
		{"done < 1us", "21.39us"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			r, err := run(t, strings.Replace(small, "drops == 0", c.claim, 1))
			if err != nil {
				t.Fatal(err)
			}
			if v := r.Assertions[0]; v.OK || v.Seen != c.seen || r.OK() {
				t.Errorf("it holds %v, seen %q, want false, %q", v.OK, v.Seen, c.seen)
			}
		})
	}
}

// TestWithin: a time is counted from the last fault before the event.
func TestWithin(t *testing.T) {
	r, err := run(t, `duration: 6ms
whole: true
topology:
  star: {hosts: 3}
switch:
  model:
    buffer: 1MiB
    classes: {3: {alpha: 0, headroom: 60KB, xon-offset: 20KB, watchdog: {detect: 1ms, recover: 1ms}}}
workloads:
  to: {pattern: pairs, from: h1, to: h2, rate: 1G}
faults:
  - {at: 2ms, until: 5ms, storm: h2}
assert:
  - detected within 1.1ms
  - detected > 3ms
`)
	if err != nil || !r.OK() {
		t.Errorf("error %v, %+v", err, r)
	}
}

// TestSeeds: runs with several seeds differ where randomness matters, and each equals
// the single run.
func TestSeeds(t *testing.T) {
	text := strings.Replace(small, "bytes: 100KB", "bytes: 100KB, jitter: 5us", 1)
	m, err := scenario.RunSeeds(t.Context(), "s.yaml", []byte(text), scenario.Options{}, 4)
	if err != nil {
		t.Fatal(err)
	}
	fct := m.Measures["p99_fct"]
	if fct.Runs != 4 || fct.Least >= fct.Mean || fct.Mean >= fct.Most || m.Assertions[0].Held != 4 || !m.OK() {
		t.Errorf("%+v, %+v", fct, m.Assertions)
	}
	for i, seed := range m.Seeds {
		r, err := scenario.Run(t.Context(), "s.yaml", []byte(text), scenario.Options{Seed: &seed})
		if err != nil || r.Digest != m.Runs[i].Digest {
			t.Errorf("seed %d: alone %s, among others %s, error %v", seed, r.Digest, m.Runs[i].Digest, err)
		}
	}
}

// TestCompare: a result that is written and read equals itself, and differences between
// two results are listed.
func TestCompare(t *testing.T) {
	a, err := run(t, small)
	if err != nil {
		t.Fatal(err)
	}
	b, err := run(t, strings.Replace(strings.Replace(small, "100KB", "200KB", 1), "drops == 0", "done < 30us", 1))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var same scenario.Result
	if err := json.Unmarshal(text, &same); err != nil {
		t.Fatal(err)
	}
	if d := scenario.Compare(a, &same); len(d) != 0 {
		t.Errorf("%+v differs from itself", d)
	}
	var out bytes.Buffer
	if err := scenario.PrintDifferences(&out, "a", "b", scenario.Compare(a, b)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"delivered", "200KB", "400KB", "+100.0%", "p99_fct(incast)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestVerdictsDiffer: a comparison shows in which result an assertion holds, and small
// differences too.
func TestVerdictsDiffer(t *testing.T) {
	most := [2]float64{1000000, 1000001}
	var r [2]scenario.Result
	for i := range r {
		r[i].Measures = map[string]*float64{"max_queue": &most[i]}
		r[i].Assertions = []scenario.Verdict{{Text: "drops == 0", OK: i == 0}}
	}
	var out bytes.Buffer
	if err := scenario.PrintDifferences(&out, "a", "b", scenario.Compare(&r[0], &r[1])); err != nil {
		t.Fatal(err)
	}
	const want = `WHAT               a    b    CHANGE
max_queue          1MB  1MB  less than 0.1%
holds: drops == 0  yes  no
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

// TestAlone: a flow without other traffic takes its ideal time, at the rate of its link
// or less.
func TestAlone(t *testing.T) {
	for _, rate := range []string{"100G", "60G", "1G"} {
		text := strings.Replace(small, "{pattern: incast, to: h3, bytes: 100KB}", "{pattern: pairs, from: h1, to: h3, bytes: 102400, rate: "+rate+"}", 1)
		if text == small {
			t.Fatal("there is nothing to replace")
		}
		r, err := run(t, text)
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Measures["p99_slowdown"]; s == nil || *s < 0.999 || *s > 1.01 {
			t.Errorf("at %s it takes %g of what it takes alone", rate, *s)
		}
	}
}

// TestCancelled: a run ends when its context does.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := scenario.Options{Progress: func(float64) { cancel() }}
	if _, err := scenario.Run(ctx, "s.yaml", []byte(small), o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was cancelled", err)
	}
}

// TestPrint: people see what matters first.
func TestPrint(t *testing.T) {
	r, err := run(t, small)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"s: 22us of virtual time, seed 0", "dropped", "sw1/Ethernet8", "incast", "✓ drops == 0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestPrintRows: rows that are not applied or look wrong come first; link losses are
// listed beside drops of switches; no line ends with blanks.
func TestPrintRows(t *testing.T) {
	r, err := run(t, small)
	if err != nil {
		t.Fatal(err)
	}
	lost := 5.0
	r.Measures["lost"], r.Drops = &lost, map[string]uint64{"link": 5, "ttl": 2}
	r.Problems = []string{"not applied: sw1: A|b is rejected: c"}
	for i := range 14 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("sw1: D|Ethernet%d: f", 4*i))
	}
	r.Warnings = append(r.Warnings, "twice", "twice")
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nproblem: not applied: sw1: A|b is rejected: c\n\nwarning: sw1: D|Ethernet0: f (and 13 similar, to Ethernet52)\nwarning: twice (2 times)\n\n",
		"\ndropped         0        ttl 2\nlost by links   5\npaused",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), " \n") {
		t.Errorf("a line ends with blanks:\n%q", &out)
	}
}

// TestPrintHeadroom: the group shown for the largest share of headroom is the one that
// used it, not one that used more bytes of more, or without a limit.
func TestPrintHeadroom(t *testing.T) {
	r, err := run(t, small)
	if err != nil {
		t.Fatal(err)
	}
	share := 0.5
	r.Measures["headroom_used"] = &share
	r.Ports = []scenario.PortResult{{Port: "a", Headroom: 9000}, {Port: "b", Class: 3, Headroom: 1000, Used: 0.5}, {Port: "c", Headroom: 8000, Used: 0.4}}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	if want := "headroom used   50%      1KB b class 3\n"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, &out)
	}
}

// TestUnits: formatted values parse to themselves.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		d    scenario.Dimension
		v    float64
		want string
	}{
		{scenario.Bytes, 1500, "1.5KB"},
		{scenario.Bytes, 1e9, "1GB"},
		{scenario.Span, 1e6, "1us"},
		{scenario.Span, 1234567890, "1.235ms"},
		{scenario.Span, 5e12, "5s"},
		{scenario.Rate, 92.54e9, "92.54Gbps"},
		{scenario.Ratio, 0.125, "12.5%"},
		{scenario.Count, 12345678, "12345678"},
		{scenario.Count, 0.00001234, "1.234e-05"},
		{scenario.Span, math.Inf(1), "never"},
		{scenario.Span, math.NaN(), "none"},
	} {
		if got := c.d.Format(c.v); got != c.want {
			t.Errorf("%g: %s, want %s", c.v, got, c.want)
		}
	}
}

// TestMeasures: each has a unique name and a description.
func TestMeasures(t *testing.T) {
	seen := map[string]string{}
	for _, m := range scenario.Measures() {
		if m.About == "" || seen[m.Name] != "" {
			t.Errorf("measure %q: %q, %q", m.Name, m.About, seen[m.Name])
		}
		seen[m.Name] = m.About
	}
	for _, e := range scenario.Events {
		if e.About == "" || seen[string(e.Event)] != "" {
			t.Errorf("event %q: %q, %q", e.Event, e.About, seen[string(e.Event)])
		}
		seen[string(e.Event)] = e.About
	}
	for _, x := range scenario.Reasons() {
		if _, err := run(t, strings.Replace(small, "drops == 0", "drops("+x[0]+") == 0", 1)); err != nil || x[1] == "" {
			t.Errorf("reason %q: %q, error %v", x[0], x[1], err)
		}
	}
	if names := slices.Sorted(maps.Keys(seen)); !slices.Contains(names, "drops") || !slices.Contains(names, "detected") {
		t.Errorf("measures %v", names)
	}
}
