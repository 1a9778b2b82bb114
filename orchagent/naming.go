package orchagent

import (
	"maps"
	"slices"

	"xon/orchagent/intent"
	"xon/orchagent/portorch"
	"xon/schema/configdb"
)

// renames reports whether a row may change how ports are named.
func (r *resolver) renames(k configdb.RowKey) bool {
	if k.Table() != "PORT" {
		return false
	}
	was, now := r.named[k.Key()], r.rows.Ports[k.Key()]
	return was == nil || now == nil || !slices.Equal(was.Lanes, now.Lanes) || (was.Speed == 0) != (now.Speed == 0)
}

// name gives the chip's ports the names of their rows, and works out which are to come
// and to go.
func (r *resolver) name(s *intent.Snapshot) {
	ports := portorch.Claim(s, r.inv.Has).Ports
	lame := r.lamePorts()
	same := !r.renew && maps.Equal(lame, r.lamed) && maps.EqualFunc(ports, r.named, func(a, b *configdb.Port) bool {
		return slices.Equal(a.Lanes, b.Lanes) && (a.Speed == 0) == (b.Speed == 0)
	})
	r.named, r.lamed, r.renew = ports, lame, false
	if !same {
		had := maps.Clone(r.competing.Ports)
		maps.DeleteFunc(had, func(name string, _ *configdb.Port) bool { return lame[name] })
		r.device, r.adopted = r.inv.Plan(ports, had)
		r.there = r.device.There()
	}
}

// lamePorts are the ports whose row was in force and is still in CONFIG_DB, but of which
// no version can be in force now: a port must not go because its row is refused.
func (r *resolver) lamePorts() map[string]bool {
	var lame map[string]bool
	for name := range r.competing.Ports {
		if r.rows.Ports[name] == nil && r.records[configdb.Key("PORT", name)] != nil {
			if lame == nil {
				lame = map[string]bool{}
			}
			lame[name] = true
		}
	}
	return lame
}
