package bufmgr_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// byHand is a port with a lossless profile that somebody wrote.
func byHand(profile fields) rows {
	r := twoPorts()
	maps.Copy(r, rows{
		"BUFFER_PROFILE|own":     profile,
		"BUFFER_PG|Ethernet0|3":  {"profile": "own"},
		"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3"},
		"CABLE_LENGTH|AZURE":     {"Ethernet0": "40m"},
	})
	return r
}

func ownProfile(size, xoff string) fields {
	return fields{"pool": "ingress_lossless_pool", "dynamic_th": "0", "xon": "2288", "xoff": xoff, "size": size}
}

// TestTooLittle: headroom that is too little whatever packets come is warned of, with
// the terms; a byte more is not. 40191 = 1024 + 9100 + 5051 + 25216 at 100 Gb/s with 40 m,
// and of 819 in MAC and PHY where that is known.
func TestTooLittle(t *testing.T) {
	t.Parallel()
	const spectrum, second, third = "x86_64-mlnx_msn2700-r0", "x86_64-mlnx_msn3700-r0", "x86_64-dellemc_z9332f_d1508-r0"
	port := func(f fields) rows {
		p := vsPort(0, true)
		maps.Copy(p, f)
		return rows{"PORT|Ethernet0": p}
	}
	tests := []struct {
		name, platform, size, xoff string
		change                     rows
		want                       string // "": nothing
	}{
		{name: "virtual switch", platform: "vs", size: "1248", xoff: "41209", want: "41210 or more may come at 100000 Mb/s: 1024 of a packet that the peer has begun, 9100 of one that the pause waits for (the port's mtu), 5051 of 40m of cable, both ways, 819 of MAC and PHY (built in: VS-ASIC), 25216 that the peer may take to obey (IEEE 802.3 Annex 31B.3.7)"},
		{name: "enough", platform: "vs", size: "1248", xoff: "41210"},
		{name: "unknown constants", platform: third, size: "1248", xoff: "40390", want: "40391 or more may come at 100000 Mb/s: 1024 of a packet that the peer has begun, 9100 of one that the pause waits for (the port's mtu), 5051 of 40m of cable, both ways, 25216 that the peer may take to obey (IEEE 802.3 Annex 31B.3.7); not counted, as it is not known: the delays and the cell size of the chip"},
		{name: "enough with unknown constants", platform: third, size: "1248", xoff: "40391"},
		{name: "Spectrum-1's own reckoning", platform: spectrum, size: "60000", xoff: "19886"},
		{name: "Spectrum-1", platform: spectrum, size: "60000", xoff: "19884", want: "3891 that the peer may take to obey (built in: MELLANOX-SPECTRUM peer_response_time)"},
		{name: "Spectrum-2", platform: second, size: "60000", xoff: "41209", want: "41210 or more"},
		{name: "Spectrum without shared headroom", platform: second, size: "19456", xoff: "60000", want: "take 19456 bytes after a pause (its size: BUFFER_POOL|ingress_lossless_pool has no shared headroom for its xoff of 60000), and 41210 or more"},
		{name: "Spectrum with shared headroom", platform: second, size: "19456", xoff: "60000", change: rows{lossless: {"type": "ingress", "mode": "dynamic", "size": "12766208", "xoff": "1000000"}}},
		{name: "longer cable", platform: "vs", size: "1248", xoff: "41210", change: rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "41m"}}, want: "5177 of 41m of cable"},
		{name: "no cable", platform: "vs", size: "1248", xoff: "36159", change: rows{"CABLE_LENGTH|AZURE": {"Ethernet4": "5m"}}, want: "36160 or more may come at 100000 Mb/s: 1024 of a packet that the peer has begun, 9100 of one that the pause waits for (the port's mtu), 819 of MAC and PHY (built in: VS-ASIC), 25216 that the peer may take to obey (IEEE 802.3 Annex 31B.3.7); not counted, as it is not known: the length of the cable"},
		{name: "larger packets", platform: "vs", size: "1248", xoff: "41210", change: port(fields{"mtu": "9216"}), want: "9216 of one that the pause waits for"},
		{name: "slower", platform: "vs", size: "1248", xoff: "20516", change: port(fields{"speed": "40000"})},
		{name: "unknown speed", platform: "vs", size: "1248", xoff: "1", change: rows{"PORT|Ethernet0": {"lanes": "0,1,2,3"}}},
		{name: "no standard for the speed", platform: third, size: "1248", xoff: "15000", change: port(fields{"speed": "120000"}), want: "the delays and the cell size of the chip, how fast a peer obeys a pause at this speed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lookedUp(t, tt.platform), byHand(ownProfile(tt.size, tt.xoff)), tt.change)
			if tt.want == "" {
				r.wantLosses()
				return
			}
			if got := problems(r.out.Problems); !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "BUFFER_PG|Ethernet0|3 warned: BUFFER_PROFILE|own lets priority group 3 of Ethernet0 take ") {
				t.Errorf("%s\nwant %q", got, tt.want)
			}
			// It goes with its cause.
			r.change(change{"BUFFER_PROFILE|own": ownProfile("99999", "99999")})
			r.wantLosses()
		})
	}
}

// TestTooLittleLookedUp: what a lookup file says is put down to the row that asks for it,
// and a port that shares a row is named by itself.
func TestTooLittleLookedUp(t *testing.T) {
	t.Parallel()
	r := newRig(t, lookedUp(t, "vs"), twoPorts())
	r.wantLosses()
	up := vsPort(0, true)
	up["speed"] = "40000"
	r.change(change{"PORT|Ethernet0": up})
	r.wantLosses(
		"PORT_QOS_MAP|Ethernet0 warned: BUFFER_PROFILE|pg_lossless_40000_5m_profile lets priority group 6 of Ethernet0 take 3000 bytes after a pause, and 18748 or more may come at 40000 Mb/s: 1024 of a packet that the peer has begun, 9100 of one that the pause waits for (the port's mtu), 253 of 5m of cable, both ways, 819 of MAC and PHY (built in: VS-ASIC), 7552 that the peer may take to obey (IEEE 802.3 Annex 31B.3.7)",
		"PORT_QOS_MAP|Ethernet0 warned: BUFFER_PROFILE|pg_lossless_40000_5m_profile lets priority groups 2-4 of Ethernet0 take 3000 bytes after a pause, and 18748 or more may come at 40000 Mb/s: 1024 of a packet that the peer has begun, 9100 of one that the pause waits for (the port's mtu), 253 of 5m of cable, both ways, 819 of MAC and PHY (built in: VS-ASIC), 7552 that the peer may take to obey (IEEE 802.3 Annex 31B.3.7)",
	)
	r.change(change{"PORT|Ethernet0": vsPort(0, true)})
	r.wantLosses()
}

// TestSharedTooLittle compares the shared headroom with what one priority group may need,
// and with what all may need if somebody said how much more that may be.
func TestSharedTooLittle(t *testing.T) {
	t.Parallel()
	pool := func(xoff string) rows {
		return rows{lossless: {"type": "ingress", "mode": "dynamic", "size": "12766208", "xoff": xoff}}
	}
	all := byHand(ownProfile("1248", "60000"))
	all["BUFFER_PG|Ethernet4|3-4"] = fields{"profile": "own"}
	r := newRig(t, lookedUp(t, "vs"), all, pool("60000"))
	r.wantLosses()
	want := bufmgr.Shared{Pool: "ingress_lossless_pool", Xoff: 60000, Most: 60000, Groups: 3, Needed: 180000, Together: 1}
	if diff := cmp.Diff([]bufmgr.Shared{want}, r.out.Shared, cmpopts.IgnoreUnexported(bufmgr.Shared{})); diff != "" {
		t.Errorf("shared: -want +got:\n%s", diff)
	}
	r.change(pool("59999"))
	r.wantLosses("BUFFER_POOL|ingress_lossless_pool warned (xoff): 59999 bytes of shared headroom are less than the 60000 that one priority group may need by BUFFER_PROFILE|own: it can never get them")
	r.change(change{"BUFFER_PG|Ethernet0|3": nil, "BUFFER_PG|Ethernet4|3-4": nil, "PORT_QOS_MAP|Ethernet0": nil})
	r.wantLosses()
	// A port of a Spectrum has 10 KiB besides.
	r = newRig(t, lookedUp(t, "x86_64-mlnx_msn3700-r0"), byHand(ownProfile("2288", "60000")), pool("49760"))
	r.wantLosses()
	r.change(pool("49759"))
	r.wantLosses("BUFFER_POOL|ingress_lossless_pool warned (xoff): 49759 bytes of shared headroom are less than the 60000 that one priority group may need by BUFFER_PROFILE|own: it can never get them")
	// A port of a Tomahawk has a quarter of it.
	r = newRig(t, lookedUp(t, "x86_64-arista_7060_cx32s"), byHand(ownProfile("2288", "60000")), pool("240000"))
	r.wantLosses()
	r.change(pool("239999"))
	r.wantLosses("BUFFER_POOL|ingress_lossless_pool warned (xoff): 59999 bytes of shared headroom (a port has one of 4 parts of 239999) are less than the 60000 that one priority group may need by BUFFER_PROFILE|own: it can never get them")
	// 32 ports with 2 groups of 72704 bytes, less 10 KiB a port.
	r = newRig(t, virtual(t), vsRows(32), rows{
		lossless: {"type": "ingress", "mode": "dynamic", "xoff": "2162688"}, "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"},
	})
	r.wantLosses()
	r.change(change{lossless: {"type": "ingress", "mode": "dynamic", "xoff": "1048576"}})
	r.wantLosses("BUFFER_POOL|ingress_lossless_pool warned (xoff): 64 lossless priority groups may need 4325376 bytes of shared headroom together, the pool has 1048576: certainly enough for 14 of them at a time; DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE allows 2 times as much")
}

// TestPoolTooLittle: a pool that its own shared headroom, or what profiles reserve of it,
// does not fit into.
func TestPoolTooLittle(t *testing.T) {
	t.Parallel()
	const huge = "18446744073709551615"
	tests := []struct {
		name, platform, size, xoff string
		profile                    fields
		want                       []string
	}{
		{"fits", "vs", "200000", "100000", ownProfile("50000", "60000"), nil},
		{"below its xoff", "vs", "99999", "100000", ownProfile("1248", "60000"), []string{
			"BUFFER_POOL|ingress_lossless_pool warned (xoff): 100000 bytes of shared headroom are more than the pool's size of 99999",
		}},
		{"below what is reserved", "vs", "199999", "100000", ownProfile("50000", "60000"), []string{
			"BUFFER_POOL|ingress_lossless_pool warned (size): 199999 bytes are less than the 100000 that profiles reserve of it beside its 100000 of shared headroom: by SAI's rule the size contains both",
		}},
		{"without shared headroom", "vs", "122495", "0", ownProfile("1248", "60000"), []string{
			"BUFFER_POOL|ingress_lossless_pool warned (size): 122495 bytes are less than the 122496 that profiles reserve of it: by SAI's rule the size contains both",
		}},
		{"sums that no number can hold", "vs", "200000", "0", ownProfile(huge, "60000"), []string{
			"BUFFER_POOL|ingress_lossless_pool warned (size): 200000 bytes are less than the 18446744073709551615 that profiles reserve of it: by SAI's rule the size contains both",
		}},
		{"Tomahawk reserves beside", "x86_64-arista_7060_cx32s", "240001", "240000", ownProfile("62288", "60000"), nil},
		{"Spectrum reserves beside", "x86_64-mlnx_msn3700-r0", "100", "0", ownProfile("62288", "60000"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			all := byHand(tt.profile)
			delete(all, "BUFFER_PG|Ethernet0|3")
			all["BUFFER_PG|Ethernet0|3-4"] = fields{"profile": "own"}
			newRig(t, lookedUp(t, tt.platform), all, rows{lossless: {"type": "ingress", "mode": "dynamic", "size": tt.size, "xoff": tt.xoff}}).wantLosses(tt.want...)
		})
	}
}

// TestVendorsFiles: nothing is said against the files of real switches.
func TestVendorsFiles(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../../shared/data/config/*/config_db.json") // an extra, where they are
	for _, file := range files {
		read, err := configdb.ReadFile(file, configdb.FileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		raw := read.Rows
		r := newRig(t, paramsOf(t, filepath.Dir(file), raw["DEVICE_METADATA|localhost"]), known(raw))
		for _, p := range r.out.Problems {
			if graph.MeansLoss(p.Err) {
				t.Errorf("%s: %s %s", file, p.Row, problem(p))
			}
		}
		if strings.Contains(file, "t1") && len(r.out.Rows.BufferPGs) < 2 {
			t.Errorf("%s: nothing was looked at", file)
		}
	}
}

// known are the rows of tables that there are.
func known(raw rows) rows {
	out := rows{}
	for k, f := range raw {
		if _, _, err := configdb.Parse(k, f); err == nil {
			out[k] = f
		}
	}
	return out
}

func paramsOf(t *testing.T, dir string, metadata fields) bufmgr.Params {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pg_profile_lookup.ini"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := bufmgr.ParseLookup(filepath.Base(dir), text)
	if err != nil {
		t.Fatal(err)
	}
	return bufmgr.Params{Model: metadata["buffer_model"], Platform: metadata["platform"], Lookup: l}
}
