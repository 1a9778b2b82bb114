package bufmgr_test

import (
	"fmt"
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// vsPorts is how many ports SONiC's virtual switch has.
const vsPorts = 32

// virtual is SONiC's virtual switch with the dynamic model.
func virtual(t testing.TB) bufmgr.Params {
	t.Helper()
	zero, err := bufmgr.ParseZeroProfiles("zero_profiles.json", []byte(zeroText))
	if err != nil {
		t.Fatal(err)
	}
	p := bufmgr.Params{Model: configdb.Dynamic, Platform: "vs", Zero: zero, Ports: map[string]bufmgr.PortLimits{}}
	for i := range vsPorts {
		p.Ports[port(i)] = bufmgr.PortLimits{Lanes: 4, Queues: 20, PriorityGroups: 8}
	}
	return p
}

func port(i int) string { return fmt.Sprintf("Ethernet%d", 4*i) }

// vsRows is its configuration, with so many ports up.
func vsRows(up int) rows {
	cables := fields{}
	r := rows{
		"BUFFER_POOL|ingress_lossless_pool":       {"type": "ingress", "mode": "dynamic"},
		"BUFFER_POOL|egress_lossless_pool":        {"type": "egress", "mode": "static", "size": "12766208"},
		"BUFFER_POOL|egress_lossy_pool":           {"type": "egress", "mode": "dynamic", "size": "7326924"},
		"BUFFER_PROFILE|ingress_lossy_profile":    {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
		"BUFFER_PROFILE|egress_lossless_profile":  {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208"},
		"BUFFER_PROFILE|egress_lossy_profile":     {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "3"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
		"CABLE_LENGTH|AZURE":                      cables,
	}
	for i := range vsPorts {
		p := port(i)
		cables[p] = "5m"
		r[configdb.Key("PORT", p)] = vsPort(i, i < up)
		r[configdb.Key("BUFFER_PG", p+"|0")] = fields{"profile": "ingress_lossy_profile"}
		r[configdb.Key("BUFFER_PG", p+"|3-4")] = fields{"profile": "NULL"}
		for q, profile := range map[string]string{"0-2": "egress_lossy_profile", "3-4": "egress_lossless_profile", "5-6": "egress_lossy_profile"} {
			r[configdb.Key("BUFFER_QUEUE", p+"|"+q)] = fields{"profile": profile}
		}
	}
	return r
}

func vsPort(i int, up bool) fields {
	f := fields{"lanes": fmt.Sprintf("%d,%d,%d,%d", 4*i, 4*i+1, 4*i+2, 4*i+3), "speed": "100000"}
	if up {
		f["admin_status"] = "up"
	}
	return f
}

const lossless = configdb.RowKey("BUFFER_POOL|ingress_lossless_pool")

// TestPoolSizes has the numbers that SONiC's virtual switch comes to.
func TestPoolSizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		up      int
		change  rows
		want    string
		profile string
	}{
		{name: "one port up", up: 1, want: "mode=dynamic size=12267098 type=ingress", profile: "dynamic_th=0 pool=ingress_lossless_pool size=91136 xoff=72704 xon=18432"},
		{name: "all up", up: 32, want: "mode=dynamic size=4921152 type=ingress"},
		{
			name: "shared by ratio", up: 32, change: rows{"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}},
			want:    "mode=dynamic size=7083840 type=ingress xoff=2162688",
			profile: "dynamic_th=0 pool=ingress_lossless_pool size=18432 xoff=72704 xon=18432",
		},
		{
			name: "shared by xoff", up: 32, change: rows{lossless: {"type": "ingress", "mode": "dynamic", "xoff": "1048576"}},
			want: "mode=dynamic size=8197952 type=ingress xoff=1048576",
		},
		{
			name: "shared by both", up: 32, change: rows{
				lossless: {"type": "ingress", "mode": "dynamic", "xoff": "1048576"},
				"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"},
			},
			want: "mode=dynamic size=8197952 type=ingress xoff=1048576",
		},
		{
			name: "so many that nothing is left to share", up: 1, change: rows{"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "65535"}},
			// 499110 - 2*72704 + 10240 private, and what 2*72704-10240 divided by the ratio is, 3 bytes
			want: "mode=dynamic size=12402263 type=ingress xoff=3",
		},
		{
			name: "percentage", up: 32, change: rows{lossless: {"type": "ingress", "mode": "dynamic", "percentage": "50"}},
			want: "mode=dynamic size=2460576 type=ingress",
		},
		{
			name: "two pools", up: 32, change: rows{"BUFFER_POOL|ingress_lossy_pool": {"type": "ingress", "mode": "dynamic"}},
			want: "mode=dynamic size=2460576 type=ingress",
		},
		{
			name: "a size of its own", up: 32, change: rows{lossless: {"type": "ingress", "mode": "dynamic", "size": "1000"}},
			want: "mode=dynamic size=1000 type=ingress",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, virtual(t), vsRows(tt.up), tt.change)
			r.want(map[configdb.RowKey]string{lossless: tt.want})
			if tt.profile != "" {
				r.want(map[configdb.RowKey]string{"BUFFER_PROFILE|pg_lossless_100000_5m_profile": tt.profile})
			}
			r.wantProblems()
		})
	}
}
