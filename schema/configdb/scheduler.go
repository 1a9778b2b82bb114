package configdb

import (
	"fmt"
	"math"
)

// Scheduler types.
const (
	Strict = "STRICT"
	WRR    = "WRR"
	DWRR   = "DWRR"
)

// Scheduler is a row SCHEDULER|<name>.
//
// YANG has a field "priority" that SONiC's orchagent refuses; it is an unknown
// field here. YANG also wants a cir wherever there is a pir; a port shaper has no
// need of one, so that is not checked.
//
// Source: sonic-scheduler.yang.
type Scheduler struct {
	ID     RowKey
	Name   string
	Type   string // Strict, WRR (default) or DWRR
	Weight uint8  // 1 to 100; 0 when absent
	// Packets has the rates count packets instead of bytes ("meter_type").
	Packets            bool
	CIR, CBS, PIR, PBS uint64 // per second and burst, in bytes or packets; 0 when absent
	// HasMeter and the others: the field is there, whatever its value.
	HasMeter, HasCIR, HasCBS, HasPIR, HasPBS bool
}

// RowKey implements Row.
func (r *Scheduler) RowKey() RowKey { return r.ID }

var schedulerTable = define(Table{
	Name:   "SCHEDULER",
	Doc:    "How queues, or a whole port, are served: their order, share and rates (ETS).",
	Key:    "<name>",
	Source: "sonic-scheduler.yang",
}, &spec[Scheduler, *Scheduler]{
	key: titleKey(func(r *Scheduler) *string { return &r.Name }),
	id:  func(r *Scheduler) *RowKey { return &r.ID },
	columns: []column[Scheduler]{
		choice(Field{Name: "type", Default: WRR, Example: DWRR, Doc: "STRICT goes first; the others share what is left by weight, counting packets (WRR) or bytes (DWRR)."},
			func(r *Scheduler) *string { return &r.Type }, DWRR, WRR, Strict),
		// YANG's default is 1, and so is SAI's: nothing needs to be said to the chip.
		unsigned(Field{Name: "weight", Example: "15", Doc: "The share among WRR or DWRR queues. Absent: 1."},
			1, 100, func(r *Scheduler) *uint8 { return &r.Weight }),
		optional(flag(Field{Name: "meter_type", Default: "bytes", Example: "packets", Doc: "What the rates and bursts count."},
			"bytes", "packets", func(r *Scheduler) *bool { return &r.Packets }), func(r *Scheduler) *bool { return &r.HasMeter }),
		rate("cir", "Rate that is guaranteed, per second. Absent or 0: none.", func(r *Scheduler) (*uint64, *bool) { return &r.CIR, &r.HasCIR }),
		rate("cbs", "Burst that the guaranteed rate allows. Absent or 0: the chip's.", func(r *Scheduler) (*uint64, *bool) { return &r.CBS, &r.HasCBS }),
		rate("pir", "Rate that is never exceeded, per second. Absent or 0: no limit.", func(r *Scheduler) (*uint64, *bool) { return &r.PIR, &r.HasPIR }),
		rate("pbs", "Burst that the limit allows. Absent or 0: the chip's.", func(r *Scheduler) (*uint64, *bool) { return &r.PBS, &r.HasPBS }),
	},
	check: checkRates,
	at:    func(c *Config) *map[string]*Scheduler { return &c.Schedulers },
})

func rate(name, doc string, at func(*Scheduler) (*uint64, *bool)) column[Scheduler] {
	return optional(unsigned(Field{Name: name, Unit: "bytes, or packets with meter_type packets", Example: "125000000", Doc: doc}, 0, math.MaxUint64,
		func(r *Scheduler) *uint64 { n, _ := at(r); return n }),
		func(r *Scheduler) *bool { _, has := at(r); return has })
}

// checkRates refuses a limit below the guarantee. 0 is no limit.
func checkRates(r *Scheduler, p *parsing) {
	if r.PIR != 0 && r.PIR < r.CIR {
		p.rule(fmt.Errorf("%d is below cir, %d", r.PIR, r.CIR), "pir", "cir")
	}
	if r.PBS != 0 && r.PBS < r.CBS {
		p.rule(fmt.Errorf("%d is below cbs, %d", r.PBS, r.CBS), "pbs", "cbs")
	}
}
