package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent/feed"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

const (
	stopTime  = 10 * time.Second // for the database to write what it has
	saveQuiet = time.Second      // without a change until the configuration is saved
	saveLate  = 10 * time.Second // when changes do not end
)

// importConfig fills CONFIG_DB from --config or, without it, from what was saved
// last. One that is complete is left as it is: a private one has the mark, one that
// was joined has rows.
func importConfig(ctx context.Context, o *options, db *redisdb.DB, log logrus.FieldLogger) error {
	file := o.Config
	if file == "" && o.Redis == "" {
		file = o.saved()
	}
	read, err := o.readConfig(file)
	if err != nil {
		return err
	}
	logLeft(read, log.WithField("file", file))
	return insist(ctx, log, "import the configuration", func() error { return importRows(ctx, o, db, file, read.Rows, log) })
}

func importRows(ctx context.Context, o *options, db *redisdb.DB, file string, rows configdb.RawRows, log logrus.FieldLogger) error {
	keys, err := db.Keys(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	mark, err := db.Text(ctx, feed.Initialized)
	if err != nil {
		return err
	}
	switch {
	case o.Redis == "" && mark != "1", o.Redis != "" && file != "" && len(keys) == 0:
		return fill(ctx, db, keys, rows, log.WithField("file", file))
	case o.Config != "":
		log.WithFields(logrus.Fields{"file": file, "rows": len(keys)}).
			Info("the database has a configuration already; the file is not loaded (xonctl apply --replace does that)")
	}
	return nil
}

// saved is the file that was saved last, "" if there is none.
func (o *options) saved() string {
	if _, err := os.Stat(o.savedConfig()); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return o.savedConfig()
}

// readConfig reads a file, if there is one. What was saved has every row that the
// database had; of another file, names that are no tables are left out.
func (o *options) readConfig(file string) (*configdb.File, error) {
	switch file {
	case "":
		return &configdb.File{}, nil
	case o.savedConfig():
		return configdb.ReadFile(file, configdb.FileOptions{Verbatim: true})
	}
	return o.Files.Read(file)
}

// logLeft logs what of a file was left out.
func logLeft(file *configdb.File, log logrus.FieldLogger) {
	for _, note := range file.Notes {
		log.Warn(note)
	}
	for _, f := range file.Refused {
		log.WithField("row", f.Row).Error("rejected and left out: " + f.Error())
	}
}

// fill writes rows, but those that are there, and in the same step the mark that
// they are complete.
func fill(ctx context.Context, db *redisdb.DB, there []string, rows configdb.RawRows, log logrus.FieldLogger) error {
	for _, k := range there {
		delete(rows, configdb.RowKey(k))
	}
	var batch redisdb.Batch
	for k, f := range rows {
		batch.Set(string(k), f)
	}
	batch.SetText(feed.Initialized, "1")
	if err := db.WriteAtomic(ctx, &batch); err != nil {
		return err
	}
	if len(rows) > 0 {
		log.WithField("rows", len(rows)).Info("configuration imported")
	}
	return nil
}

// restoreLost puts the saved configuration back when the private redis-server comes
// back without its data. One that was only emptied by somebody stays so, and nothing
// is taken off the chip until it is marked complete again.
func restoreLost(ctx context.Context, o *options, client *redisdb.Client, log logrus.FieldLogger) error {
	db := client.DB(redisdb.ConfigDB)
	for _, changed := client.Session(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
		_, changed = client.Session()
		_ = insist(ctx, log, "look whether the database has lost the configuration", func() error {
			return restoreOnce(ctx, o, db, log)
		}) // its error is the end of ctx
	}
}

// insist tries something with the database, which may go away at any moment, until it
// succeeds or ctx ends.
func insist(ctx context.Context, log logrus.FieldLogger, what string, try func() error) error {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		err := try()
		if err == nil || ctx.Err() != nil {
			return err
		}
		log.WithError(err).WithField("again_in", pause).Warn(what)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func restoreOnce(ctx context.Context, o *options, db *redisdb.DB, log logrus.FieldLogger) error {
	mark, err := db.Text(ctx, feed.Initialized)
	if err != nil || mark == "1" {
		return err
	}
	keys, err := db.Keys(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	file := cmp.Or(o.saved(), o.Config)
	read, err := o.readConfig(file)
	if err != nil {
		return err
	}
	log = log.WithField("file", file)
	log.Warn("the database has lost the configuration; what was saved last is put back")
	logLeft(read, log)
	return fill(ctx, db, keys, read.Rows, log)
}

// saveChanges writes CONFIG_DB to a file a little after every change, and again after
// a failure.
func saveChanges(ctx context.Context, client *redisdb.Client, file string, log logrus.FieldLogger) error {
	db := client.DB(redisdb.ConfigDB)
	w := db.Watch(ctx, redisdb.Everything)
	defer w.Stop()
	for failed := false; ctx.Err() == nil; {
		err := reason(ctx, w, failed)
		if err != nil && ctx.Err() == nil {
			return err
		}
		err = saveConfig(ctx, db, client.DB(redisdb.StateDB), file)
		var left configdb.Faults
		failed = err != nil && !errors.As(err, &left)
		switch {
		case ctx.Err() != nil:
		case left != nil:
			log.WithError(err).Warn("the configuration was saved without rows that no file can hold")
		case failed:
			log.WithError(err).WithField("again_in", lastRetry).Error("save the configuration")
		}
	}
	return nil
}

// reason returns when there is one to save: a change, and then some quiet, or a pause
// after a save that failed.
func reason(ctx context.Context, w *redisdb.Watch, failed bool) error {
	wait := ctx
	if failed {
		pause, cancel := context.WithTimeout(ctx, lastRetry)
		defer cancel()
		wait = pause
	}
	_, err := w.Next(wait)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return quiet(ctx, w)
}

// quiet returns when nothing has changed for a while, or when that takes long.
func quiet(ctx context.Context, w *redisdb.Watch) error {
	for late := time.Now().Add(saveLate); time.Now().Before(late); {
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
	return nil
}

// saveConfig saves the rows, if they are complete: those of a database that was
// emptied are not to replace what could fill it again. Derived rows are left out: they
// come again.
func saveConfig(ctx context.Context, db, state *redisdb.DB, file string) error {
	hashes := map[configdb.RowKey][]string{}
	if err := derivedRows(ctx, state, hashes); err != nil {
		return err
	}
	all, err := db.All(ctx, redisdb.Everything)
	if err != nil {
		return err
	}
	if err := derivedRows(ctx, state, hashes); err != nil { // they may have come meanwhile, or gone
		return err
	}
	if mark, err := db.Text(ctx, feed.Initialized); mark != "1" || err != nil {
		return err // read after the rows, so that what is lost in between is noticed
	}
	rows := make(configdb.RawRows, len(all))
	for k, f := range all {
		rows[configdb.RowKey(k)] = f
	}
	statedb.DeleteDerived(rows, hashes)
	return configdb.WriteFile(file, rows)
}

// derivedRows adds the hashes of the rows that the agent put into CONFIG_DB by itself.
func derivedRows(ctx context.Context, state *redisdb.DB, hashes map[configdb.RowKey][]string) error {
	marks, err := state.All(ctx, state.ID.Pattern(statedb.DerivedTable))
	for key, f := range marks {
		if k, ok := statedb.ParseDerivedKey(key); ok {
			hashes[k] = append(hashes[k], statedb.DerivedDigests(f)...)
		}
	}
	return err
}
