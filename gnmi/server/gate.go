package server

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/path"
)

// AdminRoot is the first element of the paths by which an Authorizer is asked about
// services beside gNMI: /XON_ADMIN/<RPC>.
const AdminRoot = "XON_ADMIN"

// MayRead refuses a call of another service's RPC that changes nothing.
func (s *Server) MayRead(ctx context.Context, rpc string) error {
	return s.allow(ctx, &gpb.Path{Elem: path.Of(AdminRoot, rpc)}, Read)
}

// MayWrite refuses a call of another service's RPC that changes something.
func (s *Server) MayWrite(ctx context.Context, rpc string) error {
	return s.allow(ctx, &gpb.Path{Elem: path.Of(AdminRoot, rpc)}, Write)
}

// Who is the function Who.
func (s *Server) Who(ctx context.Context) string { return Who(ctx) }

// Refusal is the status that a Set gets for an error of its transaction.
func (s *Server) Refusal(ctx context.Context, err error) error { return refusal(ctx, err) }
