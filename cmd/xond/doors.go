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
	"xon/orchagent/guard"
	"xon/schema/redisdb"
)

// doors are what clients come in by.
type doors struct {
	local net.Listener // for gNMI
	tcp   net.Listener // for gNMI; nil for none
	creds credentials.TransportCredentials
}

// openDoors listens on the unix socket and, if asked to, on TCP.
func openDoors(ctx context.Context, o *options) (d *doors, err error) {
	d = &doors{}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	if d.local, err = server.ListenUnix(ctx, o.gnmiSocket()); err != nil {
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

// close closes what nobody serves; what is served, or was, is closed already.
func (d *doors) close() {
	for _, l := range []net.Listener{d.local, d.tcp} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// newServer makes the gNMI service, with xon.admin.v1 beside it.
func newServer(db *redisdb.Client, k *keeper, log logrus.FieldLogger) *server.Server {
	var srv *server.Server
	srv = server.New(server.Config{
		Databases: translate.Redis{Client: db}, Transactor: k, Log: log,
		Register: func(r grpc.ServiceRegistrar) { admin.New(k, srv).Register(r) },
	})
	return srv
}

func serveGNMI(ctx context.Context, g *errgroup.Group, d *doors, srv *server.Server, log logrus.FieldLogger) {
	g.Go(guard.Func(log, "gNMI on the unix socket", func() error { return srv.Serve(ctx, d.local, nil) }))
	if d.tcp == nil {
		return
	}
	log.WithFields(logrus.Fields{"address": d.tcp.Addr().String(), "tls": d.creds != nil}).Info("gNMI ready")
	g.Go(guard.Func(log, "gNMI on TCP", func() error { return srv.Serve(ctx, d.tcp, d.creds) }))
}

func (o *options) tls() server.TLS {
	return server.TLS{Dir: o.Dir, CertFile: o.Cert, KeyFile: o.Key, ClientCAFile: o.ClientCA}
}
