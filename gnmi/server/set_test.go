package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	extpb "github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"xon/gnmi/server"
	"xon/schema/configdb"
)

func jsonOf(text string) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
}

func update(p, json string) *gpb.Update { return &gpb.Update{Path: at(p), Val: jsonOf(json)} }

func TestSet(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	r.tr.Warnings = []string{"PORT|Ethernet4: 50 % of what was asked für"}
	req := &gpb.SetRequest{
		Prefix:  &gpb.Path{Target: "sw1", Origin: "sonic-db", Elem: at("/CONFIG_DB").GetElem()},
		Update:  []*gpb.Update{update("/PORT/Ethernet4/mtu", "1"), update("/PORT/Ethernet4/mtu", `"2"`)},
		Replace: []*gpb.Update{update("/PORT/Ethernet0", `{"speed":40000}`)},
		Delete:  []*gpb.Path{at("/FLAG"), at("/NOTHING/there")},
	}
	var header metadata.MD
	resp, err := r.client.Set(t.Context(), req, grpc.Header(&header))
	if err != nil {
		t.Fatal(err)
	}
	if got := header.Get(server.RevisionKey); len(got) != 1 || got[0] != "1" {
		t.Errorf("revision %v", got)
	}
	if got := header.Get(server.WarningKey); len(got) != 1 || got[0] != url.PathEscape(r.tr.Warnings[0]) {
		t.Errorf("warnings %v", got)
	}
	want := &gpb.SetResponse{Prefix: req.GetPrefix(), Timestamp: resp.GetTimestamp(), Response: []*gpb.UpdateResult{
		{Path: at("/FLAG"), Op: gpb.UpdateResult_DELETE},
		{Path: at("/NOTHING/there"), Op: gpb.UpdateResult_DELETE},
		{Path: at("/PORT/Ethernet0"), Op: gpb.UpdateResult_REPLACE},
		{Path: at("/PORT/Ethernet4/mtu"), Op: gpb.UpdateResult_UPDATE},
		{Path: at("/PORT/Ethernet4/mtu"), Op: gpb.UpdateResult_UPDATE},
	}}
	if d := cmp.Diff(want, resp, protocmp.Transform()); d != "" || resp.GetTimestamp() == 0 {
		t.Error(d)
	}
	ops := []configdb.Op{
		{Table: "FLAG"},
		{Table: "NOTHING", Key: "there"},
		{Kind: configdb.Replace, Table: "PORT", Key: "Ethernet0", Fields: configdb.Fields{"speed": "40000"}},
		{Kind: configdb.Update, Table: "PORT", Key: "Ethernet4", Fields: configdb.Fields{"mtu": "1"}},
		{Kind: configdb.Update, Table: "PORT", Key: "Ethernet4", Fields: configdb.Fields{"mtu": "2"}},
	}
	if d := cmp.Diff(ops, r.tr.Ops()); d != "" {
		t.Error(d)
	}
	get, err := r.client.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT")}})
	if err != nil || show(get)[0] != `CONFIG_DB/PORT = {"Ethernet0":{"speed":"40000"},"Ethernet4":{"mtu":"2"}}` {
		t.Errorf("%v %v", show(get), err)
	}
	if resp, err := r.client.Set(t.Context(), &gpb.SetRequest{}); err != nil || len(resp.GetResponse()) != 0 {
		t.Errorf("empty: %v %v", resp, err)
	}
}

func TestSetErrors(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	r.tr.Refuse = func([]configdb.Op) error { t.Error("a bad request became a transaction"); return nil }
	commit := &extpb.Extension{Ext: &extpb.Extension_Commit{Commit: &extpb.Commit{Id: "x"}}}
	tests := []struct {
		name string
		req  *gpb.SetRequest
		code codes.Code
		want string
	}{
		{"read only", &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/STATE_DB/A/b/c", "1")}}, codes.InvalidArgument, "STATE_DB is read only"},
		{"delete read only", &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/COUNTERS_DB/COUNTERS/Ethernet0")}}, codes.InvalidArgument, "read only"},
		{"no database", &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/", "{}")}}, codes.InvalidArgument, "name CONFIG_DB"},
		{"unknown database", &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/X", "{}")}}, codes.NotFound, "no database"},
		{"too deep", &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/A/b/c/d")}}, codes.NotFound, "deeper"},
		{"wildcard", &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/CONFIG_DB/PORT/*", "{}")}}, codes.InvalidArgument, "wildcards"},
		{"bad json", &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/CONFIG_DB/PORT", "{")}}, codes.InvalidArgument, "ends too early"},
		{"no value", &gpb.SetRequest{Update: []*gpb.Update{{Path: at("sonic-db:/CONFIG_DB/PORT")}}}, codes.InvalidArgument, "no value"},
		{"bytes", &gpb.SetRequest{Update: []*gpb.Update{{Path: at("sonic-db:/CONFIG_DB/A/b/c"), Val: &gpb.TypedValue{Value: &gpb.TypedValue_BytesVal{}}}}}, codes.Unimplemented, "not served"},
		{"union", &gpb.SetRequest{UnionReplace: []*gpb.Update{update("sonic-db:/CONFIG_DB", "{}")}}, codes.Unimplemented, "union_replace"},
		{"commit", &gpb.SetRequest{Extension: []*extpb.Extension{commit}}, codes.Unimplemented, "commit confirmed"},
	}
	for _, tt := range tests {
		_, err := r.client.Set(t.Context(), tt.req)
		want(t, tt.name, err, tt.code, tt.want)
	}
}

func TestSetUnknownExtension(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	ext := &extpb.Extension{Ext: &extpb.Extension_RegisteredExt{RegisteredExt: &extpb.RegisteredExtension{Id: 999, Msg: []byte("x")}}}
	_, err := r.client.Set(t.Context(), &gpb.SetRequest{Extension: []*extpb.Extension{ext}, Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/FLAG")}})
	want(t, "registered", err, codes.OK, "")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	req := &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/FLAG")}}
	chip := &configdb.Fault{
		Kind: configdb.Chip, Row: "BUFFER_PROFILE|x", Field: "xoff", Attr: "SAI_BUFFER_PROFILE_ATTR_XOFF_TH",
		Status: "SAI_STATUS_INSUFFICIENT_RESOURCES", Err: errors.New("no room"),
	}
	tests := []struct {
		err  error
		code codes.Code
		want string
	}{
		{configdb.Faults{{Kind: configdb.Invalid, Row: "A|b", Err: errors.New("bad")}}, codes.InvalidArgument, "A|b: bad"},
		{configdb.Faults{{Kind: configdb.Missing, Row: "A|b"}}, codes.InvalidArgument, "A|b"},
		{configdb.Faults{{Kind: configdb.InUse, Row: "A|b"}}, codes.FailedPrecondition, "A|b"},
		{configdb.Faults{{Kind: configdb.Limit, Row: "A|b"}}, codes.ResourceExhausted, "A|b"},
		{configdb.Faults{{Kind: configdb.Conflict, Row: "A|b"}}, codes.Aborted, "A|b"},
		{fmt.Errorf("transact: %w", configdb.Faults{chip}), codes.Aborted, "nothing was changed\nBUFFER_PROFILE|x: field \"xoff\": SAI_BUFFER_PROFILE_ATTR_XOFF_TH: SAI_STATUS_INSUFFICIENT_RESOURCES: no room"},
		{status.Error(codes.Unavailable, "redis is down"), codes.Unavailable, "redis is down"},
		{errors.New("a bug"), codes.Internal, "a bug"},
	}
	for _, tt := range tests {
		r.tr.Refuse = func([]configdb.Op) error { return tt.err }
		_, err := r.client.Set(t.Context(), req)
		want(t, tt.err.Error(), err, tt.code, tt.want)
	}
	r.tr.Refuse = func([]configdb.Op) error { return configdb.Faults{chip} }
	_, err := r.client.Set(t.Context(), req)
	info, ok := status.Convert(err).Details()[0].(*errdetails.ErrorInfo)
	if !ok {
		t.Fatal("the first detail is no ErrorInfo")
	}
	wantInfo := &errdetails.ErrorInfo{Domain: "xon", Reason: "CHIP", Metadata: map[string]string{
		"row": "BUFFER_PROFILE|x", "field": "xoff", "attribute": chip.Attr, "status": chip.Status, "message": "no room",
	}}
	if d := cmp.Diff(wantInfo, info, protocmp.Transform()); d != "" {
		t.Error(d)
	}
}

// An answer with many faults fits what clients take, unless they say that they
// take more.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	r.tr.Refuse = func([]configdb.Op) error {
		var faults configdb.Faults
		for i := range 500 {
			faults = append(faults, &configdb.Fault{Row: configdb.RowKey(fmt.Sprintf("PORT|Ethernet%d", i)), Field: "mtu", Err: errors.New("70000 is not in 68 to 9216")})
		}
		return faults
	}
	req := &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/FLAG")}}
	_, err := r.client.Set(t.Context(), req)
	if st := status.Convert(err); len(st.Message()) > 2200 || !strings.Contains(st.Message(), "faults more") || len(st.Details()) > 30 {
		t.Errorf("%d bytes, %d details: %s", len(st.Message()), len(st.Details()), st.Message())
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), server.ErrorBytesKey, "1000000")
	_, err = r.client.Set(ctx, req)
	if st := status.Convert(err); len(st.Details()) != 500 || strings.Contains(st.Message(), "faults more") {
		t.Errorf("%d details", len(st.Details()))
	}
}

type onlyReads struct{ asked chan string }

func (o onlyReads) Authorize(_ context.Context, p *gpb.Path, mode server.Mode) error {
	o.asked <- fmt.Sprint(mode, " ", p.GetElem())
	if mode == server.Write {
		return errors.New("you may not")
	}
	if strings.Contains(p.String(), "STATE_DB") {
		return status.Error(codes.Unauthenticated, "who are you")
	}
	return nil
}

func TestAuthorizer(t *testing.T) {
	t.Parallel()
	auth := onlyReads{asked: make(chan string, 16)}
	r := start(t, func(c *server.Config) { c.Authorizer = auth })
	ctx := t.Context()
	_, err := r.client.Capabilities(ctx, &gpb.CapabilityRequest{})
	want(t, "capabilities", err, codes.OK, "")
	_, err = r.client.Get(ctx, &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT")}})
	want(t, "get", err, codes.OK, "")
	_, err = r.client.Get(ctx, &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/STATE_DB/PORT_TABLE")}})
	want(t, "get", err, codes.Unauthenticated, "who are you")
	_, err = r.client.Set(ctx, &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT")}})
	want(t, "set", err, codes.PermissionDenied, "you may not")
	s, err := r.client.Subscribe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(subscribe(gpb.SubscriptionList_ONCE, "sonic-db:/STATE_DB/X")); err != nil {
		t.Fatal(err)
	}
	_, err = s.Recv()
	want(t, "subscribe", err, codes.Unauthenticated, "who are you")
	if len(auth.asked) != 5 {
		t.Errorf("asked %d times", len(auth.asked))
	}
}
