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

// limit takes up the limits of the switch that t has: one that can't be read stays as it
// was, as pools and headroom rest on it.
func limit(d *intent.Device, t table) {
	count := func(a *sai.AttrMeta, to *int) {
		if t.has(0, a) {
			*to = int(t.num(0, a))
		}
	}
	count(sai.SwitchAttrMaxNumberOfSupportedPorts.AttrMeta, &d.MaxPorts)
	count(sai.SwitchAttrQoSMaxNumberOfTrafficClasses.AttrMeta, &d.TrafficClasses)
	count(sai.SwitchAttrMaxNumberOfForwardingClasses.AttrMeta, &d.ForwardingClasses)
	count(sai.SwitchAttrNumberOfUnicastQueues.AttrMeta, &d.UnicastQueues)
	if size := sai.SwitchAttrTotalBufferSize.AttrMeta; t.has(0, size) {
		d.MMUBytes = t.num(0, size) << 10 // SAI counts in KB
	}
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
		if n := t.num(i, room); t.has(i, room) && n != p.room {
			p.room, changed = n, true
		}
		if list, _ := t.val(i, speeds).Ref.([]uint32); t.has(i, speeds) && !slices.Equal(list, p.speeds) {
			p.speeds, changed = list, true
		}
	}
	if !changed {
		return inv, nil
	}
	return next, nil
}
