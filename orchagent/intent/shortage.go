package intent

import (
	"slices"

	"xon/orchagent/graph"
	"xon/sai"
	"xon/schema/configdb"
)

// Shortage is a priority group, or a buffer profile, for which the chip found no room. It
// stays as the chip has it, so that nobody loses what he has for what he can't get.
type Shortage struct {
	Row     configdb.RowKey // the effective row that asks for it
	Profile string          // that the group is to have, or that can't be made
	Port    sai.OID         // of the group
	// Wanted is the version of the profile that was refused, and Pool that of its pool. With
	// other ones the chip may find room.
	Wanted *configdb.BufferProfile
	Pool   *configdb.BufferPool
	// Has is what the chip has of it, nil for nothing, and Rests is what that rests on.
	Has   *graph.Node
	Rests []*graph.Node
	// Lossless says that what the chip has is headroom.
	Lossless bool
	Status   sai.Status // what the chip said
	Said     string     // and of what
}

// Why says in few words why the chip does not take it.
func (x *Shortage) Why() string {
	switch x.Status {
	case sai.StatusInsufficientResources, sai.StatusNoMemory, sai.StatusTableFull:
		return "the chip has no room for"
	default:
		return "the chip does not take"
	}
}

// Shortages are the nodes for which there is no room. They don't change once they are a
// part of a snapshot.
type Shortages map[graph.Key]*Shortage

// shortages returns those of a port's priority groups, by index; nil if it has none. A
// group that wants another profile now may find room for that.
func (v *PortView) shortages(all Shortages) []*Shortage {
	if len(all) == 0 {
		return nil
	}
	var short []*Shortage
	for i, row := range v.PGs {
		if row == nil {
			continue
		}
		x := all[v.Port.PGs[i]]
		if x == nil || x.Profile != row.Profile || x.Port != v.ID {
			continue
		}
		if short == nil {
			short = make([]*Shortage, len(v.PGs))
		}
		short[i] = x
	}
	return short
}

// Shortage is that of a priority group; nil if it has none.
func (v *PortView) Shortage(group int) *Shortage {
	if group >= len(v.short) {
		return nil
	}
	return v.short[group]
}

// NoRoom has bit n set when priority group n is to have headroom and has none, for want
// of room.
func (v *PortView) NoRoom() (mask uint8) {
	for i, x := range v.short {
		if x != nil && !x.Lossless {
			mask |= 1 << i
		}
	}
	return mask & v.Headroom
}

// sameShortages reports whether a port's shortages are still those that its view has.
func (v *PortView) sameShortages(all Shortages) bool {
	return len(all) == 0 && v.short == nil || slices.Equal(v.short, v.shortages(all))
}
