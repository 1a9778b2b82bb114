package main

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"xon/gnmi/admin"
	"xon/gnmi/gnmitest"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// agent is what the admin service of the tests knows.
type agent struct {
	dbs *gnmitest.Databases

	mu      sync.Mutex
	idle    bool   // nothing runs and nothing is held
	losing  uint32 // rows that may cost lossless packets
	refusal configdb.Faults
	guard   string
}

func (a *agent) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

func at(second int) *timestamppb.Timestamp {
	return timestamppb.New(time.Date(2026, 1, 2, 3, 4, second, 0, time.UTC))
}

func (a *agent) Plan(_ context.Context, ops []configdb.Op, _ bool) (admin.Plan, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := admin.Plan{Faults: a.refusal, Guard: a.guard}
	if len(a.refusal) > 0 {
		return p, nil
	}
	if ops[0].Kind == configdb.Delete {
		p.Steps = []*admin.Step{{Phase: admin.Step_PHASE_RELEASE, Verb: admin.Step_VERB_REMOVE, ObjectType: "BUFFER_PROFILE", Object: "lossless"}}
	}
	pool := []*admin.Attribute{{Name: "TYPE", Value: "INGRESS"}, {Name: "SIZE", Value: "12582912"}, {Name: "THRESHOLD_MODE", Value: "DYNAMIC"}, {Name: "XOFF_SIZE", Value: "4194304"}}
	p.Steps = append(p.Steps, &admin.Step{Phase: admin.Step_PHASE_BUILD, Verb: admin.Step_VERB_CREATE, ObjectType: "BUFFER_POOL", Object: "ingress", Attributes: pool, Replaces: "ingress~1"})
	for _, port := range []string{"Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12", "Ethernet16", "Ethernet20"} {
		p.Steps = append(p.Steps, &admin.Step{
			Phase: admin.Step_PHASE_BUILD, Rank: 1, Verb: admin.Step_VERB_SET, ObjectType: "PORT", Object: port + "#link",
			Attributes: []*admin.Attribute{{Name: "MTU", Value: "9122"}},
		})
	}
	p.Steps = append(p.Steps, &admin.Step{Phase: admin.Step_PHASE_CLEANUP, Verb: admin.Step_VERB_REMOVE, ObjectType: "BUFFER_POOL", Object: "ingress~1"})
	p.Warnings = []string{"PORT|Ethernet0: no headroom"}
	return p, nil
}

func (a *agent) Records() []*admin.Record {
	return []*admin.Record{
		{
			Id: 1, Revision: 1, Time: at(5), Source: "start", Outcome: "applied", Steps: 6, Writes: 6, Took: durationpb.New(20504 * time.Microsecond),
			Rows:    []*admin.RowChange{{Row: "PORT|Ethernet0", After: row("mtu", "9100")}, {Row: "PORT|Ethernet4", After: row()}},
			RowsCut: 7, Plan: []string{"build   0 set    PORT Ethernet0#link MTU=9122"}, PlanCut: 5,
		},
		{
			Id: 2, Revision: 2, Time: at(6), Source: "gnmi", Who: "uid 1000 (alice) by unix socket", Outcome: "refused", Took: durationpb.New(900 * time.Nanosecond),
			Rows: []*admin.RowChange{
				{Row: "PORT|Ethernet0", Before: row("mtu", "9100", "fec", "rs"), After: row("mtu", "1500", "alias", "a")},
				{Row: "TACPLUS|global", Before: row("passkey", "hunter2hunter2"), After: row("passkey", "swordfish99")},
				{Row: "QUEUE|Ethernet0|3", Before: row("scheduler", "x")},
			},
			Faults: []string{`QUEUE|Ethernet0|3: still referred to`, "passkey swordfish99 is too short"},
		},
	}
}

func row(pairs ...string) *admin.Fields {
	f := &admin.Fields{Fields: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		f.Fields[pairs[i]] = pairs[i+1]
	}
	return f
}

// Fates are those of STATE_DB.
func (a *agent) Fates() map[configdb.RowKey]statedb.Fate {
	all := map[configdb.RowKey]statedb.Fate{}
	rows, err := a.dbs.Scan(context.Background(), stateDB, statedb.FateTable)
	for key, fields := range rows {
		if k, ok := statedb.ParseFateKey(key); ok {
			f, failed := statedb.ParseFate(maps.Clone(fields))
			all[k], err = f, errors.Join(err, failed)
		}
	}
	if err != nil {
		panic(err)
	}
	return all
}

func (a *agent) Calls() []*admin.Call {
	return []*admin.Call{
		{Seq: 1, Time: at(5), Took: durationpb.New(145175 * time.Nanosecond), Verb: "set", Write: true, ObjectType: "port", Entries: 2, Status: "SAI_STATUS_SUCCESS", Lines: []string{"set port oid:0x1 MTU=9122", "set port oid:0x2 MTU=9122"}},
		{Seq: 2, Time: at(6), Took: durationpb.New(time.Millisecond), Verb: "get", ObjectType: "port", Entries: 1, Status: "SAI_STATUS_SUCCESS", Lines: []string{"get port oid:0x1 MTU=9122"}},
		{Seq: 3, Time: at(7), Took: durationpb.New(2 * time.Second), Verb: "remove", Write: true, ObjectType: "queue", Entries: 1, Failed: 1, Status: "SAI_STATUS_OBJECT_IN_USE", Lines: []string{"remove queue oid:0x3: object in use"}},
	}
}

func (a *agent) Confirm(_ context.Context, id uint64, _ string, _ bool) (uint64, error) {
	if id != 17 {
		return 0, grpcstatus.Errorf(codes.FailedPrecondition, "plan %d is not held; plan 17 is", id)
	}
	return 8, nil
}

func (a *agent) Abort(string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.idle
}

func (a *agent) Status() *admin.StatusResponse {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &admin.StatusResponse{Version: "v0.1.0", Connected: true, Revision: 7, Warned: a.losing, Losing: a.losing}
	if !a.idle {
		s.Running = &admin.Running{Source: "gnmi", Who: "uid 0 (root) by unix socket", Since: at(8), Done: 3, Steps: 12}
		s.Held = &admin.Held{Id: 17, Since: at(7), Reason: "60 of 100 objects would be removed", Steps: 60}
		s.NextRetry = at(9)
	}
	return s
}

func (a *agent) RestartBuffers(context.Context, string) (*admin.RestartBuffersResponse, error) {
	return &admin.RestartBuffersResponse{Model: "dynamic", Sources: []string{"/etc/xon/pg_profile_lookup.ini", "built in: VS-ASIC"}}, nil
}

// ExplainHeadroom knows one port, for which 300 m are too long.
func (a *agent) ExplainHeadroom(_ context.Context, req *admin.ExplainHeadroomRequest) (*admin.ExplainHeadroomResponse, error) {
	if req.GetPort() != "Ethernet0" {
		return nil, grpcstatus.Errorf(codes.FailedPrecondition, "PORT|%s does not exist", req.GetPort())
	}
	e := &admin.ExplainHeadroomResponse{
		Port: "Ethernet0", Model: "dynamic", Profile: "pg_lossless_100000_5m_profile", Xon: 18432, Xoff: 72704, Size: 91136, PortBytes: 182272,
		Steps: []*admin.HeadroomStep{
			{Name: "cable", Value: 5, Unit: "m", Source: "CABLE_LENGTH|AZURE Ethernet0"},
			{Name: "cable_bytes", Formula: "2·cable·speed", Value: 631.31, Unit: "bytes"},
		},
		Checks: []*admin.HeadroomCheck{
			{What: "priority group 3 of Ethernet0 after a pause", Needed: 36791, Available: 72704, Result: "enough", By: "BUFFER_PROFILE|pg_lossless_100000_5m_profile xoff"},
			{What: "the ingress pools in the chip's memory", Needed: 12767000, Result: "not known"},
		},
		Notes: []string{"PORT|Ethernet0 is down"}, Verdict: "nothing that is known speaks against it; not known: the ingress pools in the chip's memory", Fits: proto.Bool(true),
	}
	if req.Metres != nil {
		e.Steps[0].Value, e.Steps[0].Source = float64(req.GetMetres()), "asked for"
	}
	if req.GetMetres() == 300 {
		e.PortLimit, e.Refusal = 120000, "165888 bytes for each of 2 priority groups: the port may reserve 120000"
		e.Verdict, e.Fits = "it does not fit: "+e.Refusal, proto.Bool(false)
		e.Pools = []*admin.HeadroomPool{{Pool: "ingress_lossless_pool", Before: 12267098, After: 12117594}}
	}
	return e, nil
}
