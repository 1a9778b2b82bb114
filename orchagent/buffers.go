package orchagent

import (
	"context"
	"errors"

	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/schema/statedb"
)

// RestartBuffers has the buffer manager begin anew, with what its files say by now and
// with the model that DEVICE_METADATA asks for by now. With nothing changed it writes
// nothing to the chip.
//
// It returns what it works with from now on. who is for the record.
func (a *Agent) RestartBuffers(ctx context.Context, files bufmgr.Params, who string) (in bufmgr.Params, err error) {
	var failed error
	err = a.do(ctx, func() {
		if a.rec == nil {
			failed = ErrNotLoaded
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
	})
	return e, errors.Join(err, failed)
}

// SetLimits has the buffer manager go by limits that other programs state instead of those
// that the chip tells of. With nothing changed it does nothing.
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
