package orchagent_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/schema/configdb"
)

type (
	rows   = map[configdb.RowKey]configdb.Fields
	fields = configdb.Fields
)

// small is a configuration of two ports in which every kind of object occurs.
func small() configdb.RawRows {
	rows := configdb.RawRows{
		"PORT|Ethernet0":            {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up"},
		"PORT|Ethernet4":            {"lanes": "5,6,7,8", "speed": "100000", "fec": "rs"},
		"BUFFER_POOL|ingress":       {"type": "ingress", "mode": "dynamic", "size": "1048576", "xoff": "131072"},
		"BUFFER_POOL|egress":        {"type": "egress", "mode": "static", "size": "2097152"},
		"BUFFER_PROFILE|lossless":   {"pool": "ingress", "size": "8192", "xon": "8192", "xoff": "40960", "dynamic_th": "-3"},
		"BUFFER_PROFILE|lossy":      {"pool": "ingress", "size": "0", "dynamic_th": "3"},
		"BUFFER_PROFILE|queue":      {"pool": "egress", "size": "4096", "static_th": "1048576"},
		"DSCP_TO_TC_MAP|AZURE":      {"0": "0", "3": "3", "46": "5"},
		"TC_TO_DSCP_MAP|AZURE":      {"3": "26", "5": "46"},
		"TC_TO_QUEUE_MAP|AZURE":     {"0": "0", "3": "3", "5": "5"},
		"SCHEDULER|dwrr":            {"type": "DWRR", "weight": "14"},
		"SCHEDULER|strict":          {"type": "STRICT"},
		"WRED_PROFILE|ecn":          {"ecn": "ecn_green", "wred_green_enable": "true", "green_min_threshold": "100000", "green_max_threshold": "200000", "green_drop_probability": "5"},
		"PORT_QOS_MAP|global":       {"dscp_to_tc_map": "AZURE"},
		"DEVICE_METADATA|localhost": {"hostname": "leaf1", "mac": "02:00:00:00:00:01"},

		"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0,Ethernet4": {"profile_list": "queue"},
	}
	for _, p := range []string{"Ethernet0", "Ethernet4"} {
		rows[configdb.Key("BUFFER_PG", p+"|0")] = fields{"profile": "lossy"}
		rows[configdb.Key("BUFFER_PG", p+"|3")] = fields{"profile": "lossless"}
		rows[configdb.Key("BUFFER_QUEUE", p+"|3-4")] = fields{"profile": "queue"}
		rows[configdb.Key("QUEUE", p+"|3")] = fields{"scheduler": "dwrr", "wred_profile": "ecn"}
		rows[configdb.Key("PORT_QOS_MAP", p)] = fields{"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE", "tc_to_dscp_map": "AZURE", "pfc_enable": "3"}
	}
	return rows
}

// with returns a row of small with fields changed; an empty value removes one.
func with(k configdb.RowKey, change fields) fields {
	f := maps.Clone(small()[k])
	if f == nil {
		f = fields{}
	}
	for name, value := range change {
		if value == "" {
			delete(f, name)
		} else {
			f[name] = value
		}
	}
	return f
}

// TestGolden compares the way from one configuration to another, and where it
// ends, with golden files: the order of a plan is what reviewers look at.
func TestGolden(t *testing.T) {
	t.Parallel()
	all := rows{}
	for k := range small() {
		all[k] = nil
	}
	tests := []struct {
		name string
		// first is a change before the one to look at.
		first, change rows
	}{
		{"grow-headroom", nil, rows{
			"BUFFER_POOL|ingress":     with("BUFFER_POOL|ingress", fields{"size": "2097152"}),
			"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "65536"}),
		}},
		{"shrink-headroom", nil, rows{
			"BUFFER_POOL|ingress":     with("BUFFER_POOL|ingress", fields{"size": "524288", "xoff": "65536"}),
			"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "38912"}),
		}},
		{"move-priority", nil, rows{
			"BUFFER_PG|Ethernet0|3":  nil,
			"BUFFER_PG|Ethernet0|4":  {"profile": "lossless"},
			"PORT_QOS_MAP|Ethernet0": with("PORT_QOS_MAP|Ethernet0", fields{"pfc_enable": "4"}),
		}},
		{"profile-to-other-pool", rows{"BUFFER_POOL|egress2": {"type": "egress", "mode": "static", "size": "2097152"}}, rows{
			"BUFFER_PROFILE|queue": with("BUFFER_PROFILE|queue", fields{"pool": "egress2"}),
		}},
		{"profile-to-wrong-pool", nil, rows{
			"BUFFER_PROFILE|queue": with("BUFFER_PROFILE|queue", fields{"pool": "ingress"}),
		}},
		{"pool-of-other-type", nil, rows{
			"BUFFER_POOL|egress": with("BUFFER_POOL|egress", fields{"mode": "dynamic"}),
		}},
		{"remove-all", nil, all},
		{"wred-up", nil, rows{
			"WRED_PROFILE|ecn": with("WRED_PROFILE|ecn", fields{"green_min_threshold": "300000", "green_max_threshold": "400000"}),
		}},
		{"wred-down", nil, rows{
			"WRED_PROFILE|ecn": with("WRED_PROFILE|ecn", fields{"green_min_threshold": "10000", "green_max_threshold": "20000"}),
		}},
		{"port-up-buffers-first", rows{"BUFFER_PG|Ethernet4|3": nil, "PORT_QOS_MAP|Ethernet4": nil}, rows{
			"PORT|Ethernet4":         with("PORT|Ethernet4", fields{"admin_status": "up"}),
			"BUFFER_PG|Ethernet4|3":  {"profile": "lossless"},
			"PORT_QOS_MAP|Ethernet4": with("PORT_QOS_MAP|Ethernet4", nil),
		}},
		{"profile-removed-while-used", nil, rows{"BUFFER_PROFILE|lossy": nil}},
		{"removed-profile-released", rows{"BUFFER_PROFILE|lossy": nil}, rows{
			"BUFFER_PG|Ethernet0|0": nil, "BUFFER_PG|Ethernet4|0": nil,
		}},
		{"refused-row-keeps-old", nil, rows{
			"BUFFER_POOL|ingress":   with("BUFFER_POOL|ingress", fields{"size": "99999999999"}),
			"WRED_PROFILE|ecn":      with("WRED_PROFILE|ecn", fields{"green_min_threshold": "300000"}),
			"BUFFER_PG|Ethernet0|3": {"profile": "nonesuch"},
		}},
		{"dscp-map", nil, rows{"DSCP_TO_TC_MAP|AZURE": with("DSCP_TO_TC_MAP|AZURE", fields{"0": "", "26": "3"})}},
		{"scheduler", nil, rows{
			"SCHEDULER|dwrr":    with("SCHEDULER|dwrr", fields{"weight": "20", "cir": "1000000", "pir": "2000000"}),
			"QUEUE|Ethernet4|3": with("QUEUE|Ethernet4|3", fields{"scheduler": "strict"}),
		}},
		{"port-renamed", nil, rows{
			"PORT|Ethernet4":             nil,
			"PORT|etp2":                  with("PORT|Ethernet4", nil),
			"BUFFER_PG|Ethernet4|0":      nil,
			"BUFFER_PG|Ethernet4|3":      nil,
			"BUFFER_QUEUE|Ethernet4|3-4": nil,
			"QUEUE|Ethernet4|3":          nil, "PORT_QOS_MAP|Ethernet4": nil,
			"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0,Ethernet4": nil,
			"BUFFER_PG|etp2|0": {"profile": "lossy"},
		}},
	}
	t.Run("cold", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 2)
		r.load()
		golden(t, "cold.txt", r.story(small()))
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small())
			if tt.first != nil {
				r.change(tt.first)
			}
			golden(t, tt.name+".txt", r.story(tt.change))
		})
	}
}

// story makes a change and tells what it takes, what the chip has then, and what
// became of the rows.
func (r *rig) story(change map[configdb.RowKey]configdb.Fields) string {
	r.t.Helper()
	before := r.chip.Dump()
	view, err := r.agent.Plan(r.t.Context(), orchagent.Request{Ops: ops(change)})
	if err != nil {
		r.t.Fatal(err)
	}
	if after := r.chip.Dump(); after != before {
		r.t.Error("planning changed the chip")
	}
	r.change(change)
	var b strings.Builder
	fmt.Fprintf(&b, "-- plan --\n%s-- a transaction would say --\n", view.Plan)
	for _, f := range view.Faults {
		fmt.Fprintf(&b, "%v\n", f)
	}
	for _, w := range view.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	fmt.Fprintf(&b, "-- fates, but for those plainly applied --\n%s-- chip --\n%s", fateLines(r.agent.Fates()), r.actual())
	return b.String()
}

// ops are the operations of a transaction that makes the same change.
func ops(change map[configdb.RowKey]configdb.Fields) []configdb.Op {
	var list []configdb.Op
	for _, k := range slices.Sorted(maps.Keys(change)) {
		op := configdb.Op{Kind: configdb.Replace, Table: k.Table(), Key: k.Key(), Fields: change[k]}
		if change[k] == nil {
			op.Kind = configdb.Delete
		}
		list = append(list, op)
	}
	return list
}
