package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/sirupsen/logrus"

	"xon/schema/configdb"
	"xon/schema/redisdb"
)

const (
	stopTime  = 10 * time.Second // for the database to write what it has
	saveQuiet = time.Second      // without a change until the configuration is saved
)

// importConfig fills an empty CONFIG_DB from --config or, without it, from what was
// saved last. One that has rows is left as it is.
func importConfig(ctx context.Context, o *options, db *redisdb.DB, log logrus.FieldLogger) error {
	file := o.Config
	if file == "" {
		if o.Redis != "" {
			return nil
		}
		file = o.savedConfig()
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	rows, err := configdb.ReadFile(file)
	if err != nil {
		return err
	}
	keys, err := db.Keys(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	log = log.WithField("file", file)
	if len(keys) > 0 {
		if o.Config != "" {
			log.WithField("rows", len(keys)).Info("the database has a configuration already; the file is not loaded (xonctl apply --replace does that)")
		}
		return nil
	}
	var batch redisdb.Batch
	for k, f := range rows {
		batch.Set(string(k), f)
	}
	batch.SetText(initialized, "1")
	if err := db.WriteAtomic(ctx, &batch); err != nil {
		return err
	}
	log.WithField("rows", len(rows)).Info("configuration imported")
	return nil
}

// initialized is the key that SONiC's tools wait for.
const initialized = "CONFIG_DB_INITIALIZED"

// saveChanges writes CONFIG_DB to a file a little after every change.
func saveChanges(ctx context.Context, db *redisdb.DB, file string, log logrus.FieldLogger) error {
	w := db.Watch(ctx, redisdb.Everything)
	defer w.Stop()
	for ctx.Err() == nil {
		_, err := w.Next(ctx)
		if err == nil {
			err = quiet(ctx, w)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		err = saveConfig(ctx, db, file)
		var left configdb.Faults
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &left):
			log.WithError(err).Warn("the configuration was saved without rows that no file can hold")
		case err != nil:
			log.WithError(err).Error("save the configuration")
		}
	}
	return nil
}

// quiet returns when nothing has changed for a while.
func quiet(ctx context.Context, w *redisdb.Watch) error {
	for {
		pause, cancel := context.WithTimeout(ctx, saveQuiet)
		_, err := w.Next(pause)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func saveConfig(ctx context.Context, db *redisdb.DB, file string) error {
	all, err := db.All(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	rows := make(configdb.RawRows, len(all))
	for k, f := range all {
		rows[configdb.RowKey(k)] = f
	}
	return configdb.WriteFile(file, rows)
}
