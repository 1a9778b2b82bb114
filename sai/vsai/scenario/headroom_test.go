package scenario_test

import (
	"bytes"
	"strings"
	"testing"

	"xon/sai/vsai/scenario"
)

// overflow is an incast whose groups each have enough headroom, but the shared pool
// does not.
const overflow = `duration: 2ms
topology:
  star: {hosts: 9, rate: 100G, delay: 1us}
switch:
  model:
    buffer: 4MiB
    headroom-pool: 200KB
    classes:
      3: {limit: 50KB, headroom: 80KB, xon-offset: 20KB}
workloads:
  incast: {pattern: incast, to: h9, bytes: 500KB}
assert:
  - drops(headroom_pool) > 0
  - drops(headroom_pool) == drops(headroom)
  - drops(headroom_pool) == drops
  - headroom_pool_used > 99%
  - max_headroom_pool <= 200KB
  - headroom_used < 100%
`

// TestHeadroomPool: packets lost because the shared headroom is full are attributed to
// it, even if no group has used up its own; with a larger pool nothing is lost.
func TestHeadroomPool(t *testing.T) {
	r, err := run(t, overflow)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Assertions {
		if !v.OK {
			t.Errorf("%s: seen %s", v.Text, v.Seen)
		}
	}
	if r.Drops["headroom_pool"] == 0 || r.Drops["headroom"] != 0 {
		t.Errorf("drops by reason: %v, want those of headroom_pool alone", r.Drops)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(the shared headroom was full)", "headroom pool", "of a switch's shared headroom"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	r, err = run(t, strings.Replace(overflow, "headroom-pool: 200KB", "headroom-pool: 640KB", 1))
	if err != nil || *r.Measures["drops"] != 0 || *r.Measures["headroom_used"] < 0.5 {
		t.Errorf("error %v, drops %g, headroom used %g; want 0 drops, more than half used", err, *r.Measures["drops"], *r.Measures["headroom_used"])
	}
}

// TestHeadroomOfChip: on a chip with a buffer per group the group may use all of it,
// not only its XOFF: without loss no more than 100 % of headroom is used.
func TestHeadroomOfChip(t *testing.T) {
	text := strings.Replace(overflow, "headroom-pool: 200KB", "admission: per-group", 1)
	r, err := run(t, strings.Replace(text, "headroom: 80KB", "headroom: 55KB, xon: 30KB", 1))
	if err != nil {
		t.Fatal(err)
	}
	if used, most := *r.Measures["headroom_used"], *r.Measures["max_headroom"]; *r.Measures["drops"] != 0 || used > 1 || most < 55e3 {
		t.Errorf("drops %g, %g bytes used, a share of %g; want none, more than XOFF, less than 1", *r.Measures["drops"], most, used)
	}
}

// TestHeadroomPoolInParts: of memory in parts one may be full, and lose packets, while others
// have room: the share is that of the one.
func TestHeadroomPoolInParts(t *testing.T) {
	text := strings.Replace(overflow, "headroom-pool: 200KB", "headroom-pool: 800KB\n    slices: 4", 1)
	r, err := scenario.Run(t.Context(), "s.yaml", []byte(text), scenario.Options{Record: true})
	if err != nil {
		t.Fatal(err)
	}
	used, most := *r.Measures["headroom_pool_used"], *r.Measures["max_headroom_pool"]
	if r.Drops["headroom_pool"] == 0 || used < 0.99 || used > 1 || most > 400e3 {
		t.Errorf("%d packets lost for want of shared headroom, of which %g and %g bytes were used; want some, all of a part, half of all at most", r.Drops["headroom_pool"], used, most)
	}
	if p := r.Recording.Pools[0]; p.Share() != used {
		t.Errorf("recorded: a share of %g, want %g", p.Share(), used)
	}
}
