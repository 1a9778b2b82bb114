package publish

import (
	"context"
	"errors"
	"time"

	"github.com/sirupsen/logrus"

	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// statedLimits reads the limits that other programs have stated in STATE_DB. bad names what is
// no limit; err says that the database did not answer.
func statedLimits(ctx context.Context, state *redisdb.DB) (l statedb.Limits, bad, err error) {
	tables := map[string]map[string]map[string]string{}
	for _, table := range []string{statedb.MaxParamTable, statedb.OwnMaxParamTable} {
		rows, err := state.All(ctx, state.ID.Pattern(table))
		if err != nil {
			return l, nil, err
		}
		tables[table] = map[string]map[string]string{}
		for name, f := range rows {
			_, key := state.ID.Split(name)
			tables[table][key] = f
		}
	}
	l, bad = statedb.ParseLimits(tables[statedb.MaxParamTable], tables[statedb.OwnMaxParamTable])
	return l, bad, nil
}

// settles is how long limits have to stay as they are to count: a row and what is said of
// it are read one after the other.
const settles = 10 * time.Millisecond

// RunLimits has set take the limits that other programs state, whenever they change, until
// ctx ends, which is no error. set decides what is new.
func RunLimits(ctx context.Context, client *redisdb.Client, log logrus.FieldLogger, set func(context.Context, statedb.Limits) error) error {
	log = log.WithField("component", "limits")
	state := client.DB(redisdb.StateDB)
	w := state.Watch(ctx, state.ID.Pattern(statedb.MaxParamTable))
	defer w.Stop()
	said := ""
	for {
		if _, err := w.Next(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		l, bad, err := settled(ctx, state)
		if err == nil {
			err = set(ctx, l)
		}
		if err != nil && ctx.Err() == nil {
			log.WithError(err).Warn("limits that other programs state were not taken up")
		}
		if text := errorText(bad); text != said {
			if said = text; text != "" {
				log.WithError(bad).Warn("limits that are none")
			}
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// settled reads limits until they stay as they are.
func settled(ctx context.Context, state *redisdb.DB) (l statedb.Limits, bad, err error) {
	l, _, err = statedLimits(ctx, state)
	for {
		select {
		case <-ctx.Done():
			return l, nil, errors.Join(err, ctx.Err())
		case <-time.After(settles):
		}
		before := l
		if l, bad, err = statedLimits(ctx, state); err != nil || l.Equal(before) {
			return l, bad, err
		}
	}
}
