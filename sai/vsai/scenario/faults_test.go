package scenario_test

import (
	"strings"
	"testing"

	"xon/sai/vsai/scenario"
)

// small is a scenario that others are made of by replacing a line.
const small = `duration: 1ms
topology:
  star: {hosts: 3, rate: 100G, delay: 1us}
switch:
  model:
    buffer: 1MiB
    classes:
      3: {alpha: 0, headroom: 60KB, xon-offset: 20KB}
workloads:
  incast: {pattern: incast, to: h3, bytes: 100KB}
faults: []
assert:
  - drops == 0
`

func run(t *testing.T, text string) (*scenario.Result, error) {
	t.Helper()
	return scenario.Run(t.Context(), "s.yaml", []byte(text), scenario.Options{})
}

// TestFaults: an error in a scenario has its line, its name and what would be valid.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"duration: 1ms", "duraton: 1ms", `s.yaml:1: there is no field "duraton"; there are name, about, seed, duration`},
		{"duration: 1ms", "duration: 1", `s.yaml:1: duration: "1" has no unit, want a time (ps ns us ms s)`},
		{"rate: 100G", "rate: 100", `s.yaml:3: topology.star.rate: "100" has no unit, want a rate (Kbps Mbps Gbps Tbps)`},
		{"duration: 1ms", "duration: 5MB", `"5MB" is bytes (B KB MB GB KiB MiB GiB), want a time`},
		{"duration: 1ms", "duration: -1ms", `"-1ms" is below 0`},
		{"duration: 1ms", "duration: 1ms\nduration: 2ms", `s.yaml:2: "duration" stands twice`},
		{"duration: 1ms", "seed: 1", `duration: want how long it may last`},
		{"duration: 1ms", "duration: [1ms]", `s.yaml:1: duration: want one value here`},
		{"duration: 1ms", "duration: 1ms\nseed: -1", `s.yaml:2: seed: "-1": want a whole number that fits 0..`},
		{"duration: 1ms", "duration: 1ms\nwhole: perhaps", `s.yaml:2: whole: "perhaps": want true or false`},
		{"duration: 1ms", "duration: 1ms\n  x: [", `s.yaml: yaml: line 2`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 1}", `s.yaml:3: topology: star: hosts: 1: want 2 to 4096`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 3}\n  ring: {switches: 2, hosts: 1}", `want at most one of star, leaf-spine and ring`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  hosts: {h1: }", `0 switches, 1 hosts: want at least 1 and 2`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 3}\n  hosts: {h9: {attach: sw9}}", `s.yaml:4: host h9: attach: there is no switch "sw9"; there are sw1`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 3}\n  hosts: {sw1: }", `name "sw1" is already used`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 3}\n  hosts: {h3: {mac: '01:00:00:00:00:01'}}", `mac "01:00:00:00:00:01": want an individual address`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 3}\n  hosts: {h3: {attach: sw1/Ethernet0}}", `port Ethernet0 of sw1 has two links`},
		{"  star: {hosts: 3, rate: 100G, delay: 1us}", "  star: {hosts: 3}\n  links: {a: {ends: [sw1, sw1]}}", `both ends are at sw1`},
		{"  model:", "  config: x.json\n  model:", `want either a model, or chip, config and rows`},
		{"    buffer: 1MiB", "    slices: 9", `model: buffer: want the bytes that all share`},
		{"    buffer: 1MiB", "    buffer: 1MiB\n    slices: 9", `model: slices: 9: want 1 to 4`},
		{"    buffer: 1MiB", "    buffer: 1MiB\n    admission: maybe", `s.yaml:7: switch.model.admission: "maybe": want one of before, after, per-group`},
		{"alpha: 0", "alpha: 9", `class 3: alpha 9: want -8 to 7`},
		{"alpha: 0", "alpha: 900", `"900": want a whole number that fits -128..127`},
		{"alpha: 0", "alpha: 0, limit: 1KB", `class 3: want alpha or limit`},
		{"      3:", "      8:", `class 8: want 0 to 7`},
		{"      3: {", "      3: {reserved: 100001GB, ", `"100001GB" is more than 100000GB`},
		{"      3: {", "      3: {max-rate: 7bps, ", `class 3: max-rate 7: want 8bps, which is a byte a second, or more`},
		{"    buffer: ", "    cell: 65537\n    buffer: ", `cell 65537, cell-overhead 0, pause-bytes 0: want at most 65536 each`},
		{"delay: 1us", "length: 1000001km", `"1000001km" is more than a million km`},
		{"to: h3,", "to: h3, ack-bytes: 65537,", `ack-bytes 65537, headers 0: want at most 65536`},
		{"to: h3,", "to: h3, timeout: 999999ps,", `timeout 999ns: want 1us or more, or 0 for none`},
		{"topology:", "engine: {wire: 65537}\ntopology:", `engine: wire 65537: want at most 65536`},
		{"drops == 0", "drops > -1", `"-1": no measure is below 0`},
		{"pattern: incast,", "pattern: outcast,", `s.yaml:10: workloads.incast.pattern: "outcast": want one of incast, pairs`},
		{"to: h3,", "to: h7,", `s.yaml:10: workload incast: to: there is no host "h7"; there are h1, h2, h3`},
		{"to: h3,", "to: [h1, h2],", `to: want the one host that all send to`},
		{"to: h3,", "to: h3, from: h1..x9,", `"h1..x9": want a range`},
		{"to: h3,", "to: h3, class: 9,", `class 9: want 0 to 7`},
		{"to: h3,", "to: h3, times: 2,", `times, on: want every`},
		{"pattern: incast, to: h3,", "pattern: pairs, from: h1, to: h1,", `h1 sends to itself`},
		{"pattern: incast, to: h3, bytes: 100KB", "pattern: allreduce", `bytes: want what is reduced`},
		{"  incast: {pattern: incast, to: h3, bytes: 100KB}", "", `workloads: there are none`},
		{"faults: []", "faults: [{at: 1us}]", `s.yaml:11: fault: want one of storm, link-down`},
		{"faults: []", "faults: [{at: 1us, storm: sw1}]", `storm: there is no host "sw1"`},
		{"faults: []", "faults: [{at: 2us, until: 1us, storm: h1}]", `until: must be after at`},
		{"faults: []", "faults: [{at: 2us, link-down: [h1, h2]}]", `there is no link between h1 and h2`},
		{"faults: []", "faults: [{at: 2us, tx-off: sw1/Ethernet1}]", `switch sw1 has no port "Ethernet1"; it has Ethernet0, Ethernet4, Ethernet8`},
		{"faults: []", "faults: [{at: 2us, route: {switch: sw1, to: h1, via: sw2}}]", `it has no link to "sw2"; it has links to h1, h2, h3`},
		{"faults: []", "faults: [{at: 2us, set: {rows: {PORT: {}}}}]", `switch sw1 is a model, which has no rows`},
		{"drops == 0", "drips == 0", `s.yaml:13: assert: "drips == 0": there is no measure "drips"; there are drops`},
		{"drops == 0", "drops", `nothing is asserted: want one of == !=`},
		{"drops == 0", "drops == 0 or 1", `unexpected "or 1": want one assertion per line`},
		{"drops == 0", "drops = 0", `"=": want one of ==`},
		{"drops == 0", "3 == drops", `it starts with a number`},
		{"drops == 0", "drops == 3MB", `a number is compared with bytes`},
		{"drops == 0", "p99_fct < 3", `the time has no unit`},
		{"drops == 0", "drops within 3ms", `want an event before it and a time after it`},
		{"drops == 0", "done before drops", `before: want two events`},
		{"drops == 0", "drops(h1", `want a closing parenthesis`},
		{"drops == 0", "drops(h9) == 0", `"h9" is not a switch, host, port, class, workload or reason`},
		{"drops == 0", "drops(incast) == 0", `drops is not of flows`},
		{"drops == 0", "throughput(Ethernet0) > 1G", `throughput is not of switches, ports and classes`},
		{"drops == 0", "drops(99) == 0", `class or queue 99: want 0 to 31`},
		{"drops == 0", "done(sw1) < 1ms", `an event applies to the whole run`},
	} {
		t.Run(c.with, func(t *testing.T) {
			if !strings.Contains(small, c.old) {
				t.Fatalf("there is no %q to replace", c.old)
			}
			_, err := run(t, strings.Replace(small, c.old, c.with, 1))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant one with %s", err, c.want)
			}
		})
	}
}

// TestConfigOfModels: a config_db.json stands in for a scenario's models, which is not
// passed over where there is no agent.
func TestConfigOfModels(t *testing.T) {
	_, err := scenario.Run(t.Context(), "s.yaml", []byte(small), scenario.Options{Config: "config_db.json"})
	if want := "switch sw1: there is no agent here to apply rows"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one with %s", err, want)
	}
}

// TestAllFaults: all syntax errors of a file are reported at once.
func TestAllFaults(t *testing.T) {
	_, err := scenario.Load("s.yaml", []byte("duration: x\nseed: y\ntopology: {star: {hosts: z}}\n"))
	if err == nil || strings.Count(err.Error(), "s.yaml:") != 3 {
		t.Errorf("error %v, want three faults", err)
	}
	if _, err := scenario.Load("s.yaml", nil); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("error %v for an empty file", err)
	}
}

// FuzzLoad: no text makes the reader panic.
func FuzzLoad(f *testing.F) {
	f.Add(small)
	f.Add("topology: &a {star: *a}")
	f.Add("duration: !!binary x\nworkloads: [1, {a: b}]\nassert: {x: y}")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = scenario.Load("s.yaml", []byte(text)) })
}
