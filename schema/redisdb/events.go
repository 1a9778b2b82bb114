package redisdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrNoEvents says that a server does not tell of changes and can't be made to.
var ErrNoEvents = errors.New("redis does not send keyspace events")

const (
	eventsOption = "notify-keyspace-events"
	// wantEvents is what SONiC sets: events by key and by kind, of all kinds.
	wantEvents = "AKE"
)

// enableEvents sees to it that the server tells of changes of keys. It is asked
// again after every lost connection: a server that restarts may have forgotten. All
// watches have missed something then, but the one that only begins, if any.
func (c *Client) enableEvents(ctx context.Context, begins *Watch) error {
	if err := c.ready(ctx); err != nil {
		return err
	}
	rdb := c.DB(ApplDB).rdb
	have, err := rdb.ConfigGet(ctx, eventsOption).Result()
	if err != nil {
		return c.noEvents("CONFIG GET", err)
	}
	set := have[eventsOption]
	if sufficient(set) {
		return nil
	}
	if err := rdb.ConfigSet(ctx, eventsOption, union(set, wantEvents)).Err(); err != nil {
		return c.noEvents("CONFIG SET", err)
	}
	c.log.WithField("was", set).Info("keyspace events switched on; what is watched is read again")
	c.loseEvents(begins)
	return nil
}

// keepEvents sees to it that the server goes on telling of changes: whoever shares
// it can switch that off.
func (c *Client) keepEvents(ctx context.Context) {
	tick := time.NewTicker(cmp.Or(c.opt.EventsCheck, eventsCheck))
	defer tick.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !c.watching() {
			continue
		}
		err := c.enableEvents(ctx, nil)
		if errors.Is(err, ErrNoEvents) && !told { // a lost connection is the link's to tell
			c.log.WithError(err).Error("changes in the database may go unnoticed")
		}
		told = errors.Is(err, ErrNoEvents)
	}
}

const eventsCheck = 5 * time.Second

func (c *Client) register(w *Watch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches[w] = struct{}{}
}

func (c *Client) unregister(w *Watch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watches, w)
}

func (c *Client) watching() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.watches) > 0
}

// loseEvents has every watch ask for everything: there were no events for a while.
func (c *Client) loseEvents(begins *Watch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watches {
		if w != begins {
			w.lose()
		}
	}
}

// sufficient: events by key, of hashes, of strings, and of removals, which are
// among the generic ones.
func sufficient(flags string) bool {
	all := strings.Contains(flags, "A")
	return strings.Contains(flags, "K") && (all || strings.Contains(flags, "g") && strings.Contains(flags, "h") && strings.Contains(flags, "$"))
}

func union(a, b string) string {
	for _, f := range b {
		if !strings.ContainsRune(a, f) {
			a += string(f)
		}
	}
	return a
}

// noEvents tells a server that won't from one that can't just now.
func (c *Client) noEvents(command string, err error) error {
	for _, never := range []string{"unknown command", "NOPERM", "CONFIG SET failed", "Invalid argument"} {
		if redis.HasErrorPrefix(err, never) {
			return fmt.Errorf("%w: %s does not allow %s (%w); set %s %q in its configuration and allow the command",
				ErrNoEvents, c.Addr(), command, err, eventsOption, wantEvents)
		}
	}
	return fmt.Errorf("%s %s: %w", command, eventsOption, err)
}
