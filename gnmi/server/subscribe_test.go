package server_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/path"
	"xon/gnmi/server"
	"xon/schema/configdb"
)

func subscribe(mode gpb.SubscriptionList_Mode, paths ...string) *gpb.SubscribeRequest {
	l := &gpb.SubscriptionList{Mode: mode, Encoding: gpb.Encoding_PROTO, Prefix: &gpb.Path{Target: "sw1"}}
	for _, p := range paths {
		l.Subscription = append(l.Subscription, &gpb.Subscription{Path: at(p)})
	}
	return &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: l}}
}

var poll = &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Poll{Poll: &gpb.Poll{}}}

func (r *rig) open(t *testing.T, reqs ...*gpb.SubscribeRequest) gpb.GNMI_SubscribeClient {
	t.Helper()
	s, err := r.client.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range reqs {
		if err := s.Send(req); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// next returns the next message as lines.
func next(t *testing.T, s gpb.GNMI_SubscribeClient) []string {
	t.Helper()
	m, err := s.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if m.GetSyncResponse() {
		return []string{"sync"}
	}
	n := m.GetUpdate()
	if n.GetPrefix().GetTarget() != "sw1" || n.GetTimestamp() == 0 {
		t.Errorf("target or time is missing: %v", n)
	}
	var lines []string
	for _, d := range n.GetDelete() {
		lines = append(lines, "- "+path.String(n.GetPrefix())+path.String(d))
	}
	for _, u := range n.GetUpdate() {
		lines = append(lines, path.String(n.GetPrefix())+path.String(u.GetPath())+"="+u.GetVal().GetStringVal())
	}
	return lines
}

func wantNext(t *testing.T, s gpb.GNMI_SubscribeClient, lines ...string) {
	t.Helper()
	if d := cmp.Diff(lines, next(t, s)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	s := r.open(t, subscribe(gpb.SubscriptionList_ONCE, "sonic-db:/CONFIG_DB/PORT/Ethernet0", "sonic-db:/CONFIG_DB/NONE"))
	wantNext(t, s, "sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu=9100", "sonic-db:/CONFIG_DB/PORT/Ethernet0/speed=100000")
	wantNext(t, s, "sync")
	if _, err := s.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	s := r.open(t, subscribe(gpb.SubscriptionList_POLL, "/sonic-db:CONFIG_DB/PORT/*/mtu"))
	for range 2 {
		if err := s.Send(poll); err != nil {
			t.Fatal(err)
		}
		wantNext(t, s, "/sonic-db:CONFIG_DB/PORT/Ethernet0/mtu=9100")
		wantNext(t, s, "/sonic-db:CONFIG_DB/PORT/Ethernet4/mtu=1500")
		wantNext(t, s, "sync")
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// A client that closes its half goes on to be told; a Set is seen at once.
func TestStream(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	s := r.open(t, subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/PORT/Ethernet4"))
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	wantNext(t, s, "sonic-db:/CONFIG_DB/PORT/Ethernet4/mtu=1500")
	wantNext(t, s, "sync")
	if _, err := r.client.Set(t.Context(), &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/CONFIG_DB/PORT/Ethernet4/mtu", "9000")}}); err != nil {
		t.Fatal(err)
	}
	wantNext(t, s, "sonic-db:/CONFIG_DB/PORT/Ethernet4/mtu=9000")
	if _, err := r.client.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet4")}}); err != nil {
		t.Fatal(err)
	}
	wantNext(t, s, "- sonic-db:/"+"/CONFIG_DB/PORT/Ethernet4")
}

func TestSubscribeErrors(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	stream := subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/NONE")
	polls := subscribe(gpb.SubscriptionList_POLL, "sonic-db:/CONFIG_DB/NONE")
	models := subscribe(gpb.SubscriptionList_ONCE, "sonic-db:/CONFIG_DB/NONE")
	models.GetSubscribe().UseModels = []*gpb.ModelData{{Name: "x"}}
	for name, tt := range map[string]struct {
		reqs []*gpb.SubscribeRequest
		code codes.Code
	}{
		"poll first":     {[]*gpb.SubscribeRequest{poll}, codes.InvalidArgument},
		"nothing":        {[]*gpb.SubscribeRequest{{}}, codes.InvalidArgument},
		"two lists":      {[]*gpb.SubscribeRequest{stream, stream}, codes.InvalidArgument},
		"poll in stream": {[]*gpb.SubscribeRequest{stream, poll}, codes.InvalidArgument},
		"list in polls":  {[]*gpb.SubscribeRequest{polls, polls}, codes.InvalidArgument},
		"models":         {[]*gpb.SubscribeRequest{models}, codes.InvalidArgument},
		"openconfig":     {[]*gpb.SubscribeRequest{subscribe(gpb.SubscriptionList_STREAM, "/qos")}, codes.Unimplemented},
	} {
		err := end(r.open(t, tt.reqs...))
		want(t, name, err, tt.code, "")
	}
	s := r.open(t)
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	want(t, "no list", end(s), codes.InvalidArgument, "without a subscription list")
}

// end returns what a stream ends with.
func end(s gpb.GNMI_SubscribeClient) error {
	for {
		if _, err := s.Recv(); err != nil {
			return err
		}
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	r := start(t, func(c *server.Config) { c.Sessions = 1 })
	s := r.open(t, subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/NONE"))
	wantNext(t, s, "sync")
	_, err := r.client.Capabilities(t.Context(), &gpb.CapabilityRequest{})
	want(t, "unary", err, codes.ResourceExhausted, "1 calls are open")
	want(t, "stream", end(r.open(t)), codes.ResourceExhausted, "1 calls are open")
}

func TestPanic(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	r.tr.Refuse = func([]configdb.Op) error { panic("oh no") }
	_, err := r.client.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/FLAG")}})
	want(t, "panic", err, codes.Internal, "oh no")
	_, err = r.client.Capabilities(t.Context(), &gpb.CapabilityRequest{})
	want(t, "afterwards", err, codes.OK, "")
}

// Streams that would never end do when the server does.
func TestStop(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	s := r.open(t, subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/NONE"))
	wantNext(t, s, "sync")
	p := r.open(t, subscribe(gpb.SubscriptionList_POLL, "sonic-db:/CONFIG_DB/NONE"), poll)
	wantNext(t, p, "sync")
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for _, s := range []gpb.GNMI_SubscribeClient{s, p} {
		if _, err := s.Recv(); status.Code(err) != codes.Unavailable {
			t.Error(err)
		}
	}
	if r.dbs.Watchers() != 0 {
		t.Error("watches are left")
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := r.client.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/NONE")); err != nil {
		t.Fatal(err)
	}
	wantNext(t, s, "sync")
	cancel()
	want(t, "cancelled", end(s), codes.Canceled, "")
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if r.dbs.Watchers() != 0 {
		t.Error("watches are left")
	}
}
