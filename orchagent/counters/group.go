package counters

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"

	"xon/sai"
	"xon/schema/redisdb"
)

// group is one group of SONiC's flex counters: the objects of one kind and the
// statistics that are read of them.
type group struct {
	spec
	sw      *sai.Switch
	fixed   time.Duration                                               // the interval whatever rows say; 0: as rows say
	observe func(group string, objects, failed int, took time.Duration) // may be nil
	marks   *marks                                                      // nil unless reading clears

	begun bool             // it was enabled once; belongs to Follow
	reads map[sai.OID]bool // pools whose statistics can't be cleared; belongs to Follow

	target  atomic.Pointer[target]
	last    atomic.Pointer[Reading]
	changed chan struct{} // the target did
}

// target is what a group polls, and when. It does not change, but for its readers,
// which are used by the group's goroutine alone.
type target struct {
	setting
	*polled
	readers readers
}

// polled are the objects of a group and the statistics that are read of each. It does
// not change.
type polled struct {
	from      *objects
	objects   []object
	clearable int // so many of the objects are cleared by reading; the rest can't be
	ids       []sai.OID
	stats     []string
	statIDs   []uint32
	fields    []redisdb.Name // stats, as the database takes them
}

var nothing = &polled{}

// current returns the last reading, or nil while there is none of what is polled
// now: one of objects that are gone must not bring their rows back.
func (g *group) current() *Reading {
	t := g.target.Load()
	if r := g.last.Load(); r != nil && t != nil && r.of == t.polled {
		return r
	}
	return nil
}

// follow takes up what rows say of the group, and its objects. It reports whether
// anything is new.
func (g *group) follow(s setting, from *objects) bool {
	s.interval = cmp.Or(g.fixed, s.interval)
	old := g.target.Load()
	g.begun = g.begun || s.enabled
	p := nothing
	switch {
	case !g.begun: // nothing is to be seen of the objects before
	case old != nil && old.from == from:
		p = old.polled
	default:
		p = g.list(from)
	}
	if old != nil && old.setting == s && old.polled == p {
		return false
	}
	t := &target{setting: s, polled: p}
	if old != nil && old.polled == p && old.chunk == s.chunk {
		t.readers = old.readers
	} else {
		t.readers = g.newReaders(g.sw, p.ids, p.statIDs, p.clearable, s.chunk)
	}
	if g.marks != nil {
		g.marks.follow(p)
	}
	g.target.Store(t)
	poke(g.changed)
	return true
}

// list finds what can be read of objects.
func (g *group) list(from *objects) *polled {
	p := &polled{from: from, objects: from.list}
	p.ids = idsOf(p.objects)
	p.statIDs, p.stats = supported(g.sw, g.spec, p.ids)
	if len(p.stats) == 0 {
		p.objects, p.ids = nil, nil
	}
	if g.Clear {
		g.divide(p)
	}
	for _, n := range p.stats {
		p.fields = append(p.fields, redisdb.NameOf(n))
	}
	return p
}

// divide puts the objects in front that reading can clear. Chips differ in that by
// buffer pool; each pool is tried once.
func (g *group) divide(p *polled) {
	p.clearable = len(p.objects)
	if g.object != (sai.BufferPool{}).Meta() {
		return
	}
	tried := map[sai.OID]bool{}
	for _, o := range p.objects {
		reads, known := g.reads[o.id]
		if !known {
			reads = !clears(g.sw, g.object, o.id, p.statIDs)
		}
		if tried[o.id] = reads; reads {
			p.clearable--
		}
	}
	g.reads = tried
	p.objects = slices.Clone(p.objects)
	slices.SortStableFunc(p.objects, func(a, b object) int { return cmp.Compare(rank(tried[a.id]), rank(tried[b.id])) })
	p.ids = idsOf(p.objects)
}

func rank(last bool) int {
	if last {
		return 1
	}
	return 0
}

func idsOf(list []object) []sai.OID {
	ids := make([]sai.OID, len(list))
	for i, o := range list {
		ids[i] = o.id
	}
	return ids
}

// poke has whoever waits for c look again.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run polls at once when the target changes, and then every interval, as long as the
// group is enabled.
func (g *group) run(ctx context.Context, wake chan<- struct{}, log logrus.FieldLogger) {
	tick := time.NewTicker(time.Hour)
	tick.Stop()
	var as setting // what tick goes by
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-g.changed:
		}
		t := g.target.Load()
		switch {
		case !t.enabled:
			tick.Stop()
		case !as.enabled || as.interval != t.interval:
			tick.Reset(t.interval)
		}
		if as = t.setting; as.enabled {
			g.poll(log)
			poke(wake)
		}
	}
}

func (g *group) poll(log logrus.FieldLogger) {
	t := g.target.Load()
	if t == nil || !t.enabled || len(t.ids) == 0 {
		return
	}
	at := time.Now()
	values, failed, err := t.readers.read(len(t.ids), len(t.stats))
	if err != nil {
		log.WithError(err).WithField("group", g.Name).Debug("read statistics")
	}
	r := &Reading{Time: at, Objects: t.ids, Stats: t.stats, Values: values, of: t.polled}
	for _, i := range failed {
		if r.Failed == nil {
			r.Failed = map[sai.OID]bool{}
		}
		r.Failed[t.ids[i]] = true
	}
	if g.marks != nil {
		g.marks.raise(r)
	}
	g.last.Store(r)
	if g.observe != nil {
		g.observe(g.Name, len(t.ids), len(failed), time.Since(at))
	}
}
