package server

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/translate"
)

// Mode is what a call wants to do at a path.
type Mode uint8

// The modes.
const (
	Read Mode = iota
	Write
)

// Authorizer decides about access. Who asks is in the context, as gRPC's peer and
// metadata.
type Authorizer interface {
	// Authorize is asked about each path of each call, in the form of origin
	// sonic-db; Capabilities is a read of the root. The database of a table's path
	// is the first element. An error refuses the call: with the error's gRPC code if
	// it has one, else with PERMISSION_DENIED.
	Authorize(ctx context.Context, path *gpb.Path, mode Mode) error
}

func (s *Server) authorize(ctx context.Context, mode Mode, queries ...*translate.Query) error {
	if s.cfg.Authorizer == nil {
		return nil
	}
	for _, q := range queries {
		if err := s.allow(ctx, q.Path(), mode); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) allow(ctx context.Context, p *gpb.Path, mode Mode) error {
	if s.cfg.Authorizer == nil {
		return nil
	}
	err := s.cfg.Authorizer.Authorize(ctx, p, mode)
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.Error(codes.PermissionDenied, err.Error())
}
