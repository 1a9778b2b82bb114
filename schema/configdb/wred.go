package configdb

import (
	"fmt"
	"math"
	"slices"
)

// Colours of packets.
const (
	Green = iota
	Yellow
	Red
	NumColours
)

// Curve is the part of a WRED profile that belongs to one colour.
type Curve struct {
	Enable      bool
	Min, Max    uint64 // bytes of queue, Min <= Max if both are there; 0 when absent
	Probability uint8  // percent at Max, 0 to 100; 100 when absent
	HasEnable   bool
	HasMin      bool
	HasMax      bool
	HasProb     bool
}

// WREDProfile is a row WRED_PROFILE|<name>.
//
// Source: sonic-wred-profile.yang.
type WREDProfile struct {
	ID     RowKey
	Name   string
	Curves [NumColours]Curve
	ECN    [NumColours]bool // colours that are marked instead of dropped ("ecn")
}

// RowKey implements Row.
func (r *WREDProfile) RowKey() RowKey { return r.ID }

var wredProfileTable = define(Table{
	Name:   "WRED_PROFILE",
	Doc:    "How a queue marks (ECN) or drops packets as it fills, by colour.",
	Key:    "<name>",
	Source: "sonic-wred-profile.yang",
}, &spec[WREDProfile, *WREDProfile]{
	key:     titleKey(func(r *WREDProfile) *string { return &r.Name }),
	id:      func(r *WREDProfile) *RowKey { return &r.ID },
	columns: slices.Concat(curve("green", Green), curve("yellow", Yellow), curve("red", Red), []column[WREDProfile]{ecn()}),
	check:   checkCurves,
	at:      func(c *Config) *map[string]*WREDProfile { return &c.WREDProfiles },
})

var colourNames = [NumColours]string{"green", "yellow", "red"}

// curve are the fields of one colour.
func curve(name string, i int) []column[WREDProfile] {
	return []column[WREDProfile]{
		optional(boolean(Field{Name: "wred_" + name + "_enable", Default: "false", Example: "true", Doc: "Whether " + name + " packets are marked or dropped early."},
			func(r *WREDProfile) *bool { return &r.Curves[i].Enable }),
			func(r *WREDProfile) *bool { return &r.Curves[i].HasEnable }),
		optional(unsigned(Field{Name: name + "_min_threshold", Unit: bytesUnit, Example: "250000", Doc: "Queue length from which on " + name + " packets may be marked or dropped."},
			0, math.MaxUint64, func(r *WREDProfile) *uint64 { return &r.Curves[i].Min }),
			func(r *WREDProfile) *bool { return &r.Curves[i].HasMin }),
		optional(unsigned(Field{Name: name + "_max_threshold", Unit: bytesUnit, Example: "2097152", Doc: "Queue length from which on every " + name + " packet is."},
			0, math.MaxUint64, func(r *WREDProfile) *uint64 { return &r.Curves[i].Max }),
			func(r *WREDProfile) *bool { return &r.Curves[i].HasMax }),
		optional(unsigned(Field{Name: name + "_drop_probability", Unit: "percent", Default: "100", Example: "5", Doc: "Probability just below the upper threshold."},
			0, 100, func(r *WREDProfile) *uint8 { return &r.Curves[i].Probability }),
			func(r *WREDProfile) *bool { return &r.Curves[i].HasProb }),
	}
}

func checkCurves(r *WREDProfile, p *parsing) {
	for i, c := range r.Curves {
		if c.HasMin && c.HasMax && c.Min > c.Max {
			low, high := colourNames[i]+"_min_threshold", colourNames[i]+"_max_threshold"
			p.rule(fmt.Errorf("%d is above %s, %d", c.Min, high, c.Max), low, high)
		}
	}
}

// ecnModes are the words of the field ecn.
var ecnModes = []struct {
	word string
	mode [NumColours]bool
}{
	{"ecn_none", [NumColours]bool{}},
	{"ecn_green", [NumColours]bool{Green: true}},
	{"ecn_yellow", [NumColours]bool{Yellow: true}},
	{"ecn_red", [NumColours]bool{Red: true}},
	{"ecn_green_yellow", [NumColours]bool{Green: true, Yellow: true}},
	{"ecn_green_red", [NumColours]bool{Green: true, Red: true}},
	{"ecn_yellow_red", [NumColours]bool{Yellow: true, Red: true}},
	{"ecn_all", [NumColours]bool{Green: true, Yellow: true, Red: true}},
}

// ecn is a choice whose words are kept as flags.
func ecn() column[WREDProfile] {
	words := make([]string, len(ecnModes))
	for i, m := range ecnModes {
		words[i] = m.word
	}
	c := choice(Field{Name: "ecn", Default: words[0], Example: "ecn_all", Doc: "Which colours are marked instead of dropped, if the packet is ECN capable."},
		func(*WREDProfile) *string { return new(string) }, words...)
	known := c.parse
	c.parse = func(r *WREDProfile, s string) error {
		if err := known(r, s); err != nil {
			return err
		}
		r.ECN = ecnModes[slices.Index(words, s)].mode
		return nil
	}
	c.format = func(r *WREDProfile) (string, bool) {
		for _, m := range ecnModes {
			if m.mode == r.ECN {
				return m.word, m.word != c.Default
			}
		}
		return "", false // not reached: the modes are all there are
	}
	return c
}
