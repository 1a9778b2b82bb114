package l3orch_test

import (
	"fmt"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/l3orch"
	"xon/sai"
	"xon/schema/configdb"
)

// snapshot has rows, of which those in force are named, and one port of them.
func snapshot(t *testing.T, routes bool, inForce string, keys ...configdb.RowKey) *intent.Snapshot {
	t.Helper()
	all := map[configdb.RowKey]configdb.Fields{"PORT|Ethernet0": {"lanes": "1"}, "VLAN|Vlan10": {}}
	for _, k := range keys {
		all[k] = configdb.Fields{"NULL": "NULL"}
		if k.Table() == "VLAN_MEMBER" {
			all[k] = configdb.Fields{"tagging_mode": "untagged"}
		}
	}
	rows, accepted := new(configdb.Config), new(configdb.Config)
	for k, f := range all {
		row, _, err := configdb.Parse(k, f)
		if err != nil {
			t.Fatal(err)
		}
		if rows = rows.With(row); string(k) == inForce {
			accepted = accepted.With(row)
		}
	}
	p := &intent.Port{Name: "Ethernet0", Configured: true, Object: graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0"}}
	dev := &intent.Device{Ports: []*intent.Port{p}, ByName: map[string]*intent.Port{p.Name: p}, Routes: routes}
	return &intent.Snapshot{Rows: rows, Accepted: accepted, Device: dev}
}

// TestContradictions: of rows that contradict each other one stays, and a chip that does
// not route still has VLANs.
func TestContradictions(t *testing.T) {
	t.Parallel()
	const member, routed = "VLAN_MEMBER|Vlan10|Ethernet0", "INTERFACE|Ethernet0"
	const port, loopback = "INTERFACE|Ethernet0|10.0.0.1/32", "LOOPBACK_INTERFACE|Loopback0|10.0.0.1/32"
	for _, tt := range []struct {
		name    string
		routes  bool
		inForce string
		rows    []configdb.RowKey
		want    string // the problems
	}{
		{"routed first", true, "", []configdb.RowKey{member, routed}, member + ": Ethernet0 is a router interface: remove INTERFACE|Ethernet0 first"},
		{"member in force", true, member, []configdb.RowKey{member, routed}, routed + ": Ethernet0 is in a VLAN: remove VLAN_MEMBER|Vlan10|Ethernet0 first"},
		{"no router", false, "", []configdb.RowKey{member, routed}, routed + ": the chip does not route"},
		{
			"address of a port first", true, "",
			[]configdb.RowKey{routed, port, "LOOPBACK_INTERFACE|Loopback0", loopback},
			loopback + ": 10.0.0.1/32 is a route of " + port + " already: remove one of them",
		},
		{
			"loopback address in force", true, loopback,
			[]configdb.RowKey{routed, port, "LOOPBACK_INTERFACE|Loopback0", loopback},
			port + ": 10.0.0.1/32 is a route of " + loopback + " already: remove one of them",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := graph.NewBuilder(8)
			l3orch.Feature.Shared(snapshot(t, tt.routes, tt.inForce, tt.rows...), b)
			r := b.Finish()
			var got []string
			for _, p := range r.Problems {
				got = append(got, fmt.Sprintf("%s: %v", p.Row, p.Err))
			}
			if s := strings.Join(got, "\n"); s != tt.want {
				t.Errorf("problems\n%s\nwant\n%s", s, tt.want)
			}
			if r.Nodes[graph.Key{Type: sai.ObjectTypeVLAN, Name: "Vlan10"}] == nil {
				t.Error("no VLAN")
			}
		})
	}
}
