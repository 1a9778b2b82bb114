package bridge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"xon/sai/vsai/dataplane"
)

// Pace is how fast a simulation goes along the wall clock.
type Pace struct {
	// Scale is how many virtual seconds go by in a second: 0.001 is a virtual
	// millisecond a second. 0 means 0.001.
	Scale float64
	// Share is the part of a core that it takes at most, above 0 to 1. If that is not
	// enough virtual time goes more slowly. 0 means a quarter.
	Share float64
	// Unsupported is told what Device.Sync says that packets can't follow, again only when it
	// is something else. All else is in force, and time goes on. nil: nobody is told.
	Unsupported func(error)
}

// tick is how often a simulation goes on: what is written takes effect, and what is
// read is as old, after this long at most.
const tick = 10 * time.Millisecond

// Pacer runs a simulation along the wall clock, while agents talk to its chips. It
// is the simulation's goroutine; calls of SAI that the dataplane has a part in wait
// until it stands still, which is Share of ten milliseconds at most.
type Pacer struct {
	sim             *dataplane.Sim
	pace            Pace
	devices         []*Device
	lastUnsupported string         // that has been told last
	left            time.Duration  // of the share; below 0 if a step took more
	step            dataplane.Time // between looks at the clock
	mu              sync.Mutex     // of the simulation
}

// NewPacer makes a pacer of a simulation and all its devices, before any agent talks
// to their chips.
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

// within is false of what is no number too.
func within(share float64) bool { return share > 0 && share <= 1 }

// Do has f see and change the simulation, between two events. It may not call the
// chips for what their dataplane tells: statistics and the state of queues.
func (p *Pacer) Do(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// Run goes on until the context ends, which is no error. Errors are of
// dataplane.Config.CheckEvents alone. Functions that the simulation calls (Sim.At) run
// here, under the rule of Do.
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

// advance lets happen what happens in a span of wall time. What does not fit into
// its share is not made up for: virtual time falls behind.
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

// spend counts what a step has taken. The next is to take an eighth of a tick's share
// at most, however much happens in it.
func (p *Pacer) spend(took time.Duration) {
	p.left -= took
	switch eighth := time.Duration(float64(tick)*p.pace.Share) / 8; {
	case took > eighth:
		p.step = max(p.step/2, 1)
	case took < eighth/4:
		p.step = min(2*p.step, dataplane.Millisecond)
	}
}

// report tells of what packets can't follow.
func (p *Pacer) report(err error) {
	if err == nil || err.Error() == p.lastUnsupported {
		return
	}
	p.lastUnsupported = err.Error()
	if p.pace.Unsupported != nil {
		p.pace.Unsupported(err)
	}
}
