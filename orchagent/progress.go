package orchagent

import "time"

// Progress is how far a plan is that is being carried out.
type Progress struct {
	Source, Who string    // as in its record
	Since       time.Time // of the begin of the pass
	Steps, Done int       // planned, and carried out so far, those that failed included
}

// Progress returns the plan that runs; false if none does. It may be called at any
// time.
func (a *Agent) Progress() (Progress, bool) {
	x := &a.aborter
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.now, x.running
}

// planned notes the size of the plan that begins.
func (x *aborter) planned(steps int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now.Steps, x.now.Done, x.running, x.ended = steps, 0, steps > 0, false
}
