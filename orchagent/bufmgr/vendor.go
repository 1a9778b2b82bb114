package bufmgr

import (
	"strconv"

	"xon/schema/platform"
)

// virtualSwitch is the chip of SONiC's virtual switch, for which its tests reckon.
var virtualSwitch = ASIC{
	Name: "VS-ASIC", Source: builtIn,
	CellBytes: 128, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8,
}

const builtIn = "built in"

// spectrumName is the name of Spectrum-1; later ones have their generation behind it.
const spectrumName = "MELLANOX-SPECTRUM"

// BuiltinASIC returns the constants of the chip of a platform where they are known:
// those of the Spectrum generations, and of virtual switches. It is nil for any other.
func BuiltinASIC(name string) *ASIC {
	sw := platform.Of(name, "")
	if sw.Virtual {
		asic := virtualSwitch
		return &asic
	}
	return spectrum(sw.Generation)
}

// spectrum returns the constants of a generation, 1 to 6; nil for any other.
func spectrum(generation int) *ASIC {
	if generation < 1 || generation > 6 {
		return nil
	}
	asic := ASIC{
		Name: spectrumName, Source: builtIn,
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
