package portorch

import (
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// HostInterfaces derives the host interfaces of ports.
var HostInterfaces = intent.Feature{
	Port: deriveHostInterface,
}

// deriveHostInterface derives the host interface of one port. The kernel takes it for up while the
// port's link is.
//
// Source: saihostif.h; SONiC makes one NETDEV for every front panel port.
func deriveHostInterface(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	b.Add(
		v.Row.ID, graph.Key{Type: sai.ObjectTypeHostif, Name: v.Name},
		graph.Of(sai.HostifAttrType.Is(sai.HostifTypeNetdev)),
		graph.RefTo(sai.HostifAttrObjID, v.Object),
		graph.Of(sai.HostifAttrName.Is(v.Name)),
		graph.Of(sai.HostifAttrOperStatus.Is(v.LinkUp)),
	)
}
