package redisdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/redis/go-redis/v9"

	"xon/schema/configdb"
)

// chunk is how many commands go to the server before their answers are read.
const chunk = 2048

// Row reads one row; nil if there is none.
func (d *DB) Row(ctx context.Context, key string) (Fields, error) {
	rows, err := d.Rows(ctx, key)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// Rows reads rows: the i-th of the result is that of the i-th key, nil if there
// is none. A key that holds something other than a row is none.
func (d *DB) Rows(ctx context.Context, keys ...string) ([]Fields, error) {
	rows, err := d.RowsAsFound(ctx, keys...)
	for i, f := range rows {
		if isNotHash(f) {
			rows[i] = nil
		}
	}
	return rows, err
}

// RowsAsFound is Rows for those who must tell a key that holds something other than
// a row from one that is not there: its Fields are configdb.NotHash.
func (d *DB) RowsAsFound(ctx context.Context, keys ...string) ([]Fields, error) {
	rows := make([]Fields, len(keys))
	for at := 0; at < len(keys); at += chunk {
		end := min(at+chunk, len(keys))
		if err := hashes(ctx, d.rdb, keys[at:end], rows[at:end]); err != nil {
			return nil, fmt.Errorf("read %s: %w", d.ID, err)
		}
	}
	return rows, nil
}

// hashes reads rows in one exchange.
func hashes(ctx context.Context, rdb redis.Cmdable, keys []string, rows []Fields) error {
	answers := make([]*redis.MapStringStringCmd, len(keys))
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, key := range keys {
			answers[i] = p.HGetAll(ctx, key)
		}
		return nil
	})
	if err != nil && !errors.As(err, new(redis.Error)) {
		return err
	}
	for i, a := range answers {
		switch f, err := a.Result(); {
		case err == nil:
			rows[i] = stored(f)
		case redis.HasErrorPrefix(err, "WRONGTYPE"):
			rows[i] = Fields(configdb.NotHash())
		default:
			return fmt.Errorf("%s: %w", keys[i], err)
		}
	}
	return nil
}

func isNotHash(f Fields) bool { return configdb.Fields(f).IsNotHash() }

// stored makes Fields of what Redis has.
func stored(f map[string]string) Fields {
	if len(f) == 0 {
		return nil
	}
	if f[null] == null {
		delete(f, null)
	}
	return f
}

// bare is f without the placeholder, which callers may have put there themselves.
func bare(f Fields) Fields {
	if f[null] != null {
		return f
	}
	f = maps.Clone(f)
	delete(f, null)
	return f
}

// Keys lists the keys that match a pattern, in order. Those of other things than
// rows are among them.
func (d *DB) Keys(ctx context.Context, pattern string) ([]string, error) {
	var keys []string
	err := d.scan(ctx, pattern, func(found []string) error {
		keys = append(keys, found...)
		return nil
	})
	slices.Sort(keys)
	return slices.Compact(keys), err // a scan may find a key twice
}

// All reads all rows that match a pattern (ID.Pattern, Everything). It is no
// snapshot: rows that change meanwhile are read before or after.
func (d *DB) All(ctx context.Context, pattern string) (map[string]Fields, error) {
	all, err := d.AllAsFound(ctx, pattern)
	maps.DeleteFunc(all, func(_ string, f Fields) bool { return isNotHash(f) })
	return all, err
}

// AllAsFound is All with the keys that hold something other than a row: see
// RowsAsFound.
func (d *DB) AllAsFound(ctx context.Context, pattern string) (map[string]Fields, error) {
	all := map[string]Fields{}
	err := d.scan(ctx, pattern, func(keys []string) error {
		rows, err := d.RowsAsFound(ctx, keys...)
		for i, f := range rows {
			if f != nil {
				all[keys[i]] = f
			}
		}
		return err
	})
	return all, err
}

func (d *DB) scan(ctx context.Context, pattern string, found func(keys []string) error) error {
	var cursor uint64
	for {
		keys, next, err := d.rdb.Scan(ctx, cursor, pattern, chunk).Result()
		if err != nil {
			return fmt.Errorf("list %s %s: %w", d.ID, pattern, err)
		}
		if err := found(keys); err != nil {
			return err
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// Text reads a key that holds a plain string, as CONFIG_DB_INITIALIZED does; ""
// if there is none.
func (d *DB) Text(ctx context.Context, key string) (string, error) {
	s, err := d.rdb.Get(ctx, key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("read %s %s: %w", d.ID, key, err)
	}
	return s, nil
}
