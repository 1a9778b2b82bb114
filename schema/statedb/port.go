package statedb

import (
	"errors"
	"fmt"
	"strconv"
)

// MaxParamTable says how much there is for buffer rows to use:
// "BUFFER_MAX_PARAM_TABLE|<port>", a MaxParams, and "BUFFER_MAX_PARAM_TABLE|global"
// with the field MMUSize alone. SONiC's buffer manager and its command line refuse
// to change buffers without these rows.
const MaxParamTable = "BUFFER_MAX_PARAM_TABLE"

// The key and field of the row of MaxParamTable for the whole chip.
const (
	MaxParamGlobal = "global"
	MMUSize        = "mmu_size" // bytes of packet memory; the row is left out if the chip does not say
)

// MaxParams is what one port has for buffer rows to use.
type MaxParams struct {
	PriorityGroups int
	Queues         int
	// Headroom is how many bytes the port's headroom may add up to; 0 if the chip does
	// not say.
	Headroom uint64
}

// The fields of MaxParams.
const (
	maxPriorityGroups = "max_priority_groups"
	maxQueues         = "max_queues"
	maxHeadroomSize   = "max_headroom_size"
)

// Format returns the fields of the row; max_headroom_size is left out if it is
// not known, as SONiC takes its absence for "no limit".
func (m MaxParams) Format() map[string]string {
	f := map[string]string{
		maxPriorityGroups: strconv.Itoa(m.PriorityGroups),
		maxQueues:         strconv.Itoa(m.Queues),
	}
	if m.Headroom != 0 {
		f[maxHeadroomSize] = strconv.FormatUint(m.Headroom, 10)
	}
	return f
}

// ParseMaxParams is the inverse of Format. Fields that it does not know are passed
// over; the error names every field that is wrong.
func ParseMaxParams(f map[string]string) (MaxParams, error) {
	pgs, err1 := parseCount(f, maxPriorityGroups)
	queues, err2 := parseCount(f, maxQueues)
	headroom, err3 := parseCount(f, maxHeadroomSize)
	if err := errors.Join(err1, err2, err3); err != nil {
		return MaxParams{}, err
	}
	return MaxParams{PriorityGroups: int(pgs), Queues: int(queues), Headroom: headroom}, nil
}

// parseCount reads a number that may be absent. A chip has no count beyond 63
// bits, and so an int holds all of them.
func parseCount(f map[string]string, field string) (uint64, error) {
	text, ok := f[field]
	if !ok {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("field %q: %w", field, err)
	}
	return n, nil
}

// PortTable has a row "PORT_TABLE|<port>" for each port that is ready for others,
// who look for the field PortState with the value PortOK.
const (
	PortTable = "PORT_TABLE"
	PortState = "state"
	PortOK    = "ok"
)

// More fields of PortTable: the speeds that the port can run at, comma-separated, Mb/s;
// whether its link is up ("up", "down"); whether it may be used by the host to send
// ("true", "false"), which SONiC's transceiver daemon waits for.
const (
	PortSpeeds  = "supported_speeds"
	PortNetdev  = "netdev_oper_status"
	PortTxReady = "host_tx_ready"
)
