package main

import (
	"context"
	"maps"
	"slices"

	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/redisdb"
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

// portLayout returns the ports that the rows name, in order of their lanes; nil if
// there are none, which means the profile's own layout. Of two rows that name the
// same lane the first by name has it, as when the agent takes them up. A fault
// elsewhere in a row does not cost its port.
func portLayout(rows configdb.RawRows) []vsai.PortLayout {
	var ports []vsai.PortLayout
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if k.Table() != "PORT" {
			continue
		}
		f := rows[k]
		row, _, err := configdb.Parse(k, configdb.Fields{"lanes": f["lanes"], "speed": f["speed"]})
		if p, ok := row.(*configdb.Port); ok && err == nil {
			ports = append(ports, vsai.PortLayout{Lanes: p.Lanes, SpeedMbps: p.Speed})
		}
	}
	return vsai.SortPorts(vsai.DistinctPorts(ports))
}

// layout is what a virtual chip is laid out by: the rows of CONFIG_DB that say which
// switch this is and which ports it has.
func (k *keeper) layout(ctx context.Context) (configdb.RawRows, error) {
	rows := configdb.RawRows{}
	db := k.db.DB(redisdb.ConfigDB)
	for _, table := range []string{"DEVICE_METADATA", "PORT"} {
		found, err := db.All(ctx, db.ID.Pattern(table))
		if err != nil {
			return nil, err
		}
		for key, f := range found {
			rows[configdb.RowKey(key)] = f
		}
	}
	return rows, nil
}
