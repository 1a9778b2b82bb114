package resolve

import (
	"maps"
	"slices"

	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/portorch"
	"xon/schema/configdb"
)

// naming is what gave the ports of a Device their names.
type naming struct {
	inventory *inventory.Inventory
	ports     map[string]*configdb.Port // the rows that name ports
	lost      map[string]*configdb.Port // applied rows whose ports no row names now
}

// name gives the chip's ports the names of their rows, and works out which are to come
// and to go.
func (w *resolving) name(s *intent.Snapshot) {
	if w.Device != nil && w.naming.inventory == w.State.Inventory && !w.renames() {
		return
	}
	had := w.applicablePorts()
	now := naming{inventory: w.State.Inventory, ports: portorch.Claim(s, w.State.Inventory.Has).Ports}
	now.lost = maps.Clone(had)
	maps.DeleteFunc(now.lost, func(name string, row *configdb.Port) bool { return samePlace(now.ports[name], row) })
	before := w.naming
	w.naming = now
	if w.Device == nil || now.inventory != before.inventory || !maps.EqualFunc(now.ports, before.ports, samePlace) || !maps.EqualFunc(now.lost, before.lost, samePlace) {
		w.Device, w.Adopted = now.inventory.Plan(now.ports, had)
		w.There = w.Device.There()
	}
}

// renames reports whether a changed row may change how ports are named.
func (w *resolving) renames() bool {
	was := &configdb.Config{}
	if w.prev != nil {
		was = w.prev.State.Contested
	}
	for k := range w.changed {
		name := k.Key()
		if k.Table() == "PORT" && (!samePlace(w.naming.ports[name], w.Rows.Ports[name]) || !samePlace(was.Ports[name], w.State.Contested.Ports[name])) {
			return true
		}
	}
	return false
}

// samePlace reports whether two rows are for the same port of the chip; either may be nil.
func samePlace(a, b *configdb.Port) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Lanes, b.Lanes) && (a.Speed == 0) == (b.Speed == 0)
}

// applicablePorts are the applied rows of ports, without those that are still in CONFIG_DB
// but of which no version can be applied now: a port must not go because its row is
// refused.
func (w *resolving) applicablePorts() map[string]*configdb.Port {
	ports := maps.Clone(w.State.Contested.Ports)
	maps.DeleteFunc(ports, func(name string, _ *configdb.Port) bool {
		return w.Rows.Ports[name] == nil && w.State.Records.Has(configdb.Key("PORT", name))
	})
	return ports
}
