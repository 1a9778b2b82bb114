package counters

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"xon/schema/countersdb"
	"xon/schema/flexcounterdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// retryAfter is how long the writer leaves a database alone that does not answer.
const retryAfter = time.Second

// writer brings readings and what tells of them to the databases. It writes what
// differs from what it wrote last, and everything when the connection was lost
// meanwhile.
type writer struct {
	counters, flex, state *redisdb.DB

	session func() (uint64, <-chan struct{})
	log     logrus.FieldLogger
	wake    chan struct{} // there may be something new
	has     func(stat string) bool

	mu    sync.Mutex // guards shape and moved
	shape *shape
	moved bool // what the database has need not be what was written last

	// The rest belongs to run's goroutine. Shown, sheets, times and the rates as shown tell
	// what the databases have only after a write without error, in the session that
	// written says.
	written uint64 // 0: what the databases have is not known
	shown   *shape
	sheets  map[page]*sheet
	times   map[string]*Reading // by group: the reading whose time is written
	rated   map[string]redisdb.Fields
	rates   rates
	seeded  map[string]bool // groups whose marks of before this agent are taken in
	batch   redisdb.Batch
	down    bool
}

// page is a table of a group: COUNTERS, or one of watermarks.
type page struct {
	group string
	table string
}

func newWriter(client *redisdb.Client, has func(stat string) bool, log logrus.FieldLogger) *writer {
	return &writer{
		counters: client.DB(redisdb.CountersDB), flex: client.DB(redisdb.FlexCounterDB), state: client.DB(redisdb.StateDB),
		session: client.Session, log: log, wake: make(chan struct{}, 1), has: has, seeded: map[string]bool{},
	}
}

// follow takes up another shape.
func (w *writer) follow(s *shape) {
	w.mu.Lock()
	w.shape = s
	w.mu.Unlock()
	poke(w.wake)
}

// distrust has what the databases hold found out anew.
func (w *writer) distrust() {
	w.mu.Lock()
	w.moved = true
	w.mu.Unlock()
	poke(w.wake)
}

func (w *writer) run(ctx context.Context, groups []*group) {
	for {
		n, lost := w.session()
		err := w.write(ctx, n, groups)
		w.note(err)
		var again <-chan time.Time
		if err != nil {
			again = time.After(retryAfter)
		}
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-lost:
		case <-again:
		}
	}
}

// note logs that the database went away or came back, once.
func (w *writer) note(err error) {
	switch {
	case err != nil && !w.down:
		w.log.WithError(err).Warn("write counters; reading goes on")
	case err == nil && w.down:
		w.log.Info("counters are written again")
	}
	w.down = err != nil
}

func (w *writer) write(ctx context.Context, session uint64, groups []*group) error {
	w.mu.Lock()
	shape, moved := w.shape, w.moved
	w.moved = false
	w.mu.Unlock()
	if shape == nil {
		return nil // nothing is followed yet: what is there may be right
	}
	if session != w.written || moved {
		w.shown, w.sheets, w.times, w.rated = nil, map[page]*sheet{}, map[string]*Reading{}, map[string]redisdb.Fields{}
	}
	err := w.bring(ctx, shape, groups)
	w.shown, w.written = shape, session
	if err != nil {
		w.written = 0 // what was written is not known
	}
	return err
}

func (w *writer) bring(ctx context.Context, to *shape, groups []*group) error {
	if w.shown == nil {
		if err := w.find(ctx); err != nil {
			return err
		}
	}
	w.batch.Reset()
	if w.shown != to {
		var flex redisdb.Batch
		turn(w.shown, to, &flex, &w.batch)
		for p, s := range w.sheets {
			if s.of != to.of[p.group] {
				w.sheets[p] = newSheet(to.of[p.group], s.key, s)
			}
		}
		if err := w.flex.Write(ctx, &flex); err != nil {
			return err
		}
	}
	times := redisdb.Fields{}
	for _, g := range groups {
		if err := w.seed(ctx, g); err != nil {
			return err
		}
		w.group(g, times)
	}
	if len(times) > 0 {
		w.batch.SetRows(redisdb.Passing, map[string]redisdb.Fields{countersdb.TimesKey: times})
	}
	if err := w.rate(ctx, to.rates, groups); err != nil {
		return err
	}
	return w.counters.Write(ctx, &w.batch)
}

// find finds out what the databases hold, and says which statistics the chip has.
func (w *writer) find(ctx context.Context) error {
	names, err := w.counters.RowsAsFound(ctx, allNames...)
	if err != nil {
		return err
	}
	have := &shape{names: map[string]redisdb.Fields{}}
	for i, table := range allNames {
		have.names[table] = names[i]
	}
	have.flex, err = w.flex.AllAsFound(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	maps.DeleteFunc(have.flex, func(key string, _ redisdb.Fields) bool { return !ours(key) })
	w.shown = have
	if err := w.capabilities(ctx); err != nil {
		return err
	}
	return w.rateSettings(ctx)
}

// ours reports whether a row of FLEX_COUNTER_DB is for this package to write. The rows
// of what the watchdog polls are not, and those of groups that xon has not.
func ours(key string) bool {
	if group, _, ok := flexcounterdb.ParseObjectKey(key); ok {
		return slices.ContainsFunc(countersdb.Groups, func(g countersdb.Group) bool { return g.Name == group })
	}
	return slices.ContainsFunc(allGroups, func(g countersdb.Group) bool { return flexcounterdb.GroupKey(g.Name) == key })
}

// allGroups are those that have a row in FLEX_COUNTER_DB.
var allGroups = append(slices.Clone(countersdb.Groups), countersdb.RatesGroup, countersdb.WatchdogGroup)

// capabilities brings STATE_DB's rows about statistics up to date.
func (w *writer) capabilities(ctx context.Context) error {
	var keys []string
	for _, c := range statedb.Counters {
		keys = append(keys, redisdb.StateDB.Key(c.Table, c.Key))
	}
	have, err := w.state.RowsAsFound(ctx, keys...)
	if err != nil {
		return err
	}
	var b redisdb.Batch
	for i, c := range statedb.Counters {
		b.Change(keys[i], have[i], statedb.FormatCounter(w.has(c.Stat)))
	}
	return w.state.Write(ctx, &b)
}

// seed takes in the watermarks of an agent before this one, once.
func (w *writer) seed(ctx context.Context, g *group) error {
	if g.marks == nil || w.seeded[g.Name] {
		return nil
	}
	of, highs := g.marks.now()
	if highs[0] == nil {
		return nil // there are none to write over yet
	}
	for _, mark := range countersdb.Watermarks {
		keys := make([]string, len(of.objects))
		for i, o := range of.objects {
			keys[i] = mark.Key(o.oid)
		}
		rows, err := w.counters.Rows(ctx, keys...)
		if err != nil {
			return fmt.Errorf("watermarks of %s: %w", g.Name, err)
		}
		values := make([]uint64, len(keys)*len(of.stats))
		for i, f := range rows {
			for j, stat := range of.stats {
				values[i*len(of.stats)+j], _ = strconv.ParseUint(f[stat], 10, 64) // what is no number is none to keep
			}
		}
		g.marks.seed(of, mark, values)
	}
	w.seeded[g.Name] = true
	return nil
}

// group adds what changed of a group's readings to the batch, and when it was read to
// times.
func (w *writer) group(g *group, times redisdb.Fields) {
	if r := g.current(); r != nil && w.times[g.Name] != r {
		w.times[g.Name] = r
		times[countersdb.TimeField(g.Name)] = strconv.FormatInt(r.Time.UnixNano(), 10)
		w.sheet(page{g.Name, countersdb.CountersTable}, r.of, countersdb.CountersKey).
			write(&w.batch, redisdb.Passing, r.Values, func(i int) bool { return r.Failed[r.Objects[i]] })
	}
	if g.marks == nil {
		return
	}
	of, highs := g.marks.now()
	for _, mark := range countersdb.Watermarks {
		if highs[mark] != nil {
			w.sheet(page{g.Name, mark.Name()}, of, mark.Key).write(&w.batch, redisdb.Lasting, highs[mark], func(int) bool { return false })
		}
	}
}

func (w *writer) sheet(p page, of *polled, key func(oid string) string) *sheet {
	s := w.sheets[p]
	if s == nil || s.of != of {
		s = newSheet(of, key, s)
		w.sheets[p] = s
	}
	return s
}

// rateSettings puts the defaults of smoothing where there is nothing.
func (w *writer) rateSettings(ctx context.Context) error {
	have, err := w.counters.RowsAsFound(ctx, countersdb.RateSettings)
	if err != nil || have[0][countersdb.RateAlpha] != "" {
		return err
	}
	var b redisdb.Batch
	b.Change(countersdb.RateSettings, have[0], redisdb.Fields{
		countersdb.RateAlpha: countersdb.DefaultRateAlpha, countersdb.RateInterval: countersdb.DefaultInterval,
	})
	return w.counters.Write(ctx, &b)
}

// rate adds the rates of ports to the batch, if it is time.
func (w *writer) rate(ctx context.Context, s setting, groups []*group) error {
	r := groups[0].current() // countersdb.Groups begins with the ports'
	if !s.enabled || r == nil || !w.rates.due(r, s.interval) {
		return nil
	}
	f, err := w.counters.Row(ctx, countersdb.RateSettings)
	if err != nil {
		return err
	}
	alpha, err := strconv.ParseFloat(f[countersdb.RateAlpha], 64)
	if err != nil || !(alpha >= 0 && alpha <= 1) {
		alpha, _ = strconv.ParseFloat(countersdb.DefaultRateAlpha, 64) // a constant
	}
	w.rates.add(r, alpha)
	shown, news := map[string]redisdb.Fields{}, map[string]redisdb.Fields{}
	for i, id := range r.Objects {
		if p := w.rates.ports[id]; p != nil && p.seen > 0 {
			oid := r.of.objects[i].oid
			shown[countersdb.RatesKey(oid)], shown[countersdb.RateStateKey(oid)] = p.format(), p.state()
		}
	}
	for key, f := range shown {
		if !maps.Equal(w.rated[key], f) {
			news[key] = f
		}
	}
	w.batch.SetRows(redisdb.Passing, news)
	w.rated = shown
	return nil
}
