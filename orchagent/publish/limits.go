package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/intent"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// shareLimits turns wanted rows of MaxParamTable, which have what the chip says, into what is
// to be stored: fields that another program wrote stay, and OwnMaxParamTable says which are
// xon's. have are the rows of both tables that there are. Those of a port that is gone go, but
// not those of the switch: the chip may say nothing of its own there.
func shareLimits(have, want map[string]redisdb.Fields) {
	own := map[string]redisdb.Fields{}
	for key, f := range want {
		if table, name := redisdb.StateDB.Split(key); table == statedb.MaxParamTable {
			own[name] = f
		}
	}
	for name, f := range own {
		key, mark := maxParamKeys(name)
		want[mark] = f
		if theirs := statedb.Foreign(hash(have[key]), hash(have[mark])); len(theirs) > 0 {
			merged := redisdb.Fields{}
			maps.Copy(merged, f)
			maps.Copy(merged, theirs)
			want[key] = merged
		}
	}
	key, mark := maxParamKeys(statedb.MaxParamGlobal)
	if theirs := statedb.Foreign(hash(have[key]), hash(have[mark])); want[key] == nil && len(theirs) > 0 {
		want[key] = theirs
	}
}

// hash is a row, or no row if it is something else.
func hash(f redisdb.Fields) redisdb.Fields {
	if configdb.Fields(f).IsNotHash() {
		return nil
	}
	return f
}

// maxParamKeys are a row of MaxParamTable, and the one that says what of it is xon's.
func maxParamKeys(name string) (key, mark string) {
	return redisdb.StateDB.Key(statedb.MaxParamTable, name), redisdb.StateDB.Key(statedb.OwnMaxParamTable, name)
}

// changeLimits adds to b what turns what one device has to use into what another has.
func (p *Publisher) changeLimits(ctx context.Context, b *redisdb.Batch, before, after *intent.Device) error {
	was, want := limits(before), limits(after)
	var keys []string
	for _, m := range []map[string]redisdb.Fields{was, want} {
		for key := range m {
			if table, name := redisdb.StateDB.Split(key); table == statedb.MaxParamTable {
				_, mark := maxParamKeys(name)
				keys = append(keys, key, mark)
			}
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	rows, err := p.state.RowsAsFound(ctx, keys...)
	if err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	for i, key := range keys {
		delete(was, key)
		if rows[i] != nil {
			was[key] = rows[i]
		}
	}
	shareLimits(was, want)
	turn(b, was, want)
	return nil
}
