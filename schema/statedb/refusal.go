package statedb

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"xon/schema/configdb"
)

// RefusalTable has what the chip said to rows that it refused, so that an agent
// which starts again does not ask it the same again. A row's key is that of the row
// of CONFIG_DB: "XON_REFUSED|PORT|Ethernet0", a Refusal.
const RefusalTable = "XON_REFUSED"

// Refusal is what the chip said to one version of a row.
type Refusal struct {
	Version string // Digest of the row's fields; "" for its removal
	Reason  string // not empty
	Field   string // the field at fault, if it is one
	Retry   bool   // the same may succeed later
	// Needs are the digests of the versions of other rows that played a part.
	Needs map[configdb.RowKey]string
}

// The fields of a Refusal beside those that a Fate has.
const (
	versionField = "version"
	retryField   = "retry"
	needsField   = "needs" // a digest, a space and a row's key a line, in order of keys
)

// RefusalKey names the hash with the refusal of a row.
func RefusalKey(row configdb.RowKey) string { return RefusalTable + "|" + string(row) }

// ParseRefusalKey is the inverse of RefusalKey; ok is false for the key of anything
// else.
func ParseRefusalKey(key string) (row configdb.RowKey, ok bool) { return rowOf(key, RefusalTable) }

// Format returns the fields of the row: version, reason and retry always.
func (r Refusal) Format() map[string]string {
	f := map[string]string{versionField: r.Version, reasonField: r.Reason, retryField: "false"}
	if r.Retry {
		f[retryField] = "true"
	}
	if r.Field != "" {
		f[fieldField] = r.Field
	}
	if len(r.Needs) > 0 {
		lines := make([]string, 0, len(r.Needs))
		for _, k := range slices.Sorted(maps.Keys(r.Needs)) {
			lines = append(lines, r.Needs[k]+" "+string(k))
		}
		f[needsField] = strings.Join(lines, "\n")
	}
	return f
}

// ParseRefusal is the inverse of Format.
func ParseRefusal(fields map[string]string) (Refusal, error) {
	r := Refusal{Version: fields[versionField], Reason: fields[reasonField], Field: fields[fieldField], Retry: fields[retryField] == "true"}
	if r.Reason == "" {
		return Refusal{}, fmt.Errorf("field %q: %w", reasonField, errors.New("it is empty"))
	}
	if text := fields[needsField]; text != "" {
		r.Needs = map[configdb.RowKey]string{}
		for line := range strings.SplitSeq(text, "\n") {
			digest, row, ok := strings.Cut(line, " ")
			if !ok || row == "" {
				return Refusal{}, fmt.Errorf("field %q: %q is not a digest and a row", needsField, line)
			}
			r.Needs[configdb.RowKey(row)] = digest
		}
	}
	return r, nil
}
