package counters

import (
	"maps"
	"slices"
	"strings"
	"time"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
)

// setting is what the rows say of a group.
type setting struct {
	enabled  bool
	interval time.Duration
	chunk    uint32 // objects a call; 0: all
}

// settingOf is what is in force for a group. One without a row is not polled.
func settingOf(rows *configdb.Config, g countersdb.Group) setting {
	s := setting{interval: g.Interval}
	row := rows.FlexCounters[g.Config]
	if row == nil {
		return s
	}
	s.enabled, s.chunk = row.Enabled, row.BulkChunkSize
	if row.IntervalMs > 0 {
		s.interval = time.Duration(row.IntervalMs) * time.Millisecond
	}
	return s
}

// ratesSetting is settingOf for the rates of ports, which follow the statistics of
// ports unless they have a row of their own.
func ratesSetting(rows *configdb.Config) setting {
	s := settingOf(rows, countersdb.RatesGroup)
	if rows.FlexCounters[countersdb.RatesGroup.Config] == nil {
		s.enabled = settingOf(rows, countersdb.Groups[0]).enabled
	}
	return s
}

// telemetryPeriod is how long periodic watermarks last; 0: for ever.
func telemetryPeriod(rows *configdb.Config) time.Duration {
	seconds := uint32(configdb.DefaultTelemetrySeconds)
	if row := rows.TelemetryIntervals[configdb.TelemetryKey]; row != nil {
		seconds = row.Seconds
	}
	return time.Duration(seconds) * time.Second
}

// object is something that can be polled.
type object struct {
	id    sai.OID
	oid   string // id as text
	name  string // "Ethernet0", "Ethernet0:3", "ingress_lossless_pool"
	port  string // as text: of the port that a queue or a priority group belongs to
	index int    // of a queue or a priority group
	kind  string // of a queue: countersdb.UnicastQueue, …
}

// scene is the objects that are there to be polled, by kind. It does not change.
type scene struct {
	rows    *configdb.Config
	dev     *intent.Device
	objects [countersdb.Switch + 1]*objects
}

// objects is those of one kind. Another pointer is another list.
type objects struct{ list []object }

// look returns the scene after the one before, of which it keeps what did not change.
func look(before *scene, rows *configdb.Config, dev *intent.Device, handles map[graph.Key]sai.OID, sw sai.OID) *scene {
	next := &scene{rows: rows, dev: dev}
	if before != nil {
		next.objects = before.objects
	} else {
		next.objects[countersdb.Switch] = &objects{[]object{{id: sw, oid: sw.String(), name: countersdb.SwitchName}}}
	}
	if before == nil || before.dev != dev || !sameScope(before.rows, rows) {
		next.ports(handles, scopeOf(rows))
	}
	pools := poolsOf(rows, handles)
	if before == nil || !slices.Equal(pools, before.objects[countersdb.BufferPool].list) {
		next.objects[countersdb.BufferPool] = &objects{pools}
	}
	return next
}

// ports finds the ports that have a row, for others have no name to be found by, and
// what belongs to them.
func (s *scene) ports(handles map[graph.Key]sai.OID, in *scope) {
	var ports, queues, groups objects
	for _, p := range s.dev.Ports {
		if !p.Configured {
			continue
		}
		id := handles[p.Object]
		port := object{id: id, oid: id.String(), name: p.Name}
		ports.list = append(ports.list, port)
		for i, q := range p.Queues {
			if id, ok := handles[q.Buffer.Object()]; ok && in.queue(p.Name, i) {
				o := port.child(id, i)
				o.kind = kindOf(q)
				queues.list = append(queues.list, o)
			}
		}
		for i, k := range p.PGs {
			if id, ok := handles[k.Object()]; ok && in.pg(p.Name, i) {
				groups.list = append(groups.list, port.child(id, i))
			}
		}
	}
	s.objects[countersdb.Port], s.objects[countersdb.Queue], s.objects[countersdb.PriorityGroup] = &ports, &queues, &groups
}

func (o *object) child(id sai.OID, index int) object {
	return object{id: id, oid: id.String(), name: countersdb.ChildName(o.name, index), port: o.oid, index: index}
}

func kindOf(q intent.Queue) string {
	switch {
	case q.Any:
		return countersdb.AnyQueue
	case q.Multicast:
		return countersdb.MulticastQueue
	}
	return countersdb.UnicastQueue
}

func poolsOf(rows *configdb.Config, handles map[graph.Key]sai.OID) (pools []object) {
	for _, name := range slices.Sorted(maps.Keys(rows.BufferPools)) {
		if id, ok := handles[graph.Key{Type: sai.ObjectTypeBufferPool, Name: name}]; ok {
			pools = append(pools, object{id: id, oid: id.String(), name: name})
		}
	}
	return pools
}

// scope says which queues and priority groups count; nil: all.
type scope struct{ queues, pgs map[place]bool }

type place struct {
	port  string
	index int
}

func (s *scope) queue(port string, index int) bool { return s == nil || s.queues[place{port, index}] }
func (s *scope) pg(port string, index int) bool    { return s == nil || s.pgs[place{port, index}] }

func limited(rows *configdb.Config) bool {
	for _, row := range rows.DeviceMetadata {
		if row.CreateOnlyConfigDBBuffers {
			return true
		}
	}
	return false
}

// scopeOf is what rows give buffers of their own.
func scopeOf(rows *configdb.Config) *scope {
	if !limited(rows) {
		return nil
	}
	s := &scope{map[place]bool{}, map[place]bool{}}
	for _, row := range rows.BufferQueues {
		mark(s.queues, row.Span, row.Profile)
	}
	for _, row := range rows.BufferPGs {
		mark(s.pgs, row.Span, row.Profile)
	}
	return s
}

// zeroProfile is in the names of profiles that take buffers away.
const zeroProfile = "_zero_"

func mark(places map[place]bool, span configdb.Span, profile string) {
	if strings.Contains(profile, zeroProfile) {
		return
	}
	for _, port := range span.Ports {
		for i := span.Lo; i <= span.Hi; i++ {
			places[place{port, i}] = true
		}
	}
}

// sameScope reports that scopeOf is the same for both. It may say no where it is.
func sameScope(a, b *configdb.Config) bool {
	switch {
	case a == b:
		return true
	case limited(a) != limited(b):
		return false
	}
	return !limited(a) || maps.Equal(a.BufferQueues, b.BufferQueues) && maps.Equal(a.BufferPGs, b.BufferPGs)
}
