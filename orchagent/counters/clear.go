package counters

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"

	"xon/schema/countersdb"
)

// clear sets watermarks of one kind to 0. It reports whether there were any.
func (c *Collector) clear(w countersdb.Watermark, what countersdb.Clearing) bool {
	did := false
	for _, g := range c.groups {
		if g.Name == what.Group && g.marks != nil {
			did = g.marks.clear(w, what.Stat, what.Queue) || did
		}
	}
	poke(c.writer.wake)
	return did
}

// Clear does what a request of WATERMARK_CLEAR_REQUEST asks for: op is "USER" or
// "PERSISTENT", data one of countersdb.Clearings. One that asks for something else is
// logged and passed over.
func (c *Collector) Clear(op, data string) {
	log := c.log.WithFields(logrus.Fields{"watermarks": op, "what": data})
	what, ok := countersdb.Clearings[data]
	if !ok {
		log.Warn("a request to clear watermarks names none that there are")
		return
	}
	for _, w := range []countersdb.Watermark{countersdb.User, countersdb.Persistent} {
		if op == w.Name() {
			log.WithField("any", c.clear(w, what)).Debug("watermarks cleared")
			return
		}
	}
	log.Warn("a request to clear watermarks is neither for USER nor for PERSISTENT ones")
}

// hear does what programs ask for until ctx ends.
func (c *Collector) hear(ctx context.Context) {
	for n := range c.client.Notifications(ctx, countersdb.ClearChannel) {
		c.Clear(n.Op, n.Data)
	}
}

// renew clears the periodic watermarks again and again, from when those of queues or
// priority groups are first read on. Another period counts after the one that runs.
func (c *Collector) renew(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-c.marking:
	}
	for {
		period := time.Duration(c.period.Load())
		if period == 0 {
			select {
			case <-ctx.Done():
				return
			case <-c.repaced:
				continue
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(period):
		}
		for _, what := range countersdb.Clearings {
			what.Queue = "" // of every kind
			c.clear(countersdb.Periodic, what)
		}
	}
}
