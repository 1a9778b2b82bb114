// Package notify serves subscriptions: it reads the rows that paths are about,
// watches them or samples them, and sends what has changed.
//
// What a path means is not for here (gnmi/translate), nor is the transport: a
// stream is a function that sends one response.
package notify

import (
	"context"
	"sync"

	"github.com/sirupsen/logrus"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/translate"
)

// hub shares one watch of each database among all who want it.
type hub struct {
	dbs   translate.Databases
	log   logrus.FieldLogger
	mu    sync.Mutex
	feeds map[string]*feed
}

func newHub(dbs translate.Databases, log logrus.FieldLogger) *hub {
	return &hub{dbs: dbs, log: log, feeds: map[string]*feed{}}
}

// feed is the watch of one database while somebody needs it.
type feed struct {
	begin sync.Once
	err   error // of begin
	stop  context.CancelFunc
	users int // under hub.mu

	mu       sync.Mutex
	watchers map[*watcher]struct{}
	over     bool // the database tells no more
}

// watch starts to collect the changes that touches lets through. It is called
// beside everything else.
func (h *hub) watch(ctx context.Context, db string, touches func(name string) bool) (*watcher, error) {
	w := &watcher{touches: touches, have: map[string]struct{}{}, ready: make(chan struct{}, 1)}
	f := h.join(db)
	w.leave = func() { h.quit(db, f, w) }
	f.begin.Do(func() { f.err = h.start(ctx, db, f) })
	if f.err != nil {
		w.leave()
		return nil, f.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers[w] = struct{}{}
	if f.over {
		w.end()
	}
	return w, nil
}

func (h *hub) join(db string) *feed {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[db]
	if f == nil {
		f = &feed{watchers: map[*watcher]struct{}{}, stop: func() {}}
		h.feeds[db] = f
	}
	f.users++
	return f
}

// start begins the watch. It outlives the request that needed it first.
func (h *hub) start(ctx context.Context, db string, f *feed) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	events, err := h.dbs.Watch(ctx, db)
	if err != nil {
		stop()
		h.drop(db, f)
		return status.Errorf(codes.Unavailable, "watch %s: %v", db, err)
	}
	h.mu.Lock()
	f.stop = stop
	h.mu.Unlock()
	tell := guarded(h.log, func() error {
		for names := range events {
			f.tell(names)
		}
		return nil
	})
	go func() {
		_ = tell() // the log has it
		stop()
		h.drop(db, f)
		f.end()
	}()
	return nil
}

// drop has the next user begin anew.
func (h *hub) drop(db string, f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.feeds[db] == f {
		delete(h.feeds, db)
	}
}

func (h *hub) quit(db string, f *feed, w *watcher) {
	f.mu.Lock()
	delete(f.watchers, w)
	f.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.users--; f.users > 0 {
		return
	}
	if h.feeds[db] == f {
		delete(h.feeds, db)
	}
	f.stop()
}

func (f *feed) tell(names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for w := range f.watchers {
		w.add(names)
	}
}

func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	for w := range f.watchers {
		w.end()
	}
}

// watcher collects names of hashes until somebody takes them, each once.
type watcher struct {
	touches func(name string) bool
	leave   func()
	ready   chan struct{} // capacity 1

	mu    sync.Mutex
	names []string // in order of their first change
	have  map[string]struct{}
	all   bool
	over  bool
}

func (w *watcher) add(names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.names)
	for _, n := range names {
		if _, have := w.have[n]; !have && w.touches(n) {
			w.have[n] = struct{}{}
			w.names = append(w.names, n)
		}
	}
	if len(names) == 0 {
		w.all = true
	}
	if w.all || len(w.names) > before {
		w.signal()
	}
}

func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// take returns what was collected. With all, any row may have changed.
func (w *watcher) take() (names []string, all bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return nil, false, status.Error(codes.Unavailable, "the database tells of no more changes")
	}
	names, w.names = w.names, nil
	all, w.all = w.all, false
	clear(w.have)
	return names, all, nil
}
