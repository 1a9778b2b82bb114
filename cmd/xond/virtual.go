package main

import (
	"os"

	"xon/sai/vsai"
	"xon/schema/configdb"
)

// newChip makes a virtual chip of a class, or of the class of the rows' platform,
// with the ports that the rows ask for.
func newChip(profile string, rows configdb.RawRows) (*vsai.Chip, error) {
	p, err := chipProfile(profile, rows)
	if err != nil {
		return nil, err
	}
	return vsai.New(vsai.Config{Profile: p, Ports: portLayout(rows), Record: -1}), nil
}

func chipProfile(name string, rows configdb.RawRows) (*vsai.Profile, error) {
	if name == "" {
		return vsai.ProfileFor(rows[configdb.Key("DEVICE_METADATA", "localhost")]["platform"]), nil
	}
	p, err := vsai.ProfileByName(name)
	if err != nil {
		return nil, &usageError{err}
	}
	return p, nil
}

// portLayout returns the ports of the rows that are right, in order of their first
// lane; nil if there are none, which means the profile's own layout.
func portLayout(rows configdb.RawRows) []vsai.PortLayout {
	var ports []vsai.PortLayout
	for k, f := range rows {
		if k.Table() != "PORT" {
			continue
		}
		row, _, err := configdb.Parse(k, f)
		if p, ok := row.(*configdb.Port); ok && err == nil {
			ports = append(ports, vsai.PortLayout{Lanes: p.Lanes, SpeedMbps: p.Speed})
		}
	}
	return vsai.SortPorts(ports)
}

// inprocess makes a virtual chip in this process.
func (k *keeper) inprocess() (*chip, error) {
	var rows configdb.RawRows
	if file := k.o.layout(); file != "" {
		var err error
		if rows, err = configdb.ReadFile(file); err != nil {
			return nil, err
		}
	}
	c, err := newChip(k.o.Profile, rows)
	if err != nil {
		return nil, err
	}
	return &chip{Driver: c, names: c}, nil
}

// layout is the configuration by which a virtual chip is laid out: --config, or what
// was saved last; "" for neither.
func (o *options) layout() string {
	if o.Config != "" {
		return o.Config
	}
	if _, err := os.Stat(o.savedConfig()); err != nil {
		return ""
	}
	return o.savedConfig()
}
