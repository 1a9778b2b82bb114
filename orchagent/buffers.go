package orchagent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"xon/orchagent/audit"
	"xon/orchagent/bufmgr"
	"xon/orchagent/state"
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
		e := a.edit()
		e.Files, e.Model, e.ModelKept = &files, e.Chosen(), ""
		next := e.Done()
		if err := a.cur.Robbing(next, difference(a.cur.State, next)); err != nil {
			failed = fmt.Errorf("%w; the buffer manager goes on with what it had%s", err, remedy(a.cur.State, next))
			return
		}
		a.traced(audit.Buffers, who, func() { a.adopt(a.limited(next)) })
		in = *a.cur.Params()
	})
	return in, errors.Join(err, failed)
}

// Headroom explains the headroom of a port, and touches nothing: see bufmgr.Manager.Headroom.
func (a *Agent) Headroom(ctx context.Context, port string, with bufmgr.Override) (e bufmgr.Explanation, err error) {
	var failed error
	err = a.do(ctx, func() {
		if a.rec == nil {
			failed = ErrNotLoaded
			return
		}
		e, failed = a.cur.Buffers.Headroom(port, with)
		if out := a.cur.UntriedInputs(); failed != nil && len(out) > 0 {
			failed = fmt.Errorf("%w; not counted, as they are not in force: %s", failed, strings.Join(out, ", "))
		}
	})
	return e, errors.Join(err, failed)
}

// SetLimits has the buffer manager go by limits that other programs state instead of those
// that the chip reports. With nothing changed it does nothing. A packet memory stays the one
// that counted before if a pool would have none by the one that is stated now.
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
			a.cfg.Limits = l
			e := a.edit()
			e.Revision++
			a.adopt(a.limited(e.Done()))
		})
	})
}

// adopt brings a State to the chip in which the buffer manager begins again.
func (a *Agent) adopt(s *state.State) {
	a.begin()
	a.unhalt()
	a.resolve(s.Edit())
	a.converge()
	a.conclude(nil)
}
