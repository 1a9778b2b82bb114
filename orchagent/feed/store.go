package feed

import (
	"context"
	"fmt"
	"maps"

	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// Store is what transactions are committed to: CONFIG_DB, by those who take rows of
// APPL_DB for its own as the feed has told them.
type Store struct{ Client *redisdb.Client }

// Commit is redisdb.ConfigStore's. A row that stands in APPL_DB alone is not in
// CONFIG_DB before, and may be there after. One that is to be removed is a fault: it is
// the other program's to remove.
func (s Store) Commit(ctx context.Context, before, after map[configdb.RowKey]configdb.Fields) error {
	before, err := s.without(ctx, before, after)
	if err != nil {
		return err
	}
	return redisdb.ConfigStore{DB: s.Client.DB(redisdb.ConfigDB)}.Commit(ctx, before, after)
}

// Row is redisdb.ConfigStore's: rows that stand in APPL_DB alone are not there.
func (s Store) Row(ctx context.Context, k configdb.RowKey) (configdb.Fields, error) {
	return redisdb.ConfigStore{DB: s.Client.DB(redisdb.ConfigDB)}.Row(ctx, k)
}

// without is before as it is in CONFIG_DB.
func (s Store) without(ctx context.Context, before, after map[configdb.RowKey]configdb.Fields) (map[configdb.RowKey]configdb.Fields, error) {
	foreign, err := s.foreign(ctx, before)
	if err != nil || len(foreign) == 0 {
		return before, err
	}
	stored, err := s.Client.DB(redisdb.ConfigDB).RowsAsFound(ctx, foreign...)
	if err != nil {
		return nil, err
	}
	before = maps.Clone(before)
	for i, name := range foreign {
		row := configdb.RowKey(name)
		if stored[i] != nil {
			continue
		}
		before[row] = nil
		if to, asked := after[row]; asked && to == nil {
			table, key, _ := appldb.InputOf(row)
			return nil, configdb.Faults{{Kind: configdb.Conflict, Row: row, Err: fmt.Errorf(
				"it is not in CONFIG_DB: another program has put it into APPL_DB as %s, and has to remove it there", redisdb.ApplDB.Key(table, key))}}
		}
	}
	return before, nil
}

// foreign are those of the rows that stand in APPL_DB.
func (s Store) foreign(ctx context.Context, rows map[configdb.RowKey]configdb.Fields) (names []string, err error) {
	var inputs []string
	for row, f := range rows {
		table, key, ok := appldb.InputOf(row)
		if !ok || f == nil {
			continue
		}
		at := redisdb.ApplDB.Key(table, key)
		if table != appldb.SwitchTable {
			at = redisdb.ApplDB.Key(appldb.StagedTable, at)
		}
		names, inputs = append(names, string(row)), append(inputs, at)
	}
	found, err := s.Client.DB(redisdb.ApplDB).Rows(ctx, inputs...)
	if err != nil {
		return nil, err
	}
	there := names[:0]
	for i, f := range found {
		if f != nil {
			there = append(there, names[i])
		}
	}
	return there, nil
}
