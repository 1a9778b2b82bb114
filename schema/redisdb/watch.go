package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Events is what happened to rows since the last call of Next.
type Events struct {
	// Resync asks to read everything again: at the start, and whenever events may
	// have been lost (the connection was, or the database was emptied, of which
	// Redis tells no rows). Keys is nil then.
	Resync bool
	// Keys are the rows that were written or removed, each once, in the order of
	// their first event. That rows are staged for a table is told as its KeySet.
	Keys []string
	// Since is when the first of Keys was heard of.
	Since time.Time
}

// Watch collects the events of rows until somebody asks for them. A row that
// changes a thousand times in between is one event.
type Watch struct {
	stop   context.CancelFunc
	done   chan struct{}
	prefix string
	staged map[string]string // what a channel's messages are told as
	ready  chan struct{}     // capacity 1: there is something

	mu     sync.Mutex
	err    error
	resync bool
	keys   []string            // told by the server
	told   int                 // how many of keys may be handed out
	since  time.Time           // when the first of keys was heard of
	have   map[string]struct{} // of keys
}

// mostKeys bounds what is kept. Beyond it, reading everything is cheaper.
const mostKeys = 1 << 17

// Watch starts to watch the rows that match a pattern (see ID.Pattern), and tables
// that producers stage rows for (see Pop). The first events are a Resync; while the
// server is away there are none, and when it is back there is another Resync. The
// watch ends with ctx, with Stop, or when the server can't send events (ErrNoEvents),
// or when the client is closed (ErrClosed).
func (d *DB) Watch(ctx context.Context, pattern string, staged ...string) *Watch {
	prefix := fmt.Sprintf("__keyspace@%d__:", int(d.ID))
	ctx, stop := context.WithCancel(ctx)
	w := &Watch{
		stop: stop, done: make(chan struct{}), prefix: prefix,
		ready: make(chan struct{}, 1), have: map[string]struct{}{}, staged: map[string]string{},
	}
	var channels []string
	for _, table := range staged {
		ch := d.stageChannel(table)
		channels = append(channels, ch)
		w.staged[ch] = KeySet(table)
	}
	d.client.register(w)
	go w.run(ctx, d.client, &listener{
		channels: channels,
		patterns: []string{prefix + pattern},
		started:  w.lose,
		flushed:  w.lose,
		heard:    w.hear,
		rest:     w.tell,
	})
	return w
}

// Stop ends the watch and waits until it has.
func (w *Watch) Stop() {
	w.stop()
	<-w.done
}

func (w *Watch) run(ctx context.Context, c *Client, l *listener) {
	defer close(w.done)
	defer c.unregister(w)
	go w.stopWith(c)
	var pause backoff
	for ctx.Err() == nil {
		session, _ := c.Session()
		err := c.enableEvents(ctx, w)
		if err == nil {
			err = c.listen(ctx, l)
		}
		if errors.Is(err, ErrNoEvents) {
			w.end(err)
			return
		}
		c.log.WithError(err).Debug("the watch of rows was lost")
		if now, _ := c.Session(); now != session {
			pause = backoff{}
		}
		_ = pause.sleep(ctx)
	}
	select {
	case <-c.closed:
		w.end(ErrClosed)
	default:
		w.end(ctx.Err())
	}
}

// stopWith stops the watch when its client is closed.
func (w *Watch) stopWith(c *Client) {
	select {
	case <-c.closed:
		w.stop()
	case <-w.done:
	}
}

func (w *Watch) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	w.signal()
}

// hear keeps a key. It is handed out only when all that came with it has been
// heard: the rows of a transaction so stay together, if it is not a huge one.
func (w *Watch) hear(channel, _ string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key, isSet := w.staged[channel]
	if !isSet {
		key = strings.TrimPrefix(channel, w.prefix)
	}
	if _, dup := w.have[key]; dup {
		return
	}
	if len(w.keys) >= mostKeys {
		w.forget()
		return
	}
	if len(w.keys) == 0 {
		w.since = time.Now()
	}
	w.have[key] = struct{}{}
	w.keys = append(w.keys, key)
}

// tell hands out what was heard.
func (w *Watch) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.told = len(w.keys); w.told > 0 {
		w.signal()
	}
}

func (w *Watch) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget()
}

func (w *Watch) forget() {
	w.resync, w.keys, w.told = true, nil, 0
	clear(w.have)
	w.signal()
}

func (w *Watch) signal() {
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

// Ready has an element when Take may have something to give. One goroutine at a time
// may wait for it.
func (w *Watch) Ready() <-chan struct{} { return w.ready }

// Next waits for events. Its error is that of ctx, or what ended the watch.
func (w *Watch) Next(ctx context.Context) (Events, error) {
	for {
		if e, ok, err := w.Take(); ok || err != nil {
			return e, err
		}
		select {
		case <-w.ready:
		case <-ctx.Done():
			return Events{}, ctx.Err()
		}
	}
}

// Take is Next for those who do not wait: ok is false if there is nothing. The error
// is what ended the watch.
func (w *Watch) Take() (e Events, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		w.signal() // for the next call
		return Events{}, false, w.err
	case w.resync:
		w.resync, w.keys, w.told = false, nil, 0
		clear(w.have)
		return Events{Resync: true}, true, nil
	case w.told == 0:
		return Events{}, false, nil
	}
	e.Keys, e.Since = w.keys[:w.told:w.told], w.since
	rest := w.keys[w.told:]
	w.since = time.Now() // those came meanwhile
	w.keys, w.told = append([]string(nil), rest...), 0
	clear(w.have)
	for _, k := range rest {
		w.have[k] = struct{}{}
	}
	return e, true, nil
}
