package web

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Live is what has a state at the moment that somebody looks.
type Live struct {
	ChipConnected   bool
	RedisReconnects uint64        // connections to the database after the first
	AuditLost       uint64        // records that the audit log could not write
	Subscriptions   int           // of gNMI clients that are open
	QueuedRows      int           // that wait to be sent to subscribers
	PublishBehind   time.Duration // how long the oldest report waits for the databases; 0: none does
}

type liveCollector struct{ live func() Live }

var (
	chipDesc       = desc("chip_connected", "1 if the chip is connected.")
	reconnectsDesc = desc("redis_reconnects_total", "Connections to the database after the first.")
	auditDesc      = desc("audit_records_lost_total", "Records of changes that could not be written to the file.")
	subsDesc       = desc("gnmi_subscriptions", "Subscriptions that are open.")
	queuedDesc     = desc("gnmi_queued_rows", "Rows that wait to be sent to subscribers.")
	behindDesc     = desc("publish_behind_seconds", "How long the oldest report waits to be written to the databases.")
)

func desc(name, help string) *prometheus.Desc { return prometheus.NewDesc("xon_"+name, help, nil, nil) }

// Describe implements prometheus.Collector.
func (c *liveCollector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{chipDesc, reconnectsDesc, auditDesc, subsDesc, queuedDesc, behindDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c *liveCollector) Collect(ch chan<- prometheus.Metric) {
	l := c.live()
	connected := 0.0
	if l.ChipConnected {
		connected = 1
	}
	for _, x := range []struct {
		desc *prometheus.Desc
		kind prometheus.ValueType
		v    float64
	}{
		{chipDesc, prometheus.GaugeValue, connected},
		{reconnectsDesc, prometheus.CounterValue, float64(l.RedisReconnects)},
		{auditDesc, prometheus.CounterValue, float64(l.AuditLost)},
		{subsDesc, prometheus.GaugeValue, float64(l.Subscriptions)},
		{queuedDesc, prometheus.GaugeValue, float64(l.QueuedRows)},
		{behindDesc, prometheus.GaugeValue, l.PublishBehind.Seconds()},
	} {
		ch <- prometheus.MustNewConstMetric(x.desc, x.kind, x.v)
	}
}
