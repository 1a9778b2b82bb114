package publish_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// TestConstants: STATE_DB has what the dynamic model reckons with, as it is after the
// buffer manager is restarted.
func TestConstants(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(configdb.RawRows{"DEVICE_METADATA|localhost": {"buffer_model": "dynamic", "platform": "vs"}})
	asic := bufmgr.ASIC{Name: "X", CellBytes: 144, PipelineLatency: 19.5, MACPHYDelay: 0.8, PeerResponseTime: 3, PortReservedSHP: 100, PortMaxSHP: 200}
	files := bufmgr.Params{ASIC: &asic, Peripherals: map[string]bufmgr.Gearbox{"G": {Delay: 9.5}}, PortGearbox: map[string]string{"Ethernet0": "G"}}
	if _, err := r.agent.RestartBuffers(t.Context(), files, ""); err != nil {
		t.Fatal(err)
	}
	want := map[string]redisdb.Fields{
		"ASIC_TABLE|X":                    {"cell_size": "144", "pipeline_latency": "19.5", "mac_phy_delay": "0.8", "peer_response_time": "3", "port_reserved_shp": "100", "port_max_shp": "200"},
		"ASIC_TABLE|VS-ASIC":              nil,
		"PERIPHERAL_TABLE|G":              {"gearbox_delay": "9.5"},
		"PORT_PERIPHERAL_TABLE|Ethernet0": {"gearbox_model": "G"},
	}
	redistest.Eventually(t, "the new constants are published", func() bool { return r.row(redisdb.StateDB, "ASIC_TABLE|X") != nil })
	for key, f := range want {
		if diff := cmp.Diff(f, r.row(redisdb.StateDB, key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
