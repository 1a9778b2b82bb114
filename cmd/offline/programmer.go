package offline

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"xon/cmd/configfile"
	"xon/sai/vsai"
	"xon/sai/vsai/scenario"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Programmer has agents configure the switches of a scenario. It implements
// scenario.Programmer.
type Programmer struct {
	Files   configfile.Options // how config_db.json files are read
	Buffers string             // folder with the buffer manager's files; "": that of the switch's config_db.json
}

// Read implements scenario.Programmer.
func (p Programmer) Read(path string) (scenario.Rows, error) {
	file, err := p.Files.Read(path)
	if err != nil {
		return nil, err
	}
	return Rows(file.Rows), nil
}

// Rows are rows as scenarios have them.
func Rows(raw configdb.RawRows) scenario.Rows {
	rows := scenario.Rows{}
	for k, f := range raw {
		if rows[k.Table()] == nil {
			rows[k.Table()] = map[string]map[string]string{}
		}
		rows[k.Table()][strings.TrimPrefix(string(k), k.Table()+"|")] = f
	}
	return rows
}

// Profile implements scenario.Programmer.
func (Programmer) Profile(name, hwsku string) *vsai.Profile { return Profile(nil, name, hwsku) }

// Chip implements scenario.Programmer.
func (Programmer) Chip(profile *vsai.Profile, rows scenario.Rows) (*vsai.Chip, error) {
	return NewChip(profile, rawRows(rows)), nil
}

// Start implements scenario.Programmer.
func (p Programmer) Start(ctx context.Context, chip *vsai.Chip, rows scenario.Rows, config string) (scenario.Program, error) {
	dir := p.Buffers
	if dir == "" && config != "" {
		dir = filepath.Dir(config)
	}
	buffers, _, err := ReadBuffers(dir)
	if err != nil {
		return nil, err
	}
	file := &configdb.File{}
	if config != "" { // what of it is no row is said once more
		if file, err = p.Files.Read(config); err != nil {
			return nil, err
		}
	}
	a, err := Start(ctx, chip, rawRows(rows), buffers)
	if err != nil {
		return nil, err
	}
	return program{a, Guess(chip, true, nil), file}, nil
}

// program implements scenario.Program.
type program struct {
	*Agent
	guess string         // what is not known of the chip class
	file  *configdb.File // what of it was left out counts
}

func (p program) Apply(ctx context.Context, rows scenario.Rows) error {
	return p.Change(ctx, Changes(rawRows(rows)))
}

// Statuses implements scenario.Program.
func (p program) Statuses() (out []scenario.RowStatus) {
	fates := p.Fates()
	for _, k := range slices.Sorted(maps.Keys(fates)) {
		f := fates[k]
		s := scenario.RowStatus{Table: k.Table(), Key: strings.TrimPrefix(string(k), k.Table()+"|")}
		add := func(state scenario.RowState, reason string) {
			s.State, s.Reason = state, reason
			out = append(out, s)
		}
		switch f.State {
		case statedb.Refused:
			add(scenario.RowRefused, f.Reason)
		case statedb.Waiting:
			add(scenario.RowWaiting, f.On)
		case statedb.Ignored:
			add(scenario.RowIgnored, f.Reason)
			continue // its warning says the same
		default: // applied
		}
		for _, w := range f.Warnings {
			add(scenario.RowWarned, w)
		}
	}
	return out
}

// LeftOut implements scenario.Program.
func (p program) LeftOut() (out []string) {
	for _, f := range p.file.Refused {
		out = append(out, f.Error())
	}
	return out
}

// Warnings implements scenario.Program.
func (p program) Warnings() (out []string) {
	if p.guess != "" {
		out = append(out, "chip class: "+p.guess)
	}
	return append(out, p.file.Notes...)
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
