// Package server is xon's gNMI service: Capabilities, Get, Set and Subscribe over
// TLS, plain TCP or a unix socket.
//
// What a path means is in gnmi/translate, how subscriptions are served in
// gnmi/notify. What a Set does to the switch is behind the Transactor.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"xon/gnmi/notify"
	"xon/gnmi/translate"
	"xon/schema/configdb"
)

// Transactor carries out a Set.
type Transactor interface {
	// Transact does all operations or none, and returns when it is known which. A
	// refusal is a configdb.Faults; another error keeps its gRPC status if it has one
	// and is INTERNAL if not.
	//
	// *Held and ErrAborted say that it was held or ended by people.
	Transact(ctx context.Context, req Request) (Outcome, error)
}

// Request is what a Set asks for.
type Request struct {
	Ops []configdb.Op
	Who string // who asks, for the record: see Who
	// Disruptive has changed objects taken out of use first, which needs no room for a
	// moment but which traffic notices. It is the metadata DisruptiveKey of the call.
	Disruptive bool
	// Confirmed has a plan go on that would be held for what it removes or resets. It
	// is the metadata ConfirmKey of the call.
	Confirmed bool
}

// Outcome is what became of a transaction.
type Outcome struct {
	Revision uint64   // of the configuration that is in force afterwards
	Warnings []string // about rows that look wrong, or are stored and have to wait
	Rows     configdb.RowCount
}

// Config says what a Server serves. Only Databases and Transactor are needed.
type Config struct {
	Databases  translate.Databases
	Transactor Transactor
	Authorizer Authorizer // nil: everybody may do everything
	// Register adds services to those of each listener; nil for none.
	Register func(grpc.ServiceRegistrar)
	// Observe hears of every call that is over: its full method, its code as gRPC writes
	// it, how long it took. It must be quick. nil: nobody.
	Observe func(method, code string, took time.Duration)
	// Log is for what concerns the agent, not a client. nil: none.
	Log logrus.FieldLogger
	// Sessions is how many calls may be open at once, streams included; 0 means
	// DefaultSessions.
	Sessions int
	// Limits are the times of sampling; zero means notify.DefaultLimits.
	Limits notify.Limits
}

// DefaultSessions is the number of calls that may be open at once.
const DefaultSessions = 256

// Sizes and times of the transport.
const (
	maxMessage    = 64 << 20         // bytes of a request or an answer
	keepaliveTime = 30 * time.Second // until an idle client is asked
	keepaliveWait = 20 * time.Second // for its answer
	pingFloor     = 5 * time.Second  // clients that ask more often are cut off
	stopPatience  = 5 * time.Second  // for calls that are running at the end
)

// Server serves gNMI on any number of listeners.
type Server struct {
	gpb.UnimplementedGNMIServer

	cfg      Config
	log      logrus.FieldLogger
	engine   *notify.Engine
	sessions chan struct{}
}

// New makes a Server; Serve makes it heard.
func New(cfg Config) *Server {
	if cfg.Sessions == 0 {
		cfg.Sessions = DefaultSessions
	}
	if cfg.Limits == (notify.Limits{}) {
		cfg.Limits = notify.DefaultLimits
	}
	log := cfg.Log
	if log == nil {
		silent := logrus.New()
		silent.SetOutput(io.Discard)
		log = silent
	}
	return &Server{
		cfg: cfg, log: log,
		engine:   notify.New(cfg.Databases, log),
		sessions: make(chan struct{}, cfg.Sessions),
	}
}

// Serve answers on a listener until ctx ends; then streams are ended and other
// calls waited for a few seconds. Nil creds mean plaintext, where a unix socket
// tells who the client is. It closes the listener, and returns nil when it ended
// because ctx did.
func (s *Server) Serve(ctx context.Context, l net.Listener, creds credentials.TransportCredentials) error {
	if creds == nil {
		creds = plain{insecure.NewCredentials()}
	}
	g := grpc.NewServer(
		grpc.Creds(creds),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: keepaliveTime, Timeout: keepaliveWait}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: pingFloor, PermitWithoutStream: true}),
		grpc.ChainUnaryInterceptor(s.observeUnary, s.guardUnary),
		grpc.ChainStreamInterceptor(s.observeStream, s.guardStream(ctx)),
	)
	gpb.RegisterGNMIServer(g, s)
	healthpb.RegisterHealthServer(g, health.NewServer())
	reflection.Register(g)
	if s.cfg.Register != nil {
		s.cfg.Register(g)
	}
	stopped := make(chan struct{})
	defer func() { <-stopped }()
	over, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(stopped)
		<-over.Done()
		stop(g)
	}()
	if err := g.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serve gnmi on %s: %w", l.Addr(), err)
	}
	return nil
}

// stop lets calls end that are about to.
func stop(g *grpc.Server) {
	t := time.AfterFunc(stopPatience, g.Stop)
	defer t.Stop()
	g.GracefulStop()
}
