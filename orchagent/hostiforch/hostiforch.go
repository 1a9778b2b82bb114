// Package hostiforch derives the network device by which the host's kernel sees
// each port, from PORT.
//
// What is not for here: traps, and what the kernel does with the device.
package hostiforch

import (
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// Feature is what the agent needs of the package.
var Feature = intent.Feature{
	Port: derivePort,
}

// derivePort derives the host interface of one port. The kernel takes it for up while the
// port's link is.
//
// Source: saihostif.h; SONiC makes one NETDEV for every front panel port.
func derivePort(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	b.Add(
		v.Row.ID, graph.Key{Type: sai.ObjectTypeHostif, Name: v.Name},
		graph.Of(sai.HostifAttrType.Is(sai.HostifTypeNetdev)),
		graph.RefTo(sai.HostifAttrObjID, v.Object),
		graph.Of(sai.HostifAttrName.Is(v.Name)),
		graph.Of(sai.HostifAttrOperStatus.Is(v.LinkUp)),
	)
}
