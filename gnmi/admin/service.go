package admin

import (
	"context"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"xon/gnmi/path"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Plan implements AdminServer.
func (s *Service) Plan(ctx context.Context, req *PlanRequest) (*PlanResponse, error) {
	if err := s.gate.MayRead(ctx, "Plan"); err != nil {
		return nil, err
	}
	ops, err := s.gate.Operations(ctx, req.GetSet())
	if err != nil {
		return nil, err
	}
	if len(ops) == 0 {
		return &PlanResponse{}, nil
	}
	plan, err := s.backend.Plan(ctx, ops, req.GetDisruptive())
	if err != nil {
		return nil, s.gate.Refusal(ctx, err)
	}
	resp := &PlanResponse{Steps: plan.Steps, Warnings: plan.Warnings, Guard: plan.Guard, Behind: plan.Behind, Faults: faults(plan.Faults)}
	resp.count()
	resp.countRows(plan.Rows)
	return clean(resp), nil
}

// countRows fills in how many rows come and go.
func (x *PlanResponse) countRows(n configdb.RowCount) {
	x.RowsAdded, x.RowsChanged, x.RowsRemoved, x.RowsKept = uint32(n.Added), uint32(n.Changed), uint32(n.Removed), uint32(n.Kept)
}

// count fills in how much the steps do.
func (x *PlanResponse) count() {
	for _, step := range x.GetSteps() {
		switch step.GetVerb() {
		case Step_VERB_CREATE:
			x.Creates++
		case Step_VERB_REMOVE:
			x.Removes++
		default:
			x.Sets += uint32(len(step.GetAttributes()))
		}
	}
}

func faults(all configdb.Faults) []*Fault {
	var list []*Fault
	for _, f := range all {
		m := &Fault{Reason: f.Kind.String(), Row: string(f.Row), Field: f.Field, Attribute: f.Attr, Status: f.Status}
		if f.Err != nil {
			m.Message = f.Err.Error()
		}
		list = append(list, m)
	}
	return list
}

// History implements AdminServer.
func (s *Service) History(ctx context.Context, req *HistoryRequest) (*HistoryResponse, error) {
	if err := s.gate.MayRead(ctx, "History"); err != nil {
		return nil, err
	}
	records := slices.DeleteFunc(s.backend.Records(), func(r *Record) bool { return !req.wants(r) })
	records = newest(records, req.GetLimit())
	if req.GetBrief() {
		for _, r := range records {
			r.Plan = nil
		}
	}
	return clean(&HistoryResponse{Records: records}), nil
}

func (x *HistoryRequest) wants(r *Record) bool {
	if x.GetSince() != nil && r.GetTime().AsTime().Before(x.GetSince().AsTime()) {
		return false
	}
	return x.GetRow() == "" || slices.ContainsFunc(r.GetRows(), func(c *RowChange) bool { return path.Match(x.GetRow(), c.GetRow()) })
}

// newest cuts a list down to its end.
func newest[T any](all []T, limit uint32) []T {
	if limit == 0 {
		limit = DefaultLimit
	}
	return all[max(0, len(all)-int(limit)):]
}

var states = map[statedb.State]State{
	statedb.Applied: State_STATE_APPLIED,
	statedb.Waiting: State_STATE_WAITING,
	statedb.Refused: State_STATE_REFUSED,
	statedb.Ignored: State_STATE_IGNORED,
}

// Fates implements AdminServer.
func (s *Service) Fates(ctx context.Context, req *FatesRequest) (*FatesResponse, error) {
	if err := s.gate.MayRead(ctx, "Fates"); err != nil {
		return nil, err
	}
	all := s.backend.Fates()
	resp := &FatesResponse{}
	for _, row := range slices.SortedFunc(maps.Keys(all), natural) {
		if f := all[row]; req.wants(row, states[f.State]) && (len(f.Warnings) > 0 || !req.GetWarned()) {
			resp.Fates = append(resp.Fates, fate(row, f))
		}
	}
	return clean(resp), nil
}

func natural(a, b configdb.RowKey) int { return configdb.CompareNatural(string(a), string(b)) }

func (x *FatesRequest) wants(row configdb.RowKey, state State) bool {
	if len(x.GetStates()) > 0 && !slices.Contains(x.GetStates(), state) {
		return false
	}
	return len(x.GetRows()) == 0 || slices.ContainsFunc(x.GetRows(), func(pattern string) bool {
		if !strings.Contains(pattern, "|") {
			return path.Match(pattern, row.Table())
		}
		return path.Match(pattern, string(row))
	})
}

func fate(row configdb.RowKey, f statedb.Fate) *Fate {
	m := &Fate{
		Row: string(row), State: states[f.State], Since: timestamppb.New(f.Since), Revision: f.Revision,
		Field: f.Field, On: f.On, Reason: f.Reason, Warnings: f.Warnings, Loses: uint32(f.Loses),
	}
	if !f.Next.IsZero() {
		m.NextTry = timestamppb.New(f.Next)
	}
	return m
}

// Calls implements AdminServer.
func (s *Service) Calls(ctx context.Context, req *CallsRequest) (*CallsResponse, error) {
	if err := s.gate.MayRead(ctx, "Calls"); err != nil {
		return nil, err
	}
	calls := slices.DeleteFunc(s.backend.Calls(), func(c *Call) bool {
		return req.GetFailed() && c.GetFailed() == 0 || !req.GetReads() && !c.GetWrite()
	})
	return clean(&CallsResponse{Calls: newest(calls, req.GetLimit())}), nil
}

// Confirm implements AdminServer.
func (s *Service) Confirm(ctx context.Context, req *ConfirmRequest) (*ConfirmResponse, error) {
	if err := s.gate.MayWrite(ctx, "Confirm"); err != nil {
		return nil, err
	}
	if req.GetId() == 0 {
		return nil, status.Error(codes.InvalidArgument, "confirm: the id of the held plan is missing; Status has it")
	}
	revision, err := s.backend.Confirm(ctx, req.GetId(), s.gate.Who(ctx), req.GetDisruptive())
	if err != nil {
		return nil, s.gate.Refusal(ctx, err)
	}
	return &ConfirmResponse{Revision: revision}, nil
}

// Abort implements AdminServer.
func (s *Service) Abort(ctx context.Context, _ *AbortRequest) (*AbortResponse, error) {
	if err := s.gate.MayWrite(ctx, "Abort"); err != nil {
		return nil, err
	}
	return &AbortResponse{Aborted: s.backend.Abort(s.gate.Who(ctx))}, nil
}

// Status implements AdminServer.
func (s *Service) Status(ctx context.Context, _ *StatusRequest) (*StatusResponse, error) {
	if err := s.gate.MayRead(ctx, "Status"); err != nil {
		return nil, err
	}
	resp := s.backend.Status()
	for _, f := range s.backend.Fates() {
		if len(f.Warnings) > 0 {
			resp.Warned++
		}
		if f.Loses > 0 {
			resp.Losing++
		}
		switch f.State {
		case statedb.Applied:
			resp.Applied++
		case statedb.Waiting:
			resp.Waiting++
		case statedb.Refused:
			resp.Refused++
		case statedb.Ignored:
			resp.Ignored++
		}
	}
	return clean(resp), nil
}

// clean makes all texts of a message UTF-8, as the wire wants it, and returns it.
func clean[M proto.Message](m M) M {
	cleanMessage(m.ProtoReflect())
	return m
}
