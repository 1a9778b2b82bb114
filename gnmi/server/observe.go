package server

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// observed tells of a call that is over.
func (s *Server) observed(method string, start time.Time, err error) {
	if s.cfg.Observe != nil {
		s.cfg.Observe(method, status.Code(err).String(), time.Since(start))
	}
}

func (s *Server) observeUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (resp any, err error) {
	start := time.Now()
	resp, err = handle(ctx, req)
	s.observed(info.FullMethod, start, err)
	return resp, err
}

func (s *Server) observeStream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	start := time.Now()
	err := handle(srv, ss)
	s.observed(info.FullMethod, start, err)
	return err
}

// Load tells how many subscriptions are open, and how many rows wait to be sent.
func (s *Server) Load() (subscriptions, queued int) { return s.engine.Load() }
