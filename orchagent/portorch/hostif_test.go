package portorch_test

import (
	"testing"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/portorch"
	"xon/sai"
	"xon/schema/configdb"
)

// TestLink: the host interface is up while the port's link is.
func TestLink(t *testing.T) {
	t.Parallel()
	port := &intent.Port{Name: "Ethernet0", ID: 7, Object: graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0"}}
	for _, tt := range []struct {
		name  string
		facts *intent.Facts
		want  bool
	}{
		{"no facts", nil, false},
		{"nothing known of links", &intent.Facts{}, false},
		{"another link is up", &intent.Facts{Links: map[sai.OID]bool{8: true}}, false},
		{"up", &intent.Facts{Links: map[sai.OID]bool{7: true}}, true},
		{"down", &intent.Facts{Links: map[sai.OID]bool{7: false}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := graph.NewBuilder(1)
			v := &intent.PortView{Port: port, Row: &configdb.Port{ID: "PORT|Ethernet0", Name: "Ethernet0"}, LinkUp: tt.facts.LinkUp(port)}
			portorch.HostInterfaces.Port(&intent.Device{}, v, b)
			n := b.Finish().Nodes[graph.Key{Type: sai.ObjectTypeHostif, Name: "Ethernet0"}]
			if got := n.Attr(sai.HostifAttrOperStatus.AttrMeta); got != graph.Bool(tt.want) {
				t.Errorf("it is %v, want %v", got, tt.want)
			}
		})
	}
}
