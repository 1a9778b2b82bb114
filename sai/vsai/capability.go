package vsai

import (
	"slices"

	"xon/sai"
)

// AttrCapability implements sai.Driver.
func (c *Chip) AttrCapability(sw sai.OID, o *sai.ObjectMeta, id uint32) (create, set, get bool, st sai.Status) {
	a, st := c.capable(sw, o, id)
	if st != 0 {
		return false, false, false, st
	}
	makes := o.Ops[sai.OpCreate].Slot >= 0 && !builtinType(o.Type)
	if c.lacksAttr(a) {
		return false, false, false, 0
	}
	return makes && !a.Has(sai.ReadOnly), a.Has(sai.Settable), !a.Has(sai.ReadOnly) || c.providesReadOnly(a), 0
}

// providesReadOnly reports whether the chip provides a read-only attribute.
func (c *Chip) providesReadOnly(a *sai.AttrMeta) bool {
	switch a {
	case sai.SwitchAttrTotalBufferSize.AttrMeta:
		return !c.profile.HideBuffer
	case sai.PortAttrQoSMaximumHeadroomSize.AttrMeta:
		return c.profile.PortHeadroomBytes > 0
	}
	return derived[a] != nil || c.plane.Load() != nil && slices.Contains(states, a)
}

// EnumCapability implements sai.Driver.
func (c *Chip) EnumCapability(sw sai.OID, o *sai.ObjectMeta, id uint32) ([]int32, sai.Status) {
	a, st := c.capable(sw, o, id)
	if st != 0 {
		return nil, st
	}
	if a.Enum == nil {
		return nil, sai.StatusInvalidParameter
	}
	if values := choices[a]; values != nil {
		return values(c.profile), 0
	}
	return slices.Clone(a.Enum.Values), 0
}

func (c *Chip) capable(sw sai.OID, o *sai.ObjectMeta, id uint32) (*sai.AttrMeta, sai.Status) {
	if st := c.checkQuery(sw, o); st != 0 {
		return nil, st
	}
	a := o.Attr(id)
	if a == nil {
		return nil, sai.StatusInvalidParameter
	}
	return a, 0
}

// checkQuery returns the status of a capability query.
func (c *Chip) checkQuery(sw sai.OID, o *sai.ObjectMeta) sai.Status {
	call := Call{Op: OpCapability, Object: o, Entry: -1}
	st := c.hooks.before(&call)
	if st == 0 && !c.isSwitch(sw) {
		st = sai.StatusInvalidParameter
	}
	c.hooks.after(&call, st)
	return st
}

func (c *Chip) isSwitch(sw sai.OID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sw != nil && c.sw.id == sw
}

// StatsCapability implements sai.Driver: every counter can be read and cleared in every
// mode.
func (c *Chip) StatsCapability(sw sai.OID, o *sai.ObjectMeta) ([]sai.StatCapability, sai.Status) {
	if st := c.checkQuery(sw, o); st != 0 {
		return nil, st
	}
	const modes = sai.StatsModeRead | sai.StatsModeReadAndClear | sai.StatsModeBulkRead | sai.StatsModeBulkClear | sai.StatsModeBulkReadAndClear
	out := make([]sai.StatCapability, len(o.Stats))
	for i := range o.Stats {
		out[i] = sai.StatCapability{StatEnum: o.Stats[i].ID, StatModes: uint32(modes)}
	}
	return out, 0
}
