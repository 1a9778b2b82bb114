package configdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/configdb"
)

// TestSalvage: a bad length takes none of the other ports' away; what is wrong with
// the key, or with a row of another table, still is with all of it.
func TestSalvage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		key       configdb.RowKey
		f         configdb.Fields
		want      configdb.Row
		lost, err string
	}{
		{
			name: "cables", key: "CABLE_LENGTH|AZURE", f: fields{"Ethernet0": "3,4", "Ethernet4": "5m", "no port": "x"},
			want: &configdb.CableLength{ID: "CABLE_LENGTH|AZURE", Name: "AZURE", Metres: map[string]uint32{"Ethernet4": 5}},
			lost: `CABLE_LENGTH|AZURE: field "Ethernet0": "3,4" is not a length in whole metres (0m to 4294967295m)`,
		},
		{
			name: "good cables", key: "CABLE_LENGTH|AZURE", f: fields{"Ethernet4": "5m"},
			want: &configdb.CableLength{ID: "CABLE_LENGTH|AZURE", Name: "AZURE", Metres: map[string]uint32{"Ethernet4": 5}},
		},
		{
			name: "cables of no name", key: "CABLE_LENGTH|", f: fields{"Ethernet0": "3,4"},
			err: "CABLE_LENGTH|: key \"\": a name is missing\nCABLE_LENGTH|: field \"Ethernet0\": \"3,4\" is not a length in whole metres (0m to 4294967295m)",
		},
		{
			name: "another table", key: "SCHEDULER|a", f: fields{"weight": "0", "type": "DWRR"},
			err: `SCHEDULER|a: field "weight": "0" is out of range (1 to 100)`,
		},
		{name: "a foreign table", key: "CABLE_LEN|AZURE", f: fields{"Ethernet0": "5m"}, err: "CABLE_LEN|AZURE: the table is none of xon's"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			row, _, lost, err := configdb.Salvage(tt.key, tt.f)
			if diff := cmp.Diff(tt.want, row, plainly); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
			if got := lost.Error(); got != tt.lost {
				t.Errorf("lost %s, want %s", got, tt.lost)
			}
			if got := message(err); got != tt.err {
				t.Errorf("error %s, want %s", got, tt.err)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
