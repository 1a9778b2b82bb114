package main

import (
	"context"

	"github.com/sirupsen/logrus"

	"xon/cmd/offline"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// newChip makes a virtual chip of a class, or of the class of the rows' platform,
// with the ports that the rows ask for.
func newChip(profile string, rows configdb.RawRows) (*vsai.Chip, error) {
	if profile == "" {
		return offline.NewChip(nil, rows), nil
	}
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		return nil, &usageError{err}
	}
	return offline.NewChip(p, rows), nil
}

// warnDiffers logs that the class that somebody chose is not that of the rows' platform.
func warnDiffers(profile string, rows configdb.RawRows, log logrus.FieldLogger) {
	if p, err := vsai.ProfileByName(profile); err == nil && profile != "" {
		if why := offline.Differs(p.Name, rows); why != "" {
			log.WithField("class", p.Name).Warn("chip class " + why)
		}
	}
}

// layout is what a virtual chip is laid out by: the rows of CONFIG_DB that say which
// switch this is and which ports it has.
func (k *keeper) layout(ctx context.Context) (configdb.RawRows, error) {
	rows := configdb.RawRows{}
	db := k.db.DB(redisdb.ConfigDB)
	for _, table := range []string{"DEVICE_METADATA", "PORT"} {
		found, err := db.All(ctx, db.ID.Pattern(table))
		if err != nil {
			return nil, err
		}
		for key, f := range found {
			rows[configdb.RowKey(key)] = f
		}
	}
	return rows, nil
}
