package bufmgr_test

import (
	"maps"
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// change is rows to write, and with nil fields to remove.
type change = map[configdb.RowKey]configdb.Fields

// TestZeroProfiles: a port that is down holds no memory, not even by the queues that
// nobody configured, and has its rows again when it comes up.
func TestZeroProfiles(t *testing.T) {
	t.Parallel()
	lists := rows{
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4": {"profile_list": "ingress_lossy_profile"},
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet4":  {"profile_list": "egress_lossless_profile,egress_lossy_profile"},
	}
	r := newRig(t, virtual(t), vsRows(1), lists)
	down := map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet4|0":                      "profile=ingress_lossy_pg_zero_profile",
		"BUFFER_PG|Ethernet4|3-4":                    "",
		"BUFFER_QUEUE|Ethernet4|0-2":                 "profile=egress_lossy_zero_profile",
		"BUFFER_QUEUE|Ethernet4|3-4":                 "profile=egress_lossless_zero_profile",
		"BUFFER_QUEUE|Ethernet4|5-6":                 "profile=egress_lossy_zero_profile",
		"BUFFER_QUEUE|Ethernet4|7-19":                "profile=egress_lossy_zero_profile",
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4": "profile_list@=ingress_lossy_zero_profile",
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet4":  "profile_list@=egress_lossless_zero_profile,egress_lossy_zero_profile",
		// A port that is up has what it has rows for.
		"BUFFER_PG|Ethernet0|0":       "profile=ingress_lossy_profile",
		"BUFFER_PG|Ethernet0|3-4":     "profile=pg_lossless_100000_5m_profile",
		"BUFFER_QUEUE|Ethernet0|7-19": "",
	}
	r.want(down)

	// The ranges of what is left follow the rows.
	r.change(change{"BUFFER_QUEUE|Ethernet4|8": {"profile": "egress_lossy_profile"}})
	maps.Copy(down, map[configdb.RowKey]string{
		"BUFFER_QUEUE|Ethernet4|7":    "profile=egress_lossy_zero_profile",
		"BUFFER_QUEUE|Ethernet4|8":    "profile=egress_lossy_zero_profile",
		"BUFFER_QUEUE|Ethernet4|9-19": "profile=egress_lossy_zero_profile",
		"BUFFER_QUEUE|Ethernet4|7-19": "",
	})
	r.want(down)

	// Priority groups other than those of the file have nothing, with a row or without.
	r.change(change{"BUFFER_PG|Ethernet4|0": nil, "BUFFER_PG|Ethernet4|6": {"profile": "NULL"}})
	down["BUFFER_PG|Ethernet4|6"] = ""
	r.want(down)

	r.change(change{"PORT|Ethernet4": vsPort(1, true)})
	r.want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet4|0":                      "",
		"BUFFER_PG|Ethernet4|3-4":                    "profile=pg_lossless_100000_5m_profile",
		"BUFFER_PG|Ethernet4|6":                      "profile=pg_lossless_100000_5m_profile",
		"BUFFER_QUEUE|Ethernet4|0-2":                 "profile=egress_lossy_profile",
		"BUFFER_QUEUE|Ethernet4|7":                   "",
		"BUFFER_QUEUE|Ethernet4|8":                   "profile=egress_lossy_profile",
		"BUFFER_QUEUE|Ethernet4|9-19":                "",
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4": "profile_list@=ingress_lossy_profile",
		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet4":  "profile_list@=egress_lossless_profile,egress_lossy_profile",
	})
	r.wantProblems()
}

// TestZeroProfilesAreThere as long as there are pools, whether a port is down or not.
func TestZeroProfilesAreThere(t *testing.T) {
	t.Parallel()
	r := newRig(t, virtual(t), vsRows(vsPorts))
	there := map[configdb.RowKey]string{
		"BUFFER_POOL|ingress_zero_pool":                "mode=static size=0 type=ingress",
		"BUFFER_PROFILE|ingress_lossy_pg_zero_profile": "pool=ingress_zero_pool size=0 static_th=0",
		"BUFFER_PROFILE|ingress_lossy_zero_profile":    "dynamic_th=-8 pool=ingress_lossless_pool size=0",
		"BUFFER_PROFILE|ingress_lossless_zero_profile": "dynamic_th=-8 pool=ingress_lossless_pool size=0",
		"BUFFER_PROFILE|egress_lossy_zero_profile":     "dynamic_th=-8 pool=egress_lossy_pool size=0",
		"BUFFER_PROFILE|egress_lossless_zero_profile":  "pool=egress_lossless_pool size=0 static_th=0",
	}
	r.want(there)
	// One whose pool is gone goes with it.
	r.change(change{"BUFFER_POOL|egress_lossy_pool": nil})
	there["BUFFER_PROFILE|egress_lossy_zero_profile"] = ""
	r.want(there)
	r.change(change{"BUFFER_POOL|egress_lossless_pool": nil, "BUFFER_POOL|ingress_lossless_pool": nil})
	for k := range there {
		there[k] = ""
	}
	r.want(there)
}

// TestZeroQueues: a platform may name the queues that get a zero profile, and which.
func TestZeroQueues(t *testing.T) {
	t.Parallel()
	p := virtual(t)
	zero := *p.Zero
	zero.PGs, zero.Queues, zero.Egress = []int{0, 1, 2, 7}, []int{0, 1, 2, 5}, "egress_lossless_zero_profile"
	p.Zero = &zero
	newRig(t, p, vsRows(1)).want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet4|0":       "",
		"BUFFER_PG|Ethernet4|0-2":     "profile=ingress_lossy_pg_zero_profile",
		"BUFFER_PG|Ethernet4|7":       "profile=ingress_lossy_pg_zero_profile",
		"BUFFER_QUEUE|Ethernet4|0-2":  "profile=egress_lossless_zero_profile",
		"BUFFER_QUEUE|Ethernet4|3-4":  "",
		"BUFFER_QUEUE|Ethernet4|5":    "profile=egress_lossless_zero_profile",
		"BUFFER_QUEUE|Ethernet4|5-6":  "",
		"BUFFER_QUEUE|Ethernet4|7-19": "",
	})
}

// TestNoZeroProfiles: without them a port that is down just loses its rows.
func TestNoZeroProfiles(t *testing.T) {
	t.Parallel()
	p := virtual(t)
	p.Zero = nil
	lists := rows{"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4": {"profile_list": "ingress_lossy_profile"}}
	r := newRig(t, p, vsRows(1), lists)
	r.want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet4|0": "", "BUFFER_PG|Ethernet4|3-4": "", "BUFFER_QUEUE|Ethernet4|0-2": "", "BUFFER_QUEUE|Ethernet4|7-19": "",
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet4": "profile_list@=ingress_lossy_profile",
		"BUFFER_PG|Ethernet0|3-4":                    "profile=pg_lossless_100000_5m_profile",
	})
	r.change(change{"PORT|Ethernet4": vsPort(1, true)})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet4|0": "profile=ingress_lossy_profile", "BUFFER_QUEUE|Ethernet4|0-2": "profile=egress_lossy_profile"})
}

// TestSeveralPorts: a row of several ports takes effect at each of them by its own
// state, and as one row while they agree.
func TestSeveralPorts(t *testing.T) {
	t.Parallel()
	load := rows{
		"BUFFER_PG|Ethernet0,Ethernet4|3-4":    {"profile": "NULL"},
		"BUFFER_QUEUE|Ethernet0,Ethernet4|0-2": {"profile": "egress_lossy_profile"},
	}
	r := newRig(t, virtual(t), vsRows(2), load)
	r.change(change{
		"BUFFER_PG|Ethernet0|3-4": nil, "BUFFER_PG|Ethernet4|3-4": nil, "BUFFER_QUEUE|Ethernet0|0-2": nil, "BUFFER_QUEUE|Ethernet4|0-2": nil,
	})
	together := map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet0,Ethernet4|3-4":    "profile=pg_lossless_100000_5m_profile",
		"BUFFER_PG|Ethernet0|3-4":              "",
		"BUFFER_PG|Ethernet4|3-4":              "",
		"BUFFER_QUEUE|Ethernet0,Ethernet4|0-2": "profile=egress_lossy_profile",
		"BUFFER_QUEUE|Ethernet4|0-2":           "",
	}
	r.want(together)
	r.change(change{"CABLE_LENGTH|AZURE": {"Ethernet0": "5m", "Ethernet4": "40m"}})
	r.want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet0,Ethernet4|3-4": "",
		"BUFFER_PG|Ethernet0|3-4":           "profile=pg_lossless_100000_5m_profile",
		"BUFFER_PG|Ethernet4|3-4":           "profile=pg_lossless_100000_40m_profile",
	})
	r.change(change{"PORT|Ethernet4": vsPort(1, false)})
	r.want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet0|3-4":              "profile=pg_lossless_100000_5m_profile",
		"BUFFER_PG|Ethernet4|3-4":              "",
		"BUFFER_QUEUE|Ethernet0,Ethernet4|0-2": "",
		"BUFFER_QUEUE|Ethernet0|0-2":           "profile=egress_lossy_profile",
		"BUFFER_QUEUE|Ethernet4|0-2":           "profile=egress_lossy_zero_profile",
		"BUFFER_QUEUE|Ethernet4|7-19":          "profile=egress_lossy_zero_profile",
	})
	r.change(change{"PORT|Ethernet4": vsPort(1, true), "CABLE_LENGTH|AZURE": {"Ethernet0": "5m", "Ethernet4": "5m"}})
	r.want(together)
}

// TestBarefoot: pools keep the sizes that they are written with, and headroom is shared.
func TestBarefoot(t *testing.T) {
	t.Parallel()
	p := virtual(t)
	p.Platform, p.ASIC = "x86_64-accton_wedge100bf_32x-r0", &bufmgr.ASIC{Name: "TOFINO", CellBytes: 80, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8}
	r := newRig(t, p, vsRows(vsPorts), rows{lossless: {"type": "ingress", "mode": "dynamic", "size": "1000000"}})
	// 32 ports of 2·400 cells of 80 bytes, 0.7 of it
	r.want(map[configdb.RowKey]string{lossless: "mode=dynamic size=1000000 type=ingress xoff=1433600"})
	r.change(change{lossless: {"type": "ingress", "mode": "dynamic"}})
	r.want(map[configdb.RowKey]string{lossless: ""})
	r.wantProblems(string(lossless) + " refused (size): a pool of this platform, x86_64-accton_wedge100bf_32x-r0, has a size of its own")
}
