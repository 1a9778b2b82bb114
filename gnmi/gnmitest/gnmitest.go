// Package gnmitest has databases in memory, for tests of what is built on
// gnmi/translate.
package gnmitest

import (
	"context"
	"maps"
	"strings"
	"sync"

	"xon/gnmi/server"
	"xon/gnmi/translate"
	"xon/schema/configdb"
)

// Databases implements translate.Databases. The zero value is empty and ready.
type Databases struct {
	mu       sync.Mutex
	hashes   map[string]map[string]translate.Fields // by database and name
	watchers map[chan []string]*watch
	err      error
}

// watch hands batches over without making the writer wait.
type watch struct {
	db     string
	ready  chan struct{}
	queued [][]string
	ended  bool
}

// Put sets a hash; nil removes it.
func (d *Databases) Put(db, name string, fields translate.Fields) {
	d.PutAll(db, map[string]translate.Fields{name: fields})
}

// PutAll sets several hashes at once; nil Fields remove one.
func (d *Databases) PutAll(db string, rows map[string]translate.Fields) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for name, fields := range rows {
		d.store(db, name, fields)
		names = append(names, name)
	}
	d.tell(db, names)
}

func (d *Databases) store(db, name string, fields translate.Fields) {
	if d.hashes == nil {
		d.hashes = map[string]map[string]translate.Fields{}
	}
	if d.hashes[db] == nil {
		d.hashes[db] = map[string]translate.Fields{}
	}
	if fields == nil {
		delete(d.hashes[db], name)
		return
	}
	d.hashes[db][name] = maps.Clone(fields)
}

func (d *Databases) tell(db string, names []string) {
	for _, w := range d.watchers {
		if w.db == db {
			w.queued = append(w.queued, names)
			w.signal()
		}
	}
}

func (w *watch) signal() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Fail has all reads return err until it is called with nil.
func (d *Databases) Fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

// Lose tells all watchers of a database that changes may have been missed.
func (d *Databases) Lose(db string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tell(db, nil)
}

// End has all watchers of a database end.
func (d *Databases) End(db string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.watchers {
		if w.db == db {
			w.ended = true
			w.signal()
		}
	}
}

// Watchers counts the watches that go on.
func (d *Databases) Watchers() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.watchers)
}

// Scan implements translate.Databases.
func (d *Databases) Scan(_ context.Context, db, table string) (map[string]translate.Fields, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string]translate.Fields{}
	for name, fields := range d.hashes[db] {
		rest, ok := strings.CutPrefix(name, table)
		if table == "" || ok && (rest == "" || strings.ContainsAny(rest[:1], ":|")) {
			found[name] = maps.Clone(fields)
		}
	}
	return found, d.err
}

// Read implements translate.Databases.
func (d *Databases) Read(_ context.Context, db string, names []string) ([]translate.Fields, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := make([]translate.Fields, len(names))
	for i, name := range names {
		found[i] = maps.Clone(d.hashes[db][name])
	}
	return found, d.err
}

// Watch implements translate.Databases.
func (d *Databases) Watch(ctx context.Context, db string) (<-chan []string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	if d.watchers == nil {
		d.watchers = map[chan []string]*watch{}
	}
	ch, w := make(chan []string), &watch{db: db, ready: make(chan struct{}, 1)}
	d.watchers[ch] = w
	go d.pump(ctx, ch, w)
	return ch, nil
}

func (d *Databases) pump(ctx context.Context, ch chan []string, w *watch) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.watchers, ch)
		close(ch)
	}()
	for {
		select {
		case <-w.ready:
		case <-ctx.Done():
			return
		}
		d.mu.Lock()
		batches, ended := w.queued, w.ended
		w.queued = nil
		d.mu.Unlock()
		for _, names := range batches {
			select {
			case ch <- names:
			case <-ctx.Done():
				return
			}
		}
		if ended {
			return
		}
	}
}

// Transactor applies operations to CONFIG_DB of its databases as far as a
// transaction's meaning goes, and checks nothing.
type Transactor struct {
	DB *Databases
	// Refuse, if set, is asked first; what it returns is the answer.
	Refuse func(ops []configdb.Op) error
	// Warnings are part of every answer.
	Warnings []string
	// Rows, if set, is said of every answer instead of what it did.
	Rows configdb.RowCount

	mu       sync.Mutex
	revision uint64
	last     server.Request
}

// Ops returns what the last transaction was asked to do.
func (t *Transactor) Ops() []configdb.Op { return t.Last().Ops }

// Last returns the last transaction as it was asked for.
func (t *Transactor) Last() server.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// Transact implements server.Transactor.
func (t *Transactor) Transact(_ context.Context, req server.Request) (server.Outcome, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = req
	if t.Refuse != nil {
		if err := t.Refuse(req.Ops); err != nil {
			return server.Outcome{}, err
		}
	}
	before := t.DB.config()
	for _, op := range req.Ops {
		t.DB.apply(op)
	}
	t.revision++
	rows := t.Rows
	if rows == (configdb.RowCount{}) {
		rows = difference(before, t.DB.config())
	}
	return server.Outcome{Revision: t.revision, Rows: rows, Warnings: t.Warnings}, nil
}

// config is a copy of CONFIG_DB.
func (d *Databases) config() map[string]translate.Fields {
	d.mu.Lock()
	defer d.mu.Unlock()
	rows := map[string]translate.Fields{}
	for name, f := range d.hashes[config] {
		rows[name] = maps.Clone(f)
	}
	return rows
}

// difference counts the rows that came, changed and went.
func difference(before, after map[string]translate.Fields) (n configdb.RowCount) {
	for name, f := range after {
		switch was, ok := before[name]; {
		case !ok:
			n.Added++
		case !maps.Equal(was, f):
			n.Changed++
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			n.Removed++
		}
	}
	return n
}

const config = "CONFIG_DB"

func (d *Databases) apply(op configdb.Op) {
	if op.Passes() {
		return
	}
	rows := map[string]translate.Fields{}
	name := op.Table + "|" + op.Key
	d.mu.Lock()
	old := maps.Clone(d.hashes[config][name])
	for at := range d.hashes[config] {
		if op.Kind == configdb.Delete && op.Key == "" && (op.Table == "" || strings.HasPrefix(at, op.Table+"|")) {
			rows[at] = nil
		}
	}
	d.mu.Unlock()
	switch {
	case op.Kind == configdb.Delete && op.Field != "":
		delete(old, op.Field)
		if len(old) == 0 {
			old = nil
		}
		rows[name] = old
	case op.Kind == configdb.Delete && op.Key != "":
		rows[name] = nil
	case op.Kind == configdb.Replace:
		rows[name] = translate.Fields(op.Fields)
	case op.Kind == configdb.Update:
		if old == nil {
			old = translate.Fields{}
		}
		maps.Copy(old, op.Fields)
		rows[name] = old
	}
	d.PutAll(config, rows)
}
