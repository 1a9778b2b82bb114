package intent

import (
	"slices"
	"strings"

	"xon/sai"
)

// Choice is what a chip can do with an attribute that takes one of several values.
type Choice struct {
	Able bool // it can be set
	// Told says that the chip tells which values it takes; if it does not, it has to
	// be asked with each.
	Told   bool
	Values []int32 // what it takes, in SAI's numbers and the chip's order
}

// Takes reports whether the chip may take a value.
func (c Choice) Takes(v int32) bool { return c.Able && (!c.Told || slices.Contains(c.Values, v)) }

// List names the values that the chip reports, which are of one enum, between separators:
// "CRC, XOR"; "" if there are none.
func (c Choice) List(of *sai.EnumMeta, separator string) string {
	names := make([]string, len(c.Values))
	for i, v := range c.Values {
		names[i] = of.Text(v)
	}
	return strings.Join(names, separator)
}

// Hashing is what a chip can do to spread the flows of one kind, ECMP or LAG.
type Hashing struct {
	Fields    Choice // of packets; not able if there is no HASH object to set them in
	Algorithm Choice
}

// Trimming is what a chip can do with packets that it cuts to their headers
// instead of dropping them.
type Trimming struct {
	Size       bool   // the length can be set
	DSCP, TC   bool   // the DSCP of trimmed packets can be set, and the class to take it from
	Queue      bool   // the queue that they leave by can be set
	DSCPModes  Choice // how they get their DSCP
	QueueModes Choice // how they get their queue
}

// Linking is what a chip can be told of links beside speed, MTU and FEC.
type Linking struct {
	Speeds      bool // which speeds to advertise
	Type, Types bool // the electrical interface, and which of them to advertise
	FECOverride bool // that FEC is as it is set, whatever autonegotiation comes to
	Training    bool // that transmitters are set by link training
	TPID        bool // the type of VLAN tags
}

// Able reports whether packets can be trimmed as SWITCH_TRIMMING has it.
func (t Trimming) Able() bool {
	return t.Size && t.DSCP && t.Queue && t.DSCPModes.Able && t.QueueModes.Able
}
