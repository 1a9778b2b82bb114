package redisdb

import (
	"context"
	"errors"

	"xon/schema/configdb"
)

// ConfigStore is CONFIG_DB as the last step of a transaction sees it.
type ConfigStore struct{ DB *DB }

// Commit is DB.Commit with rows of CONFIG_DB. A conflict is a configdb.Faults
// with one Fault of kind Conflict, which matches ErrConflict too.
func (s ConfigStore) Commit(ctx context.Context, before, after map[configdb.RowKey]configdb.Fields) error {
	err := s.DB.Commit(ctx, plain(before), plain(after))
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return configdb.Faults{{Kind: configdb.Conflict, Row: configdb.RowKey(conflict.Key), Err: ErrConflict}}
	}
	return err
}

// Row reads a row; nil if it is not there. One without fields has the placeholder
// NULL=NULL, as it is stored.
func (s ConfigStore) Row(ctx context.Context, k configdb.RowKey) (configdb.Fields, error) {
	rows, err := s.DB.RowsAsFound(ctx, string(k))
	if err != nil {
		return nil, err
	}
	if f := configdb.Fields(rows[0]); f == nil || len(f) > 0 {
		return f, nil
	}
	return configdb.Fields{"NULL": "NULL"}, nil
}

func plain(rows map[configdb.RowKey]configdb.Fields) map[string]Fields {
	out := make(map[string]Fields, len(rows))
	for k, f := range rows {
		out[string(k)] = Fields(f)
	}
	return out
}
