package web

import (
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics counts what happens in the agent. Its methods may be called from any
// goroutine and take about a microsecond.
type Metrics struct {
	registry *prometheus.Registry

	passes    *prometheus.CounterVec
	passTime  *prometheus.HistogramVec
	stageTime *prometheus.HistogramVec
	planSteps *prometheus.HistogramVec
	writes    prometheus.Counter
	failures  *prometheus.CounterVec
	lastPass  prometheus.Gauge
	nextRetry prometheus.Gauge
	requests  prometheus.Gauge
	rows      *prometheus.GaugeVec
	warned    *prometheus.GaugeVec

	calls    *prometheus.CounterVec
	callTime *prometheus.HistogramVec
	bulk     *prometheus.HistogramVec

	feedLag  prometheus.Histogram
	feedKeys prometheus.Counter
	feedSync prometheus.Gauge

	rpcs    *prometheus.CounterVec
	rpcTime *prometheus.HistogramVec

	pollTime    *prometheus.HistogramVec
	pollObjects *prometheus.GaugeVec
	pollFailed  *prometheus.CounterVec

	publishTime   prometheus.Histogram
	publishFailed prometheus.Counter
	chipLosses    prometheus.Counter
}

// Buckets. Calls to a chip in this process take a microsecond, those to one in
// another process some ten; passes from less than a millisecond to seconds.
var (
	callBuckets = prometheus.ExponentialBuckets(2e-6, 4, 11)  // 2 µs to 2 s
	passBuckets = prometheus.ExponentialBuckets(100e-6, 4, 9) // 0.1 ms to 6.5 s
	sizeBuckets = prometheus.ExponentialBuckets(1, 4, 9)      // 1 to 65,536
)

// NewMetrics makes the metrics of a build. live, if not nil, is asked for what has
// a state rather than events, whenever somebody looks.
func NewMetrics(version string, live func() Live) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if live != nil {
		m.registry.MustRegister(&liveCollector{live})
	}
	f := promauto.With(m.registry)
	f.NewGaugeVec(gauge("build_info", "The build of the program; always 1."), []string{"version", "goversion"}).
		WithLabelValues(version, runtime.Version()).Set(1)
	m.registerPasses(f)
	m.registerRest(f)
	return m
}

func gauge(name, help string) prometheus.GaugeOpts {
	return prometheus.GaugeOpts{Namespace: "xon", Name: name, Help: help}
}

func counter(name, help string) prometheus.CounterOpts {
	return prometheus.CounterOpts{Namespace: "xon", Name: name, Help: help}
}

func histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: "xon", Name: name, Help: help, Buckets: buckets}
}

func (m *Metrics) registerPasses(f promauto.Factory) {
	m.passes = f.NewCounterVec(counter("passes_total", "Passes of the agent, by what began them and what became of them; outcome none: there was nothing to do."), []string{"source", "outcome"})
	m.passTime = f.NewHistogramVec(histogram("pass_duration_seconds", "Time of passes, by what began them.", passBuckets), []string{"source"})
	m.stageTime = f.NewHistogramVec(histogram("pass_stage_duration_seconds", "Time of the stages of passes: derive (what the rows ask for), diff (planning), apply (the chip's share).", passBuckets), []string{"stage"})
	m.planSteps = f.NewHistogramVec(histogram("plan_steps", "Steps of a pass's plan, by phase and verb.", sizeBuckets), []string{"phase", "verb"})
	m.writes = f.NewCounter(counter("chip_writes_total", "Writes that the chip executed for passes."))
	m.failures = f.NewCounterVec(counter("failed_steps_total", "Steps that the chip did not take, by status."), []string{"status"})
	m.lastPass = f.NewGauge(gauge("last_pass_timestamp_seconds", "When the last pass ended, Unix time."))
	m.nextRetry = f.NewGauge(gauge("next_retry_timestamp_seconds", "When the next retry is due, Unix time; 0 if none is."))
	m.requests = f.NewGauge(gauge("requests_waiting", "Requests that waited for the agent's loop when the last pass ended."))
	m.warned = f.NewGaugeVec(gauge("rows_warned", "Rows of the configuration that are warned of; loss true: as lossless packets may be dropped."), []string{"loss"})
	m.rows = f.NewGaugeVec(gauge("rows", "Rows of the configuration, by what became of them."), []string{"state"})
}

func (m *Metrics) registerRest(f promauto.Factory) {
	m.calls = f.NewCounterVec(counter("sai_calls_total", "Calls to the chip, by verb, object type and status; a bulk call that failed in part has the status of its first failure."), []string{"verb", "object", "status"})
	m.callTime = f.NewHistogramVec(histogram("sai_call_duration_seconds", "Time of calls to the chip.", callBuckets), []string{"verb", "bulk"})
	m.bulk = f.NewHistogramVec(histogram("sai_bulk_entries", "Objects of a bulk call.", sizeBuckets), []string{"verb"})
	m.feedLag = f.NewHistogram(histogram("feed_lag_seconds", "From the moment that the database told of a change until the agent had taken it up.", passBuckets))
	m.feedKeys = f.NewCounter(counter("feed_rows_total", "Rows that the agent took up from the database because they changed."))
	m.feedSync = f.NewGauge(gauge("feed_in_sync", "1 if the agent has what the database has, 0 if it has to be read again."))
	m.rpcs = f.NewCounterVec(counter("grpc_requests_total", "Calls by gNMI clients that are over, by method and code."), []string{"method", "code"})
	m.rpcTime = f.NewHistogramVec(histogram("grpc_request_duration_seconds", "Time of calls by gNMI clients; of subscriptions all the time that they lasted.", passBuckets), []string{"method"})
	m.pollTime = f.NewHistogramVec(histogram("counters_poll_duration_seconds", "Time of reading all counters of a group.", passBuckets), []string{"group"})
	m.pollObjects = f.NewGaugeVec(gauge("counters_objects", "Objects whose counters are read, by group."), []string{"group"})
	m.pollFailed = f.NewCounterVec(counter("counters_failed_reads_total", "Objects whose counters could not be read, by group."), []string{"group"})
	m.publishTime = f.NewHistogram(histogram("publish_duration_seconds", "Time of writing a report to the databases.", passBuckets))
	m.publishFailed = f.NewCounter(counter("publish_failures_total", "Reports that could not be written to the databases; they are tried again."))
	m.chipLosses = f.NewCounter(counter("chip_losses_total", "How often a session with the chip ended before the agent did."))
}

// Step is a kind of step of a plan.
type Step struct{ Phase, Verb string }

// Pass is one pass of the agent.
type Pass struct {
	Source, Outcome           string // Outcome "": there was nothing to do
	Took, Derive, Diff, Apply time.Duration
	Steps                     map[Step]int
	Writes                    int
	Failures                  map[string]int // failed steps by status
	Requests                  int            // that wait for the loop
	Fates                     map[string]int // rows by state; every state is named
	Warned, Losing            int            // rows that are warned of; of them, those as lossless packets may be dropped
	RetryIn                   time.Duration  // 0: none is due
	End                       time.Time
}

// Pass counts a pass.
func (m *Metrics) Pass(p *Pass) {
	outcome := p.Outcome
	if outcome == "" {
		outcome = "none"
	}
	m.passes.WithLabelValues(p.Source, outcome).Inc()
	m.passTime.WithLabelValues(p.Source).Observe(p.Took.Seconds())
	for stage, d := range map[string]time.Duration{"derive": p.Derive, "diff": p.Diff, "apply": p.Apply} {
		m.stageTime.WithLabelValues(stage).Observe(d.Seconds())
	}
	for s, n := range p.Steps {
		m.planSteps.WithLabelValues(s.Phase, s.Verb).Observe(float64(n))
	}
	m.writes.Add(float64(p.Writes))
	for status, n := range p.Failures {
		m.failures.WithLabelValues(status).Add(float64(n))
	}
	m.requests.Set(float64(p.Requests))
	for state, n := range p.Fates {
		m.rows.WithLabelValues(state).Set(float64(n))
	}
	m.warned.WithLabelValues("true").Set(float64(p.Losing))
	m.warned.WithLabelValues("false").Set(float64(p.Warned - p.Losing))
	m.lastPass.Set(unix(p.End))
	m.nextRetry.Set(0)
	if p.RetryIn > 0 {
		m.nextRetry.Set(unix(p.End.Add(p.RetryIn)))
	}
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Call counts a call to the chip; entries is that of a bulk call, 0 for others.
func (m *Metrics) Call(verb, object, status string, entries int, took time.Duration) {
	m.calls.WithLabelValues(verb, object, status).Inc()
	m.callTime.WithLabelValues(verb, strconv.FormatBool(entries > 0)).Observe(took.Seconds())
	if entries > 0 {
		m.bulk.WithLabelValues(verb).Observe(float64(entries))
	}
}

// Taken counts rows that the feed brought, lag after the database told of them.
func (m *Metrics) Taken(rows int, lag time.Duration) {
	m.feedKeys.Add(float64(rows))
	m.feedLag.Observe(lag.Seconds())
}

// InSync notes whether the agent has what the database has.
func (m *Metrics) InSync(ok bool) {
	m.feedSync.Set(0)
	if ok {
		m.feedSync.Set(1)
	}
}

// RPC counts a call by a gNMI client.
func (m *Metrics) RPC(method, code string, took time.Duration) {
	m.rpcs.WithLabelValues(method, code).Inc()
	m.rpcTime.WithLabelValues(method).Observe(took.Seconds())
}

// Poll counts one reading of a group's counters.
func (m *Metrics) Poll(group string, objects, failed int, took time.Duration) {
	m.pollTime.WithLabelValues(group).Observe(took.Seconds())
	m.pollObjects.WithLabelValues(group).Set(float64(objects))
	m.pollFailed.WithLabelValues(group).Add(float64(failed))
}

// Published counts one attempt to write a report to the databases.
func (m *Metrics) Published(took time.Duration, err error) {
	m.publishTime.Observe(took.Seconds())
	if err != nil {
		m.publishFailed.Inc()
	}
}

// ChipLost counts the end of a session with the chip.
func (m *Metrics) ChipLost() { m.chipLosses.Inc() }
