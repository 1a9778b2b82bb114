package intent

import (
	"fmt"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// side is what a row buffers: where packets come in, or where they go out.
type side struct {
	field     string // that names the profiles
	profiles  []string
	direction string // configdb.Ingress or configdb.Egress
	what      string
}

// sideOf returns what a row that uses profiles buffers; ok is false for rows that
// use none.
func sideOf(row configdb.Row) (s side, ok bool) {
	switch r := row.(type) {
	case *configdb.BufferPG:
		return side{"profile", []string{r.Profile}, configdb.Ingress, "a priority group"}, true
	case *configdb.BufferQueue:
		return side{"profile", []string{r.Profile}, configdb.Egress, "a queue"}, true
	case *configdb.BufferProfileList:
		return side{"profile_list", r.Profiles, r.Direction, "an " + r.Direction + " list"}, true
	}
	return side{}, false
}

// misdirected is the problem of a row whose profile belongs to a pool of the other
// direction, or nil.
//
// Source: saibuffer.h: a profile serves what its pool's type says.
func (b *binder) misdirected(row configdb.Row) *graph.Problem {
	s, ok := sideOf(row)
	if !ok {
		return nil
	}
	for _, name := range s.profiles {
		pool := poolOf(b.s.Rows, name)
		if pool == nil || pool.Type == configdb.Both || pool.Type == s.direction {
			continue
		}
		return &graph.Problem{
			Row: string(row.RowKey()), Severity: graph.Refused, On: "BUFFER_PROFILE|" + name, Field: s.field,
			Err: fmt.Errorf("profile %s has its memory in the %s pool %s; %s takes one of an %s pool", name, pool.Type, pool.Name, s.what, s.direction),
		}
	}
	return nil
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
// another direction.
func (x *Index) turned(s *Snapshot, changed []configdb.RowKey, flipped map[string]map[string]bool) {
	if !anyOf(changed, "BUFFER_POOL", "BUFFER_PROFILE") {
		return
	}
	for name := range s.Rows.BufferProfiles {
		was, now := poolOf(x.s.Rows, name), poolOf(s.Rows, name)
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
