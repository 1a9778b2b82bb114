// Package web lets other programs watch the agent over HTTP: /metrics for
// Prometheus, /healthz for whatever decides whether it works, / for people, and
// on the unix socket alone the profiles of Go's runtime under /debug/pprof/.
//
// It only shows. What there is to show is brought by whoever wires the agent
// together: events by the methods of Metrics, states by the functions of Config.
package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"
)

// Config says what a Server shows. Metrics and Log must be set.
type Config struct {
	Metrics *Metrics
	// Health examines the agent. It must end with its context. Nil: always well.
	Health func(context.Context) []Check
	Log    logrus.FieldLogger
}

// Server shows the agent on any number of listeners.
type Server struct{ cfg Config }

// New makes a Server; Serve makes it heard.
func New(cfg Config) *Server { return &Server{cfg: cfg} }

// Times of the transport.
const (
	headerPatience = 5 * time.Second
	idlePatience   = 2 * time.Minute  // longer than Prometheus waits between two visits
	totalPatience  = 30 * time.Second // on TCP, of a request and of its answer
	stopPatience   = time.Second
)

// Serve answers on a listener until ctx ends, and closes it. local says that only
// those reach it who may also end the agent: they get profiles too. A request
// that panics fails alone. A connection that is idle is closed, and over TCP, where a
// stranger may be at the other end, one that takes its time; a profile takes as long as
// one asks for.
func (s *Server) Serve(ctx context.Context, l net.Listener, local bool) error {
	srv := &http.Server{
		Handler: s.Handler(local), ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	if !local {
		srv.ReadTimeout, srv.WriteTimeout = totalPatience, totalPatience
	}
	defer context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		if srv.Shutdown(patience) != nil {
			_ = srv.Close() // the end is near
		}
	})()
	if err := srv.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve http on %s: %w", l.Addr(), err)
	}
	return nil
}

// Handler is what Serve serves.
func (s *Server) Handler(local bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.cfg.Metrics.registry, promhttp.HandlerOpts{
		ErrorLog: s.cfg.Log, ErrorHandling: promhttp.ContinueOnError,
	}))
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /{$}", s.index(local))
	if local {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}

const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>xon</title>
<h1>xon</h1>
<ul>
<li><a href="/metrics">metrics</a>, for Prometheus</li>
<li><a href="/healthz">health</a>: 200 if all is well, 503 and why if not</li>
%s</ul>
<p>Configuration and state are read and changed with xonctl, any gNMI client or redis-cli.</p>
`

// index is the page for people.
func (s *Server) index(local bool) http.HandlerFunc {
	more := ""
	if local {
		more = "<li><a href=\"/debug/pprof/\">profiles</a> of the program</li>\n"
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, page, more)
	}
}
