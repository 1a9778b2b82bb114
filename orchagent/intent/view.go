package intent

import (
	"cmp"
	"slices"
	"strconv"

	"xon/schema/configdb"
)

// PortView is one port of the chip with every row that concerns it. Where rows
// overlap, only the one that holds is here: the row whose key names fewer objects,
// or comes first in order of keys.
//
// It is the whole input of an orchestrator's Port function. Views don't change
// once made, and Index keeps a view as long as nothing in it changed: two equal
// pointers mean that there is nothing new to derive.
type PortView struct {
	*Port
	Row     *configdb.Port
	QoS     *configdb.PortQoSMap        // nil: no row
	Ingress *configdb.BufferProfileList // nil: no row
	Egress  *configdb.BufferProfileList // nil: no row
	Xon     *configdb.XonPort           // nil: no row

	// By index of the priority group or queue; nil entries have no row, and a nil
	// slice has no rows at all.
	PGs          []*configdb.BufferPG
	BufferQueues []*configdb.BufferQueue
	Schedulers   []*configdb.Queue // the row that gives the queue a scheduler
	WRED         []*configdb.Queue // the row that gives the queue a WRED profile

	// Headroom has bit n set when priority group n has a lossless profile.
	Headroom uint8
	// Stormed has bit n set while a PFC storm lasts on queue n.
	Stormed uint8
	// LinkUp says that the port's link is up.
	LinkUp bool
	// PFCOff says that PFC is off on all ports, whatever their rows are.
	PFCOff bool
	// Losses are the rows that another one overrides on this port.
	Losses []Loss

	short  []*Shortage // of the priority groups, by index; nil: of none
	claims []claim     // of all rows, those that hold first
}

// Loss is a row that has no effect on some object, because another has.
type Loss struct {
	Row, Winner configdb.RowKey
	What        string // "priority group 3 of Ethernet0"
}

// claim is one row's claim on a port.
type claim struct {
	key  configdb.RowKey
	size int // how many objects the key names
	row  configdb.Row
}

// compare is configdb.ComparePlaced, with the sizes known.
func (c claim) compare(o claim) int {
	return cmp.Or(cmp.Compare(c.size, o.size), configdb.CompareNatural(string(c.key), string(o.key)))
}

// newView settles the claims on a port. claims are kept.
func newView(p *Port, claims []claim, s *Snapshot) *PortView {
	slices.SortFunc(claims, claim.compare)
	v := &PortView{
		Port: p, Row: s.Rows.Ports[p.Name], Stormed: s.Facts.Stormed(p.Name), LinkUp: s.Facts.LinkUp(p), PFCOff: s.Rows.PFCOff(), claims: claims,
	}
	for _, c := range claims {
		v.settle(c)
	}
	v.Headroom = v.headroom(s.Rows.BufferProfiles)
	v.short = v.shortages(s.Short)
	return v
}

// headroom is what Headroom has to be with the given profiles.
func (v *PortView) headroom(profiles map[string]*configdb.BufferProfile) uint8 {
	var mask uint8
	for i, row := range v.PGs {
		if row == nil {
			continue
		}
		if p := profiles[row.Profile]; p != nil && p.Lossless() {
			mask |= 1 << i
		}
	}
	return mask
}

// settle takes up a claim as far as no earlier one is in its way.
func (v *PortView) settle(c claim) {
	switch r := c.row.(type) {
	case *configdb.PortQoSMap:
		take(v, &v.QoS, r, -1, "the QoS maps")
	case *configdb.BufferProfileList:
		if r.Direction == configdb.Ingress {
			take(v, &v.Ingress, r, -1, "the ingress profiles")
		} else {
			take(v, &v.Egress, r, -1, "the egress profiles")
		}
	case *configdb.XonPort:
		v.Xon = r // its key names one port
	case *configdb.BufferPG:
		takeSpan(v, &v.PGs, len(v.Port.PGs), r.Span, r, "priority group")
	case *configdb.BufferQueue:
		takeSpan(v, &v.BufferQueues, len(v.Queues), r.Span, r, "the buffer of queue")
	case *configdb.Queue:
		if r.Scheduler != "" {
			takeSpan(v, &v.Schedulers, len(v.Queues), r.Span, r, "the scheduler of queue")
		}
		if r.WRED != "" {
			takeSpan(v, &v.WRED, len(v.Queues), r.Span, r, "the WRED profile of queue")
		}
	}
}

// row is a row by pointer.
type row interface {
	comparable
	configdb.Row
}

func takeSpan[R row](v *PortView, slots *[]R, n int, s configdb.Span, r R, what string) {
	if *slots == nil {
		*slots = make([]R, n)
	}
	for i := s.Lo; i <= s.Hi; i++ {
		take(v, &(*slots)[i], r, i, what)
	}
}

// take fills a slot, or notes who has it. index is -1 where there is none.
func take[R row](v *PortView, slot *R, r R, index int, what string) {
	var none R
	if *slot == none {
		*slot = r
		return
	}
	if index >= 0 {
		what += " " + strconv.Itoa(index)
	}
	v.Losses = append(v.Losses, Loss{Row: r.RowKey(), Winner: (*slot).RowKey(), What: what + " of " + v.Name})
}
