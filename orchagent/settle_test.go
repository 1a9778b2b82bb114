package orchagent_test

import (
	"testing"

	"xon/schema/configdb"
)

// TestMovedLanes: a port moves to other lanes while the chip refuses what is computed for it,
// a profile beyond its limits. The agent finds the versions that the chip takes, tries none
// twice, and ends as one that begins with the same rows.
func TestMovedLanes(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"th", "th3"} {
		list := []move{
			{do: "change", rows: map[configdb.RowKey]configdb.Fields{
				"PORT|Ethernet8":                          {"lanes": "9,10,11,12", "speed": "100000", "admin_status": "up"},
				"BUFFER_PG|Ethernet8|7":                   {"profile": "NULL"},
				"BUFFER_POOL|ingress_lossless_pool":       {"mode": "dynamic", "type": "ingress"},
				"CABLE_LENGTH|AZURE":                      {"Ethernet8": "300m"},
				"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "5"},
				"DEVICE_METADATA|localhost":               {"buffer_model": "dynamic"},
				"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
			}},
			{do: "change", rows: map[configdb.RowKey]configdb.Fields{"PORT|Ethernet8": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}}},
			{do: "restart"},
		}
		var sum account
		if at, err := walkAlong(t, profile, false, list, &sum); err != nil {
			t.Errorf("%s, move %d: %v", profile, at, err)
		}
		if sum.writes > 100 {
			t.Errorf("%s: %d writes", profile, sum.writes)
		}
	}
}

// TestRefusedTogether: two changed rows that the chip refuses only together do not take
// turns: one of them is applied, the other one is refused.
func TestRefusedTogether(t *testing.T) {
	t.Parallel()
	list := []move{
		{do: "change", rows: map[configdb.RowKey]configdb.Fields{
			"CABLE_LENGTH|AZURE":                      {"Ethernet0": "300m"},
			"DEVICE_METADATA|localhost":               {"buffer_model": "dynamic"},
			"LOSSLESS_TRAFFIC_PATTERN|AZURE":          {"mtu": "1024", "small_packet_percentage": "100"},
			"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "0"},
			"BUFFER_POOL|ingress_lossless_pool":       {"mode": "dynamic", "type": "ingress"},
			"BUFFER_PG|Ethernet0|3-4":                 {"profile": "NULL"},
			"PORT|Ethernet0":                          {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"},
		}},
		{do: "change", rows: map[configdb.RowKey]configdb.Fields{
			"CABLE_LENGTH|AZURE":                      {"Ethernet0": "5m"},
			"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE": {"default_dynamic_th": "8"},
		}},
		{do: "restart"},
	}
	var sum account
	if at, err := walkAlong(t, "th", false, list, &sum); err != nil {
		t.Errorf("move %d: %v", at, err)
	}
}
