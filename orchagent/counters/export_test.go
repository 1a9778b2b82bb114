package counters

import (
	"context"

	"github.com/sirupsen/logrus"
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
