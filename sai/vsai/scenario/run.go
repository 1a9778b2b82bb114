package scenario

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"xon/sai/vsai/dataplane"
)

// Options configure a run. The zero value runs a scenario that needs no agent.
type Options struct {
	Dir        string     // folder of the scenario's file, for relative file names
	Config     string     // a config_db.json for all switches that are not models; "": their own
	Seed       *uint64    // nil: that of the file
	Record     bool       // record for a report
	Programmer Programmer // nil: only models, no agents
	// Progress is called with the share of time that is over, 0 to 1.
	Progress func(share float64)
	// Clock measures the duration of the run; nil: not measured.
	Clock func() time.Time

	external *externalChip // of a live scenario
}

func (o *Options) seed(f *File) uint64 {
	if o.Seed != nil {
		return *o.Seed
	}
	return f.Seed
}

// path resolves a file name in the scenario or on the command line.
func (o *Options) path(name string) string {
	if name == o.Config || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}

// Load parses a scenario. Errors give file, line, the fault and what would be valid.
func Load(name string, text []byte) (*File, error) {
	f := &File{Name: strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))}
	if err := decode(name, text, f); err != nil {
		return nil, err
	}
	if f.Duration <= 0 {
		return nil, f.At.errorf("duration: want how long it may last, as in 10ms")
	}
	if wire := f.Engine.wire(); wire > maxPacket {
		return nil, f.At.errorf("engine: wire %d: want at most %d", wire, maxPacket)
	}
	return f, nil
}

// Run runs a scenario. It returns an error for an invalid scenario or the end of ctx,
// but not for an assertion that fails.
func Run(ctx context.Context, name string, text []byte, o Options) (*Result, error) {
	f, err := Load(name, text)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(f, &o)
	if err != nil {
		return nil, err
	}
	w, err := build(ctx, p, &o)
	if err == nil {
		err = w.prepare(&o)
	}
	var r *Result
	if err == nil {
		r, err = w.run(&o)
	}
	if w != nil {
		if e := w.close(); err == nil {
			err = e
		}
	}
	return r, err
}

// prepare schedules everything.
func (w *world) prepare(o *Options) error {
	if err := w.addLoads(o.seed(w.plan.file)); err != nil {
		return err
	}
	return w.addFaults()
}

// slicesOfRun is the number of parts of a run; after each, the end condition is
// checked.
const slicesOfRun = 1000

func (w *world) run(o *Options) (*Result, error) {
	f := w.plan.file
	var claims []*assertion
	for i := range f.Assert {
		a, err := w.parse(&f.Assert[i])
		if err != nil {
			return nil, err
		}
		claims = append(claims, a)
	}
	w.checkFlowControl()
	w.checkIdleHosts()
	w.checkMinRates()
	began := o.now()
	end := dataplane.Time(f.Duration)
	for w.sim.Now() < end && (w.pending > 0 || f.FixedDuration) && w.err == nil {
		if err := w.ctx.Err(); err != nil {
			return nil, fmt.Errorf("after %v of virtual time: %w", w.sim.Now(), err)
		}
		if err := w.sim.Run(min(w.sim.Now()+max(end/slicesOfRun, 1), end)); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(float64(w.sim.Now()) / float64(end))
		}
	}
	if w.err != nil {
		return nil, w.err
	}
	r := w.result(o)
	r.Wall = o.now().Sub(began).Seconds()
	for _, a := range claims {
		r.Assertions = append(r.Assertions, a.evaluate(w))
	}
	return r, nil
}

func (o *Options) now() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}
