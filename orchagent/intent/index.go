package intent

import (
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// Index brings the rows that name ports together with the ports of the chip: a
// PortView for every port in use, and a problem for every row that can't be
// bound. A row is bound to all the ports it names or to none.
//
// An Index does not change once made; Rebind makes the next one.
type Index struct {
	Views    []*PortView // ports with a PORT row in force, in the chip's order
	Problems map[configdb.RowKey]graph.Problem

	// Rebound are the rows that Rebind looked at; nil after Bind, which looks at all.
	Rebound map[configdb.RowKey]bool

	at  map[string]int // a port's place in Views
	s   *Snapshot
	out Out
}

// Out are rows that exist and are not in force, because they wait or are refused.
type Out map[configdb.RowKey]bool

// claimsPerPort is how many rows name a port of which each queue and priority group has
// its own: room for them is made at once.
const claimsPerPort = 32

// Bind builds the index of a snapshot. out are rows of the tables that others
// refer to, PORT among them.
func Bind(s *Snapshot, out Out) *Index {
	n := len(s.Device.Ports)
	x := &Index{Problems: map[configdb.RowKey]graph.Problem{}, at: make(map[string]int, n), s: s, out: out}
	b := binder{Index: x, claims: make([][]claim, n)}
	for _, p := range s.Device.Ports {
		row := s.Rows.Ports[p.Name]
		if row == nil || out[row.ID] {
			continue
		}
		b.claims[len(x.Views)] = make([]claim, 0, claimsPerPort)
		x.at[p.Name] = len(x.Views)
		x.Views = append(x.Views, &PortView{Port: p, Row: row})
	}
	for row := range s.Rows.Placed {
		b.bind(row)
	}
	for i, v := range x.Views {
		x.Views[i] = newView(v.Port, b.claims[i], s)
	}
	return x
}

// binder binds rows while an index is being made.
type binder struct {
	*Index
	claims [][]claim // by place in Views
	places []int     // of the ports of the row at hand
}

// bind puts a row among the claims of its ports, or among the problems.
func (b *binder) bind(row configdb.Row) {
	span, _ := configdb.Place(row)
	if len(span.Ports) == 0 || len(b.out) > 0 && b.out[row.RowKey()] {
		return
	}
	p := b.place(row, span)
	if p == nil {
		p = b.unmet(row)
	}
	if p == nil {
		p = b.misdirected(row)
	}
	if p != nil {
		b.Problems[p.Row] = *p
		return
	}
	c := claim{key: row.RowKey(), size: span.Len(), row: row}
	for _, i := range b.places {
		if n := len(b.claims[i]); n == 0 || b.claims[i][n-1].key != c.key { // a port may be named twice
			b.claims[i] = append(b.claims[i], c)
		}
	}
}

// place finds the ports of a row. It returns why they are not what the row needs,
// or nil.
func (b *binder) place(row configdb.Row, s configdb.Span) *graph.Problem {
	b.places = b.places[:0]
	for _, name := range s.Ports {
		i, ok := b.at[name]
		if !ok {
			return b.missing(row, configdb.Ref{Table: "PORT", Name: name})
		}
		if p := misfit(row, s, b.Views[i].Port); p != nil {
			return p
		}
		b.places = append(b.places, i)
	}
	return nil
}

// unmet returns why a row can't refer to what it does, or nil.
func (b *binder) unmet(row configdb.Row) *graph.Problem {
	if pg, ok := row.(*configdb.BufferPG); ok && pg.Profile == configdb.DynamicHeadroom {
		return &graph.Problem{Row: pg.ID, Severity: graph.Waiting, Lacks: DynamicModel, Field: "profile", Err: ErrTraditional}
	}
	for r := range configdb.Refs(row) {
		if !b.s.Rows.Has(r.Table, r.Name) || len(b.out) > 0 && b.out[r.Key()] {
			return b.missing(row, r)
		}
	}
	return nil
}

// missing is the problem of a row that refers to what is not in force.
func (b *binder) missing(row configdb.Row, r configdb.Ref) *graph.Problem {
	why := "does not exist"
	if b.s.Rows.Has(r.Table, r.Name) {
		why = "is not in force"
	}
	return &graph.Problem{
		Row: row.RowKey(), Severity: graph.Waiting, On: r.Key(), Field: r.Field,
		Err: fmt.Errorf("%s %s", r.Key(), why),
	}
}

// misfit is the problem of a row that names more than a port has, or nil.
func misfit(row configdb.Row, s configdb.Span, p *Port) *graph.Problem {
	switch configdb.TargetOf(row.RowKey()) {
	case configdb.OnPriorityGroup:
		for i := s.Lo; i <= s.Hi; i++ {
			if i >= len(p.PGs) || p.PGs[i].Name == "" {
				return p.lacks(row, "priority group", i, s.Hi, len(p.PGs))
			}
		}
	case configdb.OnQueue:
		for i := s.Lo; i <= s.Hi; i++ {
			if i >= len(p.Queues) || p.Queues[i].Buffer.Name == "" {
				return p.lacks(row, "queue", i, s.Hi, len(p.Queues))
			}
		}
	case configdb.OnPort, configdb.NoTarget:
	}
	return nil
}

// lacks is the problem of a row that names index i of something, and more up to hi,
// of which a port has n at most.
func (p *Port) lacks(row configdb.Row, what string, i, hi, n int) *graph.Problem {
	err := fmt.Errorf("%s %d: port %s has %ss 0 to %d", what, hi, p.Name, what, n-1)
	if i < n || n == 0 {
		err = fmt.Errorf("port %s has no %s %d", p.Name, what, i)
	}
	return &graph.Problem{Row: row.RowKey(), Severity: graph.Refused, Err: err}
}

// Rebind returns the index of a snapshot that differs from x's in facts, shortages and the
// given rows at most, which appeared, changed or went. Views in which nothing changed are
// kept. The result equals that of Bind.
func (x *Index) Rebind(s *Snapshot, out Out, changed []configdb.RowKey) *Index {
	flipped := x.flips(s, out, changed)
	if s.Device != x.s.Device || len(flipped["PORT"]) > 0 {
		return Bind(s, out)
	}
	rows := map[configdb.RowKey]bool{}
	for _, k := range changed {
		if placed(k) {
			rows[k] = true
		}
	}
	for k := range x.out {
		if !out[k] && placed(k) {
			rows[k] = true
		}
	}
	for k := range out {
		if !x.out[k] && placed(k) {
			rows[k] = true
		}
	}
	if len(flipped) > 0 {
		x.addReferrers(flipped, rows)
	}
	next := &Index{Views: slices.Clone(x.Views), Problems: x.Problems, Rebound: rows, at: x.at, s: s, out: out}
	b := binder{Index: next, claims: make([][]claim, len(x.Views))}
	touched := b.release(rows)
	for k := range rows {
		if row := s.Rows.Get(k); row != nil {
			b.bind(row)
		}
	}
	b.refresh(touched, anyOf(changed, "BUFFER_PROFILE"))
	return next
}

// placed reports whether a row is one that Bind gives its place.
func placed(k configdb.RowKey) bool { return configdb.TargetOf(k) != configdb.NoTarget }

// flips returns the rows that others refer to and that came, went, came into force
// or out of it, or changed their direction since x was made, by table and key.
func (x *Index) flips(s *Snapshot, out Out, changed []configdb.RowKey) map[string]map[string]bool {
	flipped := map[string]map[string]bool{}
	check := func(k configdb.RowKey) {
		table, key := k.Table(), k.Key()
		if placed(k) || x.s.Rows.Has(table, key) == s.Rows.Has(table, key) && x.out[k] == out[k] {
			return
		}
		flip(flipped, table, key)
	}
	for _, k := range changed {
		check(k)
	}
	for k := range x.out {
		check(k)
	}
	for k := range out {
		check(k)
	}
	x.turned(s, changed, flipped)
	return flipped
}

// addReferrers adds the rows that refer to one of the targets.
func (x *Index) addReferrers(targets map[string]map[string]bool, rows map[configdb.RowKey]bool) {
	look := func(row configdb.Row) {
		for r := range configdb.Refs(row) {
			if targets[r.Table][r.Name] {
				rows[row.RowKey()] = true
				return
			}
		}
	}
	for _, v := range x.Views {
		for _, c := range v.claims {
			look(c.row)
		}
	}
	for k := range x.Problems {
		look(x.s.Rows.Get(k))
	}
}

// release takes rows out of the problems and out of the claims on their ports. It
// returns those ports, by place in Views.
func (b *binder) release(rows map[configdb.RowKey]bool) map[int]bool {
	touched := map[int]bool{}
	if len(rows) > 0 {
		b.Problems = maps.Clone(b.Problems)
	}
	for k := range rows {
		delete(b.Problems, k)
		for _, port := range k.Ports() {
			if i, ok := b.at[port]; ok {
				touched[i] = true
			}
		}
	}
	for i := range touched {
		b.claims[i] = slices.DeleteFunc(slices.Clone(b.Views[i].claims), func(c claim) bool { return rows[c.key] })
	}
	return touched
}

// refresh makes new views where claims, the PORT row, the headroom, the facts, the
// shortages or XON_PFC changed.
func (b *binder) refresh(touched map[int]bool, profiles bool) {
	rows := b.s.Rows
	for i, v := range b.Views {
		switch {
		case touched[i]:
			b.Views[i] = newView(v.Port, b.claims[i], b.s)
		case rows.Ports[v.Name] != v.Row || b.s.Facts.Stormed(v.Name) != v.Stormed || b.s.Facts.LinkUp(v.Port) != v.LinkUp ||
			rows.PFCOff() != v.PFCOff || profiles && v.headroom(rows.BufferProfiles) != v.Headroom || !v.sameShortages(b.s.Short):
			b.Views[i] = newView(v.Port, slices.Clone(v.claims), b.s)
		}
	}
}
