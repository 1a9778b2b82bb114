package bufmgr

import (
	"errors"
	"fmt"
)

// Override is what an explanation assumes instead of what rows say.
type Override struct {
	Speed  uint32  // Mb/s; 0: as it is
	Metres *uint32 // of cable; nil: as it is
	MTU    uint32  // octets; 0: as it is
}

// Explanation says how the headroom of a port comes about, and whether it fits.
type Explanation struct {
	Port    string
	Model   string // configdb.Traditional or configdb.Dynamic
	Profile string // the name of the profile that it makes
	Steps   []Step // inputs first, then what is worked out of them
	Xon     uint64 // bytes
	Xoff    uint64 // bytes
	Size    uint64 // bytes
	// Refusal says why the port can't have it: ""; it can.
	Refusal string
	Fit     Fit
}

// Step is one number of an Explanation.
type Step struct {
	Name    string  // "cable", "xoff"
	Formula string  // how it is worked out, in names of other steps; "" of an input
	Value   float64 // in Unit
	Unit    string  // "bytes", "Mb/s", "m"; "" for a pure number
	Source  string  // where an input is from: a row with its field, a file, the chip, or that it is built in
}

// Fit compares what a port reserves with what it may, and a pool with and without it.
type Fit struct {
	PortBytes uint64 // that the port's priority groups reserve together
	PortLimit uint64 // 0: unknown
	Pools     []PoolEffect
}

// PoolEffect is what an Override does to a pool.
type PoolEffect struct {
	Pool          string
	Before, After uint64 // its size, bytes
	XoffBefore    uint64 // its shared headroom, bytes
	XoffAfter     uint64
}

// Headroom explains the headroom of a lossless priority group of a port: as it is, or
// as it would be. Nothing is changed. It is an error if an input is missing: the error
// names it.
func Headroom(p Params, in Input, port string, with Override) (Explanation, error) {
	if in.Rows.Ports[port] == nil {
		return Explanation{}, fmt.Errorf("PORT|%s does not exist", port)
	}
	return Explanation{Port: port, Model: p.Model}, errors.New("headroom is not computed yet")
}
