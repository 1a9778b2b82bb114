package scenario

import (
	"fmt"

	"xon/sai/vsai/dataplane"
)

// over returns a control's parameters with the given ones replaced; nil: no control.
func (d *DCQCN) over(c *dataplane.DCQCN) *dataplane.DCQCN {
	if d == nil || c == nil {
		return c
	}
	set(&c.G, d.G)
	set(&c.AlphaTime, d.AlphaTime)
	set(&c.CutTime, d.CutTime)
	set(&c.RiseTime, d.RiseTime)
	set(&c.RiseBytes, d.RiseBytes)
	set(&c.Recover, d.Steps)
	set(&c.Add, d.Add)
	set(&c.AddFast, d.AddFast)
	set(&c.MinRate, d.MinRate)
	return c
}

// number is the type of a parameter.
type number interface {
	~int | ~int64 | ~uint64 | ~float64
}

func set[T, V number](to *T, v *V) {
	if v != nil {
		*to = T(*v)
	}
}

// check returns an error for parameters that give no valid rate.
func (d *DCQCN) check(of Control) error {
	switch {
	case d == nil:
	case d.CutTime != nil && of != DCQCNCard:
		return fmt.Errorf("dcqcn: cut-time: only for dcqcn-card")
	case d.G != nil && *d.G == 0:
		return fmt.Errorf("dcqcn: g: want more than 0, at most 1")
	case zero(d.AlphaTime) || zero(d.CutTime) || zero(d.RiseTime):
		return fmt.Errorf("dcqcn: alpha-time, cut-time, rise-time: want more than 0, as in 55us")
	case d.MinRate != nil && *d.MinRate == 0:
		return fmt.Errorf("dcqcn: least: want 1bps or more, as in 100Mbps")
	case d.Steps != nil && *d.Steps < 0:
		return fmt.Errorf("dcqcn: steps: want 0 or more")
	}
	return nil
}

func zero(m *Moment) bool { return m != nil && *m == 0 }
