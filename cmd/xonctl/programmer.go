package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"xon/cmd/internal/trial"
	"xon/sai/vsai"
	"xon/sai/vsai/scenario"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// programmer has agents configure the switches of a scenario, in this process. It
// implements scenario.Programmer.
type programmer struct {
	buffers string // folder with the buffer manager's files; "": that of the switch's config_db.json
}

func (programmer) Read(path string) (scenario.Rows, error) {
	raw, err := configdb.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows := scenario.Rows{}
	for k, f := range raw {
		if rows[k.Table()] == nil {
			rows[k.Table()] = map[string]map[string]string{}
		}
		rows[k.Table()][strings.TrimPrefix(string(k), k.Table()+"|")] = f
	}
	return rows, nil
}

func (programmer) Chip(profile *vsai.Profile, rows scenario.Rows) (*vsai.Chip, error) {
	return trial.NewChip(profile, rawRows(rows)), nil
}

func (p programmer) Start(ctx context.Context, chip *vsai.Chip, rows scenario.Rows, config string) (scenario.Program, error) {
	dir := p.buffers
	if dir == "" && config != "" {
		dir = filepath.Dir(config)
	}
	buffers, _, err := trial.ReadBuffers(dir)
	if err != nil {
		return nil, err
	}
	a, err := trial.Start(ctx, chip, rawRows(rows), buffers)
	if err != nil {
		return nil, err
	}
	return &program{a}, nil
}

// program implements scenario.Program.
type program struct{ *trial.Agent }

func (p *program) Apply(ctx context.Context, rows scenario.Rows) error {
	return p.Change(ctx, trial.Changes(rawRows(rows)))
}

func (p *program) Unmet() (out []string) {
	fates := p.Fates()
	for _, k := range slices.Sorted(maps.Keys(fates)) {
		switch f := fates[k]; f.State {
		case statedb.Refused:
			out = append(out, fmt.Sprintf("%s is refused: %s", k, printable(f.Reason)))
		case statedb.Waiting:
			out = append(out, fmt.Sprintf("%s waits for %s", k, printable(f.On)))
		default: // applied, or of a table that xon does not know
		}
	}
	return out
}

// rawRows are rows as the database has them: one without fields has a placeholder.
func rawRows(rows scenario.Rows) configdb.RawRows {
	raw := configdb.RawRows{}
	for table, keys := range rows {
		for key, f := range keys {
			switch {
			case f == nil:
				raw[configdb.Key(table, key)] = nil
			case len(f) == 0:
				raw[configdb.Key(table, key)] = configdb.Fields{"NULL": "NULL"}
			default:
				raw[configdb.Key(table, key)] = f
			}
		}
	}
	return raw
}
