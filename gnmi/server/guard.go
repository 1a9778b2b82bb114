package server

import (
	"context"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// enter counts a call in; leave counts it out again.
func (s *Server) enter() (leave func(), err error) {
	select {
	case s.sessions <- struct{}{}:
		return func() { <-s.sessions }, nil
	default:
		return nil, status.Errorf(codes.ResourceExhausted, "%d calls are open already, which is the limit", cap(s.sessions))
	}
}

// caught turns a panic into that call's error.
func (s *Server) caught(method string, err *error) {
	if r := recover(); r != nil {
		s.log.WithFields(map[string]any{"method": method, "panic": r, "stack": string(debug.Stack())}).
			Error("a gnmi call met a bug")
		*err = status.Errorf(codes.Internal, "%s met a bug: %v", method, r)
	}
}

func (s *Server) guardUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (resp any, err error) {
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	defer s.caught(info.FullMethod, &err)
	return handle(ctx, req)
}

// guardStream also ends streams when the server ends: they would go on for ever.
func (s *Server) guardStream(server context.Context) grpc.StreamServerInterceptor {
	return func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) (err error) {
		leave, err := s.enter()
		if err != nil {
			return err
		}
		defer leave()
		defer s.caught(info.FullMethod, &err)
		ctx, cancel := context.WithCancelCause(ss.Context())
		defer cancel(nil)
		defer context.AfterFunc(server, func() {
			cancel(status.Error(codes.Unavailable, "the server is going down"))
		})()
		return handle(srv, &boundStream{ServerStream: ss, ctx: ctx})
	}
}

// boundStream is a stream with a context that ends earlier.
type boundStream struct {
	grpc.ServerStream

	ctx context.Context //nolint:containedctx // it is what a stream has
}

// Context implements grpc.ServerStream.
func (b *boundStream) Context() context.Context { return b.ctx }
