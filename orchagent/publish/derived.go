package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// derive writes derived rows to CONFIG_DB, and to STATE_DB that they are. A row that
// somebody else changed meanwhile is theirs. It is said of a row that it is derived
// before it is written and until it is gone: one that was written and not said so would
// be taken for somebody's for ever. full says that rows are all there are.
func (p *Publisher) derive(ctx context.Context, rows map[configdb.RowKey]*orchagent.Derived, full bool) error {
	var have map[string]redisdb.Fields
	if full {
		var err error
		if have, err = stored(ctx, p.state, statedb.DerivedTable); err != nil {
			return err
		}
	} else if len(rows) == 0 {
		return nil
	}
	var begin, end redisdb.Batch
	for key := range have {
		if k, ok := statedb.ParseDerivedKey(key); !ok || rows[k] == nil {
			end.Delete(key)
		}
	}
	before, after := map[string]redisdb.Fields{}, map[string]redisdb.Fields{}
	for k, d := range rows {
		key := statedb.DerivedKey(k)
		if d == nil || d.After == nil {
			end.Delete(key)
		} else {
			begin.Change(key, have[key], redisdb.Fields{statedb.DerivedHash: d.After.Digest()})
		}
		if d != nil && !maps.Equal(d.Before, d.After) {
			before[string(k)], after[string(k)] = redisdb.Fields(d.Before), redisdb.Fields(d.After)
		}
	}
	if err := p.state.Write(ctx, &begin); err != nil {
		return err
	}
	theirs, err := p.commitDerived(ctx, before, after)
	if err != nil {
		return fmt.Errorf("write derived rows: %w", err)
	}
	for _, k := range theirs {
		end.Delete(statedb.DerivedKey(configdb.RowKey(k)))
	}
	return p.state.Write(ctx, &end)
}

// commitDerived turns rows of CONFIG_DB from before into after, but for those that are
// neither by now, which it returns.
func (p *Publisher) commitDerived(ctx context.Context, before, after map[string]redisdb.Fields) (theirs []string, err error) {
	keys := slices.Sorted(maps.Keys(after))
	have, err := p.config.RowsAsFound(ctx, keys...)
	if err != nil {
		return nil, err
	}
	drop := func(key string) {
		delete(before, key)
		delete(after, key)
	}
	for i, key := range keys { // the report may have been published before
		if (have[i] == nil) == (after[key] == nil) && maps.Equal(have[i], after[key]) {
			drop(key)
		}
	}
	for len(after) > 0 {
		err := p.config.Commit(ctx, before, after)
		var conflict *redisdb.ConflictError
		if !errors.As(err, &conflict) {
			return theirs, err
		}
		p.log.WithField("row", conflict.Key).Info("somebody has changed the row meanwhile; it is not derived")
		theirs = append(theirs, conflict.Key)
		drop(conflict.Key)
	}
	return theirs, nil
}

// restoreDerived reads which rows were derived. One that can't be read is taken for
// somebody's.
func restoreDerived(ctx context.Context, db *redisdb.DB) (map[configdb.RowKey]string, error) {
	rows, err := db.All(ctx, db.ID.Pattern(statedb.DerivedTable))
	if err != nil {
		return nil, fmt.Errorf("read derived rows: %w", err)
	}
	derived := make(map[configdb.RowKey]string, len(rows))
	for key, f := range rows {
		if row, ok := statedb.ParseDerivedKey(key); ok {
			derived[row] = f[statedb.DerivedHash]
		}
	}
	return derived, nil
}
