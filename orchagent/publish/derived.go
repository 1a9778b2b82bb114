package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/orchagent/report"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// derive writes derived rows to CONFIG_DB, and to STATE_DB that they are. A row that
// somebody else changed meanwhile is theirs. It is said of a row that it is derived
// before it is written and until it is gone: one that was written and not said so would
// be taken for somebody's for ever. full says that rows are all there are.
func (p *Publisher) derive(ctx context.Context, rows map[configdb.RowKey]*report.Derived, full bool) error {
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
	change := map[string]*report.Derived{}
	for k, d := range rows {
		markDerived(&begin, &end, statedb.DerivedKey(k), have[statedb.DerivedKey(k)], d)
		if d != nil && (len(d.Before) > 1 || !d.Replaces(d.After)) {
			change[string(k)] = d
		}
	}
	if err := p.state.Write(ctx, &begin); err != nil {
		return err
	}
	theirs, err := p.commitDerived(ctx, change)
	if err != nil {
		return fmt.Errorf("write derived rows: %w", err)
	}
	for _, k := range theirs {
		end.Delete(statedb.DerivedKey(configdb.RowKey(k)))
	}
	return p.state.Write(ctx, &end)
}

// markDerived has begin say of a row, before it is written, that it is derived, and end,
// after that, what is not so any more.
func markDerived(begin, end *redisdb.Batch, key string, have redisdb.Fields, d *report.Derived) {
	if d == nil || d.After == nil {
		end.Delete(key)
		return
	}
	mark := derivedMark(d)
	begin.Change(key, have, mark)
	if mark[statedb.DerivedBefore] != "" {
		end.DeleteFields(key, statedb.DerivedBefore)
	}
}

// derivedMark says that a row is derived, while it is still in an earlier version too.
func derivedMark(d *report.Derived) redisdb.Fields {
	mark := redisdb.Fields{statedb.DerivedHash: d.After.Digest()}
	before := slices.DeleteFunc(slices.Clone(d.Before), func(digest string) bool {
		return digest == "" || digest == mark[statedb.DerivedHash]
	})
	if len(before) > 0 {
		mark[statedb.DerivedBefore] = strings.Join(before, ",")
	}
	return mark
}

// commitDerived writes rows of CONFIG_DB, but for those with content of somebody else,
// which it returns.
func (p *Publisher) commitDerived(ctx context.Context, rows map[string]*report.Derived) (theirs []string, err error) {
	for len(rows) > 0 {
		before, after, taken, err := p.derivedChanges(ctx, rows)
		if err != nil {
			return nil, err
		}
		for _, key := range taken {
			p.log.WithField("row", key).Info("somebody has changed the row meanwhile; it is not derived")
			delete(rows, key)
		}
		theirs = append(theirs, taken...)
		if len(after) == 0 {
			break
		}
		err = p.config.Commit(ctx, before, after)
		if !errors.Is(err, redisdb.ErrConflict) {
			return theirs, err
		} // what is there now shows whether it is one of the agent's own versions
	}
	return theirs, nil
}

// derivedChanges reads rows, and returns what is to be written, from what, and the rows
// that have content of somebody else.
func (p *Publisher) derivedChanges(ctx context.Context, rows map[string]*report.Derived) (before, after map[string]redisdb.Fields, theirs []string, err error) {
	keys := slices.Sorted(maps.Keys(rows))
	have, err := p.config.RowsAsFound(ctx, keys...)
	if err != nil {
		return nil, nil, nil, err
	}
	before, after = map[string]redisdb.Fields{}, map[string]redisdb.Fields{}
	for i, key := range keys {
		d, now := rows[key], configdb.Fields(have[i])
		switch {
		case now.Digest() == d.After.Digest(): // the report may have been published before
		case d.Replaces(now):
			before[key], after[key] = have[i], redisdb.Fields(d.After)
		default:
			theirs = append(theirs, key)
		}
	}
	return before, after, theirs, nil
}

// restoreDerived reads which rows were derived. One that can't be read is taken for
// somebody's.
func restoreDerived(ctx context.Context, db *redisdb.DB) (map[configdb.RowKey][]string, error) {
	rows, err := db.All(ctx, db.ID.Pattern(statedb.DerivedTable))
	if err != nil {
		return nil, fmt.Errorf("read derived rows: %w", err)
	}
	derived := make(map[configdb.RowKey][]string, len(rows))
	for key, f := range rows {
		if row, ok := statedb.ParseDerivedKey(key); ok {
			derived[row] = statedb.DerivedDigests(f)
		}
	}
	return derived, nil
}
