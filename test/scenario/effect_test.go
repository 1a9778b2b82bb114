package scenario_test

import (
	"strings"
	"testing"

	"xon/cmd/offline"
	"xon/sai/vsai/scenario"
)

// long is an incast over links of 300 m at a switch whose file has cables of 5 m.
const long = `duration: 5ms
topology: {star: {hosts: 4, rate: 100G, length: 300m}}
switch:
  chip: th
  config: testdata/traditional/config_db.json
  rows:
    CABLE_LENGTH: {AZURE: {"*": 300m}}
workloads:
  incast: {pattern: incast, to: h4, bytes: 500KB}
faults: []
assert: [drops == 0]
`

func simulate(t *testing.T, text string) (*scenario.Result, error) {
	t.Helper()
	return scenario.Run(t.Context(), "s.yaml", []byte(text), scenario.Options{Programmer: offline.Programmer{}})
}

// TestRowsOverConfig: rows of "*" go before the file's rows of single ports, and so the
// headroom is that of the cables that the scenario has; with those of the file it loses.
func TestRowsOverConfig(t *testing.T) {
	r, err := simulate(t, long)
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK() || len(r.Warnings) > 0 || r.Ports[0].Has != 249600 {
		t.Errorf("problems %q, warnings %q, drops %g, headroom %d; want none, none, 0, 249600", r.Problems, r.Warnings, *r.Measures["drops"], r.Ports[0].Has)
	}
	r, err = simulate(t, strings.Replace(long, `{"*": 300m}`, `{Ethernet0: 300m}`, 1))
	if err != nil {
		t.Fatal(err)
	}
	if *r.Measures["drops"] == 0 || len(r.Warnings) != 3 || !strings.Contains(r.Warnings[0], "sw1/Ethernet4 takes 1.5µs, the delay of a 300m cable, but its CABLE_LENGTH says 5m") {
		t.Errorf("drops %g, warnings %q; want some, three about cables", *r.Measures["drops"], r.Warnings)
	}
}

// TestWithoutEffect: what a scenario gives and does not come about is told, and the run
// does not count as good.
func TestWithoutEffect(t *testing.T) {
	rows := func(text string) [2]string { return [2]string{`CABLE_LENGTH: {AZURE: {"*": 300m}}`, text} }
	set := func(text string) [2]string {
		return [2]string{"faults: []", "faults: [{at: 1us, set: {rows: {" + text + "}}}]"}
	}
	for _, c := range []struct {
		edit          [2]string
		err, problem  string
		warning, none string
	}{
		{edit: rows(`CABLE_LENGTH: {AZURE: {"*": 300m, Ethernet99: 5m}}`), err: `s.yaml:2: rows of sw1: CABLE_LENGTH|AZURE: the switch has no port "Ethernet99"`},
		{edit: rows(`BUFFER_PG: {"Ethernet99|3": {profile: pg_lossy}}`), err: `BUFFER_PG|Ethernet99|3: the switch has no port "Ethernet99"`},
		{edit: rows(`ACL_TABLE: {A: {type: L3, stage: ingress, ports: "Ethernet0,Ethernet98"}}`), err: `ACL_TABLE|A: the switch has no port "Ethernet98"`},
		{edit: rows(`CABLE_LENGTHS: {AZURE: {"*": 300m}}`), problem: `sw1: CABLE_LENGTHS|AZURE has no effect: xon does not know the table CABLE_LENGTHS`},
		{edit: rows(`BUFFER_PG: {"*|4": {profile: nonesuch}}`), problem: `not applied: sw1: BUFFER_PG|Ethernet0|4 waits for BUFFER_PROFILE|nonesuch (and 3 similar, to Ethernet8)`},
		{edit: rows(`BUFFER_PROFILE: {bad: {pool: ingress_lossless_pool, size: x}}`), problem: `not applied: sw1: BUFFER_PROFILE|bad is rejected: `},
		{edit: rows(`BUFFER_PG: {"*|3": {profile: pg_lossy}}`), problem: `sw1/Ethernet0 requests pauses for class 3 without headroom: packets may be lost (and 3 similar`},
		{edit: rows(`CABLE_LENGTH: {AZURE: {"*": 300m, Ethernet0: 300m, Ethernet4: 300m, Ethernet8: 300m, Ethernet12: 300m}}`), problem: `sw1: CABLE_LENGTH|AZURE: "*" has no effect`},
		{edit: rows(`BUFFER_PG: {"*|5": }`), problem: `sw1: BUFFER_PG|*|5 is removed, but there is no such row`},
		{edit: rows(`BUFFER_PG: {"*|0": }`), none: "no such row"},
		{edit: set(`BUFFER_PG: {"*|3": {profile: nonesuch}}`), problem: `at 1µs: sw1: BUFFER_PG|Ethernet0|3 waits for BUFFER_PROFILE|nonesuch (s.yaml:10) (and 3 similar`},
		{edit: set(`BUFFER_PG: {"Ethernet99|3": {profile: nonesuch}}`), err: `s.yaml:10: fault: s.yaml:10: rows of sw1: BUFFER_PG|Ethernet99|3: the switch has no port`},
		{edit: set(`PORT_QOS_MAP: {Ethernet4: {pfc_enable: ""}}`), none: "never happened"},
		{edit: [2]string{"faults: []", "faults: [{at: 4ms, storm: h1}]"}, problem: "the fault at 4ms never happened: storm of h1 (s.yaml:10): all flows were done earlier; with whole: true"},
		{edit: [2]string{"faults: []", "faults: [{at: 6ms, tx-off: h1}]"}, problem: "the fault at 6ms never happened: h1 sends nothing (s.yaml:10): the run ends at 5ms"},
		{edit: [2]string{"faults: []", "faults: [{at: 1us, until: 4ms, tx-off: h1}]"}, warning: "", none: "never happened"},
		{edit: [2]string{"faults: []", "faults: [{at: 1us, until: 6ms, storm: h1}]"}, warning: "the fault at 1µs ends at 6ms, after the end of the run: storm of h1"},
		{edit: [2]string{"faults: []", "faults: [{at: 1us, storm: h1, classes: [3, 5]}]"}, problem: "the storm of h1 (s.yaml:10) has no effect on class 5: sw1/Ethernet0 does not react to pauses"},
		{edit: [2]string{"to: h4", "from: h1, to: h4"}, warning: "hosts without flows: h2, h3"},
		{edit: [2]string{"to: h4", "to: h4, start: 5ms"}, problem: "workload incast never began: it starts at 5ms, the run ends at 5ms (s.yaml:9)"},
		{edit: [2]string{"to: h4", "to: h4, class: 4"}, warning: "packets of workload incast, of class 4 with DSCP 32, are of class 0 and in priority group 0 at sw1/Ethernet0, by its maps"},
		{edit: [2]string{"to: h4", "to: h4, dscp: 5"}, warning: "packets of workload incast, of class 3 with DSCP 5, are of class 0 and in priority group 0 at sw1/Ethernet0, by its maps: the group does not pause class 3; packets may be lost"},
		{edit: rows(`TC_TO_PRIORITY_GROUP_MAP: {AZURE: {"3": "0"}}`), warning: "of class 3 with DSCP 24, are of class 3 and in priority group 0 at sw1/Ethernet0, by its maps: the group does not pause class 3"},
		{edit: [2]string{"workloads:", "host: {ack-class: 6}\nworkloads:"}, warning: "acknowledgements of workload incast, of class 6 with DSCP 48, are of class 0 and in priority group 0 at sw1/Ethernet12, by its maps"},
		{edit: [2]string{"workloads:", "    DSCP_TO_TC_MAP: {AZURE: {\"48\": \"6\"}}\nhost: {ack-class: 6}\nworkloads:"}, none: "by its maps"},
		{edit: rows(`PORT_QOS_MAP: {Ethernet12: {pfc_enable: ""}}`), warning: "sw1/Ethernet12 has no buffer profile for priority group 3, which acknowledgements of workload incast use: all are dropped"},
		{edit: [2]string{"to: h4", "to: h4, control: dcqcn-card, dcqcn: {least: 100G}"}, problem: "workload incast: dcqcn: least 100Gbps: h1 has 100Gbps, which marks cannot lower (s.yaml:9) (and 2 similar, to h3)"},
		{edit: [2]string{"to: h4", "to: h4, control: dcqcn-card, dcqcn: {least: 99G}"}, none: "least"},
		{edit: [2]string{"to: h4", "to: h4, every: 1ms, times: 9"}, problem: "workload incast did not begin 9 times: the run ends at 5ms (s.yaml:9)"},
		{edit: [2]string{"to: h4", "to: h4, every: 1ms, times: 9, stop: 2500us"}, problem: "workload incast did not begin 9 times: it stops at 2.5ms (s.yaml:9)"},
		{edit: [2]string{"to: h4", "to: h4, every: 1ms, times: 9223372036854775807"}, problem: "the run ends at 5ms"},
		{edit: [2]string{"to: h4", "to: h4, every: 1ms, times: 3"}, none: "did not begin"},
		{edit: [2]string{"length: 300m", "length: 300m, delay: 1us"}, err: "s.yaml:2: star: want delay or length"},
		{edit: [2]string{"faults: []", "faults: [{at: 1us, tx-off: h1, classes: [3]}]"}, err: "classes, every: only for a storm"},
		{edit: [2]string{"faults: []", "faults: [{at: 1us, tx-off: h1, reroute: 1us}]"}, err: "reroute: only for link-down"},
		{edit: [2]string{"to: h4", "to: h4, stop: 1ms"}, err: "stop: only for endless flows"},
		{edit: [2]string{"to: h4", "to: h4, steps: 3"}, err: "steps: only for allreduce"},
		{edit: [2]string{"to: h4", "to: h4, dcqcn: {g: 1%}"}, err: "dcqcn: want control"},
		{edit: [2]string{"hosts: 4, rate: 100G", "hosts: 2, rate: 100G"}, err: "there is no host \"h4\""},
		{edit: [2]string{"topology: {", "topology: {switches: {sw2: {chip: th}}, "}, problem: "switch sw2 has no link: it gets no traffic (s.yaml:2)"},
		{edit: [2]string{"workloads:", "host: {ack-class: 8}\nworkloads:"}, err: "ack-class 8: want 0 to 7"},
	} {
		t.Run(c.edit[1], func(t *testing.T) {
			if !strings.Contains(long, c.edit[0]) {
				t.Fatalf("there is no %q to replace", c.edit[0])
			}
			r, err := simulate(t, strings.Replace(long, c.edit[0], c.edit[1], 1))
			if c.err != "" || err != nil {
				if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want one with %q", err, c.err)
				}
				return
			}
			problems, warnings := strings.Join(r.Problems, "\n"), strings.Join(r.Warnings, "\n")
			if !strings.Contains(problems, c.problem) || c.problem != "" && r.OK() {
				t.Errorf("problems %q, want one with %q; good: %v", r.Problems, c.problem, r.OK())
			}
			if !strings.Contains(warnings, c.warning) {
				t.Errorf("warnings %q, want one with %q", r.Warnings, c.warning)
			}
			if c.none != "" && strings.Contains(problems+warnings, c.none) {
				t.Errorf("problems %q, warnings %q, want none with %q", r.Problems, r.Warnings, c.none)
			}
		})
	}
}

// TestAcknowledgements: those of hosts with a class for them are of that class for switches
// too, which go by DSCP.
func TestAcknowledgements(t *testing.T) {
	for _, sw := range []string{
		"{chip: th, config: testdata/traditional/config_db.json, rows: {DSCP_TO_TC_MAP: {AZURE: {\"46\": \"6\"}}, TC_TO_PRIORITY_GROUP_MAP: {AZURE: {\"6\": \"0\"}}}}",
		"{model: {buffer: 4MiB, classes: {3: {headroom: 100KB}}}}",
	} {
		r, err := simulate(t, "duration: 1ms\ntopology: {star: {hosts: 2}}\nhost: {ack-class: 6}\nswitch: "+sw+"\nworkloads: {w: {pattern: incast, to: h2, bytes: 100KB}}")
		if err != nil {
			t.Fatal(err)
		}
		var classes [8]bool // of queues to h1
		for _, p := range r.Ports {
			classes[p.Class] = classes[p.Class] || strings.HasPrefix(p.Port, "sw1/Ethernet0") && p.MaxQueue > 0
		}
		if want := [8]bool{6: true}; classes != want {
			t.Errorf("%s: acknowledgements are in queues %v, want 6 alone", sw, classes)
		}
	}
}
