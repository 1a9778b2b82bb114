package orchagent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestBadInput: everything that can be wrong with a row gives an error that names
// the thing and the limit, by transaction and by STATE_DB alike, harms no other
// row, and loses nothing that was in force.
func TestBadInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		row  configdb.RowKey
		f    configdb.Fields
		kind configdb.FaultKind
		// says is what the error has to contain beside the row.
		says []string
	}{
		{"wrong type", "BUFFER_POOL|egress", with("BUFFER_POOL|egress", fields{"size": "lots"}), configdb.Invalid, []string{`"size"`, `"lots"`}},
		{"unknown reference", "BUFFER_QUEUE|Ethernet0|3-4", fields{"profile": "nonesuch"}, configdb.Missing, []string{`"profile"`, "BUFFER_PROFILE|nonesuch does not exist"}},
		{"unknown map", "PORT_QOS_MAP|Ethernet0", fields{"tc_to_queue_map": "X", "pfc_enable": "4"}, configdb.Missing, []string{`"tc_to_queue_map"`, "TC_TO_QUEUE_MAP|X does not exist"}},
		{"unknown global map", "PORT_QOS_MAP|global", fields{"dscp_to_tc_map": "X"}, configdb.Missing, []string{"DSCP_TO_TC_MAP|X does not exist"}},
		{"range out of bounds", "SCHEDULER|dwrr", fields{"type": "DWRR", "weight": "101"}, configdb.Invalid, []string{`"weight"`, "100"}},
		{"backward range", "BUFFER_QUEUE|Ethernet0|4-3", fields{"profile": "queue"}, configdb.Invalid, []string{"4-3"}},
		{"profile without pool", "BUFFER_PROFILE|lossless", with("BUFFER_PROFILE|lossless", fields{"pool": ""}), configdb.Invalid, []string{`"pool"`, "is required"}},
		{"profile of unknown pool", "BUFFER_PROFILE|lossless", with("BUFFER_PROFILE|lossless", fields{"pool": "X"}), configdb.Missing, []string{`"pool"`, "BUFFER_POOL|X does not exist"}},
		{"pool larger than the chip", "BUFFER_POOL|egress", with("BUFFER_POOL|egress", fields{"size": "16777217"}), configdb.Limit, []string{`"size"`, "16777217 bytes: the chip has 16777216"}},
		{"ingress pools together", "BUFFER_POOL|more", fields{"type": "ingress", "mode": "dynamic", "size": "16000000"}, configdb.Limit, []string{"16000000 bytes: other ingress pools have 1048576 of the chip's 16777216"}},
		{"port that does not exist", "BUFFER_PG|Ethernet9|3", fields{"profile": "lossy"}, configdb.Missing, []string{"PORT|Ethernet9 does not exist"}},
		{"queue 99", "QUEUE|Ethernet0|99", fields{"scheduler": "dwrr"}, configdb.Limit, []string{"queue 99: port Ethernet0 has queues 0 to 19"}},
		{"buffer of queue 20", "BUFFER_QUEUE|Ethernet4|19-20", fields{"profile": "queue"}, configdb.Limit, []string{"queue 20: port Ethernet4 has queues 0 to 19"}},
		{"priority group 8", "BUFFER_PG|Ethernet0|7-8", fields{"profile": "lossy"}, configdb.Limit, nil},
		{"minimum over maximum", "WRED_PROFILE|ecn", with("WRED_PROFILE|ecn", fields{"green_min_threshold": "200001"}), configdb.Invalid, []string{`"green_min_threshold"`, "200001", "200000"}},
		{"threshold of 33 bits", "WRED_PROFILE|ecn", with("WRED_PROFILE|ecn", fields{"green_max_threshold": "4294967296"}), configdb.Limit, []string{`"green_max_threshold"`, "4294967296", "4294967295"}},
		{"traffic class 16", "DSCP_TO_TC_MAP|AZURE", fields{"1": "16"}, configdb.Invalid, []string{"16", "15"}},
		{"lanes that no port has", "PORT|Ethernet8", fields{"lanes": "199,200", "speed": "100000"}, configdb.Chip, []string{`"lanes"`, "SAI_PORT_ATTR_HW_LANE_LIST", "INVALID_ATTR_VALUE", "the chip has lanes 1-128"}},
		{"lanes of another port", "PORT|Ethernet8", fields{"lanes": "5,6,7,8"}, configdb.Limit, []string{`"lanes"`, "lane 5 belongs to PORT|Ethernet4"}},
		{"name too long", "PORT|FortyGigabitEthernet1", fields{"lanes": "9,10,11,12"}, configdb.Limit, []string{"21 characters", "15"}},
		{"not UTF-8", "PORT|Ethernet0", with("PORT|Ethernet0", fields{"alias": "\xff"}), configdb.Invalid, []string{`"alias"`, "UTF-8"}},
		{"no threshold", "BUFFER_PROFILE|lossy", with("BUFFER_PROFILE|lossy", fields{"dynamic_th": ""}), configdb.Limit, []string{"dynamic_th"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 3)
			r.load(small())
			dump := r.chip.Dump()

			good := configdb.Op{Kind: configdb.Replace, Table: "SCHEDULER", Key: "strict", Fields: fields{"type": "WRR"}}
			_, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: append(ops(rows{tt.row: tt.f}), good)})
			var fault *configdb.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("got %v", err)
			}
			if fault.Kind != tt.kind && tt.says != nil || fault.Row != tt.row {
				t.Errorf("fault %+v", fault)
			}
			for _, s := range tt.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %q", err, s)
				}
			}
			if r.chip.Dump() != dump {
				t.Error("the transaction touched the chip")
			}

			r.change(rows{tt.row: tt.f})
			f := r.agent.Fates()[tt.row]
			if f.State != statedb.Refused && f.State != statedb.Waiting {
				t.Errorf("fate %+v", f)
			}
			for _, s := range tt.says {
				if text := `"` + f.Field + `" ` + f.Reason; !strings.Contains(text, s) {
					t.Errorf("%q does not say %q", text, s)
				}
			}
			if diff := cmp.Diff(dump, r.chip.Dump()); diff != "" {
				t.Errorf("the chip differs:\n%s", diff)
			}
			for k, f := range r.agent.Fates() {
				if k != tt.row && (f.State != statedb.Applied || len(f.Warnings) > 0) {
					t.Errorf("%s: %+v", k, f)
				}
			}
			if err := r.agent.CheckResolution(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
