package scenario

import (
	"math"
	"slices"

	"xon/sai/vsai/dataplane"
)

// flowMeasures are the measures of workloads and flows.
var flowMeasures = []Measure{
	{Name: "throughput", Dimension: Rate, OfFlows: true, About: "payload received in order by all flows together, from the first start to the last end", of: throughput},
	{Name: "min_throughput", Dimension: Rate, OfFlows: true, About: "throughput of the slowest flow", of: leastThroughput},
	{Name: "fairness", OfFlows: true, About: "Jain's index of the flows' throughputs: 1 is equal, 1/n is one flow having everything", of: fairness},
	{Name: "unfinished", OfFlows: true, About: "finite flows that have not completed", of: unfinished},
	{Name: "p50_fct", Dimension: Span, OfFlows: true, About: "flow completion time, until the last acknowledgement: the median", of: quantile(fct, 0.5)},
	{Name: "p99_fct", Dimension: Span, OfFlows: true, About: "the same, the 99th percentile", of: quantile(fct, 0.99)},
	{Name: "max_fct", Dimension: Span, OfFlows: true, About: "the same, the maximum", of: quantile(fct, 1)},
	{Name: "mean_fct", Dimension: Span, OfFlows: true, About: "the same, the mean", of: meanFCT},
	{Name: "p50_slowdown", OfFlows: true, About: "flow completion time relative to that without other traffic: the median", of: quantile(slowdown, 0.5)},
	{Name: "p99_slowdown", OfFlows: true, About: "the same, the 99th percentile", of: quantile(slowdown, 0.99)},
	{Name: "completion", Dimension: Span, OfFlows: true, About: "from the first flow's start to the last one's end, for example of an allreduce", of: completion},
	{Name: "delivered", Dimension: Bytes, OfFlows: true, About: "payload received in order", of: perFlow(func(f *flow) uint64 { return f.Stats.Delivered })},
	{Name: "resent", OfFlows: true, About: "packets that were retransmitted", of: perFlow(func(f *flow) uint64 { return f.Stats.Resent })},
	{Name: "heads", OfFlows: true, About: "packets received without payload, because a switch trimmed them", of: perFlow(func(f *flow) uint64 { return f.Stats.Trimmed })},
	{Name: "timeouts", OfFlows: true, About: "retransmission timeouts", of: perFlow(func(f *flow) uint64 { return f.Stats.Timeouts })},
	{Name: "cnps", OfFlows: true, About: "congestion notifications received by senders", of: perFlow(func(f *flow) uint64 { return f.Stats.CNPs })},
}

func perFlow(count func(*flow) uint64) func(*world, selection) float64 {
	return func(w *world, s selection) (sum float64) {
		w.eachFlow(s, func(f *flow) { sum += float64(count(f)) })
		return sum
	}
}

// ended returns when a flow ended, or the current time.
func (w *world) ended(f *flow) dataplane.Time {
	if f.Done() {
		return f.Stats.Ended
	}
	return w.sim.Now()
}

// begun reports whether a flow has started.
func (w *world) begun(f *flow) bool { return f.Config().Start <= w.sim.Now() }

// rateOf is a flow's throughput in bit/s.
func (w *world) rateOf(f *flow) float64 {
	d := (w.ended(f) - f.Stats.Began).Seconds()
	if d <= 0 {
		return 0
	}
	return float64(f.Stats.Delivered) * 8 / d
}

func throughput(w *world, s selection) float64 {
	var bytes uint64
	from, to := dataplane.Time(math.MaxInt64), dataplane.Time(0)
	w.eachFlow(s, func(f *flow) {
		if w.begun(f) {
			bytes += f.Stats.Delivered
			from, to = min(from, f.Stats.Began), max(to, w.ended(f))
		}
	})
	if to <= from {
		return 0
	}
	return float64(bytes) * 8 / (to - from).Seconds()
}

func completion(w *world, s selection) float64 {
	from, to := math.Inf(1), math.Inf(-1)
	w.eachFlow(s, func(f *flow) {
		from, to = min(from, float64(f.Stats.Began)), max(to, fct(w, f)+float64(f.Stats.Began))
	})
	if to < from {
		return math.Inf(1)
	}
	return to - from
}

func leastThroughput(w *world, s selection) float64 {
	least := math.Inf(1)
	w.eachFlow(s, func(f *flow) { least = min(least, w.rateOf(f)) })
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// fairness is (Σx)²
// (n Σx²) of the flows that have started.
func fairness(w *world, s selection) float64 {
	var n, sum, squares float64
	w.eachFlow(s, func(f *flow) {
		if w.begun(f) {
			x := w.rateOf(f)
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	})
	if squares == 0 {
		return 0
	}
	return sum * sum / (n * squares)
}

func unfinished(w *world, s selection) (n float64) {
	w.eachFlow(s, func(f *flow) {
		if f.ideal > 0 && !f.Done() {
			n++
		}
	})
	return n
}

// fct is the completion time of a flow; infinite if it has not completed.
func fct(_ *world, f *flow) float64 {
	if !f.Done() {
		return math.Inf(1)
	}
	return float64(f.Stats.Ended - f.Stats.Began)
}

func slowdown(w *world, f *flow) float64 { return fct(w, f) / float64(f.ideal) }

// values returns the values of finite flows, sorted.
func values(w *world, s selection, of func(*world, *flow) float64) (out []float64) {
	w.eachFlow(s, func(f *flow) {
		if f.ideal > 0 {
			out = append(out, of(w, f))
		}
	})
	slices.Sort(out)
	return out
}

// quantile is the smallest value that the given share of values does not exceed.
func quantile(of func(*world, *flow) float64, share float64) func(*world, selection) float64 {
	return func(w *world, s selection) float64 {
		all := values(w, s, of)
		if len(all) == 0 {
			return math.NaN() // no values
		}
		return all[max(int(math.Ceil(share*float64(len(all))))-1, 0)]
	}
}

func meanFCT(w *world, s selection) float64 {
	all := values(w, s, fct)
	if len(all) == 0 {
		return math.NaN()
	}
	var sum float64
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}
