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

// Refresh reads the limits of the switch again. It reports whether one is another than
// before; then ports have to be named again.
func (inv *Inventory) Refresh() (changed bool, err error) {
	t, err := read(inv.drv, sai.SwitchObject{}.Meta(), []sai.OID{inv.sw}, limitAttrs...)
	if err != nil {
		return false, fmt.Errorf("read the limits of the switch: %w", err)
	}
	d := inv.chip
	limit(&d, t)
	was := &inv.chip
	changed = d.MaxPorts != was.MaxPorts || d.MMUBytes != was.MMUBytes || d.TrafficClasses != was.TrafficClasses ||
		d.ForwardingClasses != was.ForwardingClasses || d.UnicastQueues != was.UnicastQueues
	inv.chip, inv.changed = d, inv.changed || changed
	return changed, nil
}

// RefreshPorts reads the limits of ports again. It reports whether one is another than
// before; then ports have to be named again.
func (inv *Inventory) RefreshPorts() (changed bool, err error) {
	ids := make([]sai.OID, len(inv.ports))
	for i := range inv.ports {
		ids[i] = inv.ports[i].id
	}
	room, speeds := sai.PortAttrQoSMaximumHeadroomSize.AttrMeta, sai.PortAttrSupportedSpeed.AttrMeta
	t, err := read(inv.drv, sai.Port{}.Meta(), ids, room, speeds)
	if err != nil {
		return false, fmt.Errorf("read the limits of ports: %w", err)
	}
	ports := slices.Clone(inv.ports)
	for i := range ports {
		p := &ports[i]
		list, _ := t.val(i, speeds).Ref.([]uint32)
		if n := t.num(i, room); n != p.room || !slices.Equal(list, p.speeds) {
			p.room, p.speeds, changed = n, list, true
		}
	}
	inv.ports, inv.changed = ports, inv.changed || changed
	return changed, nil
}
