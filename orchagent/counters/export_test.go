package counters

import (
	"context"

	"github.com/sirupsen/logrus"

	"xon/sai"
	"xon/schema/countersdb"
)

// Poll reads all groups that are enabled once.
func (c *Collector) Poll(log logrus.FieldLogger) {
	for _, g := range c.groups {
		g.poll(log)
	}
}

// Write writes what changed.
func (c *Collector) Write(ctx context.Context) error {
	n, _ := c.writer.session()
	return c.writer.write(ctx, n, c.groups)
}

// Renew clears the periodic watermarks until ctx ends.
func (c *Collector) Renew(ctx context.Context) { c.renew(ctx) }

// Mark returns the highest readings of an object's watermarks, by SAI name.
func (c *Collector) Mark(w countersdb.Watermark, id sai.OID) map[string]uint64 {
	all := map[string]uint64{}
	for _, g := range c.groups {
		if g.marks == nil {
			continue
		}
		of, highs := g.marks.now()
		for i := range of.ids {
			for j, stat := range of.stats {
				if of.ids[i] == id && highs[w] != nil {
					all[stat] = highs[w][i*len(of.stats)+j]
				}
			}
		}
	}
	return all
}

// Rates are those of ports.
type Rates struct{ r rates }

// Add takes a reading in.
func (r *Rates) Add(reading *Reading, alpha float64) { r.r.add(reading, alpha) }

// Rows are RATES:<oid> and RATES:<oid>:PORT.
func (r *Rates) Rows(id sai.OID) (rates, state map[string]string) {
	return r.r.ports[id].format(), r.r.ports[id].state()
}
