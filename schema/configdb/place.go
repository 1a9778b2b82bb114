package configdb

import (
	"cmp"
	"slices"
	"strings"
)

// Target is what the rows of a table set up on each port that their keys name.
type Target uint8

// The targets. NoTarget is that of tables whose keys name no ports.
const (
	NoTarget        Target = iota
	OnPort                 // the port itself
	OnPriorityGroup        // its priority groups Lo to Hi of the row's Span
	OnQueue                // its queues Lo to Hi of the row's Span
)

// placement is how the rows of one table name what they set up.
type placement[R any] struct {
	target Target
	span   func(r *R) Span
	move   func(r *R, ports []string) // makes the row one for other ports
}

// placedSpan is the placement of rows whose key is a span.
func placedSpan[R any](target Target, at func(*R) *Span) *placement[R] {
	return &placement[R]{
		target: target,
		span:   func(r *R) Span { return *at(r) },
		move:   func(r *R, ports []string) { at(r).Ports = ports },
	}
}

// placedPorts is the placement of rows whose key lists ports.
func placedPorts[R any](at func(*R) *[]string) *placement[R] {
	return &placement[R]{
		target: OnPort,
		span:   func(r *R) Span { return Span{Ports: *at(r)} },
		move:   func(r *R, ports []string) { *at(r) = ports },
	}
}

// placedPort is the placement of rows whose key is one port.
func placedPort[R any](at func(*R) *string) *placement[R] {
	return &placement[R]{
		target: OnPort,
		span:   func(r *R) Span { return Span{Ports: []string{*at(r)}} },
		move:   func(r *R, ports []string) { *at(r) = ports[0] },
	}
}

// Target is what rows of the table set up on ports.
func (t *Table) Target() Target { return t.rows.target() }

// TargetOf is the Target of the table of a row; NoTarget if the table is none of Tables.
func TargetOf(key RowKey) Target {
	t, ok := Lookup(key.Table())
	if !ok {
		return NoTarget
	}
	return t.Target()
}

// Place returns the ports and indexes that a row names, and what it sets up there. A row
// of a table with a Target may name no ports: PORT_QOS_MAP|global does.
func Place(row Row) (Span, Target) {
	t := tableOf(row)
	return t.rows.span(row), t.Target()
}

// PortsOf returns the ports that a row names as its places, in the order given; nil for
// none.
func PortsOf(row Row) []string {
	s, _ := Place(row)
	return s.Ports
}

// Ports returns the ports that a row with this key names as its places, whether or not
// there is such a row.
func (k RowKey) Ports() []string {
	if TargetOf(k) == NoTarget {
		return nil
	}
	ports, _, _ := strings.Cut(k.Key(), "|")
	return strings.Split(ports, ",")
}

// WithPorts returns the row as it would be written for other ports, at least one, with
// the key that it has then. The table must have a Target.
func WithPorts(row Row, ports ...string) Row {
	return tableOf(row).rows.withPorts(row, KeyFor(row, ports...), ports)
}

// KeyFor is the key of the row that WithPorts returns.
func KeyFor(row Row, ports ...string) RowKey {
	s, target := Place(row)
	s.Ports = ports
	table := row.RowKey().Table()
	if target == OnPort {
		return Key(table, strings.Join(ports, ","))
	}
	return Key(table, s.Key())
}

// ComparePlaced puts the row first that holds where two rows of a table ask for the same object:
// the one whose key names fewer objects, or comes first in natural order.
func ComparePlaced(a, b Row) int {
	s, _ := Place(a)
	t, _ := Place(b)
	return cmp.Or(cmp.Compare(s.Len(), t.Len()), CompareNatural(string(a.RowKey()), string(b.RowKey())))
}

// Placed yields every row that names ports as its places, in no order within a table.
func (c *Config) Placed(yield func(Row) bool) {
	for _, t := range tables {
		if t.Target() == NoTarget {
			continue
		}
		for row := range t.rows.each(c) {
			if len(PortsOf(row)) > 0 && !yield(row) {
				return
			}
		}
	}
}

// BufferUser is a row that gives objects of ports buffer profiles.
type BufferUser interface {
	Row
	// BufferProfiles are the names of the profiles; DynamicHeadroom stands for one to be
	// computed.
	BufferProfiles() []string
	// BufferDirection is Ingress or Egress.
	BufferDirection() string
	// WithBufferProfiles is the row with other profiles, as many as it has: one, unless
	// it is a list.
	WithBufferProfiles(names []string) BufferUser
}

// BufferProfiles implements BufferUser.
func (r *BufferPG) BufferProfiles() []string { return []string{r.Profile} }

// BufferDirection implements BufferUser.
func (r *BufferPG) BufferDirection() string { return Ingress }

// WithBufferProfiles implements BufferUser.
func (r *BufferPG) WithBufferProfiles(names []string) BufferUser {
	c := *r
	c.Profile = names[0]
	return &c
}

// BufferProfiles implements BufferUser.
func (r *BufferQueue) BufferProfiles() []string { return []string{r.Profile} }

// BufferDirection implements BufferUser.
func (r *BufferQueue) BufferDirection() string { return Egress }

// WithBufferProfiles implements BufferUser.
func (r *BufferQueue) WithBufferProfiles(names []string) BufferUser {
	c := *r
	c.Profile = names[0]
	return &c
}

// BufferProfiles implements BufferUser.
func (r *BufferProfileList) BufferProfiles() []string { return r.Profiles }

// BufferDirection implements BufferUser.
func (r *BufferProfileList) BufferDirection() string { return r.Direction }

// WithBufferProfiles implements BufferUser.
func (r *BufferProfileList) WithBufferProfiles(names []string) BufferUser {
	c := *r
	c.Profiles = slices.Clone(names)
	return &c
}
