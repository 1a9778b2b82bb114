package resolve

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"xon/orchagent/bufmgr"
	"xon/orchagent/intent"
	"xon/orchagent/state"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// parameters is what a buffer manager works with, and what that was worked out from.
type parameters struct {
	bufmgr.Params
	device *intent.Device
	files  *bufmgr.Params
	model  *configdb.DeviceMetadata
	limits statedb.Limits
	kept   string // of the packet memory in limits
}

// parametersFor is before, or other parameters if those were for something else.
func parametersFor(s *state.State, dev *intent.Device, before *parameters) *parameters {
	if before != nil && before.device == dev && before.files == s.Files && before.model == s.Model && before.limits.Equal(s.Limits) && before.kept == s.MemoryKept {
		return before
	}
	return &parameters{device: dev, files: s.Files, model: s.Model, limits: s.Limits, kept: s.MemoryKept, Params: Parameters(s, dev, *s.Files)}
}

// UntriedInputs are rows that headroom comes from of which no version can be tried.
func (r *Resolution) UntriedInputs() (out []string) {
	for k := range r.State.Records.All() {
		if isInput(k) && r.Rows.Get(k) == nil {
			out = append(out, string(k))
		}
	}
	slices.Sort(out)
	return out
}

func sameMap[K comparable, V any](a, b map[K]V) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// derivedDiff adds the rows that only one of two sets has.
func derivedDiff(a, b, to map[configdb.RowKey]bool) {
	if sameMap(a, b) {
		return
	}
	for k := range a {
		if !b[k] {
			to[k] = true
		}
	}
	for k := range b {
		if !a[k] {
			to[k] = true
		}
	}
}

func keysOf[K comparable, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range maps.Keys(m) {
		keys = append(keys, k)
	}
	return keys
}

// Parameters are what the buffer manager is to know beside rows: what its files say, what
// the chip reports, and what other programs state.
func Parameters(s *state.State, dev *intent.Device, files bufmgr.Params) bufmgr.Params {
	p := files
	p.Model, p.MMUBytes = s.ModelName(), dev.MMUBytes
	if s.Model != nil {
		p.Platform = s.Model.Platform
	}
	if p.ASIC == nil {
		p.ASIC = bufmgr.BuiltinASIC(p.Platform)
	}
	p.Ports = make(map[string]bufmgr.PortLimits, len(dev.Ports))
	for _, port := range dev.Ports {
		p.Ports[port.Name] = bufmgr.PortLimits{
			Lanes: len(port.Lanes), Queues: len(port.Queues), PriorityGroups: len(port.PGs),
			MaxHeadroom: port.MaxHeadroom, SupportedSpeeds: port.Speeds,
		}
	}
	stateLimits(&p, s.Limits)
	p.MemoryKept = s.MemoryKept
	return p
}

// stateLimits puts what other programs state in the place of what the chip reports. A port
// has no more queues and priority groups than the chip gives it.
func stateLimits(p *bufmgr.Params, stated statedb.Limits) {
	p.StatedMMU = stated.MMUBytes
	for name, m := range stated.Ports {
		limits, ok := p.Ports[name]
		if !ok {
			continue
		}
		limits.StatedHeadroom = m.Headroom
		limits.Queues = min(limits.Queues, cmp.Or(m.Queues, limits.Queues))
		limits.PriorityGroups = min(limits.PriorityGroups, cmp.Or(m.PriorityGroups, limits.PriorityGroups))
		p.Ports[name] = limits
	}
}
