package translate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"xon/gnmi/path"
	"xon/schema/countersdb"
)

var errTooDeep = errors.New("deeper than a field of a row")

const (
	countersDB = "COUNTERS_DB"
	portMap    = "COUNTERS_PORT_NAME_MAP"
	poolMap    = "COUNTERS_BUFFER_POOL_NAME_MAP"
)

// parts are SONiC's words for what a port has counters of besides its own, and
// the hashes that name them "Ethernet0:3".
var parts = map[string]string{
	"Queues":         "COUNTERS_QUEUE_NAME_MAP",
	"PriorityGroups": "COUNTERS_PG_NAME_MAP",
}

// byObject are the tables whose keys are object numbers.
var byObject = map[string]bool{
	"COUNTERS": true, "RATES": true,
	"USER_WATERMARKS": true, "PERSISTENT_WATERMARKS": true, "PERIODIC_WATERMARKS": true,
}

// byName is the part of a Query that names objects instead of numbering them.
type byName struct {
	name string // pattern of ports, or of buffer pools
	part string // one of parts, or "" for the port itself
	item string // pattern of "Ethernet0:3"
}

// apart are rows of those tables that are about no object.
var apart = map[string]bool{countersdb.TimesKey: true, countersdb.RateSettings: true}

// isByName distinguishes COUNTERS/Ethernet0 from COUNTERS/oid:0x1 and COUNTERS/TIME_STAMP.
func isByName(table, key string) bool {
	return byObject[table] && key != path.Any && !strings.HasPrefix(key, "oid:") && !apart[table+":"+key]
}

// fillByName takes COUNTERS/<port>[/<field>] and
// COUNTERS/<port>/Queues[/<port>:<index>[/<field>]].
func (q *Query) fillByName(rest []string) error {
	q.table, q.names = rest[0], &byName{name: rest[1]}
	rest = rest[2:]
	if len(rest) > 0 && parts[rest[0]] != "" {
		q.names.part, rest = rest[0], rest[1:]
		if len(rest) > 0 {
			q.names.item, rest = rest[0], rest[1:]
		}
	}
	if len(rest) > 0 {
		q.field, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return errTooDeep
	}
	return nil
}

func (n *byName) isPattern() bool {
	return n != nil && (path.IsPattern(n.name) || path.IsPattern(n.item))
}

func (n *byName) patterns(q *Query) []string {
	all := []string{q.table, n.name}
	for _, e := range []string{n.part, n.item, q.field} {
		if e != "" {
			all = append(all, e)
		}
	}
	return all
}

// maps are the hashes to look names up in.
func (n *byName) maps() []string {
	if n.part == "" {
		return []string{portMap, poolMap}
	}
	return []string{parts[n.part]}
}

// elems returns where in the tree the object called name is, and whether it is
// one that was asked for.
func (n *byName) elems(table, name string) ([]string, bool) {
	if n.part == "" {
		return []string{table, name}, path.Match(n.name, name)
	}
	port, _, ok := strings.Cut(name, ":")
	if !ok || !path.Match(n.name, port) || n.item != "" && !path.Match(n.item, name) {
		return nil, false
	}
	return []string{table, port, n.part, name}, true
}

// resolve reads which hashes are asked for now, and their places in the tree.
func (n *byName) resolve(ctx context.Context, dbs Databases, table string) (map[string][]string, error) {
	hashes, err := dbs.Read(ctx, countersDB, n.maps())
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", strings.Join(n.maps(), ", "), countersDB, err)
	}
	found := map[string][]string{}
	for _, hash := range hashes {
		for name, oid := range hash {
			if elems, ok := n.elems(table, strings.ToValidUTF8(name, "\uFFFD")); ok {
				found[table+":"+oid] = elems
			}
		}
	}
	return found, nil
}
