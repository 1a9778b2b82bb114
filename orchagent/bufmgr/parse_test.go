package bufmgr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

const lookupText = `# lossless
# speed cable size xon xoff threshold xon_offset
 10000   5m  1248  2288 35776  -3  2288   # a short one
100000 300m 19456 19456 120832  0

	40000	0m	0	0	0	1
`

func TestParseLookup(t *testing.T) {
	t.Parallel()
	got, err := bufmgr.ParseLookup("f", []byte(lookupText))
	want := &bufmgr.Lookup{Source: "f", Entries: []bufmgr.LookupEntry{
		{Line: 3, Speed: 10000, Metres: 5, Size: 1248, Xon: 2288, Xoff: 35776, Threshold: -3, XonOffset: 2288, HasXonOffset: true},
		{Line: 4, Speed: 100000, Metres: 300, Size: 19456, Xon: 19456, Xoff: 120832},
		{Line: 6, Speed: 40000, Threshold: 1},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if e := got.Find(100000, 300); e == nil || e.Line != 4 {
		t.Errorf("found %+v", e)
	}
	if e := got.Find(100000, 5); e != nil {
		t.Errorf("found %+v", e)
	}
}

func TestParseLookupFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"\n10000 5m 1 2 3", "f:2: 5 columns; want 6 or 7: speed cable size xon xoff threshold [xon_offset]"},
		{"10000 5m 1 2 3 4 5 6", "f:1: 8 columns; want 6 or 7: speed cable size xon xoff threshold [xon_offset]"},
		{"fast 5m 1 2 3 4", `f:1: speed "fast" is not a whole number (0 to 1600000)`},
		{"1600001 5m 1 2 3 4", `f:1: speed "1600001" is out of range (0 to 1600000)`},
		{"0 5m 1 2 3 4", "f:1: speed 0 is out of range (1 to 1600000)"},
		{"10000 5 1 2 3 4", `f:1: cable "5" is not a length in whole metres, like 5m`},
		{"10000 -5m 1 2 3 4", `f:1: cable "-5" is not a whole number (0 to 4294967295)`},
		{"10000 5m -1 2 3 4", `f:1: size "-1" is not a whole number (0 to 18446744073709551615)`},
		{"10000 5m 1 x 3 4", `f:1: xon "x" is not a whole number (0 to 18446744073709551615)`},
		{"10000 5m 1 2 18446744073709551616 4", `f:1: xoff "18446744073709551616" is out of range (0 to 18446744073709551615)`},
		{"10000 5m 1 2 3 high", `f:1: threshold "high" is not a whole number`},
		{"10000 5m 1 2 3 4 x", `f:1: xon_offset "x" is not a whole number (0 to 18446744073709551615)`},
		{"10000 5m 1 2 3 4\n#\n10000 5m 1 2 3 5", "f:3: 10000 Mb/s with 5m is in line 1 already"},
		{"x\n10000 5m 1 2 3 4\ny", "f:1: 1 columns; want 6 or 7: speed cable size xon xoff threshold [xon_offset]\nf:3: 1 columns; want 6 or 7: speed cable size xon xoff threshold [xon_offset]"},
		{strings.Repeat("#", 1<<20+1), "f: 1048577 bytes are too many for a lookup file: at most 1048576"},
	}
	for _, tt := range tests {
		if l, err := bufmgr.ParseLookup("f", []byte(tt.text)); l != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%.60q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
	if _, err := bufmgr.ParseLookup("f", []byte(strings.Repeat("x\n", 99))); err == nil || strings.Count(err.Error(), "\n") != 9 {
		t.Errorf("99 faults: %v", err)
	}
}

const asicText = `[{"ASIC_TABLE:CHIP-3": {"cell_size": "144", "pipeline_latency": "18", "mac_phy_delay": "0.8", "peer_response_time": 3.8,
 "port_reserved_shp": "10", "port_max_shp": "20"}, "OP": "SET"}]`

func TestParseASIC(t *testing.T) {
	t.Parallel()
	got, err := bufmgr.ParseASIC("f", []byte(asicText))
	want := &bufmgr.ASIC{
		Name: "CHIP-3", Source: "f", CellBytes: 144, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8,
		PortReservedSHP: 10, PortMaxSHP: 20,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	checkFaults(t, asicFaults, func(text []byte) (any, error) { return bufmgr.ParseASIC("f", text) })
}

type faulty []struct{ text, want string }

var asicFaults = faulty{
	{"[\n{", "f:2: it ends in the middle of a value"},
	{"", "f:1: there is nothing in it"},
	{"{}", "f:1: a list of objects ought to be here, [{...}], not object"},
	{"[]\n[]", "f:2: there is more behind the list"},
	{"[]", "f: there is no ASIC_TABLE in it"},
	{`[{"ASIC_TABLE:a": 1}]`, `f: object 1: "ASIC_TABLE:a": an object ought to be here, {...}, not number`},
	{"[{},\n7]", "f:2: an object ought to be here, {...}, not number"},
	{`[{"ASIC_TABLE:a": {"cell_size": []}}]`, `f: object 1: "ASIC_TABLE:a": field "cell_size" is neither a string nor a number`},
	{`[{"ASIC_TABLE:a": {}}]`, `f: ASIC_TABLE "a": field "cell_size" is required`},
	{`[{"ASIC_TABLE|a": {"cell_size": "0", "pipeline_latency": "1", "mac_phy_delay": "1", "peer_response_time": "1"}}]`, `f: ASIC_TABLE "a": field "cell_size": 0 is out of range (1 to 1048576)`},
	{`[{"ASIC_TABLE|a": {"cell_size": "1", "pipeline_latency": "-1"}}]`, `f: ASIC_TABLE "a": field "pipeline_latency": "-1" is not a number from 0 to 1048576`},
	{`[{"ASIC_TABLE|a": {"cell_size": "1", "pipeline_latency": "NaN"}}]`, `f: ASIC_TABLE "a": field "pipeline_latency": "NaN" is not a number from 0 to 1048576`},
	{`[{"ASIC_TABLE|a": {"cell_size": "x"}}]`, `f: ASIC_TABLE "a": field "cell_size": "x" is not a whole number (0 to 1048576)`},
	{asicText[:len(asicText)-1] + "," + asicText[1:], `f: chip "CHIP-3" beside "CHIP-3": a switch has one`},
	{strings.Repeat(" ", 1<<20+1), "f: 1048577 bytes are too many: at most 1048576"},
}

func checkFaults(t *testing.T, tests faulty, parse func([]byte) (any, error)) {
	t.Helper()
	for _, tt := range tests {
		if _, err := parse([]byte(tt.text)); err == nil || err.Error() != tt.want {
			t.Errorf("%.80q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

const peripheralText = `[{"PERIPHERAL_TABLE:fast": {"gearbox_delay": "9.765"}, "OP": "SET"},
 {"PORT_PERIPHERAL_TABLE:Ethernet0": {"gearbox_model": "fast"}, "OP": "SET"}]`

func TestParsePeripherals(t *testing.T) {
	t.Parallel()
	models, ports, err := bufmgr.ParsePeripherals("f", []byte(peripheralText))
	if diff := cmp.Diff(map[string]bufmgr.Gearbox{"fast": {Delay: 9.765}}, models); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if diff := cmp.Diff(map[string]string{"Ethernet0": "fast"}, ports); diff != "" {
		t.Error(diff)
	}
	faults := faulty{
		{`[{"PERIPHERAL_TABLE:a": {}}]`, `f: PERIPHERAL_TABLE "a": field "gearbox_delay" is required`},
		{`[{"PERIPHERAL_TABLE:a": {"gearbox_delay": "1e10"}}]`, `f: PERIPHERAL_TABLE "a": field "gearbox_delay": "1e10" is not a number from 0 to 1000000000`},
		{`[{"PORT_PERIPHERAL_TABLE:a": {}}]`, `f: PORT_PERIPHERAL_TABLE "a": field "gearbox_model" is required`},
		{`[{"PORT_PERIPHERAL_TABLE:global": {"gearbox_model": "x"}}]`, `f: PORT_PERIPHERAL_TABLE "global": there is no gearbox "x" in PERIPHERAL_TABLE`},
		{`no`, "f:1: invalid character 'o' in literal null (expecting 'u')"},
	}
	checkFaults(t, faults, func(text []byte) (any, error) {
		_, _, err := bufmgr.ParsePeripherals("f", text)
		return nil, err
	})
}

// zeroText are the zero profiles of SONiC's virtual switch.
const zeroText = `[
 {"BUFFER_POOL_TABLE:ingress_zero_pool": {"mode": "static", "type": "ingress", "size": "0"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:ingress_lossy_pg_zero_profile": {"pool": "ingress_zero_pool", "size": "0", "static_th": "0"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:ingress_lossy_zero_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:ingress_lossless_zero_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:egress_lossy_zero_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:egress_lossless_zero_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "0"}, "OP": "SET"},
 {"control_fields": {"pgs_to_apply_zero_profile": "0", "ingress_zero_profile": "ingress_lossy_pg_zero_profile"}, "OP": "SET"}
]`

func TestParseZeroProfiles(t *testing.T) {
	t.Parallel()
	z, err := bufmgr.ParseZeroProfiles("f", []byte(zeroText))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%d %d %v %q %v %q", len(z.Pools), len(z.Profiles), z.PGs, z.Ingress, z.Queues, z.Egress)
	if want := `1 5 [0] "ingress_lossy_pg_zero_profile" [] ""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p := z.Profiles[3]; p.Pool != "egress_lossy_pool" || p.DynamicTh != -8 || p.Mode != configdb.Dynamic {
		t.Errorf("%+v", p)
	}
	const profile = `{"BUFFER_PROFILE_TABLE:z": {"pool": "p", "size": "0", "static_th": "0"}}`
	faults := faulty{
		{"[]", "f: there is no BUFFER_PROFILE_TABLE in it"},
		{`[{"BUFFER_PROFILE_TABLE:z": {"pool": "p", "size": "x"}}]`, `f: BUFFER_PROFILE|z: field "size": "x" is not a whole number (0 to 18446744073709551615)`},
		{`[{"BUFFER_POOL_TABLE:z": {"type": "ingress", "mode": "static", "colour": "x"}}]`, `f: BUFFER_POOL|z: there is no field "colour"`},
		{"[" + profile + "," + profile + "]", "f: BUFFER_PROFILE|z is there twice"},
		{"[" + profile + `,{"control_fields": {"pgs_to_apply_zero_profile": "0"}}]`, "f: control_fields: indexes to apply a zero profile to, but no ingress_zero_profile or egress_zero_profile beside them"},
		{"[" + profile + `,{"control_fields": {"egress_zero_profile": "y"}}]`, `f: control_fields: there is no profile "y" in BUFFER_PROFILE_TABLE`},
		{"[" + profile + `,{"control_fields": {"pgs_to_apply_zero_profile": "4-3"}}]`, `f: pgs_to_apply_zero_profile: "4-3" runs backwards`},
		{"[" + profile + `,{"control_fields": {"queues_to_apply_zero_profile": "0,64"}}]`, `f: queues_to_apply_zero_profile "64" is out of range (0 to 63)`},
	}
	checkFaults(t, faults, func(text []byte) (any, error) { return bufmgr.ParseZeroProfiles("f", text) })
}

// FuzzParse: no file whatever makes a parser panic, and what is refused is refused
// with an error that names the file.
func FuzzParse(f *testing.F) {
	for _, text := range []string{lookupText, asicText, peripheralText, zeroText, "[{}]", `[{"a": null}]`, "1e99 -1m"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var errs [4]error
		_, errs[0] = bufmgr.ParseLookup("file", text)
		_, errs[1] = bufmgr.ParseASIC("file", text)
		_, _, errs[2] = bufmgr.ParsePeripherals("file", text)
		_, errs[3] = bufmgr.ParseZeroProfiles("file", text)
		for _, err := range errs {
			if err != nil && !strings.HasPrefix(err.Error(), "file:") {
				t.Errorf("%v", err)
			}
		}
	})
}
