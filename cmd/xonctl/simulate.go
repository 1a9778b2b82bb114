package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xon/cmd/configfile"
	"xon/cmd/offline"
	"xon/sai/vsai/scenario"
)

// simulation is what simulate is asked for.
type simulation struct {
	config  string
	files   configfile.Options
	buffers string
	seed    uint64
	seeds   int
	example string
	list    bool
	measure bool
	compare bool
	quiet   bool
	report  string
	against string
}

const aboutSimulate = `simulate runs a scenario: switches, hosts and links, what they send, what goes wrong, and
what is to hold. Nothing else is needed, no xond, no database, no privileges. A switch is
configured by an agent in this process, from the rows of a config_db.json, and what it
programs is what packets meet; or by a model, parameters of the dataplane.

SCENARIO is a file, or the name of one that xonctl brings along (--list). A small one:

  duration: 10ms
  topology: {star: {hosts: 5, length: 5m}}
  switch: {config: config_db.json}
  workloads:
    burst: {pattern: incast, to: h1, bytes: 2MB, control: dcqcn-card}
  faults:
    - {at: 20us, until: 1ms, storm: h1}
  assert:
    - drops == 0
    - unfinished == 0
    - first_mark before first_pause
    - max_queue(sw1/h1, 3) < 20MB
    - p99_fct(burst) < 5ms

With --config the switches have that config_db.json: in place of a model, or of a chip and
rows that are a whole switch; rows that change a config of the scenario stay on top of it.
Links then have the rates of its ports, and what is asserted may not suit it.

What the scenario gives and does not come about is said first, as a problem: a fault that
is after the end, a row that is refused, waits or has no effect. Warnings follow.

Exit status: 0 if all assertions hold and there is no problem; 1 if an assertion does not
hold, or there is a problem: a fault or workload never happened, a row was not applied, a
lossless class has no headroom; 2 if the scenario or the command line is wrong: nothing ran.
--measures says what can be asserted; --example prints a whole scenario to begin with.`

func (a *app) simulateCommand() *cobra.Command {
	s := &simulation{}
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO",
		Short: "try a configuration against traffic, without a switch",
		Long:  aboutSimulate,
		Example: `  xonctl simulate --list
  xonctl simulate incast                                    # one of them
  xonctl simulate --example incast > mine.yaml              # to begin with
  xonctl simulate mine.yaml --config config_db.json --seeds 10
  xonctl simulate mine.yaml --report run.html               # one page, for a browser or paper
  xonctl simulate mine.yaml --config a/config_db.json --against b/config_db.json --report ab.html
  xonctl simulate mine.yaml --json > a.json                 # change something, b.json, then
  xonctl simulate --compare a.json b.json`,
		ValidArgsFunction: completeScenario,
		RunE:              func(c *cobra.Command, args []string) error { return a.simulate(c, s, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&s.config, "config", "", "a config_db.json `file` for all switches that are no models, or for all if there are only models")
	s.files.Flags(f)
	f.StringVar(&s.buffers, "buffers", "", "`folder` with pg_profile_lookup.ini and its like; by default that of the config_db.json")
	f.Uint64Var(&s.seed, "seed", 0, "the `number` that all chance comes from; by default the scenario's")
	f.IntVar(&s.seeds, "seeds", 1, "run with so many seeds and tell mean, least and greatest")
	f.StringVar(&s.report, "report", "", "write a page about the run to this `file`: queues, memory, pauses and their causes, flows over time")
	f.StringVar(&s.against, "against", "", "with --report, and beside it: the same with another config_db.json, or another `scenario`")
	f.BoolVar(&s.compare, "compare", false, "compare two results of --json instead")
	f.BoolVar(&s.list, "list", false, "list the scenarios that xonctl brings along")
	f.StringVar(&s.example, "example", "", "print the scenario of that `name`; with --config one whose switches have that file")
	_ = cmd.RegisterFlagCompletionFunc("example", completeExample)
	f.BoolVar(&s.measure, "measures", false, "say what can be asserted")
	f.BoolVar(&s.quiet, "quiet", false, "no progress bar")
	return cmd
}

func (a *app) simulate(c *cobra.Command, s *simulation, args []string) error {
	out := c.OutOrStdout()
	if err := s.alone(c, args); err != nil {
		return err
	}
	switch {
	case s.list:
		return listScenarios(out)
	case s.measure:
		return printMeasures(out)
	case s.example != "":
		return s.printExample(out)
	case s.compare:
		return a.compareResults(out, args)
	}
	if err := errors.Join(needs("a scenario")(c, args), atMost(1)(c, args)); err != nil {
		return err
	}
	if err := s.faults(); err != nil {
		return err
	}
	text, name, err := readScenario(args[0])
	if err != nil {
		return err
	}
	if err := s.buffersOfModels(name, text); err != nil {
		return err
	}
	o := scenario.Options{Record: s.report != "", Dir: filepath.Dir(name), Config: s.config, Programmer: offline.Programmer{Files: s.files, Buffers: s.buffers}, Clock: time.Now}
	if c.Flags().Changed("seed") {
		o.Seed = &s.seed
	}
	bar := newBar(c.ErrOrStderr(), s.quiet)
	defer bar.clear()
	o.Progress = bar.show
	if s.seeds > 1 {
		return a.simulateSeeds(c.Context(), out, name, text, o, s.seeds)
	}
	r, err := scenario.Run(c.Context(), name, text, o)
	bar.clear()
	if err != nil {
		return badScenario(c.Context(), err)
	}
	printed := a.printResult(out, r)
	if err := s.writeReport(c.Context(), r, name, text, o); err != nil {
		return err
	}
	return printed
}

// faults finds what is wrong with the flags before anything runs.
func (s *simulation) faults() error {
	switch {
	case s.seeds < 1 || s.seeds > 1000:
		return usagef("--seeds %d: want 1 to 1000", s.seeds)
	case s.buffers != "" && !isDir(s.buffers):
		return usagef("--buffers %s: there is no such folder; want one with pg_profile_lookup.ini and its like", s.buffers)
	}
	return s.faultsOfReport()
}

// printResult prints a result; the error tells of an assertion that does not hold.
func (a *app) printResult(out io.Writer, r *scenario.Result) (err error) {
	if a.json {
		err = printAny(out, r)
	} else {
		err = r.Print(out)
	}
	if err == nil && !r.OK() {
		err = errSaid
	}
	return err
}

func (a *app) simulateSeeds(ctx context.Context, out io.Writer, name string, text []byte, o scenario.Options, n int) error {
	many, err := scenario.RunSeeds(ctx, name, text, o, n)
	if err != nil {
		return badScenario(ctx, err)
	}
	if a.json {
		err = printAny(out, many)
	} else {
		err = many.Print(out)
	}
	if err == nil && !many.OK() {
		err = errSaid
	}
	return err
}

// badScenario makes a fault of a scenario one of the command line; an interrupted run
// is none.
func badScenario(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &usageError{err}
}

func printAny(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printMeasures(out io.Writer) error {
	t := &table{title: "measures, of everything or of (a switch, port, class, workload, flow …)", columns: []string{"MEASURE", "IN", "WHAT IT IS"}}
	for _, m := range scenario.Measures() {
		t.add(m.Name, m.Dimension.String(), m.About)
	}
	e := &table{title: "events, for before, after and within", columns: []string{"EVENT", "WHEN"}}
	for _, x := range scenario.Events {
		e.add(string(x.Event), x.About)
	}
	d := &table{title: "reasons, for drops(…)", columns: []string{"REASON", "WHY A PACKET IS DROPPED"}}
	for _, x := range scenario.Reasons() {
		d.add(x[0], x[1])
	}
	return (&app{}).print(out, t, d, e)
}

func (a *app) compareResults(out io.Writer, args []string) error {
	if len(args) != 2 {
		return usagef("--compare wants two files that --json wrote")
	}
	var r [2]*scenario.Result
	for i, name := range args {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r[i] = &scenario.Result{}
		err = json.Unmarshal(text, r[i])
		if err == nil && r[i].Measures == nil {
			err = errors.New("it has no measures")
		}
		if err != nil {
			return usagef("%s: want a result of xonctl simulate --json, of one seed: %v", name, err)
		}
	}
	d := scenario.Compare(r[0], r[1])
	if a.json {
		return printAny(out, d)
	}
	return scenario.PrintDifferences(out, args[0], args[1], d)
}

// bar shows on a terminal how far a run is.
type bar struct {
	out  io.Writer // nil: nobody looks
	last int
}

func newBar(out io.Writer, quiet bool) *bar {
	if f, ok := out.(*os.File); ok && !quiet {
		if st, err := f.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 {
			return &bar{out: out, last: -1}
		}
	}
	return &bar{}
}

const barWidth = 40

func (b *bar) show(share float64) {
	percent := int(share * 100)
	if b.out == nil || percent == b.last {
		return
	}
	b.last = percent
	full := percent * barWidth / 100
	fmt.Fprintf(b.out, "\r[%s%s] %3d%%", strings.Repeat("█", full), strings.Repeat("·", barWidth-full), percent)
}

func (b *bar) clear() {
	if b.out != nil && b.last >= 0 {
		fmt.Fprint(b.out, "\r\033[K")
		b.last = -1
	}
}
