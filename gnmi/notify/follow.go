package notify

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/translate"
	"xon/gnmi/value"
)

// follower serves one subscription of a stream.
type follower struct {
	subscription
	view    *translate.View
	watcher *watcher // nil with samples
	queue   *queue
	rows    map[string]*row // by the hash's name
	quiet   bool            // read, and tell nobody
	failed  int             // reads since the last good one
}

// Pauses before a database that did not answer is asked again.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// A subscriber that takes nothing for stallGrace is read nothing more for, so that it
// costs no more than what waits for it already; after stallLimit its stream ends.
const (
	stallGrace = 5 * time.Second
	stallLimit = time.Minute
)

// errStalled has everything read again later.
var errStalled = errors.New("the subscriber takes nothing")

// row is a row as it was last told of.
type row struct {
	path *gpb.Path // never changed once made
	kind value.KindOf
	last translate.Fields
}

// follow tells the queue what happens, until ctx ends.
func (f *follower) follow(ctx context.Context) error {
	heartbeat, stop := ticks(f.heartbeat)
	defer stop()
	if f.watcher == nil {
		return f.samples(ctx, heartbeat)
	}
	return f.changes(ctx, heartbeat)
}

// ticks is a ticker that never ticks when d is 0.
func ticks(d time.Duration) (<-chan time.Time, func()) {
	if d == 0 {
		return nil, func() {}
	}
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// samples sends what is there at each tick. A database that does not answer is
// tried again at the next.
func (f *follower) samples(ctx context.Context, heartbeat <-chan time.Time) error {
	tick, stop := ticks(f.sample)
	defer stop()
	for {
		full := !f.suppress
		select {
		case <-tick:
		case <-heartbeat:
			full = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if f.queue.stalled() < stallGrace {
			_ = f.readAll(ctx, full) // a lost sample is not an end
		}
	}
}

func (f *follower) changes(ctx context.Context, heartbeat <-chan time.Time) error {
	var again <-chan time.Time
	for {
		var err error
		select {
		case <-f.watcher.ready:
			names, all, over := f.watcher.take()
			if over != nil {
				return over
			}
			if !all && len(names) == 0 {
				continue // all was taken with the signal before
			}
			err = f.readChanged(ctx, names, all)
		case <-again:
			err = f.readChanged(ctx, nil, true)
		case <-heartbeat:
			if err = errStalled; f.queue.stalled() < stallGrace {
				err = f.readAll(ctx, true)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		again = f.retry(err)
	}
}

// retry says when to read everything again after an error.
func (f *follower) retry(err error) <-chan time.Time {
	if err == nil {
		f.failed = 0
		return nil
	}
	f.failed++
	return time.After(min(firstPause<<min(f.failed, 10), lastPause))
}

// readChanged reads what the watcher has collected. After a read that failed,
// what was to be read then is not known any more.
func (f *follower) readChanged(ctx context.Context, names []string, all bool) error {
	if f.queue.stalled() >= stallGrace {
		return errStalled
	}
	if all || f.failed > 0 {
		return f.readAll(ctx, false)
	}
	rows, all, err := f.view.Some(ctx, names)
	if all {
		return f.readAll(ctx, false)
	}
	now := time.Now()
	for _, r := range rows {
		f.tell(r, now, false)
	}
	return err
}

// readAll reads every row; with full, values that are as before are told too.
func (f *follower) readAll(ctx context.Context, full bool) error {
	rows, err := f.view.All(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	there := make(map[string]bool, len(rows))
	for _, r := range rows {
		there[r.Name] = true
		f.tell(r, now, full)
	}
	if len(there) == len(f.rows) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(f.rows)) {
		if !there[name] {
			f.tell(translate.Row{Name: name}, now, full)
		}
	}
	return nil
}

// tell compares a row with what it was and queues the difference.
func (f *follower) tell(r translate.Row, now time.Time, full bool) {
	known := f.rows[r.Name]
	if r.Fields == nil {
		if known != nil {
			delete(f.rows, r.Name)
			f.put(r.Name, known, delta{time: now, gone: true})
		}
		return
	}
	if known == nil {
		known = &row{path: f.query.Whole(r.Elems...), kind: f.query.Kinds(r.Name)}
		f.rows[r.Name] = known
	}
	d := difference(known.last, r.Leaves(), full)
	d.time = now
	known.last = r.Leaves()
	f.put(r.Name, known, d)
}

func (f *follower) put(name string, r *row, d delta) {
	if f.quiet {
		return
	}
	d.rowKey, d.path, d.kind = rowKey{of: f, name: name}, r.path, r.kind
	f.queue.put(d)
}

// leave ends the watch.
func (f *follower) leave() {
	if f.watcher != nil {
		f.watcher.leave()
	}
}

// difference is what turns before into now; with full, all of now.
func difference(before, now translate.Fields, full bool) delta {
	d := delta{set: now}
	common := 0
	for field := range before {
		if _, still := now[field]; still {
			common++
		} else {
			d.del = append(d.del, field)
		}
	}
	slices.Sort(d.del)
	if full || common == 0 {
		return d
	}
	d.set = translate.Fields{}
	for field, text := range now {
		if old, was := before[field]; !was || old != text {
			d.set[field] = text
		}
	}
	return d
}
