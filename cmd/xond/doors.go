package main

import (
	"context"
	"fmt"
	"net"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"xon/gnmi/admin"
	"xon/gnmi/server"
	"xon/gnmi/translate"
	"xon/gnmi/web"
	"xon/orchagent/crash"
	"xon/schema/redisdb"
)

// doors are what clients come in by.
type doors struct {
	local net.Listener // for gNMI
	tcp   net.Listener // for gNMI; nil for none
	creds credentials.TransportCredentials

	localWeb net.Listener
	web      net.Listener // nil for none
}

// openDoors listens on the unix sockets and, if asked to, on TCP.
func openDoors(ctx context.Context, o *options, log logrus.FieldLogger) (d *doors, err error) {
	d = &doors{}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if d.local, err = server.ListenUnix(ctx, o.gnmiSocket()); err != nil {
		return d, err
	}
	if err := d.openWeb(ctx, o, log); err != nil {
		return d, err
	}
	if o.GNMI == "" {
		return d, nil
	}
	if !o.Insecure {
		if d.creds, err = o.tls().Credentials(); err != nil {
			return d, err
		}
	}
	if d.tcp, err = new(net.ListenConfig).Listen(ctx, "tcp", o.GNMI); err != nil {
		return d, fmt.Errorf("listen for gNMI: %w; choose another address with --gnmi", err)
	}
	return d, nil
}

// openWeb listens for HTTP. A switch does not go without its agent because another
// program has the port that nobody asked for.
func (d *doors) openWeb(ctx context.Context, o *options, log logrus.FieldLogger) (err error) {
	if d.localWeb, err = server.ListenUnix(ctx, o.webSocket()); err != nil || o.Web == "" {
		return err
	}
	d.web, err = new(net.ListenConfig).Listen(ctx, "tcp", o.Web)
	if err != nil && o.Web == defaultWeb {
		log.WithError(err).WithField("socket", o.webSocket()).Warn("metrics are on the unix socket alone; choose another address with --web")
		return nil
	}
	if err != nil {
		return fmt.Errorf("listen for HTTP: %w; choose another address with --web", err)
	}
	return nil
}

// close closes what nobody serves; what is served, or was, is closed already.
func (d *doors) close() {
	for _, l := range []net.Listener{d.local, d.tcp, d.localWeb, d.web} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// newServer makes the gNMI service, with xon.admin.v1 beside it.
func newServer(db *redisdb.Client, k *keeper, log logrus.FieldLogger) *server.Server {
	var srv *server.Server
	srv = server.New(server.Config{
		Databases: translate.Redis{Client: db}, Transactor: k, Log: log, Observe: k.mon.metrics.RPC,
		Register: func(r grpc.ServiceRegistrar) { admin.New(k, srv).Register(r) },
	})
	k.mon.server = srv
	return srv
}

// serveWeb shows metrics and health, and on the unix socket profiles too.
func serveWeb(ctx context.Context, g *errgroup.Group, d *doors, mon *monitor, log logrus.FieldLogger) {
	srv := web.New(web.Config{Metrics: mon.metrics, Health: mon.health, Log: log.WithField("component", "web")})
	g.Go(crash.Func(log, "HTTP on the unix socket", func() error { return srv.Serve(ctx, d.localWeb, true) }))
	if d.web == nil {
		return
	}
	log.WithField("address", d.web.Addr().String()).Info("metrics ready")
	g.Go(crash.Func(log, "HTTP on TCP", func() error { return srv.Serve(ctx, d.web, false) }))
}

func serveGNMI(ctx context.Context, g *errgroup.Group, d *doors, srv *server.Server, log logrus.FieldLogger) {
	g.Go(crash.Func(log, "gNMI on the unix socket", func() error { return srv.Serve(ctx, d.local, nil) }))
	if d.tcp == nil {
		return
	}
	log.WithFields(logrus.Fields{"address": d.tcp.Addr().String(), "tls": d.creds != nil}).Info("gNMI ready")
	g.Go(crash.Func(log, "gNMI on TCP", func() error { return srv.Serve(ctx, d.tcp, d.creds) }))
}

func (o *options) tls() server.TLS {
	return server.TLS{Dir: o.Dir, CertFile: o.Cert, KeyFile: o.Key, ClientCAFile: o.ClientCA}
}
