package notify

import (
	"context"
	"maps"
	"sync"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/translate"
	"xon/gnmi/value"
)

// rowKey is a row as one subscription of a stream sees it.
type rowKey struct {
	of   *follower
	name string // of the hash
}

// delta is news of one row.
type delta struct {
	rowKey
	path *gpb.Path // of the row
	kind value.KindOf
	time time.Time // of reading
	set  translate.Fields
	del  []string // fields that are gone
	gone bool     // all were, before set
}

func (d *delta) empty() bool { return len(d.set) == 0 && len(d.del) == 0 && !d.gone }

// item is a delta that waits to be sent, with all that came on top of it.
type item struct {
	delta
	owned   bool              // set may be written to
	covered map[string]uint32 // values of a field that were never sent
	sync    bool              // not a delta but the mark behind the first values
}

// queue holds what a subscriber has not been sent yet. A row is in it once; a
// newer value takes the place of an older one. So a subscriber that does not
// read costs at most one copy of what it subscribed to.
type queue struct {
	mu    sync.Mutex
	items []*item
	byRow map[rowKey]*item
	since time.Time     // when the subscriber last took something, or had nothing to take
	ready chan struct{} // capacity 1
}

func newQueue() *queue {
	return &queue{byRow: map[rowKey]*item{}, ready: make(chan struct{}, 1)}
}

func (q *queue) put(d delta) {
	if d.empty() {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if waiting := q.byRow[d.rowKey]; waiting != nil {
		waiting.merge(d)
		return
	}
	q.waits()
	it := &item{delta: d}
	q.byRow[d.rowKey] = it
	q.items = append(q.items, it)
	q.signal()
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

func (q *queue) putSync() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waits()
	q.items = append(q.items, &item{sync: true})
	q.signal()
}

// waits notes that there is something to take from now on.
func (q *queue) waits() {
	if len(q.items) == 0 {
		q.since = time.Now()
	}
}

// stalled is how long the subscriber has taken nothing of what waits.
func (q *queue) stalled() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return 0
	}
	return time.Since(q.since)
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take waits for the next item.
func (q *queue) take(ctx context.Context) (*item, error) {
	for {
		if it := q.first(); it != nil {
			return it, nil
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (q *queue) first() *item {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return nil
	}
	q.since = time.Now()
	it := q.items[0]
	q.items[0] = nil
	if q.items = q.items[1:]; len(q.items) == 0 {
		q.items = nil
	}
	delete(q.byRow, it.rowKey)
	return it
}

// merge puts d on top of what waits.
func (it *item) merge(d delta) {
	it.time = d.time
	if d.gone {
		it.set, it.del, it.covered, it.gone = nil, nil, nil, true
	}
	if !it.owned {
		it.set, it.owned = maps.Clone(it.set), true
	}
	for _, f := range d.del {
		delete(it.set, f)
		delete(it.covered, f)
	}
	it.del = append(it.del, d.del...)
	for f, text := range d.set {
		it.put(f, text)
	}
	it.del = lasting(it.del, it.set)
}

func (it *item) put(field, text string) {
	if it.set == nil {
		it.set = translate.Fields{}
	}
	if _, covers := it.set[field]; covers {
		if it.covered == nil {
			it.covered = map[string]uint32{}
		}
		it.covered[field]++
	}
	it.set[field] = text
}

// lasting leaves the fields that did not come back, each once.
func lasting(del []string, set translate.Fields) []string {
	seen := map[string]bool{}
	var left []string
	for _, f := range del {
		if _, back := set[f]; !back && !seen[f] {
			left = append(left, f)
		}
		seen[f] = true
	}
	return left
}
