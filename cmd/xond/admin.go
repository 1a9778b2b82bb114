package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"xon/gnmi/admin"
	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/reconcile"
	"xon/sai/observe"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Plan implements admin.Backend.
func (k *keeper) Plan(ctx context.Context, ops []configdb.Op, disruptive bool) (admin.Plan, error) {
	agent := k.current()
	if agent == nil {
		return admin.Plan{}, errNoChip
	}
	view, err := agent.Plan(ctx, orchagent.Request{Ops: ops, Disruptive: disruptive})
	plan := admin.Plan{Faults: view.Faults, Warnings: view.Warnings, Guard: view.Guard, Behind: view.Behind, Rows: view.Rows}
	for i := range view.Plan {
		plan.Steps = append(plan.Steps, stepMessage(&view.Plan[i]))
	}
	return plan, err
}

var phases = map[reconcile.Phase]admin.Step_Phase{
	reconcile.Release: admin.Step_PHASE_RELEASE,
	reconcile.Build:   admin.Step_PHASE_BUILD,
	reconcile.Cleanup: admin.Step_PHASE_CLEANUP,
}

var verbs = map[reconcile.Verb]admin.Step_Verb{
	reconcile.Create: admin.Step_VERB_CREATE,
	reconcile.Set:    admin.Step_VERB_SET,
	reconcile.Remove: admin.Step_VERB_REMOVE,
}

func stepMessage(s *reconcile.Step) *admin.Step {
	m := &admin.Step{
		Phase: phases[s.Phase], Rank: uint32(s.Rank), Verb: verbs[s.Verb],
		ObjectType: s.Key.Type.String(), Object: objectName(s.Key), Replaces: s.Replaces.Name,
	}
	for _, a := range s.Attrs {
		name, value, _ := strings.Cut(a.String(), "=")
		m.Attributes = append(m.Attributes, &admin.Attribute{Name: name, Value: value})
	}
	return m
}

// objectName is a key without its type.
func objectName(k graph.Key) string {
	if k.Facet == "" {
		return k.Name
	}
	return k.Name + "#" + string(k.Facet)
}

// Records implements admin.Backend.
func (k *keeper) Records() []*admin.Record {
	var all []*admin.Record
	for _, r := range k.audit.Records() {
		all = append(all, recordMessage(&r))
	}
	return all
}

func recordMessage(r *audit.Record) *admin.Record {
	m := &admin.Record{
		Id: r.ID, Revision: r.Revision, Time: timestamppb.New(r.Time), Who: r.Who, Source: r.Source,
		RowsCut: uint32(r.RowsCut), Plan: append([]string(nil), r.Plan...), PlanCut: uint32(r.PlanCut),
		Steps: uint32(r.Steps), Writes: uint32(r.Writes), Outcome: r.Outcome,
		Faults: append([]string(nil), r.Faults...), FaultsCut: uint32(r.FaultsCut), Took: durationpb.New(r.Took),
	}
	for _, c := range r.Rows {
		m.Rows = append(m.Rows, &admin.RowChange{Row: string(c.Row), Before: fieldsMessage(c.Before), After: fieldsMessage(c.After)})
	}
	return m
}

// fieldsMessage copies the fields of a row; nil for one that is not there.
func fieldsMessage(f configdb.Fields) *admin.Fields {
	if f == nil {
		return nil
	}
	m := &admin.Fields{Fields: map[string]string{}}
	for name, v := range f {
		m.Fields[name] = v
	}
	return m
}

// Fates implements admin.Backend. While there is no chip they are those of before.
func (k *keeper) Fates() map[configdb.RowKey]statedb.Fate {
	k.mu.Lock()
	agent, fates := k.agent, k.fates
	k.mu.Unlock()
	if agent != nil {
		return agent.Fates()
	}
	return fates
}

// Calls implements admin.Backend.
func (k *keeper) Calls() []*admin.Call {
	var all []*admin.Call
	for _, r := range k.calls.Last() {
		all = append(all, callMessage(&r))
	}
	return all
}

func callMessage(r *observe.Record) *admin.Call {
	return &admin.Call{
		Seq: r.Seq, Time: timestamppb.New(r.Start), Took: durationpb.New(r.Took),
		Verb: r.Verb.String(), Write: r.Verb.Write(), ObjectType: r.Object.Name,
		Entries: uint32(r.Entries), Failed: uint32(r.Failed), Status: r.Status.Name(), Lines: r.Lines,
	}
}

// Confirm implements admin.Backend.
func (k *keeper) Confirm(ctx context.Context, id uint64, who string, disruptive bool) (uint64, error) {
	agent := k.current()
	if agent == nil {
		return 0, errNoChip
	}
	err := agent.Confirm(ctx, id, orchagent.Request{Who: who, Disruptive: disruptive})
	if errors.Is(err, orchagent.ErrNoPlan) {
		err = status.Errorf(codes.FailedPrecondition, "%v; xonctl status shows the one that does, if any", err)
	}
	return k.revision(), err
}

// Abort implements admin.Backend.
func (k *keeper) Abort(who string) bool {
	agent := k.current()
	if agent == nil || !agent.Abort() {
		return false
	}
	k.log.WithField("who", who).Warn("the plan that runs is ended on request")
	return true
}

// revision is that of the configuration in force, by the last record.
func (k *keeper) revision() uint64 {
	if records := k.audit.Records(); len(records) > 0 {
		return records[len(records)-1].Revision
	}
	return 0
}

// Status implements admin.Backend.
func (k *keeper) Status() *admin.StatusResponse {
	m := k.activity()
	m.Troubles = k.troubles()
	return m
}

// activity is what the agent is at.
func (k *keeper) activity() *admin.StatusResponse {
	k.mu.Lock()
	agent, retry, paused := k.agent, k.retry, k.paused
	k.mu.Unlock()
	m := &admin.StatusResponse{Version: version(), Connected: agent != nil, Revision: k.revision()}
	if agent == nil {
		return m
	}
	if !retry.IsZero() {
		m.NextRetry = timestamppb.New(retry)
	}
	if p, running := agent.Progress(); running {
		m.Running = &admin.Running{
			Source: p.Source, Who: p.Who, Since: timestamppb.New(p.Since), Done: uint32(p.Done), Steps: uint32(p.Steps),
		}
	}
	if paused != 0 {
		m.Held = k.held(paused)
	}
	return m
}

// lookTime is how long a look at the agent's health may take.
const lookTime = time.Second

// troubles are the checks of the agent's health that fail.
func (k *keeper) troubles() []string {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	var list []string
	for _, c := range k.mon.health(ctx) {
		if !c.OK {
			list = append(list, c.Name+": "+c.Detail)
		}
	}
	return list
}

// held describes a plan that waits to be confirmed: by its number alone once its
// record is too old to be kept.
func (k *keeper) held(id uint64) *admin.Held {
	for _, r := range k.audit.Records() {
		if r.ID == id {
			return &admin.Held{
				Id: id, Who: r.Who, Since: timestamppb.New(r.Time), Reason: strings.Join(r.Faults, "; "), Steps: uint32(r.Steps),
			}
		}
	}
	return &admin.Held{Id: id, Reason: fmt.Sprintf("why is in audit.jsonl, too long ago to be shown here; let it go on with: xonctl confirm %d", id)}
}

// observed remembers what Status tells of the agent's last pass.
func (k *keeper) observed(s orchagent.Stats) {
	k.mon.passed(&s)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.retry, k.paused = time.Time{}, s.Paused
	if s.RetryIn > 0 {
		k.retry = time.Now().Add(s.RetryIn)
	}
}
