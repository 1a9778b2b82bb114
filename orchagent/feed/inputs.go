package feed

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/sirupsen/logrus"

	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// inputs are rows that other programs put into APPL_DB, as swssconfig does at SONiC's
// start. They stand in the configuration where CONFIG_DB has no row by their key.
//
// Rows of SWITCH_TABLE may be staged or be written plainly: the table is theirs alone.
// In the other tables the agent publishes rows itself, so what was staged is kept apart
// (appldb.StagedTable) and counts alone.
type inputs struct {
	appl *redisdb.DB
	log  logrus.FieldLogger
	rows map[configdb.RowKey]configdb.Fields
	told map[string]bool // what the log has said, by what it is about
}

// mostTold bounds what is remembered of the log.
const mostTold = 4096

func newInputs(c *redisdb.Client, log logrus.FieldLogger) *inputs {
	return &inputs{appl: c.DB(redisdb.ApplDB), log: log, rows: map[configdb.RowKey]configdb.Fields{}, told: map[string]bool{}}
}

// watch tells of rows that are staged, and of those that are written plainly.
func (in *inputs) watch(ctx context.Context) *redisdb.Watch {
	return in.appl.Watch(ctx, redisdb.ApplDB.Pattern(appldb.SwitchTable), appldb.Inputs()...)
}

// load takes what is staged and reads everything. It returns the rows that there are
// or were.
func (in *inputs) load(ctx context.Context) ([]configdb.RowKey, error) {
	changed := slices.Collect(maps.Keys(in.rows))
	in.rows = map[configdb.RowKey]configdb.Fields{}
	for _, table := range appldb.Inputs() {
		if _, err := in.pop(ctx, table); err != nil {
			return nil, err
		}
	}
	for _, table := range []string{appldb.SwitchTable, appldb.StagedTable} {
		all, err := in.appl.All(ctx, redisdb.ApplDB.Pattern(table))
		if err != nil {
			return nil, err
		}
		for name, f := range all {
			if table == appldb.StagedTable {
				_, name = redisdb.ApplDB.Split(name)
			}
			if t, key := redisdb.ApplDB.Split(name); appldb.ConfigTable(t) != "" {
				in.put(appldb.ConfigKey(t, key), f)
			}
		}
	}
	return distinct(slices.AppendSeq(changed, maps.Keys(in.rows))), nil
}

// take brings in what a watch has told of, and returns the rows that it is about.
func (in *inputs) take(ctx context.Context, e redisdb.Events) ([]configdb.RowKey, error) {
	if e.Resync {
		return in.load(ctx)
	}
	var changed []configdb.RowKey
	sets := map[string]string{}
	for _, table := range appldb.Inputs() {
		sets[redisdb.KeySet(table)] = table
	}
	var plain []string
	for _, name := range e.Keys {
		table, staged := sets[name]
		if !staged {
			plain = append(plain, name)
			continue
		}
		rows, err := in.pop(ctx, table)
		if err != nil {
			return nil, err
		}
		changed = append(changed, rows...)
	}
	rows, err := in.appl.Rows(ctx, plain...)
	for i, f := range rows {
		table, key := redisdb.ApplDB.Split(plain[i])
		row := appldb.ConfigKey(table, key)
		in.put(row, f)
		changed = append(changed, row)
	}
	return changed, err
}

// pop takes what is staged for a table. What can't be taken, because somebody has put
// something else in its place, is left and told of.
func (in *inputs) pop(ctx context.Context, table string) (changed []configdb.RowKey, err error) {
	consumer := redisdb.Consumer{}
	if table != appldb.SwitchTable {
		consumer = redisdb.Consumer{Record: redisdb.ApplDB.Key(appldb.StagedTable, table), Owner: appldb.ConfigTable(table), OwnerDB: redisdb.ConfigDB}
	}
	for {
		popped, err := in.appl.Pop(ctx, table, consumer)
		if errors.Is(err, redisdb.ErrWrongType) {
			in.tell(table, err, "rows that are staged can't be taken")
			return changed, nil
		}
		if err != nil || len(popped) == 0 {
			return changed, err
		}
		for _, p := range popped {
			name := redisdb.ApplDB.Key(table, p.Key)
			if p.Junk {
				in.tell(name, nil, "what was staged is no row, and was dropped")
				continue
			}
			row := appldb.ConfigKey(table, p.Key)
			in.merge(row, p)
			changed = append(changed, row)
		}
	}
}

// merge does to the row here what Pop has done to what is kept of it.
func (in *inputs) merge(row configdb.RowKey, p redisdb.Popped) {
	f := p.Fields
	if f != nil && !p.Removed {
		f = maps.Clone(in.rows[row])
		if f == nil {
			f = configdb.Fields{}
		}
		maps.Copy(f, p.Fields)
	}
	in.put(row, f)
}

func (in *inputs) put(row configdb.RowKey, f redisdb.Fields) {
	if f == nil {
		delete(in.rows, row)
		delete(in.told, string(row))
		return
	}
	in.rows[row] = f
}

// under is the row that counts where CONFIG_DB has found, nil for none.
func (in *inputs) under(row configdb.RowKey, found redisdb.Fields) redisdb.Fields {
	mine := in.rows[row]
	switch {
	case mine == nil:
		return found
	case found == nil:
		return mine
	}
	in.tell(string(row), nil, "a row of APPL_DB has no effect: CONFIG_DB has one by its key")
	return found
}

// missing adds to the rows of CONFIG_DB those that it has none by the key of.
func (in *inputs) missing(all map[string]redisdb.Fields) {
	for row := range in.rows {
		all[string(row)] = in.under(row, all[string(row)])
	}
}

// tell logs something about a row or table once.
func (in *inputs) tell(about string, err error, message string) {
	if in.told[about] {
		return
	}
	if len(in.told) >= mostTold {
		clear(in.told)
	}
	in.told[about] = true
	log := in.log.WithField("row", about)
	if err != nil {
		log = log.WithError(err)
	}
	log.Warn(message)
}
