package publish

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/report"
	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// effects are the effective buffer rows as others see them: all of them in APPL_DB, in
// APPL_STATE_DB what the chip has of pools with shared headroom and of lossless
// profiles, and in STATE_DB, with the dynamic model alone, pools and profiles.
type effects struct {
	client *redisdb.Client
	model  string
	claims map[string][]claim        // by key in APPL_DB, the one that holds first
	shown  map[string]redisdb.Fields // what was written, by key in APPL_DB
}

// claim is one row's say about a row of APPL_DB. There may be several, as a row may name
// several ports.
type claim struct {
	row    configdb.RowKey
	fields redisdb.Fields
}

// compare puts the row first that names fewer ports.
func (c claim) compare(o claim) int {
	return cmp.Or(cmp.Compare(strings.Count(string(c.row), ","), strings.Count(string(o.row), ",")), configdb.CompareNatural(string(c.row), string(o.row)))
}

// place is where a row is.
type place struct {
	db  redisdb.ID
	key string
}

// databases are those that effective rows are written to, in this order: who sees that
// the chip has something finds it in APPL_DB.
var databases = []redisdb.ID{redisdb.ApplDB, redisdb.ApplStateDB, redisdb.StateDB}

// change writes what a report adds to those before.
func (e *effects) change(ctx context.Context, r report.Report) error {
	touched := e.take(r.Effects)
	if r.Model != e.model {
		for key := range e.shown {
			touched[key] = true
		}
	}
	before, after, next := map[place]redisdb.Fields{}, map[place]redisdb.Fields{}, map[string]redisdb.Fields{}
	for key := range touched {
		next[key] = e.wanted(key, e.shown[key])
		mirror(before, key, e.shown[key], e.model)
		mirror(after, key, next[key], r.Model)
	}
	if err := e.write(ctx, before, after); err != nil {
		return err
	}
	e.model = r.Model
	for key, f := range next {
		if e.shown[key] = f; f == nil {
			delete(e.shown, key)
		}
	}
	return nil
}

// everything makes the databases hold what a full report says. Rows that others have
// staged are theirs to take away.
func (e *effects) everything(ctx context.Context, r report.Report) error {
	e.claims, e.shown, e.model = map[string][]claim{}, map[string]redisdb.Fields{}, r.Model
	e.take(r.Effects)
	before, err := e.read(ctx)
	if err != nil {
		return err
	}
	after := map[place]redisdb.Fields{}
	for key := range e.claims {
		e.shown[key] = e.wanted(key, before[place{redisdb.ApplDB, key}])
		mirror(after, key, e.shown[key], r.Model)
	}
	return e.write(ctx, before, after)
}

// read returns the rows that there are.
func (e *effects) read(ctx context.Context) (map[place]redisdb.Fields, error) {
	all := map[place]redisdb.Fields{}
	for _, id := range databases {
		tables := applTables
		if id != redisdb.ApplDB {
			tables = []string{appldb.BufferPoolTable, appldb.BufferProfileTable}
		}
		for _, table := range tables {
			rows, err := e.client.DB(id).AllAsFound(ctx, id.Pattern(table))
			if err != nil {
				return nil, err
			}
			for key, f := range rows {
				all[place{id, key}] = f
			}
		}
	}
	staged, err := e.client.DB(redisdb.ApplDB).Keys(ctx, redisdb.ApplDB.Pattern(appldb.StagedTable))
	if err != nil {
		return nil, err
	}
	for _, name := range staged {
		if _, key := redisdb.ApplDB.Split(name); e.claims[key] == nil {
			delete(all, place{redisdb.ApplDB, key})
		}
	}
	return all, nil
}

// write turns rows into others.
func (e *effects) write(ctx context.Context, before, after map[place]redisdb.Fields) error {
	batches := map[redisdb.ID]*redisdb.Batch{}
	for _, id := range databases {
		batches[id] = &redisdb.Batch{}
	}
	places := map[place]bool{}
	for _, m := range []map[place]redisdb.Fields{before, after} {
		for p := range m {
			places[p] = true
		}
	}
	byKey := func(a, b place) int { return cmp.Compare(a.key, b.key) }
	for _, p := range slices.SortedFunc(maps.Keys(places), byKey) {
		batches[p.db].Rewrite(p.key, before[p], after[p])
	}
	for _, id := range databases {
		if err := e.client.DB(id).Write(ctx, batches[id]); err != nil {
			return err
		}
	}
	return nil
}

// take takes up effective rows, and returns the keys in APPL_DB that they concern.
func (e *effects) take(rows map[configdb.RowKey]configdb.Fields) map[string]bool {
	touched := map[string]bool{}
	for k, f := range rows {
		for _, key := range applKeys(k) {
			touched[key] = true
			list := slices.DeleteFunc(e.claims[key], func(c claim) bool { return c.row == k })
			if f != nil {
				list = append(list, claim{k, applFields(f)})
				slices.SortFunc(list, claim.compare)
			}
			if e.claims[key] = list; len(list) == 0 {
				delete(e.claims, key)
			}
		}
	}
	return touched
}

// wanted is what a row of APPL_DB is to be, nil if it is to go. A pool's shared headroom
// becomes 0 and never goes, as long as the pool is there.
func (e *effects) wanted(key string, have redisdb.Fields) redisdb.Fields {
	list := e.claims[key]
	if len(list) == 0 {
		return nil
	}
	f := list[0].fields
	if table, _ := redisdb.ApplDB.Split(key); table != appldb.BufferPoolTable || have["xoff"] == "" || f["xoff"] != "" {
		return f
	}
	f = maps.Clone(f)
	f["xoff"] = "0"
	return f
}

// applTables are the tables of effective rows.
var applTables = []string{
	appldb.BufferPoolTable, appldb.BufferProfileTable, appldb.BufferPGTable, appldb.BufferQueueTable,
	appldb.BufferIngressListTable, appldb.BufferEgressListTable,
}

// applKeys are the rows of APPL_DB that an effective row stands for: one for each port
// that it names, if it names ports.
func applKeys(k configdb.RowKey) []string {
	table, rest, ok := appldb.InputOf(k)
	if !ok {
		return nil
	}
	if table == appldb.BufferPoolTable || table == appldb.BufferProfileTable {
		return []string{redisdb.ApplDB.Key(table, rest)}
	}
	ports, span, _ := strings.Cut(rest, ":")
	var keys []string
	for port := range strings.SplitSeq(ports, ",") {
		if span != "" {
			port += ":" + span
		}
		keys = append(keys, redisdb.ApplDB.Key(table, port))
	}
	return keys
}

// applFields are the fields that a row has in APPL_DB: those of CONFIG_DB, but for what
// only the buffer manager reads, and lists under their plain names.
func applFields(f configdb.Fields) redisdb.Fields {
	out := make(redisdb.Fields, len(f))
	for name, text := range f {
		if name = strings.TrimSuffix(name, "@"); name != "headroom_type" && name != "percentage" {
			out[name] = text
		}
	}
	return out
}

// mirror adds all that a row of APPL_DB comes to.
func mirror(to map[place]redisdb.Fields, key string, f redisdb.Fields, model string) {
	if f == nil {
		return
	}
	to[place{redisdb.ApplDB, key}] = f
	table, name := redisdb.ApplDB.Split(key)
	pool := table == appldb.BufferPoolTable
	if !pool && table != appldb.BufferProfileTable {
		return
	}
	switch xoff, has := f["xoff"]; {
	case has && pool:
		to[place{redisdb.ApplStateDB, key}] = redisdb.Fields{"xoff": xoff}
	case has:
		to[place{redisdb.ApplStateDB, key}] = f
	}
	if model == configdb.Dynamic {
		to[place{redisdb.StateDB, redisdb.StateDB.Key(table, name)}] = f
	}
}
