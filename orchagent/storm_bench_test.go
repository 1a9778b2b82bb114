package orchagent_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"xon/orchagent/intent"
	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/test/scale"
)

// socket is a link to a chip in what could be another process.
func socket(t testing.TB, chip *vsai.Chip) (sai.Driver, sai.Names) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chip")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- remote.Serve(ctx, ln, chip, chip, nil) }()
	c, err := remote.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c, c
}

// BenchmarkStorm has a storm reported in the middle of a cold load of 512 ports, and
// measures how long it takes until the priority is off the chip.
func BenchmarkStorm(b *testing.B) {
	const ports = 512
	rows := scale.Changes(scale.Load(ports))
	for _, tt := range []struct {
		name string
		over link
	}{{"direct", nil}, {"socket", socket}} {
		b.Run(tt.name, func(b *testing.B) {
			var took, worst time.Duration
			calls, n := 0, 0
			for b.Loop() {
				b.StopTimer()
				r := &rig{t: b, chip: newChip(b, ports), db: &memory{rows: configdb.RawRows{}}, over: tt.over}
				r.start(&recorder{})
				w := &stopwatch{rig: r, port: r.pfcPorts(ports)[scale.PortName(0)]}
				r.chip.AfterCall(w.after)
				b.StartTimer()
				if err := r.agent.Load(b.Context(), rows); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				r.stop()
				if w.heeded.IsZero() {
					b.Fatal("the storm was not heeded")
				}
				took, worst = took+w.heeded.Sub(w.told), max(worst, w.heeded.Sub(w.told))
				calls, n = calls+w.calls, n+1
				b.StartTimer()
			}
			b.ReportMetric(float64(took.Microseconds())/float64(n), "us/storm")
			b.ReportMetric(float64(worst.Microseconds()), "us-worst")
			b.ReportMetric(float64(calls)/float64(n), "calls/storm")
		})
	}
}

// stopwatch reports a storm on a port when that pauses, and waits for the mask.
type stopwatch struct {
	*rig
	port sai.Key

	mu     sync.Mutex // a chip behind a socket has goroutines of its own
	told   time.Time
	heeded time.Time
	calls  int // from the report to the call that heeds it, that included
}

func (w *stopwatch) after(c vsai.Call) {
	if !c.Op.Write() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Entry < 0 && !w.told.IsZero() && w.heeded.IsZero() {
		w.calls++
	}
	pauses := c.Op == vsai.OpSet && c.Key.OID == w.port.OID &&
		slices.ContainsFunc(c.Attrs, func(a sai.Attribute) bool { return a.AttrMeta == sai.PortAttrPriorityFlowControl.AttrMeta })
	switch {
	case pauses && w.told.IsZero():
		w.told = time.Now()
		w.agent.Tell(func(f *intent.Facts) { f.SetStorm(scale.PortName(0), 3, true) })
	case pauses && w.heeded.IsZero():
		w.heeded = time.Now()
	}
}
