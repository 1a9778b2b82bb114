package redisdb

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// SONiC's programs hand rows of APPL_DB to each other in two steps (its classes
// ProducerStateTable and ConsumerStateTable). The producer stages a row beside the
// table and knocks; what others see in the table is what the consumer has taken:
//
//	<T>_KEY_SET          set of the keys of staged rows
//	<T>_DEL_SET          those whose row is to be removed first
//	_<T>:<key>           the fields to merge into the row
//	<T>_CHANNEL@<number> hears "G" for each key that joins the set

// KeySet names the set of the keys of rows that are staged for a table.
func KeySet(table string) string { return table + "_KEY_SET" }

func delSet(table string) string { return table + "_DEL_SET" }

func (d *DB) stageChannel(table string) string { return fmt.Sprintf("%s_CHANNEL@%d", table, int(d.ID)) }

const stageScript = `
local added = redis.call('SADD', KEYS[1], ARGV[2])
if #ARGV == 2 then
	redis.call('SADD', KEYS[2], ARGV[2])
	redis.call('DEL', KEYS[3])
end
for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i+1]) end
if added > 0 then redis.call('PUBLISH', ARGV[1], 'G') end
return added`

// Stage adds to a batch that a row of a table be handed to the table's consumer: to
// merge the fields into it, or, if they are nil, to remove it.
func (d *DB) Stage(b *Batch, table, key string, f Fields) {
	b.command("EVAL", stageScript, 3, KeySet(table), delSet(table), "_"+d.ID.Key(table, key), d.stageChannel(table), key)
	if f != nil && len(f) == 0 {
		b.extend(null, null)
	}
	for name, value := range f {
		b.extend(name, value)
	}
}

// Popped is a row that was staged.
type Popped struct {
	Key string // the row's, without the table
	// Fields are to be merged into the row, or into nothing if Removed; nil if the row
	// is to be removed.
	Fields  Fields
	Removed bool // the row was to be removed first
	// Owned: Pop left the table's row alone, see Consumer.
	Owned bool
	// Junk: what was staged is no row, and has gone.
	Junk bool
}

// Consumer says what happens to rows that are popped, beside being merged into the
// table. The zero Consumer has nothing happen.
type Consumer struct {
	// Record is a table, in the same database, that keeps what producers have said of
	// each row: its fields, merged, until it is removed. "": none.
	Record string
	// Owner is a table of another database whose rows come first: a row that is there,
	// by the same key with that database's separator, is left alone here. "": none.
	Owner   string
	OwnerDB ID
}

// popScript does all of it in one step, so that nothing that was taken is lost with
// this process. A row that is to be merged into something of another type replaces it.
var popScript = redis.NewScript(`
local function merge(at, gone, f)
	if gone or redis.call('TYPE', at).ok ~= 'hash' then redis.call('DEL', at) end
	for i = 1, #f, 2 do redis.call('HSET', at, f[i], f[i+1]) end
end
local prefix, record, owner, separator, ownerSeparator = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local db, ownerDB, most = ARGV[6], ARGV[7], ARGV[8]
local out = {}
for _, key in ipairs(redis.call('SPOP', KEYS[1], most)) do
	local gone = redis.pcall('SREM', KEYS[2], key) == 1
	local f = redis.pcall('HGETALL', '_' .. prefix .. key)
	local junk = f.err ~= nil
	if junk then f = {} end
	redis.call('DEL', '_' .. prefix .. key)
	local owned = false
	if owner ~= '' then
		redis.call('SELECT', ownerDB)
		owned = redis.call('EXISTS', owner .. string.gsub(key, separator, ownerSeparator)) == 1
		redis.call('SELECT', db)
	end
	if not junk then
		if record ~= '' then merge(record .. key, gone or #f == 0, f) end
		if not owned and (gone or #f > 0) then merge(prefix .. key, gone, f) end
	end
	out[#out+1] = {key, gone and 1 or 0, owned and 1 or 0, junk and 1 or 0, f}
end
return out`)

// ErrWrongType says that a key holds something that it is not for.
var ErrWrongType = errors.New("the key holds something of another type")

// mostPopped is how many rows are taken at a time. Redis does nothing else meanwhile.
const mostPopped = 512

// Pop takes the rows that are staged for a table and merges them into it, at most 512
// at a time: call it until there are none. The error is ErrWrongType if the table's set of keys is
// none.
func (d *DB) Pop(ctx context.Context, table string, c Consumer) ([]Popped, error) {
	prefix := func(id ID, table string) string {
		if table == "" {
			return ""
		}
		return table + id.Separator()
	}
	answer, err := popScript.Run(ctx, d.rdb, []string{KeySet(table), delSet(table)},
		prefix(d.ID, table), prefix(d.ID, c.Record), prefix(c.OwnerDB, c.Owner), d.ID.Separator(), c.OwnerDB.Separator(),
		int(d.ID), int(c.OwnerDB), mostPopped).Slice()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		err = fmt.Errorf("%s: %w", KeySet(table), ErrWrongType)
	}
	if err != nil {
		return nil, fmt.Errorf("take what is staged for %s in %s: %w", table, d.ID, err)
	}
	rows := make([]Popped, 0, len(answer))
	for _, a := range answer {
		p, ok := popped(a)
		if !ok {
			return nil, fmt.Errorf("take what is staged for %s in %s: the answer %v is none", table, d.ID, a)
		}
		rows = append(rows, p)
	}
	return rows, nil
}

// popped reads one row of the script's answer.
func popped(answer any) (p Popped, ok bool) {
	a, _ := answer.([]any)
	if len(a) != 5 {
		return p, false
	}
	var flags [3]bool
	for i := range flags {
		flags[i] = a[1+i] == int64(1)
	}
	p.Removed, p.Owned, p.Junk = flags[0], flags[1], flags[2]
	p.Key, ok = a[0].(string)
	words, isList := a[4].([]any)
	if !ok || !isList {
		return p, false
	}
	if len(words) > 0 {
		p.Fields = Fields{}
	}
	for i := 0; i+1 < len(words); i += 2 {
		name, ok1 := words[i].(string)
		value, ok2 := words[i+1].(string)
		if !ok1 || !ok2 {
			return p, false
		}
		p.Fields[name] = value
	}
	if p.Fields != nil {
		p.Fields = stored(p.Fields)
	}
	return p, true
}
