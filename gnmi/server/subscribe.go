package server

import (
	"context"
	"errors"
	"io"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/notify"
)

// Subscribe implements gpb.GNMIServer.
func (s *Server) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	first, err := receive(stream)
	if errors.Is(err, io.EOF) {
		return status.Error(codes.InvalidArgument, "a stream without a subscription list")
	}
	if err != nil {
		return err
	}
	plan, err := s.plan(stream.Context(), first)
	if err != nil {
		return err
	}
	switch plan.Mode {
	case gpb.SubscriptionList_ONCE:
		return s.engine.Once(stream.Context(), plan, stream.Send)
	case gpb.SubscriptionList_POLL:
		return s.poll(stream, plan)
	case gpb.SubscriptionList_STREAM:
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	go func() { cancel(hearOut(stream)) }()
	return ended(s.engine.Stream(ctx, plan, stream.Send))
}

// receive is stream.Recv, but ends with the server too.
func receive(stream gpb.GNMI_SubscribeServer) (*gpb.SubscribeRequest, error) {
	type answer struct {
		req *gpb.SubscribeRequest
		err error
	}
	got := make(chan answer, 1)
	go func() {
		req, err := stream.Recv()
		got <- answer{req, err}
	}()
	select {
	case a := <-got:
		return a.req, a.err
	case <-stream.Context().Done():
		return nil, context.Cause(stream.Context())
	}
}

func (s *Server) plan(ctx context.Context, req *gpb.SubscribeRequest) (*notify.Plan, error) {
	if err := checkExtensions(req.GetExtension()); err != nil {
		return nil, err
	}
	list := req.GetSubscribe()
	if list == nil {
		return nil, status.Error(codes.InvalidArgument, "the first message of a stream must be a subscription list")
	}
	if err := checkModels(list.GetUseModels()); err != nil {
		return nil, err
	}
	plan, err := notify.Parse(list, s.cfg.Limits)
	if err != nil {
		return nil, err
	}
	return plan, s.authorize(ctx, Read, plan.Queries()...)
}

// poll answers each poll until the client has no more.
func (s *Server) poll(stream gpb.GNMI_SubscribeServer, plan *notify.Plan) error {
	for {
		req, err := receive(stream)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if req.GetPoll() == nil {
			return status.Error(codes.InvalidArgument, "only polls may follow the subscription list of mode POLL")
		}
		if err := s.engine.Once(stream.Context(), plan, stream.Send); err != nil {
			return err
		}
	}
}

// hearOut waits for what a client that streams may not say. One that has said all
// and closes its half stays welcome: many do.
func hearOut(stream gpb.GNMI_SubscribeServer) error {
	_, err := stream.Recv()
	if errors.Is(err, io.EOF) {
		<-stream.Context().Done()
		return stream.Context().Err()
	}
	if err != nil {
		return err
	}
	return status.Error(codes.InvalidArgument, "nothing may follow the subscription list of mode STREAM")
}

// ended gives a stream's end a code.
func ended(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.FromContextError(err).Err()
}
