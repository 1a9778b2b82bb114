package offline

import (
	"fmt"

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
	return given.PoolsExcludeHeadroom()
}

// profileOf is Profile by the rows of a configuration.
func profileOf(given *vsai.Profile, rows configdb.RawRows) *vsai.Profile {
	f := rows[configdb.Key("DEVICE_METADATA", "localhost")]
	return Profile(given, f["platform"], f["hwsku"])
}

// Differs says that a class that somebody chose is not that of the rows' platform; "" if
// it is, or if that platform is not known, or is a virtual switch, which any class may be.
func Differs(class string, rows configdb.RawRows) string {
	f := rows[configdb.Key("DEVICE_METADATA", "localhost")]
	sw := platform.Of(f["platform"], f["hwsku"])
	if !sw.Known() || sw.Virtual || sw.Class == class {
		return ""
	}
	return fmt.Sprintf("chosen with --profile, but the platform %q has a chip of class %s: what holds of %s need not hold of that switch", f["platform"], sw.Class, class)
}

// Guess says why the class of a chip is a guess, or what of it is not known, and what to
// do about it, for people; "" if there is nothing to say. given says that somebody chose
// the class.
func Guess(chip *vsai.Chip, given bool, rows configdb.RawRows) string {
	name := rows[configdb.Key("DEVICE_METADATA", "localhost")]["platform"]
	switch p := chip.Profile(); {
	case given && Differs(p.Name, rows) != "":
		return Differs(p.Name, rows)
	case given && !p.HideBuffer:
		return ""
	case !given && name == "":
		return "a guess, as the configuration names no platform: sizes are not checked; choose a class with --profile"
	case !given && !platform.Of(name, "").Known():
		return fmt.Sprintf("a guess, as the platform %q is not known: sizes are not checked; choose a class with --profile", name)
	case p.Unmodelled:
		return "packet memory not published: sizes are not checked, and what packets meet is not modelled"
	case p.HideBuffer && p.Name != vsai.Profiles()[0].Name:
		return "packet memory not published: sizes are not checked"
	}
	return ""
}
