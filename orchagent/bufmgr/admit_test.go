package bufmgr_test

import (
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// roomy is SONiC's virtual switch, whose ports may reserve so many bytes each.
func roomy(t testing.TB, room uint64) bufmgr.Params {
	t.Helper()
	p := virtual(t)
	for name, l := range p.Ports {
		l.MaxHeadroom = room
		p.Ports[name] = l
	}
	return p
}

// testProfile is a lossless profile of so many bytes.
func testProfile(size string) fields {
	return fields{"pool": "ingress_lossless_pool", "dynamic_th": "0", "xon": "18432", "xoff": "1024", "size": size}
}

// TestAccumulatedHeadroom is SONiC's example: 122880 bytes, of which 4096 + 18432 + 20480
// are the port's own and the lossy priority group 0 has 18432.
func TestAccumulatedHeadroom(t *testing.T) {
	t.Parallel()
	const over = " refused BUFFER_PG|Ethernet0|3-4 (profile): Ethernet0: "
	lossy, own := fields{"profile": "ingress_lossy_profile"}, fields{"profile": "test"}
	const pg, test = "profile=ingress_lossy_profile", "profile=test"
	r := newRig(t, roomy(t, 122880), vsRows(1), rows{"BUFFER_PROFILE|test": testProfile("29696")})
	r.change(change{"BUFFER_PG|Ethernet0|3-4": own}) // 61440 + 2·29696 = 120832
	r.wantProblems()
	r.accept()

	r.change(change{"BUFFER_PG|Ethernet0|1": lossy})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|0": pg, "BUFFER_PG|Ethernet0|1": "", "BUFFER_PG|Ethernet0|3-4": test})
	r.wantProblems("BUFFER_PG|Ethernet0|1" + over + "1 of 18432 bytes would make 139264 bytes of headroom together: the port has less than 122880")
	r.accept()

	r.change(change{"BUFFER_PG|Ethernet0|1": nil, "BUFFER_PG|Ethernet0|6": own})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|3-4": test, "BUFFER_PG|Ethernet0|6": ""})
	r.wantProblems("BUFFER_PG|Ethernet0|6" + over + "1 of 29696 bytes would make 150528 bytes of headroom together: the port has less than 122880")
	r.accept()

	// 61440 + 2·28672 + 18432 is more too, unless 3-4 go.
	r.change(change{"BUFFER_PG|Ethernet0|6": nil, "BUFFER_PROFILE|test": testProfile("28672"), "BUFFER_PG|Ethernet0|1": lossy})
	r.wantProblems("BUFFER_PG|Ethernet0|1" + over + "1 of 18432 bytes would make 137216 bytes of headroom together: the port has less than 122880")
	r.change(change{"BUFFER_PG|Ethernet0|3-4": nil})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|0": pg, "BUFFER_PG|Ethernet0|1": pg, "BUFFER_PG|Ethernet0|3-4": ""})
	r.wantProblems()
}

// TestInForceFirst: a row in force keeps its headroom whatever comes, by whatever key,
// and while none is it is the lossless ones that get it.
func TestInForceFirst(t *testing.T) {
	t.Parallel()
	lossy := fields{"profile": "ingress_lossy_profile"}
	// 43008 + 2·29696 = 102400, and one lossy one makes 120832.
	load := rows{"BUFFER_PROFILE|test": testProfile("29696"), "BUFFER_PG|Ethernet0|3-4": {"profile": "test"}, "BUFFER_PG|Ethernet0|0": lossy}
	r := newRig(t, roomy(t, 122880), vsRows(1), load)
	r.accept()
	r.change(change{"BUFFER_PG|Ethernet0|0": nil, "BUFFER_PG|Ethernet0|7": lossy})
	r.accept()
	const why = " refused BUFFER_PG|Ethernet0|7 (profile): Ethernet0: "
	r.change(change{"BUFFER_PG|Ethernet0|0": lossy, "BUFFER_PG|Ethernet0|1": {"profile": "test"}})
	r.wantProblems(
		"BUFFER_PG|Ethernet0|0"+why+"1 of 18432 bytes would make 139264 bytes of headroom together: the port has less than 122880",
		"BUFFER_PG|Ethernet0|1"+why+"1 of 29696 bytes would make 150528 bytes of headroom together: the port has less than 122880",
	)
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|7": "profile=ingress_lossy_profile", "BUFFER_PG|Ethernet0|3-4": "profile=test"})
	r.accept()

	r.inForce = nil
	r.run([]configdb.RowKey{"BUFFER_PG|Ethernet0|7", "BUFFER_PG|Ethernet0|3-4"})
	r.want(map[configdb.RowKey]string{ // 43008 + 29696 for 1, and for 3-4 it is too much, but not for one lossy one more
		"BUFFER_PG|Ethernet0|1": "profile=test", "BUFFER_PG|Ethernet0|3-4": "",
		"BUFFER_PG|Ethernet0|0": "profile=ingress_lossy_profile", "BUFFER_PG|Ethernet0|7": "profile=ingress_lossy_profile",
	})
}

// TestHeadroomComputed: headroom that is computed counts like any other, and a longer
// cable may be too much.
func TestHeadroomComputed(t *testing.T) {
	t.Parallel()
	// 43008 + 18432 + 2·91136 = 243712
	r := newRig(t, roomy(t, 243713), vsRows(1))
	r.wantProblems()
	r.accept()
	r.change(change{"CABLE_LENGTH|AZURE": {"Ethernet0": "40m"}})
	r.wantProblems("BUFFER_PG|Ethernet0|0 refused BUFFER_PG|Ethernet0|3-4 (profile): Ethernet0: 1 of 18432 bytes would make 262144 bytes of headroom together: the port has less than 243713")
	newRig(t, roomy(t, 243712), vsRows(1)).wantProblems(
		"BUFFER_PG|Ethernet0|0 refused BUFFER_PG|Ethernet0|3-4 (profile): Ethernet0: 1 of 18432 bytes would make 243712 bytes of headroom together: the port has less than 243712")
}

// TestEightLanes: a port of eight lanes keeps (2·18−1) KiB for each lossy priority group
// and for its own, and twice as much for mirroring.
func TestEightLanes(t *testing.T) {
	t.Parallel()
	p := roomy(t, 116736) // 4096 + 35840 + 40960 + 35840
	f := vsPort(0, true)
	f["lanes"] = "0,1,2,3,4,5,6,7"
	r := newRig(t, p, vsRows(1), rows{"PORT|Ethernet0": f})
	r.change(change{"BUFFER_PG|Ethernet0|3-4": nil})
	r.wantProblems("BUFFER_PG|Ethernet0|0 refused (profile): Ethernet0: 1 of 35840 bytes would make 116736 bytes of headroom together: the port has less than 116736")
	r = newRig(t, roomy(t, 116737), vsRows(1), rows{"PORT|Ethernet0": f})
	r.change(change{"BUFFER_PG|Ethernet0|3-4": nil})
	r.wantProblems()
}

// TestSharedLimit: a port may take only so much of the shared headroom pool.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	p := roomy(t, 1<<20)
	asic := *bufmgr.BuiltinASIC("vs")
	asic.PortReservedSHP, asic.PortMaxSHP = 136, 1000 // 1136 cells of 128 bytes: 2·72704
	p.ASIC = &asic
	shared := rows{"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}}
	newRig(t, p, vsRows(1), shared).wantProblems()
	asic.PortMaxSHP--
	r := newRig(t, p, vsRows(1), shared)
	r.wantProblems("BUFFER_PG|Ethernet0|3-4 refused BUFFER_PG|Ethernet0|0 (profile): Ethernet0: 2 of 72704 bytes would take 145408 bytes of the shared headroom pool: the port may take 145280")
	// Without one there is no such limit.
	r.change(change{"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"}})
	r.wantProblems()
}

// TestNoLimit: where the chip tells none, and on Barefoot's platforms, nothing is refused.
func TestNoLimit(t *testing.T) {
	t.Parallel()
	newRig(t, virtual(t), vsRows(1), rows{"BUFFER_PROFILE|test": testProfile("10000000"), "BUFFER_PG|Ethernet4|5-7": {"profile": "test"}}).wantProblems()
	p := roomy(t, 1)
	p.Platform, p.ASIC = "x86_64-barefoot_x-r0", bufmgr.BuiltinASIC("vs")
	newRig(t, p, vsRows(1), rows{lossless: {"type": "ingress", "mode": "dynamic", "size": "1000000"}}).wantProblems()
}

// TestAbsentProfile: a row whose profile is not there keeps nothing from others.
func TestAbsentProfile(t *testing.T) {
	t.Parallel()
	r := newRig(t, roomy(t, 122880), vsRows(1), rows{"BUFFER_PG|Ethernet0|3-4": {"profile": "test"}, "BUFFER_PG|Ethernet0|1-2": {"profile": "nonesuch"}})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|1-2": "profile=nonesuch", "BUFFER_PG|Ethernet0|3-4": "profile=test"})
	r.wantProblems()
	r.change(change{"BUFFER_PROFILE|test": testProfile("30720")}) // 61440 + 61440
	r.wantProblems("BUFFER_PG|Ethernet0|0 refused BUFFER_PG|Ethernet0|3-4 (profile): Ethernet0: 1 of 18432 bytes would make 122880 bytes of headroom together: the port has less than 122880")
}
