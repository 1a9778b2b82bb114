package trial

import (
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// Profile is the chip class for a switch by its platform and SKU, or given if that is not
// nil, with the rules of the SKU. A platform that is not known gets the default class,
// which refuses nothing for its size.
func Profile(given *vsai.Profile, name, hwsku string) *vsai.Profile {
	sw := platform.Of(name, hwsku)
	if given == nil {
		given = vsai.Profiles()[0]
		if p, err := vsai.ProfileByName(sw.Class); err == nil {
			given = p
		}
	}
	if !sw.PoolsExcludeHeadroom || given.Name != sw.Class {
		return given
	}
	p := *given
	p.SharedSize, p.Reserve = vsai.SharedExcludesHeadroom, vsai.ReserveBesidePools
	return &p
}

// profileOf is Profile by the rows of a configuration.
func profileOf(given *vsai.Profile, rows configdb.RawRows) *vsai.Profile {
	f := rows[configdb.Key("DEVICE_METADATA", "localhost")]
	return Profile(given, f["platform"], f["hwsku"])
}
