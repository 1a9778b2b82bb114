package admin

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// RestartBuffers implements AdminServer.
func (s *Service) RestartBuffers(ctx context.Context, _ *RestartBuffersRequest) (*RestartBuffersResponse, error) {
	if err := s.gate.MayWrite(ctx, "RestartBuffers"); err != nil {
		return nil, err
	}
	resp, err := s.backend.RestartBuffers(ctx, s.gate.Who(ctx))
	if err != nil {
		return nil, s.gate.Refusal(ctx, err)
	}
	return clean(resp), nil
}

// ExplainHeadroom implements AdminServer.
func (s *Service) ExplainHeadroom(ctx context.Context, req *ExplainHeadroomRequest) (*ExplainHeadroomResponse, error) {
	if err := s.gate.MayRead(ctx, "ExplainHeadroom"); err != nil {
		return nil, err
	}
	if req.GetPort() == "" {
		return nil, status.Error(codes.InvalidArgument, "explain headroom: the port is missing")
	}
	resp, err := s.backend.ExplainHeadroom(ctx, req)
	if err != nil {
		return nil, s.gate.Refusal(ctx, err)
	}
	return clean(resp), nil
}
