package scenario_test

import (
	"bytes"
	"strings"
	"testing"
)

// trimming is a lossy incast whose switch cuts packets that find no room to their heads.
const trimming = `duration: 20ms
topology: {star: {hosts: 4, rate: 100G, length: 5m}}
switch:
  chip: th5
  config: testdata/traditional/config_db.json
  rows:
    SWITCH_TRIMMING: {GLOBAL: {size: 128, dscp_value: 48, queue_index: 6}}
    BUFFER_PROFILE: {q_trim: {pool: egress_lossless_pool, size: 0, static_th: 100000, packet_discard_action: trim}}
    BUFFER_QUEUE: {"*|0-7": , "*|0-6": {profile: q_trim}}
workloads: {incast: {pattern: incast, to: h4, bytes: 500KB, class: 0}}
assert:
  - trimmed > 0
  - trimmed == trimmed(sw1/h4, 0)
  - trimmed(sw1/h1) == 0
  - heads(incast) == trimmed
  - unfinished == 0
`

// TestTrimmed: packets that are cut to their heads are counted where they were cut, and
// where their heads came; text and ports' results have the number.
func TestTrimmed(t *testing.T) {
	r, err := simulate(t, trimming)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() {
		t.Errorf("problems %q, drops %v, assertions %+v", r.Problems, r.Drops, r.Assertions)
	}
	var cut uint64
	for _, p := range r.Ports {
		cut += p.Trimmed
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	if float64(cut) != *r.Measures["trimmed"] || !strings.Contains(out.String(), "\ntrimmed ") {
		t.Errorf("ports cut %d, of %g in all; the text is\n%s", cut, *r.Measures["trimmed"], &out)
	}
}
