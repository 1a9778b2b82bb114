package notifications

import (
	"context"
	"maps"
	"sync"
	"time"

	"xon/sai"
)

// Links gathers news of links for one who takes it up at his own pace. What comes of
// one link meanwhile is one piece of news, the last, and none is lost.
type Links struct {
	bell chan struct{} // has an element while there may be news
	mu   sync.Mutex
	up   map[sai.OID]bool // the news, by port
}

// again is how long news waits that could not be taken up.
const again = time.Second

// NewLinks returns Links without news.
func NewLinks() *Links {
	return &Links{bell: make(chan struct{}, 1), up: map[sai.OID]bool{}}
}

// Hear takes a notification that links went up or down, as from Hub.On. It does not
// wait.
func (l *Links) Hear(n sai.Notification) {
	news := map[sai.OID]bool{}
	for _, s := range sai.Elems[sai.PortOperStatusNotification](n) {
		news[s.PortID] = s.PortState == sai.PortOperStatusUp
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.Copy(l.up, news)
	l.ring()
}

func (l *Links) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// Run has take take up news, of each link whether it is up, until ctx ends, which is
// no error. What take fails for it gets once more a second later, unless there is
// newer news of that link.
func (l *Links) Run(ctx context.Context, take func(ctx context.Context, up map[sai.OID]bool) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.bell:
		}
		up := l.gather()
		if take(ctx, up) == nil {
			continue
		}
		l.keep(up)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

// gather returns all news that there is.
func (l *Links) gather() map[sai.OID]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	up := l.up
	l.up = map[sai.OID]bool{}
	return up
}

// keep puts news back that was not taken up.
func (l *Links) keep(old map[sai.OID]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.Copy(old, l.up)
	l.up = old
	l.ring()
}
