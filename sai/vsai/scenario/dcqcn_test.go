package scenario_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/sai/vsai/scenario"
)

// slow is an incast with congestion control that marks at once, for its parameters.
const slow = `duration: 4ms
whole: true
topology: {star: {hosts: 5, rate: 100G, delay: 1us}}
switch: {model: {buffer: 16MiB, classes: {3: {alpha: 0, headroom: 60KB, xon-offset: 20KB, ecn: {min: 20KB, max: 200KB, most: 20%}}}}}
workloads: {w: {pattern: incast, to: h5, control: CONTROL, dcqcn: {}}}
`

// TestDCQCN: each parameter of congestion control changes the run; the minimum rate
// bounds it, rarer cuts give more throughput. Parameters without effect are refused.
func TestDCQCN(t *testing.T) {
	with := func(control, parameters string) *scenario.Result {
		t.Helper()
		r, err := run(t, strings.Replace(strings.Replace(slow, "CONTROL", control, 1), "dcqcn: {}", "dcqcn: {"+parameters+"}", 1))
		if err != nil {
			t.Fatalf("%s: %v", parameters, err)
		}
		return r
	}
	for _, control := range []string{"dcqcn-card", "dcqcn-paper"} {
		base := map[string]string{
			"least": "1Gbps", "g": "1%", "alpha-time": "10us", "rise-time": "10us", "rise-bytes": "40KB", "steps": "2", "add": "100Mbps", "add-fast": "200Mbps",
		}
		parameters := func(change, value string) string {
			var out []string
			for _, name := range slices.Sorted(maps.Keys(base)) {
				v := base[name]
				if name == change {
					v = value
				}
				out = append(out, name+": "+v)
			}
			return strings.Join(out, ", ")
		}
		usual := with(control, parameters("", "")).Digest
		for name, value := range map[string]string{
			"least": "20Gbps", "g": "10%", "alpha-time": "5us", "rise-time": "20us", "rise-bytes": "80KB", "steps": "4", "add": "1Gbps", "add-fast": "2Gbps",
		} {
			seldom := control == "dcqcn-paper" && (name == "least" || name == "add-fast") // its rates do not come to that here
			if with(control, parameters(name, value)).Digest == usual && !seldom {
				t.Errorf("%s with %s: %s: the run is the same", control, name, value)
			}
		}
	}
	least := *with("dcqcn-card", "least: 24Gbps").Measures["min_throughput"]
	if least < 0.9*22e9 {
		t.Errorf("%.4g bit/s with a least rate of 24 Gb/s", least)
	}
	usual, rare := *with("dcqcn-card", "").Measures["marks"], *with("dcqcn-card", "cut-time: 400us").Measures["marks"]
	if rare <= usual {
		t.Errorf("%g marks with cuts every 400 µs, %g with those of every 4 µs; want more", rare, usual)
	}
	for _, c := range []struct{ control, parameters, want string }{
		{"none", "g: 1%", "dcqcn: want control"},
		{"dcqcn-card", "g: 0", "g: want more than 0"},
		{"dcqcn-card", "g: 2", "more than 100%"},
		{"dcqcn-card", "alpha-time: 0", "alpha-time, cut-time, rise-time: want more than 0"},
		{"dcqcn-card", "least: 0", "least: want 1bps or more"},
		{"dcqcn-card", "steps: -1", "steps: want 0 or more"},
		{"dcqcn-paper", "cut-time: 4us", "cut-time: only for dcqcn-card"},
	} {
		_, err := run(t, strings.Replace(strings.Replace(slow, "CONTROL", c.control, 1), "dcqcn: {}", "dcqcn: {"+c.parameters+"}", 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s: error %v, want one with %q", c.control, c.parameters, err, c.want)
		}
	}
}
