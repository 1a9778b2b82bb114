package bufmgr_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// portPGs is the profile that the lossless priority groups of Ethernet0 have.
func (r *rig) portPGs() string {
	r.Helper()
	return strings.TrimPrefix(r.get("BUFFER_PG|Ethernet0|3-4"), "profile=")
}

// TestProfileNames: a profile is called by what differs from the usual.
func TestProfileNames(t *testing.T) {
	t.Parallel()
	const eight = "0,1,2,3,4,5,6,7"
	own := fields{"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "dynamic_th": "-2"}
	tests := []struct {
		name, platform string
		port           fields
		gearbox        string
		change         change
		want           string
	}{
		{name: "usual", want: "pg_lossless_100000_5m_profile"},
		{name: "usual mtu", port: fields{"mtu": "9100"}, want: "pg_lossless_100000_5m_profile"},
		{name: "mtu", port: fields{"mtu": "1500"}, want: "pg_lossless_100000_5m_mtu1500_profile"},
		{name: "threshold", change: change{"BUFFER_PROFILE|own": own, "BUFFER_PG|Ethernet0|3-4": {"profile": "own"}}, want: "pg_lossless_100000_5m_th-2_profile"},
		{
			name: "threshold that is the usual one", change: change{
				"BUFFER_PROFILE|own": own, "BUFFER_PG|Ethernet0|3-4": {"profile": "own"}, "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "-2"},
			}, want: "pg_lossless_100000_5m_profile",
		},
		{name: "gearbox", gearbox: "A", want: "pg_lossless_100000_5m_A_profile"},
		{name: "eight lanes", port: fields{"lanes": eight}, want: "pg_lossless_100000_5m_8lane_profile"},
		{name: "eight lanes of 400G", platform: "x86_64-mlnx_msn4700-r0", port: fields{"lanes": eight, "speed": "400000"}, want: "pg_lossless_400000_5m_profile"},
		{name: "eight lanes below 400G", platform: "x86_64-mlnx_msn4700-r0", port: fields{"lanes": eight, "speed": "200000"}, want: "pg_lossless_200000_5m_8lane_profile"},
		{name: "four lanes of 400G", platform: "x86_64-mlnx_msn4700-r0", port: fields{"speed": "400000"}, want: "pg_lossless_400000_5m_4lane_profile"},
		{name: "eight lanes below 800G", platform: "x86_64-nvidia_sn5600-r0", port: fields{"lanes": eight, "speed": "400000"}, want: "pg_lossless_400000_5m_8lane_profile"},
		{name: "eight lanes of 800G", platform: "x86_64-nvidia_sn5600-r0", port: fields{"lanes": eight, "speed": "800000"}, want: "pg_lossless_800000_5m_profile"},
		{
			name: "all together", gearbox: "A", port: fields{"mtu": "1500", "lanes": eight},
			change: change{"BUFFER_PROFILE|own": own, "BUFFER_PG|Ethernet0|3-4": {"profile": "own"}}, want: "pg_lossless_100000_5m_mtu1500_th-2_A_8lane_profile",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := virtual(t)
			if tt.platform != "" {
				p.Platform = tt.platform
			}
			if tt.gearbox != "" {
				p.Peripherals, p.PortGearbox = map[string]bufmgr.Gearbox{tt.gearbox: {Delay: 100}}, map[string]string{bufmgr.EveryPort: tt.gearbox}
			}
			f := vsPort(0, true)
			maps.Copy(f, tt.port)
			r := newRig(t, p, vsRows(1), rows{"PORT|Ethernet0": f}, tt.change)
			if got := r.portPGs(); got != tt.want || r.get(configdb.Key("BUFFER_PROFILE", got)) == "" {
				t.Errorf("%s with %q, want %s", got, r.get(configdb.Key("BUFFER_PROFILE", got)), tt.want)
			}
			r.wantProblems()
			// It goes with its last user.
			r.change(change{"BUFFER_PG|Ethernet0|3-4": nil})
			r.want(map[configdb.RowKey]string{configdb.Key("BUFFER_PROFILE", tt.want): ""})
		})
	}
}

// TestGearbox: a gearbox delays both ways, 100 ns at 100 Gb/s by 1220.7 bytes each.
func TestGearbox(t *testing.T) {
	t.Parallel()
	p := virtual(t)
	p.Peripherals, p.PortGearbox = map[string]bufmgr.Gearbox{"A": {Delay: 100}}, map[string]string{"Ethernet0": "A"}
	r := newRig(t, p, vsRows(2))
	// 1024 + 2·(35766.5 + 2·1220.7) = 77439.8, in whole KiB
	r.want(map[configdb.RowKey]string{
		"BUFFER_PROFILE|pg_lossless_100000_5m_A_profile": "dynamic_th=0 pool=ingress_lossless_pool size=96256 xoff=77824 xon=18432",
		"BUFFER_PROFILE|pg_lossless_100000_5m_profile":   "dynamic_th=0 pool=ingress_lossless_pool size=91136 xoff=72704 xon=18432",
	})
}

// TestSpeed: a port that negotiates may come to its highest speed.
func TestSpeed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		port      fields
		supported []uint32
		want      string
	}{
		{"configured", fields{"adv_speeds": "40000"}, []uint32{200000}, "pg_lossless_100000_5m_profile"},
		{"off", fields{"autoneg": "off", "adv_speeds": "40000"}, nil, "pg_lossless_100000_5m_profile"},
		{"on", fields{"autoneg": "on", "adv_speeds": "10000,40000,25000"}, []uint32{200000}, "pg_lossless_40000_5m_profile"},
		{"all", fields{"autoneg": "on", "adv_speeds": "all"}, []uint32{50000, 200000, 100000}, "pg_lossless_200000_5m_profile"},
		{"all by default", fields{"autoneg": "on"}, []uint32{50000, 40000}, "pg_lossless_50000_5m_profile"},
		{"all and unknown", fields{"autoneg": "on", "adv_speeds": "all"}, nil, "pg_lossless_100000_5m_profile"},
	}
	for _, tt := range tests {
		p := virtual(t)
		p.Ports["Ethernet0"] = bufmgr.PortLimits{Lanes: 4, Queues: 20, PriorityGroups: 8, SupportedSpeeds: tt.supported}
		f := vsPort(0, true)
		maps.Copy(f, tt.port)
		if got := newRig(t, p, vsRows(1), rows{"PORT|Ethernet0": f}).portPGs(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestDynamicWaits: priority groups wait for what their headroom is computed from, and
// those that need nothing computed don't.
func TestDynamicWaits(t *testing.T) {
	t.Parallel()
	const dynamic = "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE"
	tests := []struct {
		name   string
		change change
		want   string // "": it does not wait
	}{
		{"parameter", change{dynamic: nil}, "waits for " + dynamic + ": " + dynamic + " does not exist: without it no headroom is computed"},
		{"pattern", change{"LOSSLESS_TRAFFIC_PATTERN|AZURE": nil}, "waits for LOSSLESS_TRAFFIC_PATTERN|AZURE: LOSSLESS_TRAFFIC_PATTERN|AZURE does not exist: without it no headroom is computed"},
		{"mtu of the pattern", change{"LOSSLESS_TRAFFIC_PATTERN|AZURE": {"small_packet_percentage": "100"}}, "waits for LOSSLESS_TRAFFIC_PATTERN|AZURE: LOSSLESS_TRAFFIC_PATTERN|AZURE has no mtu"},
		{"small packets of the pattern", change{"LOSSLESS_TRAFFIC_PATTERN|AZURE": {"mtu": "1024"}}, "waits for LOSSLESS_TRAFFIC_PATTERN|AZURE: LOSSLESS_TRAFFIC_PATTERN|AZURE has no small_packet_percentage"},
		{"pool", change{lossless: nil}, "waits for BUFFER_POOL|ingress_lossless_pool: BUFFER_POOL|ingress_lossless_pool does not exist"},
		{"cables", change{"CABLE_LENGTH|AZURE": nil}, "waits for CABLE_LENGTH|AZURE: CABLE_LENGTH|AZURE has no length for Ethernet0"},
		{"cable", change{"CABLE_LENGTH|AZURE": {"Ethernet4": "5m"}}, "waits for CABLE_LENGTH|AZURE: CABLE_LENGTH|AZURE has no length for Ethernet0"},
		{"cable of no length", change{"CABLE_LENGTH|AZURE": {"Ethernet0": "0m"}}, "waits for CABLE_LENGTH|AZURE: CABLE_LENGTH|AZURE has 0m for Ethernet0, which stands for no lossless traffic"},
		{"speed", change{"PORT|Ethernet0": {"lanes": "0,1,2,3", "admin_status": "up"}}, "waits for PORT|Ethernet0: PORT|Ethernet0 has no speed"},
		{"written profile", change{"BUFFER_PG|Ethernet0|3-4": {"profile": "ingress_lossy_profile"}, "CABLE_LENGTH|AZURE": nil, dynamic: nil}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, virtual(t), vsRows(1))
			r.change(tt.change)
			if tt.want == "" {
				r.wantProblems()
				r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|3-4": "profile=ingress_lossy_profile"})
				return
			}
			r.wantProblems("BUFFER_PG|Ethernet0|3-4 " + tt.want)
			r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|3-4": "", "BUFFER_PG|Ethernet0|0": "profile=ingress_lossy_profile"})
			// It comes into effect with what it waits for.
			back := change{}
			for k := range tt.change {
				back[k] = vsRows(1)[k]
			}
			r.change(back)
			r.wantProblems()
			r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|3-4": "profile=pg_lossless_100000_5m_profile"})
		})
	}
}

// TestUnknownChip: without the chip's constants nothing is computed, and the file that
// has them is named.
func TestUnknownChip(t *testing.T) {
	t.Parallel()
	p := virtual(t)
	p.Platform = "x86_64-arista_7050-r0"
	const why = "waits for asic_table.json: the cell size and delays of the chip of x86_64-arista_7050-r0 are unknown: asic_table.json is not given"
	r := newRig(t, p, vsRows(1))
	r.wantProblems("BUFFER_PG|Ethernet0|3-4 "+why, string(lossless)+" "+why)
	p.ASIC = &bufmgr.ASIC{Name: "X", CellBytes: 128, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8}
	newRig(t, p, vsRows(1)).want(map[configdb.RowKey]string{lossless: "mode=dynamic size=12267098 type=ingress"})
}

// TestUnusualSpeed: a speed without a standard time for a pause is warned of.
func TestUnusualSpeed(t *testing.T) {
	t.Parallel()
	f := vsPort(0, true)
	f["speed"] = "120000"
	newRig(t, virtual(t), vsRows(1), rows{"PORT|Ethernet0": f}).wantProblems(
		"PORT|Ethernet0 warned (speed): no standard says how fast a peer obeys a pause at 120000 Mb/s: headroom reckons with the chip's 3.8 KiB, which may be too little")
}

// TestProfileFaults: what a profile can't be for headroom to be computed.
func TestProfileFaults(t *testing.T) {
	t.Parallel()
	own := rows{
		"BUFFER_PROFILE|own":      {"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "static_th": "5"},
		"BUFFER_PG|Ethernet0|3-4": {"profile": "own"},
	}
	newRig(t, virtual(t), vsRows(1), own).wantProblems(
		"BUFFER_PG|Ethernet0|3-4 refused BUFFER_PROFILE|own (profile): BUFFER_PROFILE|own has static_th: with headroom_type dynamic a profile has dynamic_th")
	// A profile that the operator wrote by that name stands for the one to be made.
	name := rows{"BUFFER_PROFILE|pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool", "size": "1024", "xon": "1024", "xoff": "2048", "dynamic_th": "1"}}
	r := newRig(t, virtual(t), vsRows(1), name)
	r.want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet0|3-4":                      "profile=pg_lossless_100000_5m_profile",
		"BUFFER_PROFILE|pg_lossless_100000_5m_profile": "dynamic_th=1 pool=ingress_lossless_pool size=1024 xoff=2048 xon=1024",
	})
	r.change(change{"BUFFER_PROFILE|pg_lossless_100000_5m_profile": {"pool": "ingress_lossless_pool", "headroom_type": "dynamic", "dynamic_th": "1"}})
	r.wantProblems("BUFFER_PG|Ethernet0|3-4 refused BUFFER_PROFILE|pg_lossless_100000_5m_profile (profile): BUFFER_PROFILE|pg_lossless_100000_5m_profile has the name of the profile to be made for it, and leaves its own headroom to be computed")
}

// TestSharedHeadroom: profiles reserve only xon while there is a shared headroom pool.
func TestSharedHeadroom(t *testing.T) {
	t.Parallel()
	const profile, private, shared = configdb.RowKey("BUFFER_PROFILE|pg_lossless_100000_5m_profile"), "dynamic_th=0 pool=ingress_lossless_pool size=91136 xoff=72704 xon=18432", "dynamic_th=0 pool=ingress_lossless_pool size=18432 xoff=72704 xon=18432"
	const parameter = configdb.RowKey("DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE")
	r := newRig(t, virtual(t), vsRows(vsPorts))
	r.want(map[configdb.RowKey]string{profile: private, lossless: "mode=dynamic size=4921152 type=ingress"})
	for _, step := range []struct {
		change        change
		profile, pool string
	}{
		{change{parameter: {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}}, shared, "mode=dynamic size=7083840 type=ingress xoff=2162688"},
		{change{lossless: {"type": "ingress", "mode": "dynamic", "xoff": "1048576"}}, shared, "mode=dynamic size=8197952 type=ingress xoff=1048576"},
		{change{parameter: {"default_dynamic_th": "0"}}, shared, "mode=dynamic size=8197952 type=ingress xoff=1048576"},
		// That APPL_DB keeps the pool's xoff is the publisher's business.
		{change{lossless: {"type": "ingress", "mode": "dynamic", "xoff": "0"}}, private, "mode=dynamic size=4921152 type=ingress xoff=0"},
		{change{lossless: {"type": "ingress", "mode": "dynamic"}}, private, "mode=dynamic size=4921152 type=ingress"},
	} {
		r.change(step.change)
		r.want(map[configdb.RowKey]string{profile: step.profile, lossless: step.pool})
		r.wantProblems()
	}
}

// TestPoolFaults: pools whose size can't be computed, and why.
func TestPoolFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t, virtual(t), vsRows(1))
	r.change(change{"BUFFER_POOL|egress_lossless_pool": {"type": "egress", "mode": "static"}})
	const unknown = "waits for the size of the chip's packet memory: the size of the chip's packet memory is unknown: the chip does not tell it, and BUFFER_POOL|egress_lossless_pool has no size"
	r.wantProblems("BUFFER_POOL|egress_lossless_pool "+unknown, string(lossless)+" "+unknown)
	r.change(change{"BUFFER_POOL|egress_lossless_pool": {"type": "egress", "mode": "static", "size": "499109"}})
	r.wantProblems(string(lossless) + " refused (size): nothing is left for it: 499110 bytes are reserved, the chip has 499109")
	r.want(map[configdb.RowKey]string{lossless: ""})
	// What another program states counts, unless it does not hold what is reserved, or is more than there is.
	const warned = " warned (size): STATE_DB states %d bytes of memory, which do not count: 499110 bytes are reserved, and the chip has 1048576"
	for stated, want := range map[uint64]string{800000: "300890", 499110: "0", 1 << 20: "549466", 499109: "549466", 1<<20 + 1: "549466"} {
		p := virtual(t)
		p.MMUBytes, p.StatedMMU = 1<<20, stated
		r := newRig(t, p, vsRows(1))
		r.want(map[configdb.RowKey]string{lossless: "mode=dynamic size=" + want + " type=ingress"})
		if stated < 499110 || stated > p.MMUBytes {
			r.wantProblems(fmt.Sprintf(string(lossless)+warned, stated))
		}
	}
	// What the chip tells counts for more than the row.
	p := virtual(t)
	p.MMUBytes = 1 << 20
	newRig(t, p, vsRows(1)).want(map[configdb.RowKey]string{lossless: "mode=dynamic size=549466 type=ingress"})
}
