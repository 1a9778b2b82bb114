package bridge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"xon/sai/vsai/dataplane"
)

// Pace is the speed of a simulation relative to the wall clock.
type Pace struct {
	// Scale is virtual seconds per second: 0.001 is one virtual millisecond per second.
	// 0 means 0.001.
	Scale float64
	// Share is the maximum share of a CPU core, above 0 to 1. If it does not suffice
	// virtual time runs more slowly. 0 means a quarter.
	Share float64
	// Unsupported is called with the errors of Device.Sync, each time that the error
	// changes. Other settings apply, and time goes on. Nil: errors are ignored.
	Unsupported func(error)
}

// tick is the interval between steps of a simulation: the maximum delay until a write
// takes effect, and the maximum age of values read.
const tick = 10 * time.Millisecond

// Pacer runs a simulation in step with the wall clock while agents use its chips. It is
// the simulation's goroutine. SAI calls that involve the dataplane wait while a step
// runs, at most Share of ten milliseconds.
type Pacer struct {
	sim             *dataplane.Sim
	pace            Pace
	devices         []*Device
	lastUnsupported string         // last error reported
	left            time.Duration  // rest of the share; negative if a step took longer
	step            dataplane.Time // virtual time between two readings of the clock
	mu              sync.Mutex     // guards the simulation
}

// NewPacer makes a pacer for a simulation and all its devices. Call it before any agent
// uses their chips.
func NewPacer(sim *dataplane.Sim, pace Pace, devices ...*Device) (*Pacer, error) {
	if pace.Scale == 0 {
		pace.Scale = 0.001
	}
	if pace.Share == 0 {
		pace.Share = 0.25
	}
	if !within(pace.Scale) || !within(pace.Share) {
		return nil, fmt.Errorf("scale %g, share %g: want each above 0, and 1 at most", pace.Scale, pace.Share)
	}
	p := &Pacer{sim: sim, pace: pace, devices: devices, step: dataplane.Microsecond}
	for _, d := range devices {
		d.gate = &p.mu
	}
	return p, nil
}

// within is also false for NaN.
func within(share float64) bool { return share > 0 && share <= 1 }

// Do calls f between two events; f may read and change the simulation. It must not read
// from the chips what their dataplane provides: statistics and queue states.
func (p *Pacer) Do(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// Run runs the simulation until the context ends, and then returns nil. Other errors
// come only from dataplane.Config.CheckEvents. Functions scheduled with Sim.At run here
// and obey the rule of Do.
func (p *Pacer) Run(ctx context.Context) error {
	t := time.NewTicker(tick)
	defer t.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		now := time.Now()
		if err := p.advance(now.Sub(last)); err != nil {
			return err
		}
		last = now
	}
}

// advance runs the simulation for a span of wall time. If the span does not fit into
// the share, virtual time falls behind and does not catch up.
func (p *Pacer) advance(span time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.devices {
		p.report(d.Sync())
	}
	p.left = min(p.left+time.Duration(float64(span)*p.pace.Share), time.Duration(float64(tick)*p.pace.Share))
	whole := dataplane.FromDuration(min(span, tick))
	until := p.sim.Now() + dataplane.Time(float64(whole)*p.pace.Scale)
	for p.sim.Now() < until && p.left > 0 {
		began := time.Now()
		if err := p.sim.Run(min(p.sim.Now()+p.step, until)); err != nil {
			return err
		}
		p.spend(time.Since(began))
	}
	return nil
}

// spend subtracts the duration of a step, and adapts the step so that it takes about an
// eighth of a tick's share.
func (p *Pacer) spend(took time.Duration) {
	p.left -= took
	switch eighth := time.Duration(float64(tick)*p.pace.Share) / 8; {
	case took > eighth:
		p.step = max(p.step/2, 1)
	case took < eighth/4:
		p.step = min(2*p.step, dataplane.Millisecond)
	}
}

// report reports an error of Sync if it has changed.
func (p *Pacer) report(err error) {
	if err == nil || err.Error() == p.lastUnsupported {
		return
	}
	p.lastUnsupported = err.Error()
	if p.pace.Unsupported != nil {
		p.pace.Unsupported(err)
	}
}
