package intent

import (
	"fmt"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// misdirected is the problem of a row whose profile belongs to a pool of the other
// direction, or trims packets where only a queue can, or nil.
//
// Source: saibuffer.h: a profile serves what its pool's type says. SONiC's bufferorch
// lets no priority group and no port's list have a profile that trims.
func (b *binder) misdirected(row configdb.Row) *graph.Problem {
	user, ok := row.(configdb.BufferUser)
	if !ok {
		return nil
	}
	for r := range configdb.Refs(row) {
		if err := b.turnedAway(user, r.Name); err != nil {
			return &graph.Problem{Row: row.RowKey(), Severity: graph.Refused, On: r.Key(), Field: r.Field, Err: err}
		}
	}
	return nil
}

// turnedAway is why a user of buffer profiles can't use one, or nil.
func (b *binder) turnedAway(user configdb.BufferUser, profile string) error {
	target, direction := configdb.TargetOf(user.RowKey()), user.BufferDirection()
	if p := b.s.Rows.BufferProfiles[profile]; p != nil && p.Trim && target != configdb.OnQueue {
		return fmt.Errorf("profile %s trims packets (packet_discard_action); %s can't, only a queue can", profile, inWords(user))
	}
	pool := poolOf(b.s.Rows, profile)
	if pool == nil || pool.Type == configdb.Both || pool.Type == direction {
		return nil
	}
	return fmt.Errorf("profile %s has its memory in the %s pool %s; %s takes one of an %s pool", profile, pool.Type, pool.Name, inWords(user), direction)
}

// inWords is what a row gives buffer profiles to.
func inWords(user configdb.BufferUser) string {
	switch configdb.TargetOf(user.RowKey()) {
	case configdb.OnPriorityGroup:
		return "a priority group"
	case configdb.OnQueue:
		return "a queue"
	case configdb.OnPort, configdb.NoTarget:
	}
	return "an " + user.BufferDirection() + " list"
}

// poolOf returns the pool of a profile, or nil.
func poolOf(c *configdb.Config, profile string) *configdb.BufferPool {
	p := c.BufferProfiles[profile]
	if p == nil {
		return nil
	}
	return c.BufferPools[p.Pool]
}

// turned adds to flipped the profiles that got another pool, or whose pool got
// another direction, or that begin or cease to trim.
func (x *Index) turned(s *Snapshot, changed []configdb.RowKey, flipped map[string]map[string]bool) {
	if !anyOf(changed, "BUFFER_POOL", "BUFFER_PROFILE") {
		return
	}
	for name := range s.Rows.BufferProfiles {
		was, now := poolOf(x.s.Rows, name), poolOf(s.Rows, name)
		before := x.s.Rows.BufferProfiles[name]
		if before != nil && before.Trim != s.Rows.BufferProfiles[name].Trim {
			flip(flipped, "BUFFER_PROFILE", name)
		}
		if was != nil && now != nil && (was.Type != now.Type || was.Name != now.Name) {
			flip(flipped, "BUFFER_PROFILE", name)
		}
	}
}

func anyOf(rows []configdb.RowKey, tables ...string) bool {
	for _, k := range rows {
		for _, t := range tables {
			if k.Table() == t {
				return true
			}
		}
	}
	return false
}

func flip(flipped map[string]map[string]bool, table, name string) {
	if flipped[table] == nil {
		flipped[table] = map[string]bool{}
	}
	flipped[table][name] = true
}
