package admin_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"xon/gnmi/admin"
	"xon/gnmi/gnmitest"
	"xon/gnmi/path"
	"xon/gnmi/server"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// agent is a Backend that knows a little and remembers what it was asked.
type agent struct {
	plan admin.Plan
	err  error // of Plan and Confirm

	mu    sync.Mutex
	asked []any
}

func (a *agent) note(v ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = v
}

func (a *agent) Plan(_ context.Context, ops []configdb.Op, disruptive bool) (admin.Plan, error) {
	a.note(ops, disruptive)
	return a.plan, a.err
}

func (a *agent) Records() []*admin.Record {
	record := func(id uint64, row string) *admin.Record {
		return &admin.Record{
			Id: id, Time: timestamppb.New(noon.Add(time.Duration(id) * time.Minute)), Plan: []string{"build 0 set X"},
			Rows: []*admin.RowChange{{Row: row, After: &admin.Fields{Fields: map[string]string{"bad\xff": "v\xff"}}}},
		}
	}
	return []*admin.Record{record(1, "PORT|Ethernet0"), record(2, "PORT|Ethernet4"), record(3, "QUEUE|Ethernet0|3")}
}

func (a *agent) Fates() map[configdb.RowKey]statedb.Fate {
	return map[configdb.RowKey]statedb.Fate{
		"PORT|Ethernet10": {State: statedb.Refused, Reason: "2500 is no speed", Field: "speed", Since: noon, Revision: 7},
		"PORT|Ethernet2":  {State: statedb.Applied, Since: noon, Revision: 6, Warnings: []string{"w"}, Loses: 1},
		"BUFFER_PG|a|3":   {State: statedb.Waiting, On: "BUFFER_PROFILE|x", Since: noon, Next: noon.Add(time.Minute)},
		"VLAN|Vlan1":      {State: statedb.Ignored, Since: noon},
	}
}

func (a *agent) Calls() []*admin.Call {
	return []*admin.Call{
		{Verb: "create", Write: true},
		{Verb: "get"},
		{Verb: "set", Write: true, Failed: 1},
	}
}

func (a *agent) Confirm(_ context.Context, id uint64, who string, disruptive bool) (uint64, error) {
	a.note(id, who, disruptive)
	return 9, a.err
}

func (a *agent) Abort(who string) bool { a.note(who); return true }

func (a *agent) Status() *admin.StatusResponse {
	return &admin.StatusResponse{Version: "v1", Connected: true, Revision: 7}
}

// start serves the agent.
func start(t *testing.T, a *agent, authorizer server.Authorizer) admin.AdminClient {
	t.Helper()
	dbs := &gnmitest.Databases{}
	var srv *server.Server
	srv = server.New(server.Config{
		Databases: dbs, Transactor: &gnmitest.Transactor{DB: dbs}, Authorizer: authorizer,
		Register: func(r grpc.ServiceRegistrar) { admin.New(a, srv).Register(r) },
	})
	l := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l, nil) }()
	conn, err := grpc.NewClient("passthrough:bufconn",
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return l.Dial() }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return admin.NewAdminClient(conn)
}

func setPort(t *testing.T) *gpb.SetRequest {
	t.Helper()
	p, err := path.Parse("sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu")
	if err != nil {
		t.Fatal(err)
	}
	return &gpb.SetRequest{Update: []*gpb.Update{{Path: p, Val: &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: 1500}}}}}
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, protocmp.Transform()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	steps := []*admin.Step{
		{Phase: admin.Step_PHASE_RELEASE, Verb: admin.Step_VERB_REMOVE, ObjectType: "QUEUE", Object: "a\xff"},
		{Phase: admin.Step_PHASE_BUILD, Verb: admin.Step_VERB_CREATE, ObjectType: "WRED", Object: "b", Attributes: []*admin.Attribute{{Name: "X", Value: "1"}, {Name: "Y", Value: "2"}}},
		{Phase: admin.Step_PHASE_BUILD, Verb: admin.Step_VERB_SET, ObjectType: "PORT", Object: "c", Attributes: []*admin.Attribute{{Name: "X", Value: "1"}, {Name: "Y", Value: "2"}}},
	}
	a := &agent{plan: admin.Plan{
		Steps: steps, Warnings: []string{"w"}, Guard: "too much",
		Faults: configdb.Faults{{Kind: configdb.Limit, Row: "PORT|Ethernet0", Field: "mtu", Err: errors.New("over 9216")}},
	}}
	c := start(t, a, nil)
	got, err := c.Plan(t.Context(), &admin.PlanRequest{Set: setPort(t), Disruptive: true})
	if err != nil {
		t.Fatal(err)
	}
	steps[0].Object = "a\uFFFD"
	same(t, "plan", &admin.PlanResponse{
		Steps: steps, Creates: 1, Removes: 1, Sets: 2, Warnings: []string{"w"}, Guard: "too much",
		Faults: []*admin.Fault{{Reason: "LIMIT", Row: "PORT|Ethernet0", Field: "mtu", Message: "over 9216"}},
	}, got)
	same(t, "asked", []any{
		[]configdb.Op{{Kind: configdb.Update, Table: "PORT", Key: "Ethernet0", Fields: configdb.Fields{"mtu": "1500"}}}, true,
	}, a.asked)

	if got, err := c.Plan(t.Context(), &admin.PlanRequest{}); err != nil || len(got.GetSteps()) != 0 {
		t.Errorf("of nothing: %v %v", got, err)
	}
	bad := setPort(t)
	bad.Update[0].Path.Elem[0].Name = "STATE_DB"
	wantCode(t, "read only", codes.InvalidArgument, "read only", call(c.Plan, t, &admin.PlanRequest{Set: bad}))
	a.err = status.Error(codes.Unavailable, "no chip")
	wantCode(t, "no chip", codes.Unavailable, "no chip", call(c.Plan, t, &admin.PlanRequest{Set: setPort(t)}))
}

// call makes a call of which only the error is of interest.
func call[Req, Resp any](rpc func(context.Context, Req, ...grpc.CallOption) (Resp, error), t *testing.T, req Req) error {
	_, err := rpc(t.Context(), req)
	return err
}

func wantCode(t *testing.T, what string, code codes.Code, text string, err error) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || !strings.Contains(st.Message(), text) {
		t.Errorf("%s: %v, want %v with %q", what, err, code, text)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	c := start(t, &agent{}, nil)
	for _, tt := range []struct {
		name string
		req  *admin.HistoryRequest
		want []uint64
	}{
		{"all", &admin.HistoryRequest{}, []uint64{1, 2, 3}},
		{"newest", &admin.HistoryRequest{Limit: 2}, []uint64{2, 3}},
		{"since", &admin.HistoryRequest{Since: timestamppb.New(noon.Add(2 * time.Minute))}, []uint64{2, 3}},
		{"row", &admin.HistoryRequest{Row: "PORT|*"}, []uint64{1, 2}},
		{"row before the limit", &admin.HistoryRequest{Row: "PORT|*", Limit: 1}, []uint64{2}},
		{"none", &admin.HistoryRequest{Row: "VLAN|*"}, nil},
	} {
		got, err := c.History(t.Context(), tt.req)
		if err != nil {
			t.Fatal(err)
		}
		var ids []uint64
		for _, r := range got.GetRecords() {
			ids = append(ids, r.GetId())
			same(t, tt.name, &admin.Fields{Fields: map[string]string{"bad\uFFFD": "v\uFFFD"}}, r.GetRows()[0].GetAfter())
		}
		same(t, tt.name, tt.want, ids)
	}
	got, err := c.History(t.Context(), &admin.HistoryRequest{Brief: true})
	if err != nil || got.GetRecords()[0].GetPlan() != nil {
		t.Errorf("brief: %v %v", got, err)
	}
}

func TestFates(t *testing.T) {
	t.Parallel()
	c := start(t, &agent{}, nil)
	for _, tt := range []struct {
		name string
		req  *admin.FatesRequest
		want string
	}{
		{"all in natural order", &admin.FatesRequest{}, "BUFFER_PG|a|3 PORT|Ethernet2 PORT|Ethernet10 VLAN|Vlan1"},
		{"state", &admin.FatesRequest{States: []admin.State{admin.State_STATE_REFUSED, admin.State_STATE_WAITING}}, "BUFFER_PG|a|3 PORT|Ethernet10"},
		{"table", &admin.FatesRequest{Rows: []string{"PORT"}}, "PORT|Ethernet2 PORT|Ethernet10"},
		{"tables", &admin.FatesRequest{Rows: []string{"BUFFER*", "VLAN"}}, "BUFFER_PG|a|3 VLAN|Vlan1"},
		{"row", &admin.FatesRequest{Rows: []string{"*|Ethernet1*"}}, "PORT|Ethernet10"},
		{"warned of", &admin.FatesRequest{Warned: true}, "PORT|Ethernet2"},
		{"none", &admin.FatesRequest{Rows: []string{"PORT|x"}}, ""},
	} {
		got, err := c.Fates(t.Context(), tt.req)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, f := range got.GetFates() {
			rows = append(rows, f.GetRow())
		}
		same(t, tt.name, tt.want, strings.Join(rows, " "))
	}
	got, err := c.Fates(t.Context(), &admin.FatesRequest{Rows: []string{"PORT|Ethernet10"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "fate", &admin.Fate{
		Row: "PORT|Ethernet10", State: admin.State_STATE_REFUSED, Reason: "2500 is no speed", Field: "speed",
		Since: timestamppb.New(noon), Revision: 7,
	}, got.GetFates()[0])
	waiting, err := c.Fates(t.Context(), &admin.FatesRequest{Rows: []string{"BUFFER_PG"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "next try", timestamppb.New(noon.Add(time.Minute)), waiting.GetFates()[0].GetNextTry())
}

func TestCalls(t *testing.T) {
	t.Parallel()
	c := start(t, &agent{}, nil)
	for _, tt := range []struct {
		name string
		req  *admin.CallsRequest
		want string
	}{
		{"writes", &admin.CallsRequest{}, "create set"},
		{"all", &admin.CallsRequest{Reads: true}, "create get set"},
		{"failed", &admin.CallsRequest{Failed: true, Reads: true}, "set"},
		{"newest", &admin.CallsRequest{Reads: true, Limit: 2}, "get set"},
	} {
		got, err := c.Calls(t.Context(), tt.req)
		if err != nil {
			t.Fatal(err)
		}
		var verbs []string
		for _, call := range got.GetCalls() {
			verbs = append(verbs, call.GetVerb())
		}
		same(t, tt.name, tt.want, strings.Join(verbs, " "))
	}
}

func TestConfirmAbortStatus(t *testing.T) {
	t.Parallel()
	a := &agent{}
	c := start(t, a, nil)
	done, err := c.Confirm(t.Context(), &admin.ConfirmRequest{Id: 4, Disruptive: true})
	if err != nil || done.GetRevision() != 9 {
		t.Errorf("%v %v", done, err)
	}
	same(t, "confirm", []any{uint64(4), "bufconn", true}, a.asked)
	wantCode(t, "no id", codes.InvalidArgument, "id", call(c.Confirm, t, &admin.ConfirmRequest{}))
	a.err = configdb.Faults{{Kind: configdb.Chip, Row: "PORT|Ethernet0", Status: "SAI_STATUS_FAILURE"}}
	wantCode(t, "refused", codes.Aborted, "SAI_STATUS_FAILURE", call(c.Confirm, t, &admin.ConfirmRequest{Id: 4}))

	ended, err := c.Abort(t.Context(), &admin.AbortRequest{})
	if err != nil || !ended.GetAborted() {
		t.Errorf("%v %v", ended, err)
	}
	same(t, "abort", []any{"bufconn"}, a.asked)

	got, err := c.Status(t.Context(), &admin.StatusRequest{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "status", &admin.StatusResponse{Version: "v1", Connected: true, Revision: 7, Applied: 1, Waiting: 1, Refused: 1, Ignored: 1, Warned: 1, Losing: 1}, got)
}

// reader may read what lies below one path.
type reader string

func (r reader) Authorize(_ context.Context, p *gpb.Path, mode server.Mode) error {
	if mode == server.Read && strings.HasPrefix(path.String(p), string(r)) {
		return nil
	}
	return errors.New("not for you: " + path.String(p))
}

func TestAuthorizer(t *testing.T) {
	t.Parallel()
	nobody := start(t, &agent{}, reader("nothing"))
	for name, err := range map[string]error{
		"Plan":    call(nobody.Plan, t, &admin.PlanRequest{}),
		"History": call(nobody.History, t, &admin.HistoryRequest{}),
		"Fates":   call(nobody.Fates, t, &admin.FatesRequest{}),
		"Calls":   call(nobody.Calls, t, &admin.CallsRequest{}),
		"Confirm": call(nobody.Confirm, t, &admin.ConfirmRequest{Id: 1}),
		"Abort":   call(nobody.Abort, t, &admin.AbortRequest{}),
		"Status":  call(nobody.Status, t, &admin.StatusRequest{}),
	} {
		wantCode(t, name, codes.PermissionDenied, "XON_ADMIN/"+name, err)
	}
	a := &agent{}
	some := start(t, a, reader("/XON_ADMIN/"))
	wantCode(t, "status", codes.OK, "", call(some.Status, t, &admin.StatusRequest{}))
	wantCode(t, "confirm", codes.PermissionDenied, "XON_ADMIN/Confirm", call(some.Confirm, t, &admin.ConfirmRequest{Id: 1}))
	wantCode(t, "abort", codes.PermissionDenied, "XON_ADMIN/Abort", call(some.Abort, t, &admin.AbortRequest{}))
	wantCode(t, "plan of what can't be read", codes.PermissionDenied, "CONFIG_DB", call(some.Plan, t, &admin.PlanRequest{Set: setPort(t)}))
	if a.asked != nil {
		t.Errorf("the agent was asked %v", a.asked)
	}
}

func (a *agent) RestartBuffers(_ context.Context, who string) (*admin.RestartBuffersResponse, error) {
	a.note(who)
	return &admin.RestartBuffersResponse{Model: "dynamic", Sources: []string{"a\xff"}}, a.err
}

func (a *agent) ExplainHeadroom(_ context.Context, req *admin.ExplainHeadroomRequest) (*admin.ExplainHeadroomResponse, error) {
	a.note(req.GetPort(), req.GetMetres())
	return &admin.ExplainHeadroomResponse{Port: req.GetPort(), Refusal: "too long\xff"}, a.err
}

// TestBuffers: a restart of the buffer manager tells who asked, an explanation is passed
// on, and both keep the status of an error.
func TestBuffers(t *testing.T) {
	t.Parallel()
	a := &agent{}
	c := start(t, a, nil)
	restarted, err := c.RestartBuffers(t.Context(), &admin.RestartBuffersRequest{})
	if want := (&admin.RestartBuffersResponse{Model: "dynamic", Sources: []string{"a\uFFFD"}}); err != nil || !cmp.Equal(want, restarted, protocmp.Transform()) {
		t.Errorf("restarted: %v, %v", restarted, err)
	}
	if who, _ := a.asked[0].(string); !strings.Contains(who, "bufconn") {
		t.Errorf("the restart was asked for by %q", who)
	}
	metres := uint32(40)
	e, err := c.ExplainHeadroom(t.Context(), &admin.ExplainHeadroomRequest{Port: "Ethernet0", Metres: &metres})
	if err != nil || e.GetPort() != "Ethernet0" || e.GetRefusal() != "too long\uFFFD" {
		t.Errorf("explained: %v, %v", e, err)
	}
	if diff := cmp.Diff([]any{"Ethernet0", metres}, a.asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	if _, err := c.ExplainHeadroom(t.Context(), &admin.ExplainHeadroomRequest{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("without a port: %v", err)
	}
	a.err = status.Error(codes.FailedPrecondition, "there is no cable length")
	if _, err := c.ExplainHeadroom(t.Context(), &admin.ExplainHeadroomRequest{Port: "Ethernet0"}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("without a cable length: %v", err)
	}
	if _, err := c.RestartBuffers(t.Context(), &admin.RestartBuffersRequest{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a restart that fails: %v", err)
	}
}
