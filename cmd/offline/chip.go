package offline

import (
	"maps"
	"slices"

	"xon/sai/vsai"
	"xon/schema/configdb"
)

// NewChip makes a virtual chip of a class, nil for that of the rows' platform, with the
// rules of their SKU and the ports that they ask for.
func NewChip(profile *vsai.Profile, rows configdb.RawRows) *vsai.Chip {
	return vsai.New(vsai.Config{Profile: profileOf(profile, rows), Ports: portLayout(rows), Record: -1})
}

// portLayout returns the ports that the rows name, in order of their lanes; nil if
// there are none, which means the profile's own layout. Of two rows with the same lanes
// the first by name has the port, as when the agent takes them up. A fault elsewhere in
// a row does not cost its port.
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
