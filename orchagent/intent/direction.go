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
	switch r := row.(type) {
	case *configdb.BufferPG:
		return b.turnedAway(row, r.Profile, configdb.Ingress, "profile", "a priority group")
	case *configdb.BufferQueue:
		return b.turnedAway(row, r.Profile, configdb.Egress, "profile", aQueue)
	case *configdb.BufferProfileList:
		for _, name := range r.Profiles {
			if p := b.turnedAway(row, name, r.Direction, "profile_list", "an "+r.Direction+" list"); p != nil {
				return p
			}
		}
	}
	return nil
}

// aQueue is the one user of profiles that may have packets trimmed.
const aQueue = "a queue"

// turnedAway is the problem of a row of some direction that uses a profile of the
// other one, or nil; user takes the profile, in words.
func (b *binder) turnedAway(row configdb.Row, profile, direction, field, user string) *graph.Problem {
	if p := b.s.Rows.BufferProfiles[profile]; p != nil && p.Trim && user != aQueue {
		return &graph.Problem{
			Row: string(row.RowKey()), Severity: graph.Refused, On: "BUFFER_PROFILE|" + profile, Field: field,
			Err: fmt.Errorf("profile %s trims packets (packet_discard_action); %s can't, only a queue can", profile, user),
		}
	}
	pool := poolOf(b.s.Rows, profile)
	if pool == nil || pool.Type == configdb.Both || pool.Type == direction {
		return nil
	}
	return &graph.Problem{
		Row: string(row.RowKey()), Severity: graph.Refused, On: "BUFFER_PROFILE|" + profile, Field: field,
		Err: fmt.Errorf("profile %s has its memory in the %s pool %s; %s takes one of an %s pool", profile, pool.Type, pool.Name, user, direction),
	}
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
