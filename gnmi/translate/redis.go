package translate

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"xon/schema/redisdb"
)

// Redis is the Databases of a Redis server.
type Redis struct{ Client *redisdb.Client }

// watchPatience is how long Watch waits for a server that is away.
const watchPatience = 5 * time.Second

func (r Redis) db(name string) (*redisdb.DB, error) {
	id, ok := redisdb.ByName(name)
	if !ok {
		return nil, fmt.Errorf("there is no database %q", name)
	}
	return r.Client.DB(id), nil
}

// Scan implements Databases.
func (r Redis) Scan(ctx context.Context, db, table string) (map[string]Fields, error) {
	d, err := r.db(db)
	if err != nil {
		return nil, err
	}
	pattern := redisdb.Everything
	if table != "" {
		pattern = d.ID.Pattern(table)
	}
	rows, err := d.All(ctx, pattern)
	if err != nil {
		return nil, err
	}
	if d.ID == redisdb.ConfigDB { // a key that names no row of a table is nobody's configuration
		maps.DeleteFunc(rows, func(key string, _ Fields) bool { return !strings.Contains(key, d.ID.Separator()) })
		return rows, nil
	}
	if table == "" {
		return rows, nil
	}
	single, err := d.Row(ctx, table)
	if single != nil {
		maps.Copy(rows, map[string]Fields{table: single})
	}
	return rows, err
}

// Read implements Databases.
func (r Redis) Read(ctx context.Context, db string, names []string) ([]Fields, error) {
	d, err := r.db(db)
	if err != nil {
		return nil, err
	}
	return d.Rows(ctx, names...)
}

// Watch implements Databases. It is an error when the server does not answer
// within some seconds; a connection that is lost later is waited for.
func (r Redis) Watch(ctx context.Context, db string) (<-chan []string, error) {
	d, err := r.db(db)
	if err != nil {
		return nil, err
	}
	w := d.Watch(ctx, redisdb.Everything)
	first, cancel := context.WithTimeout(ctx, watchPatience)
	defer cancel()
	if _, err := w.Next(first); err != nil { // the resync that says: it has begun
		w.Stop()
		return nil, fmt.Errorf("watch %s: %w", db, err)
	}
	names := make(chan []string)
	go func() {
		defer close(names)
		pump(ctx, w, names)
	}()
	return names, nil
}

// pump sends events until the watch ends.
func pump(ctx context.Context, w *redisdb.Watch, names chan<- []string) {
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return
		}
		select {
		case names <- events.Keys: // none with a resync
		case <-ctx.Done():
			return
		}
	}
}
