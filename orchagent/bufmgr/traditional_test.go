package bufmgr_test

import (
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// lookedUp is a switch with the traditional model.
func lookedUp(t testing.TB, platform string) bufmgr.Params {
	t.Helper()
	l, err := bufmgr.ParseLookup("pg_profile_lookup.ini", []byte("40000 5m 1000 2000 3000 -3\n100000 5m 56368 18432 55120 -3 2496\n100000 300m 60000 18432 99000 -3\n100000 7m 1 1 1 100\n"))
	if err != nil {
		t.Fatal(err)
	}
	return bufmgr.Params{Model: configdb.Traditional, Platform: platform, Lookup: l}
}

func twoPorts() rows {
	return rows{
		"BUFFER_POOL|ingress_lossless_pool":    {"type": "ingress", "mode": "dynamic", "size": "12766208"},
		"BUFFER_PROFILE|ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
		"BUFFER_PG|Ethernet0|0":                {"profile": "ingress_lossy_profile"},
		"PORT|Ethernet0":                       vsPort(0, true),
		"PORT|Ethernet4":                       vsPort(1, false),
		"CABLE_LENGTH|AZURE":                   {"Ethernet0": "5m", "Ethernet4": "5m"},
		"PORT_QOS_MAP|Ethernet0":               {"pfc_enable": "2,3,4,6"},
	}
}

const (
	profile5m   = "dynamic_th=-3 pool=ingress_lossless_pool size=56368 xoff=55120 xon=18432 xon_offset=2496"
	pg5m        = "profile=pg_lossless_100000_5m_profile"
	profileName = configdb.RowKey("BUFFER_PROFILE|pg_lossless_100000_5m_profile")
)

// TestTraditional is the life of a port's headroom that is looked up.
func TestTraditional(t *testing.T) {
	t.Parallel()
	r := newRig(t, lookedUp(t, "vs"), twoPorts())
	r.want(map[configdb.RowKey]string{
		profileName: profile5m, "BUFFER_PG|Ethernet0|2-4": pg5m, "BUFFER_PG|Ethernet0|6": pg5m,
		"BUFFER_PG|Ethernet0|0": "profile=ingress_lossy_profile", "BUFFER_PG|Ethernet0|3-4": "",
	})
	if len(r.out.Derived) != 3 {
		t.Errorf("derived %v", r.out.Derived)
	}
	r.settle()

	r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "300m", "Ethernet4": "5m"}})
	r.want(map[configdb.RowKey]string{
		profileName: "", "BUFFER_PG|Ethernet0|6": "profile=pg_lossless_100000_300m_profile",
		"BUFFER_PROFILE|pg_lossless_100000_300m_profile": "dynamic_th=-3 pool=ingress_lossless_pool size=60000 xoff=99000 xon=18432",
	})
	r.settle()
	if r.rows.Get(profileName) != nil {
		t.Error("the profile of the former length is still there")
	}

	// A length of 0 m leaves everything as it is, whatever else changes.
	r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "0m"}, "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "5"}})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|6": "profile=pg_lossless_100000_300m_profile", "BUFFER_PG|Ethernet0|5": ""})
	r.settle()

	// What is not in the file is refused, and what was in force stays.
	r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "40m"}})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|6": "profile=pg_lossless_100000_300m_profile"})
	r.wantProblems("BUFFER_PG|Ethernet0|5 refused: no headroom for Ethernet0: pg_profile_lookup.ini has no line for 100000 Mb/s with 40m; for 100000 Mb/s it has 5m, 7m, 300m")
	r.settle()

	r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": "5m"}})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|5": pg5m, "BUFFER_PG|Ethernet0|2-4": "", "BUFFER_PG|Ethernet0|6": ""})
	r.wantProblems()
	r.settle()

	r.change(map[configdb.RowKey]configdb.Fields{"PORT_QOS_MAP|Ethernet0": nil})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|5": "", profileName: "", "BUFFER_PG|Ethernet0|0": "profile=ingress_lossy_profile"})
	r.settle()
	if len(r.derived) != 0 {
		t.Errorf("%v is still derived", r.derived)
	}
	if r.out.Rows != r.rows {
		t.Error("rows that take effect as they are came as others")
	}
}

// TestTraditionalOperator: rows that the operator wrote are the operator's.
func TestTraditionalOperator(t *testing.T) {
	t.Parallel()
	own := rows{
		"BUFFER_PG|Ethernet0,Ethernet4|3": {"profile": "ingress_lossy_profile"},
		profileName:                       {"pool": "ingress_lossless_pool", "size": "1", "xoff": "2", "dynamic_th": "0"},
	}
	r := newRig(t, lookedUp(t, "vs"), twoPorts(), own)
	r.want(map[configdb.RowKey]string{
		"BUFFER_PG|Ethernet0|2": pg5m, "BUFFER_PG|Ethernet0|4": pg5m, "BUFFER_PG|Ethernet0|6": pg5m,
		"BUFFER_PG|Ethernet0,Ethernet4|3": "profile=ingress_lossy_profile",
		profileName:                       "dynamic_th=0 pool=ingress_lossless_pool size=1 xoff=2",
	})
	r.settle()
	// A row that somebody changes is no longer derived.
	r.change(rows{"BUFFER_PG|Ethernet0|6": {"profile": "ingress_lossy_profile"}, "PORT_QOS_MAP|Ethernet0": {"pfc_enable": ""}})
	r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|6": "profile=ingress_lossy_profile", "BUFFER_PG|Ethernet0|2": ""})
}

// TestTraditionalWaits: what is missing is named, by the row that would be there.
func TestTraditionalWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change map[configdb.RowKey]configdb.Fields
		want   string
	}{
		{"pool", map[configdb.RowKey]configdb.Fields{"BUFFER_POOL|ingress_lossless_pool": nil}, "waits for BUFFER_POOL|ingress_lossless_pool: BUFFER_POOL|ingress_lossless_pool does not exist"},
		{"length", map[configdb.RowKey]configdb.Fields{"CABLE_LENGTH|AZURE": {"Ethernet4": "5m"}}, "waits for CABLE_LENGTH|AZURE: CABLE_LENGTH|AZURE has no length for Ethernet0"},
		{"lengths", map[configdb.RowKey]configdb.Fields{"CABLE_LENGTH|AZURE": nil}, "waits for CABLE_LENGTH|AZURE: CABLE_LENGTH|AZURE has no length for Ethernet0"},
		{"speed", map[configdb.RowKey]configdb.Fields{"PORT|Ethernet0": {"lanes": "1"}}, "waits for PORT|Ethernet0: PORT|Ethernet0 has no speed"},
		{"speed that the file has not", map[configdb.RowKey]configdb.Fields{"PORT|Ethernet0": {"lanes": "1", "speed": "25000"}}, "refused: no headroom for Ethernet0: pg_profile_lookup.ini has no line for 25000 Mb/s with 5m; it has the speeds 40000, 100000 Mb/s"},
		{"threshold of no dynamic pool", map[configdb.RowKey]configdb.Fields{"CABLE_LENGTH|AZURE": {"Ethernet0": "7m"}}, "refused: no headroom for Ethernet0: pg_profile_lookup.ini:4: threshold 100 is none of a dynamic pool (-8 to 8)"},
		{"threshold of no static pool", map[configdb.RowKey]configdb.Fields{"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "static", "size": "1"}}, "refused: no headroom for Ethernet0: pg_profile_lookup.ini:2: threshold -3 is none of a static pool (0 to 9223372036854775807 bytes)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lookedUp(t, "vs"), twoPorts(), rows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"}})
			r.settle()
			r.change(tt.change)
			r.wantProblems("BUFFER_PG|Ethernet0|3-4 " + tt.want)
			r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet0|3-4": pg5m, profileName: profile5m})
		})
	}
	for _, tt := range []struct{ line, want string }{
		{"1 1 0 -3", "xoff 0 is no headroom"},
		{"1 1 4001 -3", "xoff: 4001 bytes: the chip has 4000"},
		{"4001 1 1 -3", "size: 4001 bytes: the chip has 4000"},
		{"1 4001 1 -3", "xon: 4001 bytes: the chip has 4000"},
		{"1 1 1 -3 4001", "xon_offset: 4001 bytes: the chip has 4000"},
	} {
		l, err := bufmgr.ParseLookup("pg_profile_lookup.ini", []byte("100000 5m "+tt.line))
		if err != nil {
			t.Fatal(err)
		}
		newRig(t, bufmgr.Params{Model: configdb.Traditional, Lookup: l, MMUBytes: 4000}, twoPorts(), rows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"}}).
			wantProblems("BUFFER_PG|Ethernet0|3-4 refused: no headroom for Ethernet0: pg_profile_lookup.ini:1: " + tt.want)
	}
	p := lookedUp(t, "vs")
	p.Lookup = nil
	newRig(t, p, twoPorts(), rows{"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3,4"}}).
		wantProblems("BUFFER_PG|Ethernet0|3-4 waits for pg_profile_lookup.ini: no headroom for Ethernet0: there is no pg_profile_lookup.ini")
}

// TestTraditionalDown: on some platforms a port that is down loses its headroom.
func TestTraditionalDown(t *testing.T) {
	t.Parallel()
	for platform, want := range map[string]string{
		"vs": pg5m, "x86_64-dell_s6100_c2538-r0": pg5m, "x86_64-mlnx_msn2700-r0": "", "x86_64-barefoot_x-r0": "",
	} {
		r := newRig(t, lookedUp(t, platform), twoPorts(), rows{"PORT_QOS_MAP|Ethernet4": {"pfc_enable": "3,4"}})
		r.want(map[configdb.RowKey]string{"BUFFER_PG|Ethernet4|3-4": want, "BUFFER_PG|Ethernet0|6": pg5m})
	}
}

// TestTraditionalStatic: in a static pool the threshold is bytes.
func TestTraditionalStatic(t *testing.T) {
	t.Parallel()
	r := newRig(t, lookedUp(t, "vs"), twoPorts(), rows{
		"BUFFER_POOL|ingress_lossless_pool": {"type": "ingress", "mode": "static", "size": "1"}, "CABLE_LENGTH|AZURE": {"Ethernet0": "7m"},
	})
	r.want(map[configdb.RowKey]string{"BUFFER_PROFILE|pg_lossless_100000_7m_profile": "pool=ingress_lossless_pool size=1 static_th=100 xoff=1 xon=1"})
}
