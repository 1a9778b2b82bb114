package scenario

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"xon/sai/vsai/dataplane"
)

// Options are how a scenario is run. The zero value runs one that needs no agent.
type Options struct {
	Dir        string     // of the scenario's file, from which it names others
	Config     string     // a config_db.json for all switches that are no models; "": theirs
	Seed       *uint64    // nil: the file's
	Record     bool       // for a report
	Programmer Programmer // nil: there are no agents, only models
	// Progress is told how much of the time is over, 0 to 1.
	Progress func(share float64)
	// Clock measures how long the run takes; nil: it is not measured.
	Clock func() time.Time

	outside *outside // of a live world
}

func (o *Options) seed(f *File) uint64 {
	if o.Seed != nil {
		return *o.Seed
	}
	return f.Seed
}

// path of a file that the scenario, or the command line, names.
func (o *Options) path(name string) string {
	if name == o.Config || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(o.Dir, name)
}

// Load reads a scenario. Errors name file, line, what is wrong and what would be right.
func Load(name string, text []byte) (*File, error) {
	f := &File{Name: strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))}
	if err := decode(name, text, f); err != nil {
		return nil, err
	}
	if f.Duration <= 0 {
		return nil, f.At.errorf("duration: want how long it may last, as in 10ms")
	}
	if wire := f.Engine.wire(); wire > mostOnce {
		return nil, f.At.errorf("engine: wire %d: want at most %d", wire, mostOnce)
	}
	return f, nil
}

// Run runs a scenario. The error is of the scenario, or of ctx; an assertion that does
// not hold is none.
func Run(ctx context.Context, name string, text []byte, o Options) (*Result, error) {
	f, err := Load(name, text)
	if err != nil {
		return nil, err
	}
	p, err := planned(f, &o)
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

// prepare has everything that is to happen happen in its time.
func (w *world) prepare(o *Options) error {
	if err := w.addLoads(o.seed(w.plan.file)); err != nil {
		return err
	}
	return w.addFaults()
}

// slices of a run, after each of which it is looked whether it is to end.
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
	w.uncommon()
	w.idle()
	w.unslowed()
	began := o.now()
	end := dataplane.Time(f.Duration)
	for w.sim.Now() < end && (w.open > 0 || f.Whole) && w.err == nil {
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
		r.Assertions = append(r.Assertions, a.judge(w))
	}
	return r, nil
}

func (o *Options) now() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}
