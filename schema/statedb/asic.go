package statedb

import "strconv"

// What the buffer manager reckons with: "ASIC_TABLE|<chip>", an ASIC,
// "PERIPHERAL_TABLE|<model>" with the field GearboxDelay alone, and
// "PORT_PERIPHERAL_TABLE|<port>" with the field GearboxModel alone.
//
// Source: SONiC's buffermgrd, asic_table.json and peripheral.json.
const (
	ASICTable           = "ASIC_TABLE"
	PeripheralTable     = "PERIPHERAL_TABLE"
	PortPeripheralTable = "PORT_PERIPHERAL_TABLE"

	GearboxDelay = "gearbox_delay" // nanoseconds
	GearboxModel = "gearbox_model"
)

// ASIC is what headroom depends on of a chip.
type ASIC struct {
	CellBytes        uint64
	PipelineLatency  float64 // KiB, and so are the next two
	MACPHYDelay      float64
	PeerResponseTime float64
	PortReservedSHP  uint64 // cells; 0: none
	PortMaxSHP       uint64 // cells; 0: none
}

// Format returns the fields of the row; what there is none of is left out.
func (a ASIC) Format() map[string]string {
	f := map[string]string{
		"cell_size":          strconv.FormatUint(a.CellBytes, 10),
		"pipeline_latency":   Fraction(a.PipelineLatency),
		"mac_phy_delay":      Fraction(a.MACPHYDelay),
		"peer_response_time": Fraction(a.PeerResponseTime),
	}
	if a.PortReservedSHP > 0 {
		f["port_reserved_shp"] = strconv.FormatUint(a.PortReservedSHP, 10)
	}
	if a.PortMaxSHP > 0 {
		f["port_max_shp"] = strconv.FormatUint(a.PortMaxSHP, 10)
	}
	return f
}

// Fraction is a number with as few digits as it takes.
func Fraction(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
