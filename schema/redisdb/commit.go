package redisdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrConflict says that a row is no longer what a change was based on. The error
// that holds it is a *ConflictError.
var ErrConflict = errors.New("changed by somebody else meanwhile")

// ErrUnknown says that the connection was lost in the middle of a commit, and that
// the server was not back soon enough to tell what became of it, or that somebody
// else has changed the rows since.
var ErrUnknown = errors.New("the outcome is not known")

// ConflictError names the row that somebody else changed.
type ConflictError struct {
	DB  ID
	Key string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.DB, e.Key, ErrConflict)
}

// Unwrap returns ErrConflict.
func (e *ConflictError) Unwrap() error { return ErrConflict }

// settleTime is how long a commit whose answer was lost waits for the server to
// look what became of it.
const settleTime = 3 * time.Second

// Commit turns rows from before into after in one step, provided that every row
// of before is still so; nil Fields are a row that does not exist. A row that
// only before has is compared and left, one that only after has is written
// whatever it was. Fields of a row without any may be empty or NULL=NULL.
//
// A *ConflictError means that nothing was written, and so does any other error
// but ErrUnknown. Nothing is tried twice.
func (d *DB) Commit(ctx context.Context, before, after map[string]Fields) error {
	keys := keysOf(before, after)
	sent := false
	err := d.rdb.Watch(ctx, func(tx *redis.Tx) error {
		have := make([]Fields, len(keys))
		if err := hashes(ctx, tx, keys, have); err != nil {
			return err
		}
		if err := d.compare(keys, have, before); err != nil {
			return err
		}
		var b Batch
		for i, key := range keys {
			if to, ok := after[key]; ok {
				b.Change(key, have[i], to)
			}
		}
		if b.Len() == 0 {
			return nil
		}
		sent = true
		_, err := tx.TxPipelined(ctx, b.sender(ctx, 0, b.Len()))
		return err
	}, keys...)
	switch {
	case err == nil || errors.Is(err, ErrConflict):
		return err
	case errors.Is(err, redis.TxFailedErr):
		return d.culprit(ctx, keys, before)
	case sent && !errors.As(err, new(redis.Error)):
		return d.settle(ctx, err, keys, before, after)
	}
	return fmt.Errorf("commit to %s: %w", d.ID, err)
}

func keysOf(a, b map[string]Fields) []string {
	keys := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, both := a[k]; !both {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// compare finds the first row that is not as before.
func (d *DB) compare(keys []string, have []Fields, before map[string]Fields) error {
	for i, key := range keys {
		if want, ok := before[key]; ok && !same(want, have[i]) {
			return &ConflictError{d.ID, key}
		}
	}
	return nil
}

// same compares rows; one that does not exist is not one without fields.
func same(a, b Fields) bool {
	return (a == nil) == (b == nil) && maps.Equal(bare(a), bare(b))
}

// culprit names the row that changed while the transaction was under way.
func (d *DB) culprit(ctx context.Context, keys []string, before map[string]Fields) error {
	have, err := d.RowsAsFound(ctx, keys...)
	if err == nil {
		if err := d.compare(keys, have, before); err != nil {
			return err
		}
	}
	return &ConflictError{d.ID, keys[0]} // it was changed and changed back
}

// settle finds out whether a transaction without an answer took place. The
// caller's deadline does not count: it must know.
func (d *DB) settle(ctx context.Context, cause error, keys []string, before, after map[string]Fields) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	var pause backoff
	for {
		have, err := d.RowsAsFound(ctx, keys...)
		switch {
		case err == nil && d.compare(keys, have, after) == nil:
			return nil
		case err == nil && d.compare(keys, have, before) == nil:
			return fmt.Errorf("commit to %s: %w", d.ID, cause)
		case err == nil || pause.sleep(ctx) != nil: // somebody else has written since, or it is away
			return fmt.Errorf("commit to %s: %w: %w", d.ID, ErrUnknown, cause)
		}
	}
}
