package notifications

import (
	"fmt"

	"xon/sai"
)

// read reads how the links of all ports are. A port that does not tell is left out.
func (h *Hub) read() ([]sai.PortOperStatusNotification, error) {
	sw := h.cfg.Switch
	ids, err := sai.Get(sw, sw.ID, sai.SwitchAttrPortList)
	if err != nil {
		return nil, fmt.Errorf("list ports: %w", err)
	}
	keys, attrs := make([]sai.Key, len(ids)), make([][]sai.Attribute, len(ids))
	for i, id := range ids {
		keys[i].OID = id.OID()
		attrs[i] = []sai.Attribute{{AttrMeta: sai.PortAttrOperStatus.AttrMeta}}
	}
	for _, err := range sai.GetAll(sw, sai.Port{}.Meta(), keys, attrs) {
		if err != nil {
			return nil, fmt.Errorf("read links: %w", err)
		}
	}
	var list []sai.PortOperStatusNotification
	for i, a := range attrs {
		if len(a) > 0 {
			list = append(list, sai.PortOperStatusNotification{PortID: keys[i].OID, PortState: sai.PortOperStatus(a[0].Num)})
		}
	}
	return list, nil
}

// compare reads links and tells of those of which a notification was lost, or never came,
// as if there had been one. Ports that were not there before are among them.
func (h *Hub) compare() error {
	h.mu.Lock()
	h.fresh = map[sai.OID]bool{}
	h.mu.Unlock()
	list, err := h.read()
	h.mu.Lock()
	defer h.mu.Unlock()
	fresh := h.fresh
	h.fresh = nil
	if err != nil {
		return err
	}
	now := make(map[sai.OID]sai.PortOperStatus, len(list))
	for id := range fresh { // what was read may be older
		now[id] = h.links[id]
	}
	for _, s := range list {
		if fresh[s.PortID] {
			continue
		}
		was, known := h.links[s.PortID]
		now[s.PortID] = s.PortState
		if known && was == s.PortState {
			continue
		}
		if known {
			h.log.WithField("port", s.PortID).Warn("a link changed and the chip did not notify of it")
		}
		h.spread(sai.Notification{NotifyMeta: sai.OnPortStateChange, Switch: h.cfg.Switch.ID.OID(), Data: sai.Bytes(s)})
	}
	h.links = now
	return nil
}
