package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"xon/gnmi/admin"
	"xon/gnmi/server"
	"xon/gnmi/translate"
	"xon/orchagent/audit"
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
	db, closeDB, err := openDatabase(ctx, o, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeDB()) }()
	if err := importConfig(ctx, o, db.DB(redisdb.ConfigDB), log); err != nil {
		return err
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
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return k.run(ctx) })
	if o.Redis == "" {
		g.Go(func() error { return saveChanges(ctx, db.DB(redisdb.ConfigDB), o.savedConfig(), log) })
	}
	if err := serveGNMI(ctx, g, o, db, k, log); err != nil {
		return errors.Join(err, g.Wait())
	}
	return g.Wait()
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
		private, err := redisdb.StartServer(ctx, redisdb.ServerConfig{Dir: o.redisDir()}, log)
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

// serveGNMI listens on the unix socket and, if asked to, on TCP.
func serveGNMI(ctx context.Context, g *errgroup.Group, o *options, db *redisdb.Client, k *keeper, log logrus.FieldLogger) error {
	var srv *server.Server
	srv = server.New(server.Config{
		Databases: translate.Redis{Client: db}, Transactor: k, Log: log,
		Register: func(r grpc.ServiceRegistrar) { admin.New(k, srv).Register(r) },
	})
	local, err := server.ListenUnix(ctx, o.gnmiSocket())
	if err != nil {
		return err
	}
	g.Go(func() error { return srv.Serve(ctx, local, nil) })
	if o.GNMI == "" {
		return nil
	}
	var creds credentials.TransportCredentials
	if !o.Insecure {
		if creds, err = o.tls().Credentials(); err != nil {
			return err
		}
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", o.GNMI)
	if err != nil {
		return fmt.Errorf("listen for gNMI: %w; choose another address with --gnmi", err)
	}
	log.WithFields(logrus.Fields{"address": ln.Addr().String(), "tls": !o.Insecure}).Info("gNMI ready")
	g.Go(func() error { return srv.Serve(ctx, ln, creds) })
	return nil
}

func (o *options) tls() server.TLS {
	return server.TLS{Dir: o.Dir, CertFile: o.Cert, KeyFile: o.Key, ClientCAFile: o.ClientCA}
}
