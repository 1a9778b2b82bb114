package scenario

import (
	"fmt"
	"math"
	"slices"

	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario/trace"
)

// Result is the result of a run. Numbers are in bytes, seconds, bit/s, and shares of 1;
// null means that it never happened.
type Result struct {
	Scenario string  `json:"scenario"`
	About    string  `json:"about,omitempty"`
	Seed     uint64  `json:"seed"`
	Seconds  float64 `json:"seconds"` // of virtual time
	Wall     float64 `json:"wall_seconds"`
	Events   uint64  `json:"events"`
	Digest   string  `json:"digest"` // equal for equal runs

	Measures   map[string]*float64            `json:"measures"` // global
	Moments    map[Event]*float64             `json:"moments"`
	Switches   map[string]map[string]*float64 `json:"switches"`
	Workloads  []WorkloadResult               `json:"workloads"`
	Ports      []PortResult                   `json:"ports"` // with any activity
	Drops      map[string]uint64              `json:"drops,omitempty"`
	Problems   []string                       `json:"problems,omitempty"` // parts of the scenario that did not happen, grouped
	Unmet      []string                       `json:"unmet,omitempty"`    // rows that are not applied, and why
	Warnings   []string                       `json:"warnings,omitempty"` // what looks wrong, also in applied rows
	Assertions []Verdict                      `json:"assertions"`

	Recording *trace.Recording `json:"-"` // nil without Options.Record
}

// Grouped returns the warnings, similar ones merged with their number.
func (r *Result) Grouped() []string { return grouped(r.Warnings) }

// WorkloadResult is the result of a workload.
type WorkloadResult struct {
	Name     string              `json:"name"`
	Flows    int                 `json:"flows"`
	Done     int                 `json:"done"`
	Measures map[string]*float64 `json:"measures"`
}

// PortResult is the activity of a class at a port of a switch.
type PortResult struct {
	Port     string  `json:"port"`
	Class    int     `json:"class"` // priority, group and queue
	MaxQueue int64   `json:"max_queue"`
	MaxGroup int64   `json:"max_group"`
	Headroom int64   `json:"max_headroom"`
	Has      int64   `json:"headroom"`       // configured: XOFF of its profile
	Limit    int64   `json:"headroom_limit"` // maximum usable on the chip, of a slice
	Used     float64 `json:"headroom_used"`  // share of Limit
	Pauses   uint64  `json:"pauses"`
	PFC      uint64  `json:"pfc_frames"`
	Paused   float64 `json:"paused"` // share of the run
	Marks    uint64  `json:"marks"`
	Trimmed  uint64  `json:"trimmed"`
	Drops    uint64  `json:"drops"`
	Lost     uint64  `json:"lost"` // by its link
}

// OK reports whether all assertions hold, and everything in the scenario happened.
func (r *Result) OK() bool {
	if len(r.Problems) > 0 {
		return false
	}
	for _, v := range r.Assertions {
		if !v.OK {
			return false
		}
	}
	return true
}

func (w *world) result(o *Options) *Result {
	r := &Result{
		Scenario: w.plan.file.Name, About: w.plan.file.About, Seed: o.seed(w.plan.file),
		Seconds: w.sim.Now().Seconds(), Events: w.sim.Events(), Digest: fmt.Sprintf("%016x", w.sim.Digest()),
		Measures: w.all(selection{}, measures), Moments: map[Event]*float64{}, Switches: map[string]map[string]*float64{},
		Drops: map[string]uint64{},
	}
	if w.watch.rec != nil {
		r.Recording = w.watch.rec.Recording()
	}
	for _, e := range Events {
		at, ok := w.watch.moments[e.Event]
		r.Moments[e.Event] = nil
		if ok {
			r.Moments[e.Event] = jsonValue(Span, float64(at))
		}
	}
	for _, n := range w.plan.switches {
		r.Switches[n.name] = w.all(selection{node: n}, portMeasures)
		if d := w.devices[n]; d.agent != nil {
			w.collectStatus(r, d)
		}
	}
	w.checkOccurred()
	r.Problems, r.Warnings = grouped(w.problems), slices.Concat(w.notes, r.Warnings)
	for _, l := range w.loads {
		x := WorkloadResult{Name: l.Name, Flows: len(l.flows), Measures: w.all(selection{load: l.Name}, flowMeasures)}
		for _, f := range l.flows {
			if f.Done() {
				x.Done++
			}
		}
		r.Workloads = append(r.Workloads, x)
	}
	w.portResults(r)
	return r
}

func (w *world) all(s selection, of []Measure) map[string]*float64 {
	out := map[string]*float64{}
	for _, m := range of {
		out[m.Name] = jsonValue(m.Dimension, m.of(w, s))
	}
	return out
}

// portResults lists the classes of ports with any activity.
func (w *world) portResults(r *Result) {
	w.eachPort(selection{}, func(d *device, p *dataplane.Port) {
		l := w.watch.port(p)
		for c := range max(d.sw.Config().Queues, dataplane.Classes) {
			x := w.portResult(d, p, l, c)
			for reason, n := range l.drops[c] {
				if n > 0 {
					r.Drops[reasonName(dataplane.Reason(reason))] += n
				}
				if dataplane.Reason(reason) == dataplane.DropLink {
					x.Lost += n
				} else {
					x.Drops += n
				}
			}
			if x.MaxQueue > 0 || x.MaxGroup > 0 || x.Drops > 0 || x.Trimmed > 0 || x.Lost > 0 || c < dataplane.Classes && w.sim.PausedFor(p, c) > 0 { // 802.3x also pauses unused classes
				r.Ports = append(r.Ports, x)
			}
		}
	})
}

func (w *world) portResult(d *device, p *dataplane.Port, l *portLog, c int) PortResult {
	x := PortResult{Port: l.name, Class: c, Marks: l.marks[c]}
	if c < d.sw.Config().Queues {
		q := d.sw.Queue(p.Index(), c)
		x.MaxQueue, x.Trimmed = q.LengthMost, q.Trimmed
	}
	if c < dataplane.Classes {
		g, cell := d.sw.Group(p.Index(), c), d.sw.CellBytes()
		x.MaxGroup, x.Headroom, x.Has = g.HeldMost*cell, g.HeadroomMost*cell, d.sw.GroupConfig(p.Index(), c).Xoff
		x.Limit, x.Used = d.sw.HeadroomLimit(p.Index(), c), d.headroomShare(p, c)
		x.Pauses, x.PFC = l.stops[c], l.pfc[c]
		x.Paused = w.sim.BlockedFor(p, c).Seconds() / math.Max(w.sim.Now().Seconds(), 1e-12)
	}
	return x
}
