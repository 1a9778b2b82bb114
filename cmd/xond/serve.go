package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"xon/orchagent/audit"
	"xon/orchagent/crash"
	"xon/schema/redisdb"
)

// serve runs the agent until ctx ends. ready is called when the first
// configuration has been taken to the chip.
func serve(ctx context.Context, o *options, log logrus.FieldLogger, ready func()) (err error) {
	release, err := takeDir(o.Dir)
	if err != nil {
		return err
	}
	defer release()
	buffers, err := o.startBuffers(log)
	if err != nil {
		return err
	}
	// What can be in somebody else's hands comes before anything is done.
	doors, err := openDoors(ctx, o, log)
	if err != nil {
		return err
	}
	defer doors.close()
	db, closeDB, err := openDatabase(ctx, o, log)
	if err != nil {
		return unlessEnded(ctx, err)
	}
	defer func() { err = errors.Join(err, closeDB()) }()
	if err := importConfig(ctx, o, db.DB(redisdb.ConfigDB), log); err != nil {
		return unlessEnded(ctx, err)
	}
	if o.StopChip {
		defer func() { err = errors.Join(err, stopChip(o)) }()
	}
	history, err := audit.New(audit.Config{Path: o.auditLog(), Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, history.Close()) }()
	k := newKeeper(o, db, history, log, ready)
	k.buffers = buffers
	srv := newServer(db, k, log)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(crash.Again(ctx, log, "the agent's keeper", func() error { return k.run(ctx) }))
	if o.Redis == "" {
		g.Go(crash.Again(ctx, log, "putting a lost configuration back", func() error { return restoreLost(ctx, o, db, log) }))
		g.Go(crash.Again(ctx, log, "saving the configuration", func() error {
			return saveChanges(ctx, db, o.savedConfig(), log)
		}))
	}
	serveGNMI(ctx, g, doors, srv, log)
	serveWeb(ctx, g, doors, k.mon, log)
	return g.Wait()
}

// unlessEnded drops an error that only says that ctx ended while something began.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// takeDir makes the state directory and takes it for this process alone. The lock
// goes with the process, however it ends.
func takeDir(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("state directory: %w; choose another with --dir", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "xond.lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("state directory: %w; choose another with --dir", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another xond runs in %s; end it, or choose another directory with --dir", dir), f.Close())
	}
	return func() { _ = f.Close() }, nil // closing gives the lock up
}

// openDatabase joins the Redis of --redis, or starts a private one.
func openDatabase(ctx context.Context, o *options, log logrus.FieldLogger) (*redisdb.Client, func() error, error) {
	addr, stop := o.Redis, func(context.Context) error { return nil }
	if addr == "" {
		private, err := redisdb.StartServer(ctx, redisdb.ServerConfig{Dir: o.redisDir(), Port: o.Port}, log)
		if err != nil {
			return nil, nil, err
		}
		addr, stop = private.Addr(), private.Stop
	}
	client, err := redisdb.Open(ctx, addr, redisdb.Options{Log: log})
	if err != nil {
		return nil, nil, errors.Join(err, stop(context.WithoutCancel(ctx)))
	}
	return client, func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		return errors.Join(client.Close(), stop(ctx))
	}, nil
}
