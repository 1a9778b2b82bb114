// Package counters reads the statistics of ports, queues, priority groups, buffer
// pools and the switch in bulk, as FLEX_COUNTER_TABLE says, keeps the last reading of
// each group in memory with the time it was taken, and writes what changed to
// COUNTERS_DB as SONiC's tools expect it: statistics, watermarks, rates of ports, and
// the names of objects. FLEX_COUNTER_DB tells what is polled.
//
// Reading never waits for the database: a reading that the writer was too slow
// for is replaced by the next one. Watermarks, which reading clears in the chip, are
// gathered with the reading, so that none is lost that way.
//
// What is not for here: which statistics there are (schema/countersdb), the names of
// buffer pools (orchagent/publish), and the PFC watchdog.
package counters

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"golang.org/x/sync/errgroup"

	"xon/orchagent/crash"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
)

// Config is what a Collector needs.
type Config struct {
	Log    logrus.FieldLogger
	Switch *sai.Switch
	Client *redisdb.Client
	// Intervals are those of groups by name, whatever the rows say; a group that is not
	// in it, or with no time at all, has what its row says.
	Intervals map[string]time.Duration
	// Observe hears of every reading: of how many objects, how many of them could not
	// be read, how long it took. It must be quick. nil: nobody.
	Observe func(group string, objects, failed int, took time.Duration)
}

// Collector polls one switch.
type Collector struct {
	log    logrus.FieldLogger
	sw     *sai.Switch
	client *redisdb.Client
	groups []*group // in the order of countersdb.Groups
	writer *writer

	period  atomic.Int64  // of the periodic watermarks, a time.Duration; 0: they are not cleared
	repaced chan struct{} // period is another
	marking chan struct{} // closed when watermarks of queues or priority groups are first read

	mu    sync.Mutex // guards scene
	scene *scene
	begin func() // closes marking
}

// New returns a Collector that polls nothing until Follow and Run are called.
func New(cfg Config) *Collector {
	log := cfg.Log.WithField("component", "counters")
	c := &Collector{log: log, sw: cfg.Switch, client: cfg.Client, repaced: make(chan struct{}, 1), marking: make(chan struct{})}
	c.begin = sync.OnceFunc(func() { close(c.marking) })
	c.writer = newWriter(cfg.Client, c.has, log)
	for _, s := range specs {
		g := &group{spec: s, sw: cfg.Switch, fixed: cfg.Intervals[s.Name], observe: cfg.Observe, changed: make(chan struct{}, 1)}
		if s.Clear {
			g.marks = &marks{of: nothing}
		}
		c.groups = append(c.groups, g)
	}
	return c
}

// Follow has polled from now on what rows say of the objects of a device, by the
// handles of its objects' keys. It returns at once, and costs little where nothing
// changed that counts.
func (c *Collector) Follow(rows *configdb.Config, dev *intent.Device, handles map[graph.Key]sai.OID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.scene
	c.scene = look(before, rows, dev, handles, c.sw.ID.OID())
	news := before == nil || c.scene.objects != before.objects || ratesSetting(rows) != ratesSetting(before.rows) ||
		settingOf(rows, countersdb.WatchdogGroup) != settingOf(before.rows, countersdb.WatchdogGroup)
	for _, g := range c.groups {
		s := settingOf(rows, g.Group)
		news = g.follow(s, c.scene.objects[g.Object]) || news
		if s.enabled && (g.Name == countersdb.QueueWatermarkGroup || g.Name == countersdb.PGWatermarkGroup) {
			c.begin()
		}
	}
	if period := int64(telemetryPeriod(rows)); c.period.Swap(period) != period {
		poke(c.repaced)
	}
	if news {
		c.writer.follow(shapeOf(c.scene, c.groups))
	}
}

// has reports whether the chip has a statistic of a port or a queue.
func (c *Collector) has(stat string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range specs {
		if slices.Contains(s.Stats, stat) {
			s.Stats = []string{stat}
			ids, _ := supported(c.sw, s, idsOf(c.scene.objects[s.Object].list))
			return len(ids) > 0
		}
	}
	return false
}

// Rewrite has everything written afresh: the database may have lost what it had
// without the connection being lost, as when somebody empties it.
func (c *Collector) Rewrite() { c.writer.distrust() }

// Run polls, writes and does what requests to clear watermarks ask for until ctx ends.
// The only error is a *crash.Panic.
func (c *Collector) Run(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, g := range c.groups {
		all.Go(crash.Func(c.log, "polling "+g.Name, func() error { g.run(ctx, c.writer.wake, c.log); return nil }))
	}
	all.Go(crash.Func(c.log, "writing counters", func() error { c.writer.run(ctx, c.groups); return nil }))
	all.Go(crash.Func(c.log, "renewing periodic watermarks", func() error { c.renew(ctx); return nil }))
	all.Go(crash.Func(c.log, "hearing requests to clear watermarks", func() error { c.hear(ctx); return nil }))
	return all.Wait()
}

// Reading returns the last reading of a group ("PORT_STAT_COUNTER"), or nil if
// there is none yet of the objects that are followed.
func (c *Collector) Reading(groupName string) *Reading {
	for _, g := range c.groups {
		if g.Name == groupName {
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

	of *polled
}
