package inventory

import (
	"fmt"
	"slices"

	"xon/orchagent/intent"
	"xon/sai"
)

// limitAttrs are the limits of the switch as a whole. They can change while it runs: by
// another profile of its tables, and on a virtual chip by a test.
var limitAttrs = []*sai.AttrMeta{
	sai.SwitchAttrTotalBufferSize.AttrMeta, sai.SwitchAttrQoSMaxNumberOfTrafficClasses.AttrMeta,
	sai.SwitchAttrMaxNumberOfForwardingClasses.AttrMeta, sai.SwitchAttrNumberOfUnicastQueues.AttrMeta,
	sai.SwitchAttrMaxNumberOfSupportedPorts.AttrMeta,
}

// limit takes note of the limits of the switch. t has limitAttrs.
func limit(d *intent.Device, t table) {
	count := func(a *sai.AttrMeta) int { return int(t.num(0, a)) }
	d.MaxPorts = count(sai.SwitchAttrMaxNumberOfSupportedPorts.AttrMeta)
	d.MMUBytes = t.num(0, sai.SwitchAttrTotalBufferSize.AttrMeta) << 10 // SAI counts in KB
	d.TrafficClasses = count(sai.SwitchAttrQoSMaxNumberOfTrafficClasses.AttrMeta)
	d.ForwardingClasses = count(sai.SwitchAttrMaxNumberOfForwardingClasses.AttrMeta)
	d.UnicastQueues = count(sai.SwitchAttrNumberOfUnicastQueues.AttrMeta)
}

// Refresh reads the limits of the switch again. It returns inv itself if they are the same.
func (inv *Inventory) Refresh() (*Inventory, error) {
	t, err := read(inv.drv, sai.SwitchObject{}.Meta(), []sai.OID{inv.sw}, limitAttrs...)
	if err != nil {
		return inv, fmt.Errorf("read the limits of the switch: %w", err)
	}
	d := inv.chip
	limit(&d, t)
	was := &inv.chip
	changed := d.MaxPorts != was.MaxPorts || d.MMUBytes != was.MMUBytes || d.TrafficClasses != was.TrafficClasses ||
		d.ForwardingClasses != was.ForwardingClasses || d.UnicastQueues != was.UnicastQueues
	if !changed {
		return inv, nil
	}
	next := inv.copy()
	next.chip = d
	return next, nil
}

// RefreshPorts reads the limits of ports again. It returns inv itself if they are the
// same.
func (inv *Inventory) RefreshPorts() (*Inventory, error) {
	ids := make([]sai.OID, len(inv.ports))
	for i := range inv.ports {
		ids[i] = inv.ports[i].id
	}
	room, speeds := sai.PortAttrQoSMaximumHeadroomSize.AttrMeta, sai.PortAttrSupportedSpeed.AttrMeta
	t, err := read(inv.drv, sai.Port{}.Meta(), ids, room, speeds)
	if err != nil {
		return inv, fmt.Errorf("read the limits of ports: %w", err)
	}
	next, changed := inv.copy(), false
	for i := range next.ports {
		p := &next.ports[i]
		list, _ := t.val(i, speeds).Ref.([]uint32)
		if n := t.num(i, room); n != p.room || !slices.Equal(list, p.speeds) {
			p.room, p.speeds, changed = n, list, true
		}
	}
	if !changed {
		return inv, nil
	}
	return next, nil
}
