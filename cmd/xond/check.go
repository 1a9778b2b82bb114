package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"xon/cmd/configfile"
	"xon/cmd/offline"
	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/orchagent/crash"
	"xon/orchagent/inventory"
	"xon/sai/remote"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// check loads a configuration into a virtual chip of the right class, in this
// process, and says what became of each row. A refused row makes it return
// errRefused; with --strict also what may cost lossless packets does. With --dry-run it
// plans instead.
func check(ctx context.Context, o *options, out io.Writer) error {
	switch {
	case o.Config == "":
		return &usageError{errors.New("--check and --dry-run need --config FILE")}
	case o.Strict && o.DryRun:
		return &usageError{errors.New("--strict goes with --check, not with --dry-run")}
	}
	file, err := o.Files.Read(o.Config)
	if err != nil {
		return err
	}
	dir, err := o.givenBuffers()
	if err != nil {
		return err
	}
	buffers, _, err := offline.ReadBuffers(dir)
	if err != nil {
		return err
	}
	if o.DryRun {
		err := dryRun(ctx, o, file.Rows, buffers, out)
		configfile.Print(out, file)
		return errors.Join(err, refusedIn(file))
	}
	var t *tried
	if err := crash.Call(offline.Silent(), "the check", func() (err error) {
		t, err = tryOut(ctx, o.Profile, file.Rows, buffers)
		return err
	}); err != nil {
		return err
	}
	t.leftOut(file)
	if o.JSON {
		err = t.printJSON(out)
	} else {
		err = t.print(out)
	}
	return errors.Join(err, t.verdict(o.Strict), refusedIn(file))
}

// refusedIn is errRefused if a part of a file could not be read as rows.
func refusedIn(file *configdb.File) error {
	if len(file.Refused) > 0 {
		return errRefused
	}
	return nil
}

// leftOut adds what of a file was left out before any agent saw it: a row is refused, a
// field is missing in its row, and what is no row is said at the end.
func (t *tried) leftOut(file *configdb.File) {
	t.notes = file.Notes
	for _, f := range file.Refused {
		fate, ok := t.fates[f.Row]
		if f.Field == "" || !ok {
			t.fates[f.Row] = statedb.Fate{State: statedb.Refused, Reason: f.Err.Error(), Field: f.Field}
			continue
		}
		fate.Warnings = append(fate.Warnings, fmt.Sprintf("field %q is rejected and left out: %v", f.Field, f.Err))
		t.fates[f.Row] = fate
	}
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
	plan, err := orchagent.PlanLoad(orchagent.Config{Log: offline.Silent(), Switch: sw, Names: c.names, Buffers: buffers}, offline.Changes(rows))
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

// tried is a configuration that met a virtual chip.
type tried struct {
	profile string
	guess   string // why the class may be wrong, or what of it is not known; ""
	rows    configdb.RawRows
	fates   map[configdb.RowKey]statedb.Fate
	notes   []string // what of the file was left out on purpose
}

func tryOut(ctx context.Context, profile string, rows configdb.RawRows, buffers bufmgr.Params) (*tried, error) {
	chip, err := newChip(profile, rows)
	if err != nil {
		return nil, err
	}
	agent, err := offline.Start(ctx, chip, rows, buffers)
	if err != nil {
		return nil, err
	}
	return &tried{
		profile: chip.Profile().Name, guess: offline.Guess(chip, profile != "", rows), rows: rows, fates: agent.Fates(),
	}, agent.Close()
}

func (t *tried) verdict(strict bool) error {
	if strict && len(t.risks()) > 0 {
		return errStrict
	}
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

func (t *tried) tables() map[string]*census {
	tables := map[string]*census{}
	for k, f := range t.fates {
		if tables[k.Table()] == nil {
			tables[k.Table()] = &census{}
		}
		tables[k.Table()].add(f.State)
	}
	return tables
}

func (t *tried) printJSON(out io.Writer) error {
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
	return enc.Encode(struct {
		Profile string                  `json:"profile"`
		Guess   string                  `json:"profile_warning,omitempty"`
		Notes   []string                `json:"notes,omitempty"`
		Tables  map[string]*census      `json:"tables"`
		Risks   []statedb.Same          `json:"risks,omitempty"`    // what may cost lossless packets
		Warned  []statedb.Same          `json:"warnings,omitempty"` // the same of several rows once
		Rows    map[configdb.RowKey]row `json:"rows"`
	}{t.profile, t.guess, t.notes, t.tables(), statedb.Group(t.risks()), statedb.Group(t.warnings()), rows})
}
