package main

import (
	"fmt"
	"strings"

	"xon/sai/facts"
)

// notification is a switch callback that a driver can deliver.
type notification struct {
	attr int64
	name string // QueuePFCDeadlock
	elem string // Go type of a data element; empty without data
	size int
}

// addNotifications finds the notifications among the attributes of the switch.
//
// It omits those whose data contains pointers (fdb_event, extended port state, next hop
// group switchover, TWAMP) or structs by value (ASIC/SDK health): a driver needs
// special code for each.
func (m *model) addNotifications() {
	sw := m.facts.Object("switch")
	if sw == nil {
		return
	}
	for _, a := range sw.Attrs {
		fn, ok := strings.CutPrefix(a.Type, "pointer_t ")
		base, isNote := strings.CutSuffix(fn, "_notification_fn")
		x := m.facts.FnType(fn)
		if !ok || !isNote || x == nil {
			continue
		}
		n := notification{attr: a.ID, name: camel(base)}
		if m.payload(x, &n) {
			m.notes = append(m.notes, n)
		}
	}
}

// payload determines the data of a notification, and reports whether a driver can
// deliver it.
func (m *model) payload(x *facts.Func, n *notification) bool {
	switch sig := x.Sig(); {
	case sig == "void(O)", sig == "void(O,size,void*,u32,A*)", sig == "void(O,O,port_host_tx_ready_status_t)":
		return true
	case len(x.Params) != 2:
		return false
	case m.facts.Enum(x.Params[1].Type) != nil:
		return true
	case x.Params[0].Type == "u32":
		s := m.facts.Struct(strings.TrimSuffix(strings.TrimPrefix(x.Params[1].Type, "const "), "*"))
		if s == nil {
			return false
		}
		n.elem, n.size = m.goStruct(s), s.Size
		return n.elem != ""
	}
	return false
}

func writeNotifications(m *model, s *source) {
	s.line("// Notifications of the switch. The comment names the T of Elems for those that\n// carry data.\nvar (")
	list := make([]string, len(m.notes))
	for i, n := range m.notes {
		note := ""
		if n.elem != "" {
			note = " // " + n.elem
		}
		s.line("On%s = &NotifyMeta{Attr: %d, Index: %d, Name: %q, Size: %d}%s", n.name, n.attr, i, n.name, n.size, note)
		list[i] = fmt.Sprintf("On%s", n.name)
	}
	s.line(")\n\n// Notifications lists them by index.\nvar Notifications = []*NotifyMeta{%s}", strings.Join(list, ", "))
}
