package orchagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/schema/statedb"
)

// RestartBuffers has the buffer manager begin anew, with what its files say by now and
// with the model that DEVICE_METADATA asks for by now. With nothing changed it writes
// nothing to the chip.
//
// It returns what it works with from now on. who is for the record. Files by which computed
// headroom that is applied would be lost are an error; then all stays as it was.
func (a *Agent) RestartBuffers(ctx context.Context, files bufmgr.Params, who string) (in bufmgr.Params, err error) {
	var failed error
	err = a.do(ctx, func() {
		if a.rec == nil {
			failed = ErrNotLoaded
			return
		}
		if failed = a.robbing(files); failed != nil {
			return
		}
		a.traced(audit.Buffers, who, func() { a.restartBuffers(files) })
		in = *a.params
	})
	return in, errors.Join(err, failed)
}

// Headroom explains the headroom of a port, and touches nothing: see bufmgr.Headroom.
func (a *Agent) Headroom(ctx context.Context, port string, with bufmgr.Override) (e bufmgr.Explanation, err error) {
	var failed error
	err = a.do(ctx, func() {
		if a.rec == nil {
			failed = ErrNotLoaded
			return
		}
		e, failed = bufmgr.Headroom(*a.params, bufmgr.Input{Rows: a.rows, Derived: a.derivedRows(), Accepted: a.competing}, port, with)
		if out := a.untriedInputs(); failed != nil && len(out) > 0 {
			failed = fmt.Errorf("%w; not counted, as they are not in force: %s", failed, strings.Join(out, ", "))
		}
	})
	return e, errors.Join(err, failed)
}

// untriedInputs are rows that headroom comes from of which no version can be tried.
func (a *Agent) untriedInputs() (out []string) {
	for k := range a.records {
		if isInput(k) && a.rows.Get(k) == nil {
			out = append(out, string(k))
		}
	}
	slices.Sort(out)
	return out
}

// SetLimits has the buffer manager go by limits that other programs state instead of those
// that the chip reports. With nothing changed it does nothing.
func (a *Agent) SetLimits(ctx context.Context, l statedb.Limits) error {
	return a.do(ctx, func() {
		switch {
		case l.Equal(a.cfg.Limits):
			return
		case a.rec == nil:
			a.cfg.Limits = l
			return
		}
		a.traced(audit.Redis, "", func() {
			a.cfg.Limits, a.imposed, a.manager = l, l, nil
			a.begin()
			a.goesOn()
			a.revision++
			a.resolve(nil)
			a.bestEffort()
			a.conclude(nil)
		})
	})
}

func (a *Agent) restartBuffers(files bufmgr.Params) {
	a.elect(a.chosen())
	a.files, a.manager = files, nil
	a.d.judged[metadata] = true
	a.begin()
	a.goesOn()
	a.resolve(nil)
	a.bestEffort()
	a.conclude(nil)
}

// parameters are what the buffer manager is to know beside rows.
func (r *resolver) parameters() bufmgr.Params { return r.parametersBy(r.files) }

func (r *resolver) parametersBy(p bufmgr.Params) bufmgr.Params {
	p.Model, p.MMUBytes = r.model(), r.device.MMUBytes
	if r.elected != nil {
		p.Platform = r.elected.Platform
	}
	if p.ASIC == nil {
		p.ASIC = bufmgr.BuiltinASIC(p.Platform)
	}
	p.Ports = make(map[string]bufmgr.PortLimits, len(r.device.Ports))
	for _, port := range r.device.Ports {
		p.Ports[port.Name] = bufmgr.PortLimits{
			Lanes: len(port.Lanes), Queues: len(port.Queues), PriorityGroups: len(port.PGs),
			MaxHeadroom: port.MaxHeadroom, SupportedSpeeds: port.Speeds,
		}
	}
	r.stateLimits(&p)
	return p
}

// stateLimits puts what other programs state in the place of what the chip reports. A port
// has no more queues and priority groups than the chip gives it.
func (r *resolver) stateLimits(p *bufmgr.Params) {
	p.StatedMMU = r.imposed.MMUBytes
	for name, m := range r.imposed.Ports {
		limits, ok := p.Ports[name]
		if !ok {
			continue
		}
		limits.StatedHeadroom = m.Headroom
		limits.Queues = min(limits.Queues, cmp.Or(m.Queues, limits.Queues))
		limits.PriorityGroups = min(limits.PriorityGroups, cmp.Or(m.PriorityGroups, limits.PriorityGroups))
		p.Ports[name] = limits
	}
}
