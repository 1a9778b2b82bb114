package redisdb

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/redis/go-redis/v9"
)

// Batch is a list of writes to one database. The zero value is ready; Reset
// makes a used one ready again and keeps its memory.
type Batch struct {
	args []any // of all commands, one behind the other
	ends []int // of each command in args

	// Of the last Rows:
	head  []any // how a command begins
	width int   // words of a row
	room  int   // for so many words in the last command
}

// Name is a string that is sent again and again. A batch takes it without
// allocating.
type Name struct{ boxed any }

// NameOf prepares a string.
func NameOf(s string) Name { return Name{s} }

// Len is the number of commands.
func (b *Batch) Len() int { return len(b.ends) }

// Reset empties the batch.
func (b *Batch) Reset() {
	clear(b.args)
	b.args, b.ends, b.room = b.args[:0], b.ends[:0], 0
}

func (b *Batch) command(args ...any) {
	b.args = append(b.args, args...)
	b.ends = append(b.ends, len(b.args))
}

// Set writes fields of a row and leaves its others; the row is made if there is
// none, even with no fields.
func (b *Batch) Set(key string, f Fields) {
	b.command("HSET", key)
	if len(f) == 0 {
		b.extend(null, null)
	}
	for name, value := range f {
		b.extend(name, value)
	}
}

// SetField writes one field of a row.
func (b *Batch) SetField(key, field, value string) { b.command("HSET", key, field, value) }

// extend adds to the last command.
func (b *Batch) extend(args ...any) {
	b.args = append(b.args, args...)
	b.ends[len(b.ends)-1] = len(b.args)
}

// Replace makes a row be just these fields. Between its two commands the row is
// gone for others, unless the batch is written by WriteAtomic.
func (b *Batch) Replace(key string, f Fields) {
	b.Delete(key)
	b.Set(key, f)
}

// Delete removes rows, or anything else under these keys.
func (b *Batch) Delete(keys ...string) { b.list("DEL", keys) }

// DeleteFields removes fields of a row. A row that loses its last field is gone.
func (b *Batch) DeleteFields(key string, fields ...string) {
	if len(fields) == 0 {
		return
	}
	b.command("HDEL", key)
	for _, f := range fields {
		b.extend(f)
	}
}

func (b *Batch) list(verb string, keys []string) {
	if len(keys) == 0 {
		return
	}
	b.command(verb)
	for _, k := range keys {
		b.extend(k)
	}
}

// Change turns one row into another by its differences. nil is no row; a
// placeholder that callers have put into one does not count, and what is not a hash
// (configdb.NotHash) goes first.
func (b *Batch) Change(key string, from, to Fields) {
	if isNotHash(from) {
		b.Delete(key)
		from = nil
	}
	from, to = bare(from), bare(to)
	switch {
	case to == nil && from == nil:
	case to == nil:
		b.Delete(key)
	case from == nil:
		b.Set(key, to)
	default:
		b.update(key, from, to)
	}
}

// Rewrite is Change that writes all fields of a row of which one changes: listeners expect
// an event to have them all, and a row that somebody has removed meanwhile is whole again.
func (b *Batch) Rewrite(key string, from, to Fields) {
	if from, to := bare(from), bare(to); from != nil && to != nil && !isNotHash(from) && !maps.Equal(from, to) {
		b.Set(key, to)
		b.DeleteFields(key, missing(from, to)...)
		return
	}
	b.Change(key, from, to)
}

// missing are the fields of one row that another does not have.
func missing(from, to Fields) (names []string) {
	for name := range from {
		if _, kept := to[name]; !kept {
			names = append(names, name)
		}
	}
	return names
}

func (b *Batch) update(key string, from, to Fields) {
	gone, set := missing(from, to), Fields{}
	for name, value := range to {
		if old, had := from[name]; !had || old != value {
			set[name] = value
		}
	}
	if len(set) > 0 || len(to) == 0 && len(gone) > 0 {
		b.Set(key, set) // before the removal, which so never takes the last field
	}
	b.DeleteFields(key, gone...)
}

// SetText writes a key that holds a plain string.
func (b *Batch) SetText(key, value string) { b.command("SET", key, value) }

// Publish sends a message to those who listen to a channel.
func (b *Batch) Publish(channel, message string) { b.command("PUBLISH", channel, message) }

// Write writes a batch, some thousand commands at a time. On an error any part
// may have been written; the others are tried if the server answers at all.
func (d *DB) Write(ctx context.Context, b *Batch) error {
	var all error
	for at := 0; at < len(b.ends); at += chunk {
		cmds, err := d.rdb.Pipelined(ctx, b.sender(ctx, at, min(at+chunk, len(b.ends))))
		if err != nil {
			all = errors.Join(all, d.blame(cmds, err))
		}
		if err != nil && !errors.As(err, new(redis.Error)) {
			break
		}
	}
	return all
}

// WriteAtomic writes a batch in one step that nobody sees a part of.
func (d *DB) WriteAtomic(ctx context.Context, b *Batch) error {
	if b.Len() == 0 {
		return nil
	}
	cmds, err := d.rdb.TxPipelined(ctx, b.sender(ctx, 0, len(b.ends)))
	if err != nil {
		return d.blame(cmds, err)
	}
	return nil
}

// sender queues some of the batch's commands.
func (b *Batch) sender(ctx context.Context, from, to int) func(redis.Pipeliner) error {
	return func(p redis.Pipeliner) error {
		start := 0
		if from > 0 {
			start = b.ends[from-1]
		}
		for _, end := range b.ends[from:to] {
			if err := p.Process(ctx, redis.NewCmd(ctx, b.args[start:end:end]...)); err != nil {
				return err
			}
			start = end
		}
		return nil
	}
}

// blame names the first command that the server refused.
func (d *DB) blame(cmds []redis.Cmder, err error) error {
	for _, c := range cmds {
		e := c.Err()
		if e == nil || !errors.As(e, new(redis.Error)) || len(c.Args()) < 2 {
			continue
		}
		if c.Args()[0] == "EVAL" {
			return fmt.Errorf("write %s: %w", d.ID, e) // the next word is the script
		}
		return fmt.Errorf("write %s: %v %v: %w", d.ID, c.Args()[0], c.Args()[1], e)
	}
	return fmt.Errorf("write %s: %w", d.ID, err)
}
