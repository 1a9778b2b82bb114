package bufmgr

import (
	"cmp"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// ledger is what limits are made of, port by port, so that a change costs what it touches.
// It goes from one output of a manager to the next and is changed in place.
type ledger struct {
	byPort map[string]*portLedger // of ports that have a lossless group, or reserve anything
	queues map[string]int         // how many queues have a profile, by its name

	classes map[string]*portClasses // of ports that pause any
	kinds   map[classKind]int       // how many of classes are of a kind
}

// portLedger is the part of one port.
type portLedger struct {
	groups []group // in order of rows; those of any profile that is there and not of the dynamic kind
	losses []loss
}

// loss is a finding about the port's link: an effective row gives too little for it.
type loss struct {
	row   configdb.RowKey
	field string
	err   error
}

func newLedger() *ledger {
	return &ledger{byPort: map[string]*portLedger{}, queues: map[string]int{}, classes: map[string]*portClasses{}, kinds: map[classKind]int{}}
}

// clone is a ledger to change without l. What a port has is not changed in place.
func (l *ledger) clone() *ledger {
	return &ledger{byPort: maps.Clone(l.byPort), queues: maps.Clone(l.queues), classes: maps.Clone(l.classes), kinds: maps.Clone(l.kinds)}
}

// check finds what is certainly too little in rows that take effect, as warnings in
// order of rows, and what is shared.
func (m *Manager) check(out *Output) *limits {
	c := m.limits(out, newLedger())
	c.gather(nil)
	c.classify(nil)
	for _, row := range c.rows.BufferQueues {
		c.book.queues[row.Profile] += row.Len()
	}
	return c.conclude()
}

func (m *Manager) limits(out *Output, l *ledger) *limits {
	return &limits{Manager: m, book: l, rows: out.Rows, origins: out.Origins, reserved: map[string]uint64{}}
}

// recheck is check for the next output of the manager. before are the effective rows of the
// one before, touched the keys of all rows that may differ.
func (u *update) recheck(before *configdb.Config, out *Output, touched map[configdb.RowKey]bool) *limits {
	if u.ledger == nil {
		c := u.check(out)
		u.ledger = c.book
		return c
	}
	c := u.limits(out, u.ledger)
	for k := range touched {
		if k.Table() == queueTable {
			c.book.countQueues(before.BufferQueues[k.Key()], -1)
			c.book.countQueues(out.Rows.BufferQueues[k.Key()], 1)
		}
	}
	moved, sized := u.recount(before, out.Rows, touched)
	if len(sized) > 0 {
		c.gather(sized)
	}
	if len(moved) > 0 {
		c.classify(moved)
	}
	return c.conclude()
}

// of are the groups of a port.
func (l *ledger) of(port string) []group {
	if p := l.byPort[port]; p != nil {
		return p.groups
	}
	return nil
}

func (l *ledger) countQueues(row *configdb.BufferQueue, sign int) {
	if row == nil {
		return
	}
	l.queues[row.Profile] += sign * row.Len()
	if l.queues[row.Profile] == 0 {
		delete(l.queues, row.Profile)
	}
}

// recount returns the ports whose part of the ledger may change, moved: those that were looked
// at, those of rows that differ, and those of rows with a profile that does. sized are moved
// and the ports of rows with a pool that differs.
func (u *update) recount(before, after *configdb.Config, touched map[configdb.RowKey]bool) (moved, sized map[string]bool) {
	moved = map[string]bool{}
	for port := range u.dirty {
		moved[port] = true
	}
	var profiles, pools bool
	for k := range touched {
		switch table := k.Table(); {
		case table == pgTable:
			for _, row := range []*configdb.BufferPG{before.BufferPGs[k.Key()], after.BufferPGs[k.Key()]} {
				if row != nil {
					addPorts(moved, row.Ports)
				}
			}
		case table == profileTable:
			profiles = true
		case table == poolTable:
			pools = true
		case mapTables[table]:
			for port := range u.index.ports {
				moved[port] = true
			}
		}
	}
	if profiles {
		u.addUsers(moved, after, func(p string) bool { return touched[configdb.Key(profileTable, p)] })
	}
	if sized = moved; pools {
		sized = maps.Clone(moved)
		u.addUsers(sized, after, func(name string) bool {
			p := after.BufferProfiles[name]
			return p != nil && touched[configdb.Key(poolTable, p.Pool)]
		})
	}
	return moved, sized
}

// addUsers adds the ports whose groups have a profile of a kind.
func (u *update) addUsers(to map[string]bool, rows *configdb.Config, is func(profile string) bool) {
	known := map[string]bool{}
	for _, row := range rows.BufferPGs {
		if _, ok := known[row.Profile]; !ok {
			known[row.Profile] = is(row.Profile)
		}
		if known[row.Profile] {
			addPorts(to, row.Ports)
		}
	}
}

func addPorts(to map[string]bool, ports []string) {
	for _, port := range ports {
		to[port] = true
	}
}

// gather finds the lossless groups of ports, all of them if nil. Of rows that name the same
// group the one with the fewest ports counts, or the first.
func (c *limits) gather(only map[string]bool) {
	byPort := map[string][]*configdb.BufferPG{}
	for _, row := range c.rows.BufferPGs {
		for _, port := range row.Ports {
			if (only == nil || only[port]) && c.rows.Ports[port] != nil {
				byPort[port] = append(byPort[port], row)
			}
		}
	}
	for port := range only {
		delete(c.book.byPort, port)
	}
	for port, rows := range byPort {
		slices.SortFunc(rows, func(a, b *configdb.BufferPG) int {
			return configdb.ComparePlaced(a, b)
		})
		p, taken := &portLedger{}, uint64(0)
		for _, row := range rows {
			c.gatherRow(p, port, row, &taken)
		}
		c.checkLink(p, port)
		c.book.byPort[port] = p
	}
}

// gatherRow takes up the groups of a row that no other row has taken.
func (c *limits) gatherRow(to *portLedger, port string, row *configdb.BufferPG, taken *uint64) {
	p := c.rows.BufferProfiles[row.Profile]
	for lo := row.Lo; lo <= row.Hi; lo++ {
		hi := lo
		for ; hi <= row.Hi && *taken>>hi&1 == 0; hi++ {
			*taken |= 1 << hi
		}
		if hi == lo || p == nil || p.HeadroomType == configdb.Dynamic {
			continue
		}
		to.groups = append(to.groups, group{port: port, lo: lo, hi: hi - 1, row: row.ID, profile: p})
		lo = hi - 1
	}
}

// checkLink compares what the groups of a port have after a pause with what its link takes.
func (c *limits) checkLink(p *portLedger, port string) {
	n, known := c.leastOf(port)
	if !known {
		return
	}
	for i := range p.groups {
		g := &p.groups[i]
		pool := c.rows.BufferPools[g.profile.Pool]
		if !g.profile.HasXoff || pool == nil {
			continue
		}
		given, why := c.given(g.profile, pool)
		if err := n.tooLittle(g, given, why); err != nil {
			p.losses = append(p.losses, loss{row: g.row, err: err})
		}
	}
}

// conclude adds up what ports and queues reserve and looks at the pools and at the
// classes that are paused.
func (c *limits) conclude() *limits {
	for _, p := range c.book.byPort {
		for i := range p.groups {
			g := &p.groups[i]
			c.reserved[g.profile.Pool] = plus(c.reserved[g.profile.Pool], g.times(c.keeps(g.profile)))
		}
		for _, x := range p.losses {
			c.warn(x.row, "", x.err)
		}
	}
	for name, n := range c.book.queues {
		if p := c.rows.BufferProfiles[name]; p != nil {
			c.reserved[p.Pool] = plus(c.reserved[p.Pool], times(p.Size, n))
		}
	}
	for _, name := range sortedNames(c.rows.BufferPools) {
		c.checkPool(c.rows.BufferPools[name])
	}
	c.checkClasses()
	slices.SortFunc(c.problems, compareProblems)
	return c
}

// compareProblems puts problems in order of rows.
func compareProblems(a, b graph.Problem) int {
	return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.Err.Error(), b.Err.Error()))
}
