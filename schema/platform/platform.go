// Package platform knows switches by the names that SONiC gives them: which chip is in
// one, and which rules of SONiC's go by that. It is the only place where platform
// strings and SKUs are interpreted.
//
// What is not for here: what a chip class can do (the profiles of the virtual chip) and
// what a generation's headroom comes to (the buffer manager).
package platform

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Switch is what is known of a switch. The zero value is a switch of which nothing is.
type Switch struct {
	// Class is the chip class, by the name of the virtual chip's profile: "th5". "" if
	// the platform is not known.
	Class  string
	Vendor Vendor
	// Model is the number of a Mellanox or NVIDIA switch, 4600 of "msn4600c"; 0 for
	// others and where the platform has none.
	Model int
	// Generation is the Spectrum generation by which SONiC computes headroom, 1 to 6; 0
	// for other chips and models that are not known.
	Generation int
	// Virtual says that it is SONiC's or xon's virtual switch.
	Virtual bool
	// PoolsExcludeHeadroom says that buffer pools of this SKU are written without shared
	// headroom and reservations (rule b) though those of its class contain them.
	PoolsExcludeHeadroom bool
}

// Vendor is whose rules of SONiC apply.
type Vendor uint8

// Vendors.
const (
	Other Vendor = iota // all for whom there are no special rules, virtual switches among them
	Mellanox
	Barefoot
)

// Known reports whether the chip class is.
func (s Switch) Known() bool { return s.Class != "" }

// Memory says what is left open of the packet memory of the class, to be put behind
// "packet memory not published"; "" if its size is published.
func (s Switch) Memory() string {
	switch s.Class {
	case "th4":
		return " exactly (about 113 MB)"
	case "spc5", "spc6":
		return " (class " + s.Class + ")"
	case "voq":
		return " (class voq: deep buffers and virtual output queues, of which packets are not modelled)"
	}
	return ""
}

// Of returns what is known of the switch that DEVICE_METADATA's platform and hwsku name.
// The platform may have the architecture before it and the revision behind:
// x86_64-mlnx_msn4600c-r0. No platform at all is a virtual switch. It never fails: what
// is not known is zero.
func Of(platform, hwsku string) Switch {
	name := bare(platform)
	s := Switch{Vendor: vendorOf(name)}
	switch {
	case virtual(name):
		return Switch{Class: "default", Virtual: true}
	case s.Vendor == Mellanox:
		s.Model = model(name)
		s.Generation = generation(s.Model)
		s.Class = spectrum[s.Generation]
	default:
		s.Class = chipOf(name)
	}
	s.PoolsExcludeHeadroom = s.Class == "th5" && excludes(hwsku)
	return s
}

var around = regexp.MustCompile(`^(x86_64|arm64|aarch64|amd64|armhf)-|-r[0-9][0-9.]*$`)

// bare is a platform without architecture and revision, in lower case.
func bare(platform string) string {
	return around.ReplaceAllString(strings.ToLower(strings.TrimSpace(platform)), "")
}

func virtual(name string) bool {
	return name == "" || name == "vs" || strings.HasPrefix(name, "kvm") || name == "xon-virtual"
}

func vendorOf(name string) Vendor {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("mlnx", "mellanox", "nvidia"):
		return Mellanox
	case has("barefoot", "wedge100bf"):
		return Barefoot
	}
	return Other
}

var modelNumber = regexp.MustCompile(`sn([2-9][0-9]{3})`)

func model(name string) int {
	m := modelNumber.FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits, by the expression
	return n
}

// generation is the Spectrum generation of a model; 0 if it is not known.
//
// Source: SONiC's buffer_headroom_mellanox.lua and asic_table.j2; the maker's product pages.
func generation(model int) int {
	switch {
	case model == 4280: // a SmartSwitch
		return 3
	case model == 5610, model == 5640:
		return 5
	case model >= 2000 && model < 6000:
		return model/1000 - 1
	case model >= 6000 && model < 7000:
		return 6
	}
	return 0
}

// spectrum is the class of a generation.
var spectrum = [...]string{"", "spc1", "spc2", "spc3", "spc4", "spc5", "spc6"}

// chipOf finds the class by the table; "" if the platform is not in it.
func chipOf(name string) string {
	for _, c := range chips {
		for p := range strings.FieldsSeq(c.platforms) {
			if hit, _ := path.Match(p, name); hit {
				return c.class
			}
		}
	}
	return ""
}

// excludes reports whether a SKU's pools are written without shared headroom.
//
// Source: SONiC's buffers_defaults of Arista-7060X6-64PE-256x200G.
func excludes(hwsku string) bool {
	sku := strings.ToLower(hwsku)
	return strings.Contains(sku, "7060x6-64pe") && strings.Contains(sku, "256x200g")
}
