package orchagent

import (
	"context"

	"xon/orchagent/audit"
)

// measure reads the limits of the chip, those of its ports too if ports is set, and
// reports whether one has changed. What can't be read stays as it was.
func (a *Agent) measure(ports bool) (changed bool) {
	inv, err := a.inv.Refresh()
	if err == nil && ports {
		inv, err = inv.RefreshPorts()
	}
	if err != nil {
		a.log.WithError(err).Warn("limits of the chip stay those that were read before")
	}
	changed = inv != a.inv
	a.inv = inv
	return changed
}

// remeasure is measure, and has all rows meet limits that changed.
func (a *Agent) remeasure(ports bool) {
	if a.rec == nil || !a.measure(ports) {
		return
	}
	a.begin()
	a.unhalt()
	a.resolve(a.edit())
	a.converge()
	a.conclude(nil)
}

// LimitsChanged reads the limits of the chip and its ports again, and has all rows meet
// them. It returns when the chip has followed as far as it can; before the first Load
// there is nothing to do.
func (a *Agent) LimitsChanged(ctx context.Context) error {
	return a.do(ctx, func() { a.traced(audit.Facts, "limits of the chip", func() { a.remeasure(true) }) })
}
