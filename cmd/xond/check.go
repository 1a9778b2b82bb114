package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/orchagent/guard"
	"xon/orchagent/inventory"
	"xon/sai/remote"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// check loads a configuration into a virtual chip of the right class, in this
// process, and says what became of each row. A refused row makes it return
// errRefused. With --dry-run it plans instead.
func check(ctx context.Context, o *options, out io.Writer) error {
	if o.Config == "" {
		return &usageError{errors.New("--check and --dry-run need --config FILE")}
	}
	rows, err := configdb.ReadFile(o.Config)
	if err != nil {
		return err
	}
	dir, err := o.givenBuffers()
	if err != nil {
		return err
	}
	buffers, _, err := readBuffers(dir)
	if err != nil {
		return err
	}
	if o.DryRun {
		return dryRun(ctx, o, rows, buffers, out)
	}
	var trial *trial
	if err := guard.Call(silent(), "the check", func() (err error) {
		trial, err = tryOut(ctx, o.Profile, rows, buffers)
		return err
	}); err != nil {
		return err
	}
	if o.JSON {
		err = trial.printJSON(out)
	} else {
		err = trial.print(out)
	}
	return errors.Join(err, trial.verdict())
}

func silent() *logrus.Logger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

// dryRun prints the plan that a configuration would begin with: on the chip of a
// running chip process if --chip names one, otherwise on a new virtual one.
func dryRun(ctx context.Context, o *options, rows configdb.RawRows, buffers bufmgr.Params, out io.Writer) error {
	c, err := dryChip(ctx, o, rows)
	if err != nil {
		return err
	}
	defer c.Close()
	sw, _, err := inventory.Open(c)
	if err != nil {
		return err
	}
	plan, err := orchagent.PlanLoad(orchagent.Config{Log: silent(), Switch: sw, Names: c.names, Buffers: buffers}, changesOf(rows))
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(out, plan)
	return err
}

func dryChip(ctx context.Context, o *options, rows configdb.RawRows) (*chip, error) {
	if path, ok := strings.CutPrefix(o.Chip, "unix:"); ok {
		c, err := remote.Dial(ctx, path)
		if err != nil {
			return nil, err
		}
		return &chip{Driver: c, names: c}, nil
	}
	c, err := newChip(o.Profile, rows)
	if err != nil {
		return nil, err
	}
	return &chip{Driver: c, names: c}, nil
}

// trial is a configuration that met a virtual chip.
type trial struct {
	profile string
	fates   map[configdb.RowKey]statedb.Fate
}

func tryOut(ctx context.Context, profile string, rows configdb.RawRows, buffers bufmgr.Params) (*trial, error) {
	chip, err := newChip(profile, rows)
	if err != nil {
		return nil, err
	}
	sw, _, err := inventory.Open(chip)
	if err != nil {
		return nil, err
	}
	t := &trial{profile: chip.Profile().Name}
	agent := orchagent.New(orchagent.Config{Log: silent(), Switch: sw, Names: chip, Store: noStore{}, Publisher: t, Buffers: buffers})
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- guard.Call(silent(), "the agent", func() error { return agent.Run(ctx) }) }()
	err = agent.Load(ctx, changesOf(rows))
	t.fates = agent.Fates()
	cancel()
	return t, errors.Join(err, <-ended)
}

// Publish implements orchagent.Publisher. A trial asks for the fates at its end.
func (t *trial) Publish(context.Context, orchagent.Report) error { return nil }

var errNoDatabase = errors.New("a trial has no database")

// noStore refuses transactions, of which a trial has none.
type noStore struct{}

func (noStore) Commit(context.Context, map[configdb.RowKey]configdb.Fields, map[configdb.RowKey]configdb.Fields) error {
	return errNoDatabase
}

func (noStore) Row(context.Context, configdb.RowKey) (configdb.Fields, error) {
	return nil, errNoDatabase
}

func changesOf(rows configdb.RawRows) []configdb.Change {
	changes := make([]configdb.Change, 0, len(rows))
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		changes = append(changes, configdb.Change{Row: k, Fields: rows[k]})
	}
	return changes
}

func (t *trial) verdict() error {
	for _, f := range t.fates {
		if f.State == statedb.Refused {
			return errRefused
		}
	}
	return nil
}

// census counts the rows of one table by state.
type census struct {
	Rows    int `json:"rows"`
	Applied int `json:"applied"`
	Waiting int `json:"waiting"`
	Refused int `json:"refused"`
	Ignored int `json:"ignored"`
}

func (c *census) add(s statedb.State) {
	c.Rows++
	switch s {
	case statedb.Applied:
		c.Applied++
	case statedb.Waiting:
		c.Waiting++
	case statedb.Refused:
		c.Refused++
	case statedb.Ignored:
		c.Ignored++
	}
}

func (t *trial) tables() map[string]*census {
	tables := map[string]*census{}
	for k, f := range t.fates {
		if tables[k.Table()] == nil {
			tables[k.Table()] = &census{}
		}
		tables[k.Table()].add(f.State)
	}
	return tables
}

func (t *trial) printJSON(out io.Writer) error {
	type row struct {
		State    statedb.State `json:"state"`
		On       string        `json:"on,omitempty"`
		Field    string        `json:"field,omitempty"`
		Reason   string        `json:"reason,omitempty"`
		Warnings []string      `json:"warnings,omitempty"`
	}
	rows := map[configdb.RowKey]row{}
	for k, f := range t.fates {
		rows[k] = row{f.State, f.On, f.Field, f.Reason, f.Warnings}
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(map[string]any{"profile": t.profile, "tables": t.tables(), "rows": rows})
}
