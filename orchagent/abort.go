package orchagent

import (
	"errors"
	"sync"

	"xon/orchagent/audit"
	"xon/orchagent/resolve"
	"xon/schema/configdb"
)

// ErrAborted is the error of a transaction that Abort ended: nothing was changed, or
// it was undone.
var ErrAborted = errors.New("aborted on request; what was done is undone")

// ErrChipLost is the error of a transaction in whose middle the chip went away. It is
// not in the database, and the chip is compared with that as soon as it is back.
var ErrChipLost = errors.New("the chip went away in the middle; the change is not stored, and what the chip has of it is taken back when it is there again")

// errAborted is why rows wait whose plan was ended.
var errAborted = &resolve.Pause{
	On:  "the next change",
	Why: "the plan was aborted; it goes on with the next change of a row, or by: xonctl confirm",
}

// aborter ends the plan that runs.
type aborter struct {
	mu             sync.Mutex
	running, ended bool
	now            Progress
}

func (x *aborter) begin(now Progress) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running, x.ended, x.now = false, false, now
}

// over says that no call of the plan is to come.
func (x *aborter) over() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running, x.ended = false, false
}

// goOn is a reconcile.Options.Between.
func (x *aborter) goOn(left int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now.Done = x.now.Steps - left
	return !x.ended
}

// Abort ends the plan that runs before its next batch of calls, and returns at
// once. False says that none runs. A transaction is undone exactly, and its caller
// gets ErrAborted. Any other plan stops where it is: its rows
// wait, and it does not go on by itself, not even as a retry, but with the next rows
// that change, the next transaction or load, or a Confirm of its record's number.
// Urgent news is heard meanwhile, and only takes away. A plan that has made its
// last call is not ended. It may be called at any time.
func (a *Agent) Abort() bool {
	x := &a.aborter
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = x.ended || x.running
	return x.running
}

// unhalt lifts what an abort left: there is a reason to go on.
func (a *Agent) unhalt() { a.halted = 0 }

// halt has a best effort stay where it is.
func (a *Agent) halt() {
	if a.halted == 0 {
		a.halted = a.number()
		a.trace.record.Outcome = audit.Aborted
		a.trace.fault("aborted")
		a.log.WithField("plan", a.halted).Warn("the plan was aborted and stays where it is")
	}
	for _, k := range a.rec.Open() {
		a.pass.wait(a.cur.Owners(k), errAborted)
	}
}

// wait has rows wait for somebody to say that it may go on.
func (p *pass) wait(rows []configdb.RowKey, why *resolve.Pause) {
	if p.waits == nil {
		p.waits = map[configdb.RowKey]error{}
	}
	for _, row := range rows {
		p.waits[row] = why
	}
}
