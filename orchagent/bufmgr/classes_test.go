package bufmgr_test

import (
	"maps"
	"testing"

	"xon/orchagent/bufmgr"
)

// pausing is twoPorts with priority 3 paused at both, and queues for it.
func pausing() rows {
	r := twoPorts()
	maps.Copy(r, rows{
		"PORT|Ethernet4":                         vsPort(1, true),
		"BUFFER_POOL|egress_lossless_pool":       {"type": "egress", "mode": "static", "size": "12766208"},
		"BUFFER_POOL|egress_lossy_pool":          {"type": "egress", "mode": "dynamic", "size": "1000000"},
		"BUFFER_PROFILE|egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "12766208"},
		"BUFFER_PROFILE|egress_lossy_profile":    {"pool": "egress_lossy_pool", "size": "1000", "dynamic_th": "-1"},
		"BUFFER_QUEUE|Ethernet0|3-4":             {"profile": "egress_lossless_profile"},
		"PORT_QOS_MAP|Ethernet0":                 {"pfc_enable": "3"},
		"PORT_QOS_MAP|Ethernet4":                 {"pfc_enable": "3"},
	})
	return r
}

// TestQueueDrops: a queue of a paused priority that can hold less than the groups that fill
// it is warned of, with both numbers. One group holds a ninth of the pool, without what
// both reserve of it, and its headroom.
func TestQueueDrops(t *testing.T) {
	t.Parallel()
	const lossy = "BUFFER_QUEUE|Ethernet0|3-4 warned (profile): priority 3 is paused, and BUFFER_PROFILE|egress_lossy_profile lets its queue 3 of Ethernet0 take 334333 bytes, " +
		"where the priority groups that fill it may hold 1461061: the queue drops before they pause"
	tests := []struct {
		name   string
		change change
		want   []string
	}{
		{name: "lossless queue"},
		{name: "no profile", change: change{"BUFFER_QUEUE|Ethernet0|3-4": nil}},
		{name: "lossy queue", change: change{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "egress_lossy_profile"}}, want: []string{lossy}},
		{name: "lossy queue of another priority", change: change{"BUFFER_QUEUE|Ethernet0|3-4": nil, "BUFFER_QUEUE|Ethernet0|2": {"profile": "egress_lossy_profile"}}},
		{name: "a row for one queue comes first", change: change{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "egress_lossy_profile"}, "BUFFER_QUEUE|Ethernet0|3": {"profile": "egress_lossless_profile"}}},
		{name: "large enough", change: change{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "egress_lossless_profile"}, "BUFFER_PROFILE|egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "1461061"}}},
		{
			name:   "one byte too small",
			change: change{"BUFFER_PROFILE|egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "1461060"}},
			want: []string{
				"BUFFER_QUEUE|Ethernet0|3-4 warned (profile): priority 3 is paused, and BUFFER_PROFILE|egress_lossless_profile lets its queue 3 of Ethernet0 take 1461060 bytes, " +
					"where the priority groups that fill it may hold 1461061: the queue drops before they pause",
			},
		},
		{
			name: "by the map of queues",
			change: change{
				"BUFFER_QUEUE|Ethernet0|3-4": nil, "BUFFER_QUEUE|Ethernet0|5": {"profile": "egress_lossy_profile"},
				"TC_TO_QUEUE_MAP|m": {"3": "5"}, "MAP_PFC_PRIORITY_TO_QUEUE|m": {"3": "5"},
				"PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3", "tc_to_queue_map": "m", "pfc_to_queue_map": "m"},
			},
			want: []string{"BUFFER_QUEUE|Ethernet0|5 warned (profile): priority 3 is paused, and BUFFER_PROFILE|egress_lossy_profile lets its queue 5 of Ethernet0 take 334333 bytes, " +
				"where the priority groups that fill it may hold 1461061: the queue drops before they pause"},
		},
		{name: "PFC is off", change: change{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "egress_lossy_profile"}, "XON_PFC|GLOBAL": {"enabled": "false"}}},
		{name: "no priority is paused", change: change{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "egress_lossy_profile"}, "PORT_QOS_MAP|Ethernet0": {"pfc_enable": ""}}},
		{name: "the only port", change: change{"BUFFER_QUEUE|Ethernet0|3-4": {"profile": "egress_lossy_profile"}, "PORT_QOS_MAP|Ethernet4": nil}, want: []string{
			"BUFFER_QUEUE|Ethernet0|3-4 warned (profile): priority 3 is paused, and BUFFER_PROFILE|egress_lossy_profile lets its queue 3 of Ethernet0 take 334333 bytes, " +
				"where the priority groups that fill it may hold 1467324: the queue drops before they pause",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, lookedUp(t, "vs"), pausing())
			r.wantLosses()
			r.change(tt.change)
			r.wantLosses(tt.want...)
			r.change(pausing()) // it goes with its cause
			r.change(change{"XON_PFC|GLOBAL": nil, "BUFFER_QUEUE|Ethernet0|2": nil, "BUFFER_QUEUE|Ethernet0|3": nil, "BUFFER_QUEUE|Ethernet0|5": nil})
			r.wantLosses()
		})
	}
}

// TestPausedInVain: maps by which a class is not in the group that pauses its priority, or
// not in the queue that a pause of it stops, are warned of.
func TestPausedInVain(t *testing.T) {
	t.Parallel()
	const (
		never = "PORT_QOS_MAP|Ethernet0 warned (tc_to_pg_map): TC_TO_PRIORITY_GROUP_MAP|m sends class 3 to priority group 0 of Ethernet0, which never pauses: nothing pauses priority 3"
		other = "PORT_QOS_MAP|Ethernet0 warned (pfc_to_pg_map): priority 3 of Ethernet0 is paused by priority group 3, and its packets are in group 4: nothing pauses them"
		queue = "PORT_QOS_MAP|Ethernet0 warned (pfc_to_queue_map): a pause of priority 3 stops queue 3 of Ethernet0, and its packets leave by queue 5: the receiver that pauses them drops them"
	)
	qos := func(more fields) fields {
		maps.Copy(more, fields{"pfc_enable": "3,4"})
		return more
	}
	tests := []struct {
		name   string
		change change
		want   []string
	}{
		{name: "to a lossy group", change: change{"TC_TO_PRIORITY_GROUP_MAP|m": {"3": "0"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_pg_map": "m"})}, want: []string{never}},
		{name: "to a group without profile", change: change{"BUFFER_PG|Ethernet0|0": nil, "TC_TO_PRIORITY_GROUP_MAP|m": {"3": "0"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_pg_map": "m"})}, want: []string{never}},
		{name: "to its own group", change: change{"TC_TO_PRIORITY_GROUP_MAP|m": {"3": "3", "0": "0"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_pg_map": "m"})}},
		{name: "another class", change: change{"TC_TO_PRIORITY_GROUP_MAP|m": {"5": "0"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_pg_map": "m"})}},
		{name: "to the group of another priority", change: change{"TC_TO_PRIORITY_GROUP_MAP|m": {"3": "4"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_pg_map": "m"})}, want: []string{other}},
		{
			name:   "which pauses it",
			change: change{"TC_TO_PRIORITY_GROUP_MAP|m": {"3": "4"}, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|m": {"3": "4"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_pg_map": "m", "pfc_to_pg_map": "m"})},
		},
		{name: "a queue that no pause stops", change: change{"TC_TO_QUEUE_MAP|m": {"3": "5"}, "PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_queue_map": "m"})}, want: []string{queue}},
		{name: "a map that is not there", change: change{"PORT_QOS_MAP|Ethernet0": qos(fields{"tc_to_queue_map": "m"})}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for model, r := range map[string]*rig{
				"traditional": newRig(t, lookedUp(t, "vs"), pausing()), "dynamic": newRig(t, dynamicOf(t), pausing(), dynamicRows()),
			} {
				r.change(tt.change)
				t.Log(model)
				r.wantLosses(tt.want...)
			}
		})
	}
}

// TestMapChanges: a change of a map alone is noticed.
func TestMapChanges(t *testing.T) {
	t.Parallel()
	r := newRig(t, dynamicOf(t), pausing(), dynamicRows())
	r.change(change{"TC_TO_PRIORITY_GROUP_MAP|m": {"3": "3"}, "PORT_QOS_MAP|Ethernet0": {"pfc_enable": "3", "tc_to_pg_map": "m"}})
	r.wantLosses()
	r.change(change{"TC_TO_PRIORITY_GROUP_MAP|m": {"3": "0"}})
	r.wantLosses("PORT_QOS_MAP|Ethernet0 warned (tc_to_pg_map): TC_TO_PRIORITY_GROUP_MAP|m sends class 3 to priority group 0 of Ethernet0, which never pauses: nothing pauses priority 3")
	r.change(change{"PORT|Ethernet0": vsPort(0, false)}) // its headroom is taken away on purpose
	r.wantLosses()
}

func dynamicOf(t *testing.T) bufmgr.Params {
	p := virtual(t)
	p.Zero = nil
	return p
}

// dynamicRows are what pausing lacks with the dynamic model.
func dynamicRows() rows {
	return rows{
		"BUFFER_PG|Ethernet0|3-4":                 {"profile": "NULL"},
		"BUFFER_PG|Ethernet4|3-4":                 {"profile": "NULL"},
		"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
		"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
	}
}
