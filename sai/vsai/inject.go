package vsai

import "xon/sai"

var _ sai.Injector = (*Chip)(nil)

// InjectStat implements sai.Injector.
func (c *Chip) InjectStat(o *sai.ObjectMeta, id sai.OID, stat uint32, v uint64) sai.Status {
	if !c.has(o, id) {
		return sai.StatusInvalidObjectID
	}
	if c.SetStat(id, stat, v) != nil {
		return sai.StatusInvalidParameter
	}
	return 0
}

// InjectAttr implements sai.Injector. For the operational status of a port it changes
// the peer: DOWN takes the peer down, UP brings it back, with the notification of a
// link change.
func (c *Chip) InjectAttr(o *sai.ObjectMeta, id sai.OID, a sai.Attribute) sai.Status {
	if !c.has(o, id) {
		return sai.StatusInvalidObjectID
	}
	if a.AttrMeta == sai.PortAttrOperStatus.AttrMeta {
		return c.setPeer(id, sai.PortOperStatus(a.Num))
	}
	if c.SetReadOnly(id, a) != nil {
		return sai.StatusInvalidAttribute0
	}
	return 0
}

func (c *Chip) setPeer(id sai.OID, s sai.PortOperStatus) sai.Status {
	if s != sai.PortOperStatusUp && s != sai.PortOperStatusDown {
		return sai.StatusInvalidAttrValue0
	}
	if c.SetLink(id, s == sai.PortOperStatusUp) != nil {
		return sai.StatusInvalidObjectID
	}
	return 0
}

func (c *Chip) has(o *sai.ObjectMeta, id sai.OID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.find(o, sai.Key{OID: id}) != nil
}
