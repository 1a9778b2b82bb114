package redisdb

import (
	"maps"
	"slices"
	"strings"
)

// Life says how long rows last.
type Life string

const (
	// Lasting rows outlive redis-server as others do.
	Lasting Life = "lasting"
	// Passing rows may be lost with redis-server, and are not copied to replicas: they
	// go neither into its append-only file nor to them. It is for rows that are written
	// again every second and would wear a disk out.
	Passing Life = "passing"
)

// rowsScript sets the same fields of many rows. ARGV has a Life, the number of fields,
// their names, and for each row its key and the values. What is under a key and is no
// row goes, and the last such key is told as an error.
const rowsScript = `
if ARGV[1] == 'passing' then redis.set_repl(redis.REPL_NONE) end
local argv, n, pcall = ARGV, tonumber(ARGV[2]), redis.pcall
local row, words, replaced = {'HSET'}, 2 + 2*n, nil
for i = 1, n do row[1 + 2*i] = argv[2 + i] end
for at = 3 + n, #argv, n + 1 do
	row[2] = argv[at]
	for i = 1, n do row[2 + 2*i] = argv[at + i] end
	local answer = pcall(unpack(row, 1, words))
	if type(answer) == 'table' then
		if string.sub(answer.err, 1, 9) ~= 'WRONGTYPE' then return answer end
		redis.call('DEL', row[2])
		redis.call(unpack(row, 1, words))
		replaced = row[2]
	end
end
if replaced then return redis.error_reply('WRONGTYPE ' .. replaced .. ' was no row, and is one now') end
return 'OK'`

// mostWords is how many keys and values go to one script: some rows of many fields, as
// Redis does nothing else meanwhile.
const mostWords = 4096

// Rows begins to write some fields, at most 2000, of many rows, in a few commands for
// all: Row must follow for each. Where a key holds something other than a row this is
// replaced, which the error of Write tells, as the row has just these fields then.
func (b *Batch) Rows(life Life, fields ...Name) {
	b.head, b.room = append(b.head[:0], "EVAL", rowsScript, 0, string(life), len(fields)), 0
	for _, f := range fields {
		b.head = append(b.head, f.boxed)
	}
	b.width = 1 + len(fields)
}

// Row begins one row of the last Rows; its values must follow, in the order of the fields.
func (b *Batch) Row(key Name) {
	if b.room < b.width {
		b.command(b.head...)
		b.room = mostWords
	}
	b.room -= b.width
	b.extend(key.boxed)
}

// Number adds a value to the row of the last Row. It is read when the batch is written.
func (b *Batch) Number(value *uint64) { b.extend(value) }

// SetRows writes fields of rows and leaves their others, as Rows does; those with the
// same fields go together.
func (b *Batch) SetRows(life Life, rows map[string]Fields) {
	alike := map[string][]string{} // keys, by their fields
	for key, f := range rows {
		fields := strings.Join(slices.Sorted(maps.Keys(f)), "\x00")
		alike[fields] = append(alike[fields], key)
	}
	for _, keys := range alike {
		fields := slices.Sorted(maps.Keys(rows[keys[0]]))
		names := make([]Name, len(fields))
		for i, f := range fields {
			names[i] = NameOf(f)
		}
		b.Rows(life, names...)
		for _, key := range keys {
			b.Row(NameOf(key))
			for _, f := range fields {
				b.extend(rows[key][f])
			}
		}
	}
}
