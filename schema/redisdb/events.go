package redisdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
// again after every lost connection: a server that restarts may have forgotten.
func (c *Client) enableEvents(ctx context.Context) error {
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
	c.log.WithField("was", set).Info("keyspace events switched on")
	return nil
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
