package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// SeedResults summarises runs of one scenario with several seeds.
type SeedResults struct {
	Scenario   string            `json:"scenario"`
	Seeds      []uint64          `json:"seeds"`
	Measures   map[string]Spread `json:"measures"`
	Moments    map[Event]Spread  `json:"moments"`
	Problems   []string          `json:"problems,omitempty"` // of the runs, each with the number of runs that have it
	Warnings   []string          `json:"warnings,omitempty"`
	Assertions []HoldCount       `json:"assertions"`
	Runs       []*Result         `json:"runs"`
}

// Spread of a value over runs; runs in which it never happened are excluded.
type Spread struct {
	Mean  float64 `json:"mean"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	Runs  int     `json:"runs"`
}

// HoldCount is the number of runs in which an assertion held.
type HoldCount struct {
	Text  string `json:"text"`
	Place string `json:"place"`
	Held  int    `json:"held"`
	Worst string `json:"worst,omitempty"` // value in the first run in which it failed
	Seed  uint64 `json:"seed,omitempty"`  // of that run
}

// OK reports whether all assertions held in all runs without problems.
func (m *SeedResults) OK() bool {
	return !slices.ContainsFunc(m.Runs, func(r *Result) bool { return !r.OK() })
}

// RunSeeds runs a scenario n times with consecutive seeds, in parallel on all
// processors.
func RunSeeds(ctx context.Context, name string, text []byte, o Options, n int) (*SeedResults, error) {
	f, err := Load(name, text)
	if err != nil {
		return nil, err
	}
	m := &SeedResults{Scenario: f.Name, Runs: make([]*Result, n)}
	shares := progress{all: make([]float64, n), tell: o.Progress}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		seed := o.seed(f) + uint64(i)
		m.Seeds = append(m.Seeds, seed)
		g.Go(func() (err error) {
			mine := o
			mine.Seed, mine.Progress = &seed, func(share float64) { shares.set(i, share) }
			m.Runs[i], err = Run(ctx, name, text, mine)
			if err == nil {
				shares.set(i, 1)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return m, m.sum()
}

// progress combines the progress of several runs.
type progress struct {
	mu   sync.Mutex
	all  []float64
	tell func(float64)
}

func (p *progress) set(i int, share float64) {
	if p.tell == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[i] = share
	var sum float64
	for _, s := range p.all {
		sum += s
	}
	p.tell(sum / float64(len(p.all)))
}

func (m *SeedResults) sum() error {
	m.Measures, m.Moments = map[string]Spread{}, map[Event]Spread{}
	for _, r := range m.Runs {
		for name, v := range r.Measures {
			m.Measures[name] = m.Measures[name].with(v)
		}
		for e, v := range r.Moments {
			m.Moments[e] = m.Moments[e].with(v)
		}
	}
	m.Problems = m.collect(func(r *Result) []string { return r.Problems })
	m.Warnings = m.collect(func(r *Result) []string { return grouped(r.Warnings) })
	for i, v := range m.Runs[0].Assertions {
		h := HoldCount{Text: v.Text, Place: v.Place}
		for _, r := range m.Runs {
			switch x := r.Assertions[i]; {
			case x.OK:
				h.Held++
			case h.Worst == "":
				h.Worst, h.Seed = x.Seen, r.Seed
			}
		}
		m.Assertions = append(m.Assertions, h)
	}
	if len(m.Runs[0].Measures) == 0 {
		return errors.New("nothing was measured")
	}
	return nil
}

// collect collects lines of the runs without duplicates.
func (m *SeedResults) collect(of func(*Result) []string) (out []string) {
	times := map[string]int{}
	for _, r := range m.Runs {
		for _, line := range of(r) {
			if times[line]++; times[line] == 1 {
				out = append(out, line)
			}
		}
	}
	for i, line := range out {
		if n := times[line]; n < len(m.Runs) {
			out[i] += fmt.Sprintf(" (in %d of %d runs)", n, len(m.Runs))
		}
	}
	return out
}

func (s Spread) with(v *float64) Spread {
	if v == nil {
		return s
	}
	if s.Runs == 0 {
		return Spread{Mean: *v, Least: *v, Most: *v, Runs: 1}
	}
	n := float64(s.Runs)
	return Spread{Mean: (s.Mean*n + *v) / (n + 1), Least: min(s.Least, *v), Most: max(s.Most, *v), Runs: s.Runs + 1}
}

// Print prints the summary as text.
func (m *SeedResults) Print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d runs, seeds %d to %d\n\n", m.Scenario, len(m.Runs), m.Seeds[0], m.Seeds[len(m.Seeds)-1])
	printRows(&b, "problem", m.Problems)
	printRows(&b, "warning", m.Warnings)
	columns(&b, func(w io.Writer) {
		fmt.Fprintln(w, "MEASURE\tMEAN\tLEAST\tMOST\tRUNS")
		for _, x := range measures {
			m.Measures[x.Name].print(w, x.Name, x.Dimension)
		}
		for _, e := range slices.Sorted(maps.Keys(m.Moments)) {
			m.Moments[e].print(w, string(e), Span)
		}
	})
	b.WriteByte('\n')
	columns(&b, func(w io.Writer) {
		for _, h := range m.Assertions {
			mark, why := "✓", ""
			if h.Held < len(m.Runs) {
				mark, why = "✗", fmt.Sprintf("with seed %d: %s", h.Seed, h.Worst)
			}
			fmt.Fprintf(w, "%s %s\t%d of %d\t%s\n", mark, h.Text, h.Held, len(m.Runs), why)
		}
	})
	_, err := io.WriteString(out, b.String())
	return err
}

func (s Spread) print(w io.Writer, name string, d Dimension) {
	if s.Runs == 0 {
		fmt.Fprintf(w, "%s\tnever\t\t\t0\n", name)
		return
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", name, formatValue(d, &s.Mean), formatValue(d, &s.Least), formatValue(d, &s.Most), s.Runs)
}
