// Package counters reads the statistics of ports, queues and priority groups in
// bulk, keeps the last reading of each in memory with the time it was taken, and
// writes what changed to COUNTERS_DB as SONiC's tools expect it.
//
// Reading never waits for the database: a reading that the writer was too slow
// for is replaced by the next one.
//
// What is not for here: which statistics there are (schema/countersdb), rates,
// and watermarks, which reading clears.
package counters

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"

	"xon/orchagent/graph"
	"xon/orchagent/guard"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/redisdb"
)

// Config is what a Collector needs.
type Config struct {
	Log    logrus.FieldLogger
	Switch *sai.Switch
	Client *redisdb.Client
	// Intervals replace those of the groups by name; a group that is not in it, or
	// with no time at all, keeps SONiC's.
	Intervals map[string]time.Duration
	// Observe hears of every reading: of how many objects, how many of them could not
	// be read, how long it took. It must be quick. nil: nobody.
	Observe func(group string, objects, failed int, took time.Duration)
}

// Collector polls one switch.
type Collector struct {
	log    logrus.FieldLogger
	groups []*group
	writer *writer

	mu  sync.Mutex // guards dev
	dev *intent.Device
}

// New returns a Collector that polls nothing until Follow and Run are called.
func New(cfg Config) *Collector {
	log := cfg.Log.WithField("component", "counters")
	c := &Collector{log: log, writer: newWriter(cfg.Client.DB(redisdb.CountersDB), cfg.Client.Session, log)}
	for _, s := range specs {
		g := &group{spec: s, sw: cfg.Switch, interval: s.interval, observe: cfg.Observe, changed: make(chan struct{}, 1)}
		if d := cfg.Intervals[s.name]; d > 0 {
			g.interval = d
		}
		c.groups = append(c.groups, g)
	}
	return c
}

// Follow has the objects of a device polled from now on, by the handles of its
// objects' keys. It returns at once, and does nothing for a device that is
// followed already.
func (c *Collector) Follow(dev *intent.Device, handles map[graph.Key]sai.OID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if dev == c.dev {
		return
	}
	c.dev = dev
	for _, g := range c.groups {
		g.follow(dev, handles, c.log)
	}
	c.writer.follow(nameMaps(dev, handles))
}

// Rewrite has everything written afresh: the database may have lost what it had
// without the connection being lost, as when somebody empties it.
func (c *Collector) Rewrite() { c.writer.distrust() }

// Run polls and writes until ctx ends. The only error is a *guard.Panic.
func (c *Collector) Run(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, g := range c.groups {
		all.Go(guard.Func(c.log, "polling "+g.name, func() error { g.run(ctx, c.writer.wake, c.log); return nil }))
	}
	all.Go(guard.Func(c.log, "writing counters", func() error { c.writer.run(ctx, c.groups); return nil }))
	return all.Wait()
}

// Reading returns the last reading of a group ("PORT_STAT_COUNTER"), or nil if
// there is none yet of the objects that are followed.
func (c *Collector) Reading(groupName string) *Reading {
	for _, g := range c.groups {
		if g.name == groupName {
			return g.current()
		}
	}
	return nil
}

// Reading is the statistics of all objects of a group at one time. It does not
// change any more.
type Reading struct {
	Time    time.Time
	Objects []sai.OID
	Stats   []string // SAI names
	// Values has statistic j of object i at i*len(Stats)+j.
	Values []uint64
	// Failed are the objects that could not be read; nil when all could.
	Failed map[sai.OID]bool

	of *target
}

// group is one group of SONiC's flex counters: the objects of one type and the
// statistics that are read of them.
type group struct {
	spec
	sw       *sai.Switch
	interval time.Duration
	observe  func(group string, objects, failed int, took time.Duration) // may be nil

	target  atomic.Pointer[target]
	last    atomic.Pointer[Reading]
	changed chan struct{} // the target did
}

// target is what a group polls. It does not change, but for its reader, which is
// used by the group's goroutine alone.
type target struct {
	objects []sai.OID
	stats   []string
	fields  []redisdb.Name // stats, as the database takes them
	reader  reader
}

// current returns the last reading, or nil while there is none of what is polled
// now: one of objects that are gone must not bring their rows back.
func (g *group) current() *Reading {
	if r := g.last.Load(); r != nil && r.of == g.target.Load() {
		return r
	}
	return nil
}

func (g *group) follow(dev *intent.Device, handles map[graph.Key]sai.OID, log logrus.FieldLogger) {
	t := &target{}
	for _, k := range g.keys(dev) {
		if id, ok := handles[k.Object()]; ok {
			t.objects = append(t.objects, id)
		}
	}
	ids, names := supported(g.sw, g.spec, t.objects)
	if len(t.objects) > 0 {
		log.WithFields(logrus.Fields{"group": g.name, "objects": len(t.objects), "statistics": len(ids)}).Debug("objects to poll")
	}
	t.stats, t.reader = names, g.read(g.sw, t.objects, ids)
	for _, n := range names {
		t.fields = append(t.fields, redisdb.NameOf(n))
	}
	g.target.Store(t)
	poke(g.changed)
}

// poke has whoever waits for c look again.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run polls at once when the target changes, and then every interval.
func (g *group) run(ctx context.Context, wake chan<- struct{}, log logrus.FieldLogger) {
	tick := time.NewTicker(g.interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-g.changed:
		}
		g.poll(log)
		poke(wake)
	}
}

func (g *group) poll(log logrus.FieldLogger) {
	t := g.target.Load()
	if t == nil || len(t.objects) == 0 || len(t.stats) == 0 {
		return
	}
	at := time.Now()
	values, failed, err := t.reader.read()
	if err != nil {
		log.WithError(err).WithField("group", g.name).Debug("read statistics")
	}
	r := &Reading{Time: at, Objects: t.objects, Stats: t.stats, Values: values, of: t}
	for _, i := range failed {
		if r.Failed == nil {
			r.Failed = map[sai.OID]bool{}
		}
		r.Failed[t.objects[i]] = true
	}
	g.last.Store(r)
	if g.observe != nil {
		g.observe(g.name, len(t.objects), len(failed), time.Since(at))
	}
}
