package main

import (
	"cmp"
	"slices"

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
	return vsai.New(vsai.Config{Profile: p, Ports: portLayout(rows)}), nil
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
	slices.SortFunc(ports, func(a, b vsai.PortLayout) int { return cmp.Compare(a.Lanes[0], b.Lanes[0]) })
	return ports
}
