// Package feed brings the configuration to the agent: all rows first, then each that
// changed, and all of them again whenever changes may have been missed. It is the rows
// of CONFIG_DB, and those that other programs have put into APPL_DB where CONFIG_DB has
// none by their key.
//
// What is not for here: what a row says. Rows of every table go on as they are
// stored; the agent knows its own.
package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// Sink takes rows in. The agent is one.
type Sink interface {
	// Mark is taken before rows are read, and given back with them.
	Mark() uint64
	// LoadAsOf takes all rows; those that are not listed are gone.
	LoadAsOf(ctx context.Context, mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error)
	// ChangeAsOf takes rows that changed. again are those that must be read again,
	// because the sink wrote them itself since the mark; so with LoadAsOf.
	ChangeAsOf(ctx context.Context, mark uint64, rows []configdb.Change) (again []configdb.RowKey, err error)
}

// Config is what a feed needs.
type Config struct {
	Client *redisdb.Client
	Sink   Sink
	Log    logrus.FieldLogger
	// Observe hears what became of every event and every further attempt. nil: nobody.
	Observe func(Progress)
}

// Progress is how the feed stands after an event or an attempt.
type Progress struct {
	InSync bool          // the sink has what the database has
	Rows   int           // that changed and were taken up now; a load of everything counts none
	Lag    time.Duration // since the database told of the first of Rows
}

// Initialized is the key of the mark that SONiC sets, with the value "1", when it has
// written its configuration to the database. Nothing is loaded without: a database
// that was emptied, or that lost its data, is not one whose rows were all removed.
const Initialized = "CONFIG_DB_INITIALIZED"

const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// Run feeds the sink until ctx ends, which is no error. The only error is that the
// database can't tell of changes (redisdb.ErrNoEvents).
//
// Changes are not held back to gather more: what happens while the sink is busy
// comes together, and one row that changes alone is on its way at once.
func Run(ctx context.Context, cfg Config) error {
	log := cfg.Log.WithField("component", "feed")
	f := &feed{Config: cfg, db: cfg.Client.DB(redisdb.ConfigDB), in: newInputs(cfg.Client, log), log: log, stale: true}
	f.rows = f.db.Watch(ctx, redisdb.Everything)
	defer f.rows.Stop()
	f.inputs = f.in.watch(ctx)
	defer f.inputs.Stop()
	events, inputs, err := f.begin(ctx)
	for {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("feed: %w", err)
		}
		f.take(ctx, events, inputs)
		f.observe(events, inputs)
		events, inputs, err = f.next(ctx)
	}
}

func (f *feed) observe(events, inputs redisdb.Events) {
	if f.Observe == nil {
		return
	}
	p := Progress{InSync: !f.stale}
	for _, e := range []redisdb.Events{events, inputs} {
		if !f.stale && len(e.Keys) > 0 {
			p.Rows, p.Lag = p.Rows+len(e.Keys), max(p.Lag, time.Since(e.Since))
		}
	}
	f.Observe(p)
}

type feed struct {
	Config
	db     *redisdb.DB // CONFIG_DB
	in     *inputs
	rows   *redisdb.Watch // of db
	inputs *redisdb.Watch // of in
	log    logrus.FieldLogger
	stale  bool          // what the sink has is not what the database has
	pause  time.Duration // before the next attempt to mend that; 0: wait for an event
	told   bool          // the log says what is waited for
}

// begin waits until nothing more can be missed.
func (f *feed) begin(ctx context.Context) (rows, inputs redisdb.Events, err error) {
	if rows, err = f.rows.Next(ctx); err == nil {
		inputs, err = f.inputs.Next(ctx)
	}
	return rows, inputs, err
}

// next waits for events, or until it is time for another attempt.
func (f *feed) next(ctx context.Context) (rows, inputs redisdb.Events, err error) {
	var again <-chan time.Time
	if f.pause > 0 {
		again = time.After(f.pause)
	}
	select {
	case <-f.rows.Ready():
	case <-f.inputs.Ready():
	case <-again:
	case <-ctx.Done():
	}
	rows, _, err1 := f.rows.Take()
	inputs, _, err2 := f.inputs.Take()
	return rows, inputs, errors.Join(err1, err2)
}

func (f *feed) take(ctx context.Context, rows, inputs redisdb.Events) {
	f.stale = f.stale || rows.Resync
	err := f.bring(ctx, rows, inputs)
	if err == nil || ctx.Err() != nil {
		f.pause = 0
		return
	}
	f.log.WithError(err).Warn("the configuration was not taken up, will try again")
	f.stale, f.pause = true, min(max(firstPause, 2*f.pause), lastPause)
}

// bring has the sink have what the databases have.
func (f *feed) bring(ctx context.Context, rows, inputs redisdb.Events) error {
	if f.stale {
		return f.load(ctx)
	}
	changed := rowKeys(rows.Keys)
	if inputs.Resync || len(inputs.Keys) > 0 {
		more, err := f.in.take(ctx, inputs)
		if err != nil {
			return err
		}
		changed = distinct(append(changed, more...))
	}
	return f.change(ctx, changed)
}

// distinct drops those that were there before.
func distinct(rows []configdb.RowKey) []configdb.RowKey {
	seen := make(map[configdb.RowKey]bool, len(rows))
	return slices.DeleteFunc(rows, func(k configdb.RowKey) bool {
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

// load brings everything.
func (f *feed) load(ctx context.Context) error {
	if ok, err := f.initialized(ctx); !ok || err != nil {
		return err
	}
	start, mark := time.Now(), f.Sink.Mark()
	if _, err := f.in.load(ctx); err != nil {
		return err
	}
	all, err := f.db.AllAsFound(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	f.in.missing(all)
	rows := make([]configdb.Change, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if isRow(key) {
			rows = append(rows, configdb.Change{Row: configdb.RowKey(key), Fields: fields(all[key])})
		}
	}
	again, err := f.Sink.LoadAsOf(ctx, mark, rows)
	if err != nil {
		return err
	}
	f.stale, f.told = false, false
	f.log.WithFields(logrus.Fields{"rows": len(rows), "took": time.Since(start)}).Info("configuration loaded")
	return f.change(ctx, again)
}

// initialized looks for SONiC's mark. An event comes when it is set.
func (f *feed) initialized(ctx context.Context) (bool, error) {
	mark, err := f.db.Text(ctx, Initialized)
	if err != nil {
		return false, err
	}
	if mark != "1" && !f.told {
		f.told = true
		f.log.WithField("key", Initialized).Info("waiting for the configuration to be written")
	}
	return mark == "1", nil
}

// change brings rows, in one exchange unless the sink writes some meanwhile.
func (f *feed) change(ctx context.Context, keys []configdb.RowKey) error {
	for len(keys) > 0 {
		names := make([]string, len(keys))
		for i, k := range keys {
			names[i] = string(k)
		}
		mark := f.Sink.Mark()
		stored, err := f.db.RowsAsFound(ctx, names...)
		if err != nil {
			return err
		}
		rows := make([]configdb.Change, len(keys))
		for i, k := range keys {
			rows[i] = configdb.Change{Row: k, Fields: fields(f.in.under(k, stored[i]))}
		}
		if keys, err = f.Sink.ChangeAsOf(ctx, mark, rows); err != nil {
			return err
		}
	}
	return nil
}

// rowKeys drops keys that can't be rows, such as SONiC's mark.
func rowKeys(keys []string) []configdb.RowKey {
	var rows []configdb.RowKey
	for _, k := range keys {
		if isRow(k) {
			rows = append(rows, configdb.RowKey(k))
		}
	}
	return rows
}

func isRow(key string) bool { return strings.Contains(key, redisdb.ConfigDB.Separator()) }

// fields gives a row without fields the placeholder that it has in configdb.
func fields(f redisdb.Fields) configdb.Fields {
	if f != nil && len(f) == 0 {
		return configdb.Fields{"NULL": "NULL"}
	}
	return f
}
