// Package hostiforch derives the network device by which the host's kernel sees
// each port, from PORT.
//
// What is not for here: traps, and what the kernel does with the device.
package hostiforch

import (
	"fmt"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
)

// Fields maps the attributes set here to fields of PORT: none, as all of them
// come from the row's key.
var Fields = map[*sai.AttrMeta]string{}

// maxName is the longest name of a network device: SAI_HOSTIF_NAME_SIZE and Linux
// both have 16 bytes for it, with a terminator.
const maxName = 15

// Shared refuses ports whose name can't be that of a network device.
func Shared(s *intent.Snapshot, b *graph.Builder) {
	for name, row := range s.Rows.Ports {
		if len(name) > maxName {
			b.Refuse(string(row.ID), "", fmt.Errorf("the name has %d characters: a host interface takes at most %d", len(name), maxName))
		}
	}
}

// Port derives the host interface of one port.
//
// Source: saihostif.h; SONiC makes one NETDEV for every front panel port.
func Port(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	name := sai.HostifAttrName.Format(sai.Value{Ref: v.Name})
	b.Add(
		string(v.Row.ID), graph.Key{Type: sai.ObjectTypeHostif, Name: v.Name},
		graph.Attr{AttrMeta: sai.HostifAttrType.AttrMeta, Value: graph.Uint(uint64(sai.HostifTypeNetdev))},
		graph.Attr{AttrMeta: sai.HostifAttrObjID.AttrMeta, Value: graph.Ref(v.Object)},
		graph.Attr{AttrMeta: sai.HostifAttrName.AttrMeta, Value: graph.Text(name)},
	)
}
