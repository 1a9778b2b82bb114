package scenario_test

import (
	"bytes"
	"strings"
	"testing"

	"xon/cmd/offline"
	"xon/sai/vsai/scenario"
	"xon/sai/vsai/scenario/report"
)

// whole is an incast at a switch whose ports have 802.3x and no PFC, as rows ask for,
// whose receiver asks for pauses itself until the end.
const whole = `duration: 1ms
whole: true
topology: {star: {hosts: 4, rate: 100G, length: 5m}}
switch:
  chip: th
  config: testdata/traditional/config_db.json
  rows:
    PORT_QOS_MAP: {"*": {pfc_enable: ""}}
    XON_PORT: {"*": {flow_control: both}}
    BUFFER_PROFILE: {pg_own: {pool: ingress_lossless_pool, size: 1248, xon: 2288, xoff: 60000, dynamic_th: -4, xon_offset: 2288}}
    BUFFER_PG: {"*|3": {profile: pg_own}}
workloads: {incast: {pattern: incast, to: h4, bytes: 5MB}}
faults: [{at: 200us, storm: h4}]
assert:
  - drops == 0
  - pause_frames > 100
  - pfc_frames == 0
  - paused(h1) > 70%
  - paused(sw1/h4) > 79%
  - paused(sw1/h4) < 81%
  - paused(sw1/h4, 3) > 79%
  - paused(sw1/h1) == 0
  - locked == 1
  - locked(sw1/h4, 3) == 1
`

// TestPause: hosts heed 802.3x of a switch, and a switch that of a host: nothing is lost,
// and measures, text and report count it.
func TestPause(t *testing.T) {
	o := scenario.Options{Programmer: offline.Programmer{}, Record: true}
	r, err := scenario.Run(t.Context(), "s.yaml", []byte(whole), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Assertions {
		if !v.OK {
			t.Errorf("%s: seen %s", v.Text, v.Seen)
		}
	}
	var text, page bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(&page, report.Input{Result: r}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" of 802.3x", "1 classes of ports are stuck at the end"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
	for _, want := range []string{"host h4 asks for pauses", "class 3, once, from 200 µs, 800 µs in all"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page.String(), "class 5") {
		t.Errorf("the page tells of class 5, in which nothing is sent")
	}
	deaf := strings.Replace(whole, "workloads:", "host: {no-pfc: true}\nworkloads:", 1)
	if r, err = scenario.Run(t.Context(), "s.yaml", []byte(deaf), o); err != nil || *r.Measures["drops"] == 0 {
		t.Errorf("error %v, %g drops with hosts that heed no pauses, want some", err, *r.Measures["drops"])
	}
}
