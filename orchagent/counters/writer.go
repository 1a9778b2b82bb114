package counters

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"xon/sai"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// retryAfter is how long the writer leaves a database alone that does not answer.
const retryAfter = time.Second

// writer brings readings and name maps to COUNTERS_DB. It writes what differs from
// what it wrote last, and everything when the connection was lost meanwhile.
type writer struct {
	db      *redisdb.DB
	session func() (uint64, <-chan struct{})
	log     logrus.FieldLogger
	wake    chan struct{} // there may be something new

	mu    sync.Mutex // guards maps and moved
	maps  map[string]redisdb.Fields
	moved bool // what the database has need not be what was written last

	// The rest belongs to run's goroutine. Rows and shown tell what the database
	// has only after a write without error, in the session that written says.
	written uint64 // 0: what the database has is not known
	shown   map[string]redisdb.Fields
	rows    map[sai.OID]*row
	batch   redisdb.Batch
	down    bool
}

// row is COUNTERS:<oid> as it was written last.
type row struct {
	key    redisdb.Name
	from   *Reading
	values []uint64 // nil when the row is not written yet
}

func newWriter(db *redisdb.DB, session func() (uint64, <-chan struct{}), log logrus.FieldLogger) *writer {
	return &writer{db: db, session: session, log: log, wake: make(chan struct{}, 1), rows: map[sai.OID]*row{}}
}

// follow takes up the name maps of another set of objects.
func (w *writer) follow(m map[string]redisdb.Fields) {
	w.mu.Lock()
	w.maps, w.moved = m, true
	w.mu.Unlock()
	poke(w.wake)
}

// distrust has what the database holds found out anew.
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
	names, moved := w.maps, w.moved
	w.moved = false
	w.mu.Unlock()
	if names == nil {
		return nil // nothing is followed yet: what is there may be right
	}
	if session != w.written || moved {
		w.rows, w.shown, w.written = map[sai.OID]*row{}, nil, 0
	}
	w.batch.Reset()
	if w.shown == nil {
		if err := w.clear(ctx, names, groups); err != nil {
			return err
		}
	}
	for _, table := range slices.Sorted(maps.Keys(names)) {
		if !maps.Equal(w.shown[table], names[table]) {
			w.batch.Change(table, w.shown[table], names[table])
		}
	}
	w.readings(groups)
	if err := w.db.Write(ctx, &w.batch); err != nil {
		w.written = 0 // what was written is not known
		return err
	}
	w.shown, w.written = names, session
	return nil
}

// clear finds out what the database holds: name maps to compare with, and by them
// rows of objects that are gone, which it removes. Rows that no name leads to are
// somebody else's.
func (w *writer) clear(ctx context.Context, names map[string]redisdb.Fields, groups []*group) error {
	tables := slices.Sorted(maps.Keys(names))
	rows, err := w.db.Rows(ctx, tables...)
	if err != nil {
		return err
	}
	w.shown = map[string]redisdb.Fields{}
	for i, table := range tables {
		w.shown[table] = rows[i]
	}
	live := map[string]bool{}
	for _, g := range groups {
		if t := g.target.Load(); t != nil {
			for _, id := range t.objects {
				live[id.String()] = true
			}
		}
	}
	var gone []string
	for _, table := range []string{countersdb.PortNameMap, countersdb.QueueNameMap, countersdb.PGNameMap} {
		for _, id := range w.shown[table] {
			if !live[id] {
				gone = append(gone, countersdb.CountersKey(id))
			}
		}
	}
	w.batch.Delete(gone...)
	return nil
}

// readings adds what changed to the batch.
func (w *writer) readings(groups []*group) {
	for _, g := range groups {
		r := g.current()
		if r == nil {
			continue
		}
		n := len(r.Stats)
		for i, id := range r.Objects {
			if !r.Failed[id] {
				w.object(id, r, r.Values[i*n:i*n+n])
			}
		}
	}
}

// object adds what changed of one object.
func (w *writer) object(id sai.OID, r *Reading, values []uint64) {
	have := w.rows[id]
	if have == nil {
		have = &row{key: redisdb.NameOf(rowKey(id))}
		w.rows[id] = have
	}
	if have.from == r {
		return
	}
	begun := false
	for j := range values {
		if have.values != nil && have.values[j] == values[j] {
			continue
		}
		if !begun {
			w.batch.Begin(have.key)
			begun = true
		}
		w.batch.Number(r.of.fields[j], &values[j])
	}
	have.from, have.values = r, values
}
