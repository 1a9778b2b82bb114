package bufmgr

import (
	"regexp"
	"strconv"
	"strings"
)

// vendor is whose rules apply.
type vendor uint8

const (
	other vendor = iota // a virtual switch among them
	mellanox
	barefoot
)

// vendorOf tells the vendor by DEVICE_METADATA's platform, as SONiC's images name
// theirs.
func vendorOf(platform string) vendor {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(platform, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("mlnx", "mellanox", "nvidia"):
		return mellanox
	case has("barefoot", "wedge100bf"):
		return barefoot
	}
	return other
}

var modelNumber = regexp.MustCompile(`sn([2-9][0-9]{3})`)

// modelOf is the number of a Mellanox switch, 4600 of "x86_64-mlnx_msn4600c-r0"; 0 if
// the platform does not tell.
func modelOf(platform string) int {
	m := modelNumber.FindStringSubmatch(platform)
	if m == nil || vendorOf(platform) != mellanox {
		return 0
	}
	n, _ := strconv.Atoi(m[1]) // digits, by the expression
	return n
}

// virtualSwitch is the chip of SONiC's virtual switch, for which its tests reckon.
var virtualSwitch = ASIC{
	Name: "VS-ASIC", Source: builtIn,
	CellBytes: 128, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8,
}

const builtIn = "built in"

// BuiltinASIC returns the constants of the chip of a platform where they are known:
// those of the Spectrum generations, and of the virtual switch ("", "vs" and the
// platforms that SONiC runs it as). It is nil for any other.
func BuiltinASIC(platform string) *ASIC {
	switch vendorOf(platform) {
	case mellanox:
		return spectrum(generation(modelOf(platform)))
	case other:
		for _, virtual := range []string{"vs", "kvm", "dell_s6000"} {
			if platform == "" || strings.Contains(platform, virtual) {
				asic := virtualSwitch
				return &asic
			}
		}
	case barefoot:
	}
	return nil
}

// generation is the Spectrum generation of a model: 2700 has the first, 3700 the
// second, 4600 the third, 5600 the fourth, 5640 the fifth; 0 if it is not known.
func generation(model int) int {
	switch {
	case model == 5610, model == 5640:
		return 5
	case model >= 2000 && model < 6000:
		return model/1000 - 1
	case model >= 6000 && model < 7000:
		return 6
	}
	return 0
}

// spectrum returns the constants of a generation, 1 to 6; nil for any other.
func spectrum(generation int) *ASIC {
	if generation < 1 || generation > 6 {
		return nil
	}
	asic := ASIC{
		Name: "MELLANOX-SPECTRUM", Source: builtIn,
		CellBytes: 96, PipelineLatency: 19, MACPHYDelay: 0.8, PeerResponseTime: 3.8,
	}
	if generation > 1 {
		asic.Name += "-" + strconv.Itoa(generation)
		asic.CellBytes = 144
	}
	if generation > 3 {
		asic.CellBytes = 192
	}
	if generation > 5 {
		asic.CellBytes, asic.PipelineLatency = 256, 42
	}
	return &asic
}
