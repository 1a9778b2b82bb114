package bufmgr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// explained is an explanation as text.
func explained(e bufmgr.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %s\n", e.Port, e.Model, e.Profile)
	for _, s := range e.Steps {
		how := "from " + s.Source
		if s.Formula != "" {
			how = "= " + s.Formula
		}
		fmt.Fprintf(&b, "%s %.6g %s %s\n", s.Name, s.Value, s.Unit, how)
	}
	fmt.Fprintf(&b, "xon %d xoff %d size %d\n", e.Xon, e.Xoff, e.Size)
	fmt.Fprintf(&b, "refusal %q, %d of %d bytes\n", e.Refusal, e.Fit.PortBytes, e.Fit.PortLimit)
	for _, c := range e.Fit.Checks {
		fmt.Fprintf(&b, "%s: %d, %d: %s (%s)\n", c.What, c.Needed, c.Available, c.Result, c.By)
	}
	for _, n := range e.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	verdict, fits := e.Verdict()
	fmt.Fprintf(&b, "%t: %s\n", fits, verdict)
	for _, p := range e.Fit.Pools {
		fmt.Fprintf(&b, "%s %d:%d, then %d:%d\n", p.Pool, p.Before, p.XoffBefore, p.After, p.XoffAfter)
	}
	return b.String()
}

// TestExplain: every number of headroom, where it is from, and whether it fits.
func TestExplain(t *testing.T) {
	t.Parallel()
	e := explain(t, roomy(t, 300000), bufmgr.Override{}, nil)
	const want = `Ethernet0, dynamic: pg_lossless_100000_5m_profile
speed 100000 Mb/s from PORT|Ethernet0 speed
length 5 m from CABLE_LENGTH|AZURE Ethernet0
mtu 9100 bytes from PORT|Ethernet0 mtu
lanes 4  from PORT|Ethernet0 lanes
lossless_mtu 1024 bytes from LOSSLESS_TRAFFIC_PATTERN|AZURE mtu
small_packets 100 percent from LOSSLESS_TRAFFIC_PATTERN|AZURE small_packet_percentage
cell 128 bytes from built in: VS-ASIC cell_size
pipeline 18 KiB from built in: VS-ASIC pipeline_latency
mac_phy 0.8 KiB from built in: VS-ASIC mac_phy_delay
peer 25216 bytes from IEEE 802.3 Annex 31B.3.7, for the speed
worst 2  = cells that a packet takes over what it has bytes, at worst
small_bytes 100 percent = 100·64 / ((small_packets·64 + (100−small_packets)·lossless_mtu) / 100)
occupancy 2  = (100 − small_bytes + small_bytes·worst) / 100
cable 631.313 bytes = 2·length·speed·10⁹ / 198000000 / 8000
delay 35766.5 bytes = mtu + cable + mac_phy·1024 + peer
xoff 72704 bytes = lossless_mtu + delay·occupancy, in whole KiB
xon 18432 bytes = pipeline·1024, in whole KiB
size 91136 bytes = xoff + xon, in whole KiB
xon 18432 xoff 72704 size 91136
refusal "", 243712 of 300000 bytes
priority groups 3-4 of Ethernet0 after a pause: 36791, 72704: enough (BUFFER_PROFILE|pg_lossless_100000_5m_profile xoff)
what the port's priority groups reserve: 243712, 299999: enough (less than the chip's SAI_PORT_ATTR_QOS_MAXIMUM_HEADROOM_SIZE)
the ingress pools, what profiles reserve and the shared headroom in the chip's memory: 12449370, 12766208: enough (BUFFER_POOL|egress_lossless_pool size, as the chip does not say)
true: it fits
egress_lossless_pool 12766208:0, then 12766208:0
egress_lossy_pool 7326924:0, then 7326924:0
ingress_lossless_pool 12267098:0, then 12267098:0
`
	if diff := cmp.Diff(want, explained(e)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestExplainOverride: what would be, and that it would not fit.
func TestExplainOverride(t *testing.T) {
	t.Parallel()
	metres := uint32(300)
	e := explain(t, roomy(t, 300000), bufmgr.Override{Metres: &metres}, nil)
	if want := "Ethernet0: 2 of 165888 bytes would make 393216 bytes of headroom together: the port has less than 300000"; e.Refusal != want {
		t.Errorf("refusal %q, want %q", e.Refusal, want)
	}
	if e.Fit.PortBytes != 393216 || e.Profile != "pg_lossless_100000_300m_profile" || e.Xoff != 147456 || e.Steps[1].Source != "assumed" {
		t.Errorf("%s", explained(e))
	}
	// Two priority groups of 74752 bytes more, and the pool has as much less.
	e = explain(t, virtual(t), bufmgr.Override{Metres: &metres}, nil)
	pool := bufmgr.PoolEffect{Pool: "ingress_lossless_pool", Before: 12267098, After: 12267098 - 2*74752}
	if got := e.Fit.Pools[2]; got != pool || e.Refusal != "" {
		t.Errorf("%+v, refusal %q; want %+v", got, e.Refusal, pool)
	}
	metres = 0
	if e = explain(t, virtual(t), bufmgr.Override{Metres: &metres}, nil); e.Refusal != "a cable of 0m stands for no lossless traffic" {
		t.Errorf("refusal %q", e.Refusal)
	}
}

// TestExplainParts: terms that only some switches have are explained where they are.
func TestExplainParts(t *testing.T) {
	t.Parallel()
	gearbox := roomy(t, 0)
	gearbox.Peripherals, gearbox.PortGearbox = map[string]bufmgr.Gearbox{"A": {Delay: 100}}, map[string]string{"Ethernet0": "A"}
	sixth := virtual(t)
	sixth.Platform = "x86_64-nvidia_sn6600-r0"
	fifth := virtual(t)
	fifth.Platform = "x86_64-nvidia_sn5640-r0"
	mixed := rows{"LOSSLESS_TRAFFIC_PATTERN|AZURE": {"mtu": "1024", "small_packet_percentage": "0"}}
	eight := vsPort(0, true)
	eight["lanes"] = "0,1,2,3,4,5,6,7"
	tests := []struct {
		name   string
		params bufmgr.Params
		with   bufmgr.Override
		change rows
		want   []string
	}{
		{"gearbox", gearbox, bufmgr.Override{}, nil, []string{"gearbox_delay 100 ns from peripheral A", "gearbox 1220.7 bytes = speed·gearbox_delay / 8192", "delay 38207.9 bytes = mtu + cable + mac_phy·1024 + peer + 2·gearbox"}},
		{"speed", virtual(t), bufmgr.Override{Speed: 120000, MTU: 1500}, nil, []string{"speed 120000 Mb/s from assumed", "mtu 1500 bytes from assumed", "peer 3891.2 bytes from built in: VS-ASIC peer_response_time, as no standard has the speed"}},
		{"generation 6", sixth, bufmgr.Override{}, nil, []string{"in whole KiB, + 18432 for this chip"}},
		{"generation 5", fifth, bufmgr.Override{}, nil, []string{"tile 1500 bytes = speed/1000·120/8", " + peer + tile"}},
		{"two sizes", fifth, bufmgr.Override{}, mixed, []string{"in whole KiB, + 2048 as packets are of two sizes"}},
		{"eight lanes", virtual(t), bufmgr.Override{}, rows{"PORT|Ethernet0": eight}, []string{"xon 36864 bytes = pipeline·1024·2, for eight lanes, in whole KiB", "size 118784 bytes = xoff + xon + mtu, for eight lanes, in whole KiB"}},
		{"shared", virtual(t), bufmgr.Override{}, rows{lossless: {"type": "ingress", "mode": "dynamic", "xoff": "1048576"}}, []string{"size 18432 bytes = xon, as headroom is shared"}},
	}
	for _, tt := range tests {
		text := explained(explain(t, tt.params, tt.with, tt.change))
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", tt.name, want, text)
			}
		}
	}
}

// TestExplainLookedUp: in the traditional model numbers are from a line of the file.
func TestExplainLookedUp(t *testing.T) {
	t.Parallel()
	p := lookedUp(t, "vs")
	r := newRig(t, p, twoPorts())
	in := bufmgr.Input{Rows: r.rows}
	e, err := bufmgr.New(p).Next(in, nil).Headroom("Ethernet0", bufmgr.Override{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `Ethernet0, traditional: pg_lossless_100000_5m_profile
speed 100000 Mb/s from PORT|Ethernet0 speed
length 5 m from CABLE_LENGTH|AZURE Ethernet0
size 56368 bytes from pg_profile_lookup.ini:2
xon 18432 bytes from pg_profile_lookup.ini:2
xoff 55120 bytes from pg_profile_lookup.ini:2
xon_offset 2496 bytes from pg_profile_lookup.ini:2
dynamic_th -3  from pg_profile_lookup.ini:2
mtu 9100 bytes from PORT|Ethernet0 mtu
packet 1024 bytes from built in, of RoCE: what the peer has begun
peer 25216 bytes from IEEE 802.3 Annex 31B.3.7
mac_phy 819.2 bytes from built in: VS-ASIC mac_phy_delay
cable 631.313 bytes = 2·length·speed·10⁹ / 198000000 / 8000
least 36791 bytes = packet + mtu + cable + peer + mac_phy
at_worst 72704 bytes = packet + (the rest, with what IEEE 802.3 allows the peer)·cells that a packet takes over what it has bytes, at worst, in whole KiB
xon 18432 xoff 55120 size 56368
refusal "", 225472 of 0 bytes
priority group 6 of Ethernet0 after a pause: 36791, 55120: enough if (BUFFER_PROFILE|pg_lossless_100000_5m_profile xoff)
priority groups 2-4 of Ethernet0 after a pause: 36791, 55120: enough if (BUFFER_PROFILE|pg_lossless_100000_5m_profile xoff)
what the port's priority groups reserve (the chip does not say what a port may): 225472, 0: not known ()
what profiles reserve, with the shared headroom: 225472, 12766208: enough (BUFFER_POOL|ingress_lossless_pool size)
the ingress pools in the chip's memory (the chip does not say how large it is): 12766208, 0: not known ()
true: nothing that is known speaks against it, if packets are large enough, as up to 72704 bytes may come of packets that just begin another cell; not known: what the port's priority groups reserve (the chip does not say what a port may), the ingress pools in the chip's memory (the chip does not say how large it is)
ingress_lossless_pool 12766208:0, then 12766208:0
`
	if diff := cmp.Diff(want, explained(e)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	metres := uint32(40)
	for _, tt := range []struct {
		port string
		with bufmgr.Override
		want string
	}{
		{"Ethernet0", bufmgr.Override{Metres: &metres}, "headroom of Ethernet0: pg_profile_lookup.ini has no line for 100000 Mb/s with 40m; for 100000 Mb/s it has 5m, 7m, 300m"},
		{"Ethernet8", bufmgr.Override{}, "PORT|Ethernet8 does not exist"},
	} {
		if _, err := bufmgr.New(p).Next(in, nil).Headroom(tt.port, tt.with); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.port, err, tt.want)
		}
	}
}

// TestExplainMissing: what can't be explained says what is missing for that.
func TestExplainMissing(t *testing.T) {
	t.Parallel()
	for gone, want := range map[configdb.RowKey]string{
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": "headroom of Ethernet0: DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE does not exist: without it no headroom is computed",
		"CABLE_LENGTH|AZURE":                      "headroom of Ethernet0: CABLE_LENGTH|AZURE has no length for Ethernet0",
	} {
		r := newRig(t, virtual(t), vsRows(1))
		r.change(change{gone: nil})
		if _, err := bufmgr.New(r.params).Next(bufmgr.Input{Rows: r.rows}, nil).Headroom("Ethernet0", bufmgr.Override{}); err == nil || err.Error() != want {
			t.Errorf("without %s: %v, want %s", gone, err, want)
		}
	}
}

// TestVerdict: "it fits" is said of what is compared alone, with what it depends on.
func TestVerdict(t *testing.T) {
	t.Parallel()
	pool := func(size, xoff string) rows {
		return rows{lossless: {"type": "ingress", "mode": "dynamic", "size": size, "xoff": xoff}}
	}
	known := func(p bufmgr.Params, room uint64) bufmgr.Params {
		p.MMUBytes, p.Ports = 16777216, map[string]bufmgr.PortLimits{"Ethernet0": {MaxHeadroom: room}}
		return p
	}
	const spectrum2, tomahawk = "x86_64-mlnx_msn3700-r0", "x86_64-arista_7060_cx32s"
	tests := []struct {
		name    string
		params  bufmgr.Params
		profile fields
		change  rows
		fits    bool
		want    string
	}{
		{"all is known", known(lookedUp(t, "vs"), 300000), ownProfile("1248", "99000"), pool("12766208", "1000000"), true, "it fits"},
		{
			"one group never", known(lookedUp(t, "vs"), 13000000), ownProfile("1248", "6300000"), pool("12766208", "2500000"), false,
			"it is too little: one of the port's priority groups in the shared headroom: 6300000 bytes are needed, there are 2500000 (BUFFER_POOL|ingress_lossless_pool xoff)",
		},
		{
			"not all at once", known(lookedUp(t, "vs"), 300000), ownProfile("1248", "99000"), pool("12766208", "150000"), true,
			"it fits, if those of the port do not all need it at once, and if no more than 1 of all 2 lossless priority groups need their shared headroom at once",
		},
		{
			"a part of the chip", known(lookedUp(t, tomahawk), 600000), ownProfile("1248", "99000"), pool("10000000", "360000"), false,
			"it is too little: one of the port's priority groups in the shared headroom: 99000 bytes are needed, there are 90000 (BUFFER_POOL|ingress_lossless_pool xoff (a port has one of 4 parts))",
		},
		{
			"less than may come", known(lookedUp(t, "vs"), 300000), ownProfile("1248", "41209"), pool("12766208", "1000000"), false,
			"it is too little: priority groups 3-4 of Ethernet0 after a pause: 41210 bytes are needed, there are 41209 (BUFFER_PROFILE|own xoff; 1024 of a packet that the peer has begun, 9100 of one that the pause waits for (the port's mtu), 5051 of 40m of cable, both ways, 819 of MAC and PHY (built in: VS-ASIC), 25216 that the peer may take to obey (IEEE 802.3 Annex 31B.3.7))",
		},
		{
			"more than the port may", known(lookedUp(t, "vs"), 197999), ownProfile("1248", "99000"), pool("12766208", "1000000"), false,
			"it is too little: what the port's priority groups reserve: 198000 bytes are needed, there are 197999 (the chip's SAI_PORT_ATTR_QOS_MAXIMUM_HEADROOM_SIZE)",
		},
		{
			"more than the pool has", known(lookedUp(t, "vs"), 300000), ownProfile("1248", "99000"), pool("200000", "199000"), false,
			"it is too little: what profiles reserve, with the shared headroom: 201496 bytes are needed, there are 200000 (BUFFER_POOL|ingress_lossless_pool size)",
		},
		{
			"more than the chip has", known(lookedUp(t, spectrum2), 300000), ownProfile("2288", "99000"), pool("16777216", "1000000"), false,
			"it is too little: the ingress pools, what profiles reserve and the shared headroom in the chip's memory: 17781792 bytes are needed, there are 16777216 (the chip's SAI_SWITCH_ATTR_TOTAL_BUFFER_SIZE)",
		},
		{
			"small packets", known(lookedUp(t, "vs"), 300000), ownProfile("1248", "60000"), pool("12766208", "1000000"), true,
			"it fits, if packets are large enough, as up to 81920 bytes may come of packets that just begin another cell",
		},
		{
			"a chip that says nothing", lookedUp(t, "x86_64-accton_unknown"), ownProfile("1248", "99000"), pool("12766208", "1000000"), true,
			"nothing that is known speaks against it; not known: the delays and the cell size of the chip, what the port's priority groups reserve (the chip does not say what a port may), the ingress pools in the chip's memory (the chip does not say how large it is)",
		},
	}
	for _, tt := range tests {
		all := byHand(tt.profile)
		delete(all, "BUFFER_PG|Ethernet0|3")
		all["BUFFER_PG|Ethernet0|3-4"] = fields{"profile": "own"}
		r := newRig(t, tt.params, all, tt.change)
		e, err := bufmgr.New(tt.params).Next(bufmgr.Input{Rows: r.rows}, nil).Headroom("Ethernet0", bufmgr.Override{})
		if err != nil {
			t.Fatal(err)
		}
		if got, fits := e.Verdict(); fits != tt.fits || got != tt.want {
			t.Errorf("%s: %t: %s\nwant %t: %s", tt.name, fits, got, tt.fits, tt.want)
		}
	}
}

// TestExplainDropsEarly: a Spectrum has been seen to drop 95 cells before a group's own
// headroom is used up; with shared headroom there is no such limit.
func TestExplainDropsEarly(t *testing.T) {
	t.Parallel()
	const need, early = 19885, 95 * 96
	p := lookedUp(t, "x86_64-mlnx_msn2700-r0")
	for _, tt := range []struct {
		xoff uint64
		pool string
		says bool
	}{{need + early, "0", false}, {need + early - 1, "0", true}, {need + early - 1, "1000000", false}} {
		own := ownProfile("60000", fmt.Sprint(tt.xoff))
		r := newRig(t, p, byHand(own), rows{lossless: {"type": "ingress", "mode": "dynamic", "size": "8000000", "xoff": tt.pool}})
		e, err := bufmgr.New(p).Next(bufmgr.Input{Rows: r.rows}, nil).Headroom("Ethernet0", bufmgr.Override{})
		if err != nil {
			t.Fatal(err)
		}
		text, ok := e.Verdict()
		const want = "no more than 19884 bytes come, as chips of class spc1 have been seen to drop before their xoff is used up"
		if e.Fit.Checks[0].Needed != need || !ok || strings.Contains(text, want) != tt.says {
			t.Errorf("xoff %d, pool's %s: %d needed, %v, %s; want %d, true, %q in it: %v", tt.xoff, tt.pool, e.Fit.Checks[0].Needed, ok, text, need, want, tt.says)
		}
	}
}
