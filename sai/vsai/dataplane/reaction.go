package dataplane

import (
	"fmt"
	"math"
)

// timer names one of the timers of a flow.
type timer uint8

const (
	timerStart timer = iota
	timerCut         // rate cut of the NIC variant
	timerRise
	timerLoss
	timers
)

// DCQCN holds the parameters of a reaction point (Zhu et al., SIGCOMM 2015), or of the
// variant in NICs.
type DCQCN struct {
	// NIC selects the variant: it updates α and cuts the rate at fixed intervals,
	// however many notifications arrive in between.
	NIC       bool
	G         float64 // gain of α, above 0 to 1
	AlphaTime Time    // interval without a notification after which α decreases; above 0
	CutTime   Time    // of NIC: minimum interval between rate cuts; above 0
	RiseTime  Time    // interval between rate increases; above 0
	RiseBytes int64   // the rate also increases every so many bytes; 0: by time only
	Recover   int     // increases that only return to the target: F in the paper
	Add       float64 // bit/s per additive increase
	AddFast   float64 // bit/s per hyper increase
	MinRate   float64 // bit/s, 1 or more: lower bound of the rate
}

// check returns an error for parameters that give no valid rate.
func (c *DCQCN) check() error {
	switch {
	case c == nil:
	case c.G <= 0 || c.G > 1:
		return fmt.Errorf("gain %g of DCQCN: want above 0, at most 1", c.G)
	case c.AlphaTime <= 0 || c.RiseTime <= 0 || c.NIC && c.CutTime <= 0:
		return fmt.Errorf("DCQCN times: %v for α, %v for cuts, %v for increases: want more than 0", c.AlphaTime, c.CutTime, c.RiseTime)
	case c.MinRate < 1:
		return fmt.Errorf("minimum rate %g of DCQCN: want 1 bit/s or more", c.MinRate)
	}
	return nil
}

// PaperDCQCN returns the parameters of the paper.
func PaperDCQCN() *DCQCN {
	return &DCQCN{
		G: 1.0 / 256, AlphaTime: 55 * Microsecond, RiseTime: 55 * Microsecond, RiseBytes: 10e6,
		Recover: 5, Add: 40e6, AddFast: 400e6, MinRate: 10e6,
	}
}

// NICDCQCN returns the parameters of NICs with a rate in bit/s. The minimum rate is 1
// Gb/s, as in papers on them: HPCC (Li et al., SIGCOMM 2019) and its simulator's
// configuration.
func NICDCQCN(rate uint64) *DCQCN {
	return &DCQCN{
		NIC: true, G: 1.0 / 256, AlphaTime: Microsecond, CutTime: 4 * Microsecond, RiseTime: 300 * Microsecond,
		Recover: 1, Add: 5e6 * float64(rate) / 25e9, AddFast: 50e6 * float64(rate) / 25e9, MinRate: 1e9,
	}
}

// reaction is the state of a flow's reaction point.
type reaction struct {
	target    float64
	alpha     float64
	alphaAt   Time // of the last update of α
	heard     bool // a notification arrived since that update
	cutAt     Time // origin of the cut intervals
	cutting   bool // a cut is scheduled
	began     bool // the first notification has arrived
	timeRises int  // increases by time
	byteRises int  // increases by bytes
	bytes     int64
}

func (r *reaction) init(c *DCQCN, rate float64) { *r = reaction{target: rate, alpha: 1} }

// flowTimer handles an expired timer of a flow.
func (s *Sim) flowTimer(f *Flow, t timer, round uint32) {
	if round != f.round[t] || f.done {
		return
	}
	switch t {
	case timerStart:
		f.begun = true
		f.Stats.Began = s.now
		s.activity(f)
		s.kick(f.cfg.From.port)
		s.watchLoss(f)
	case timerCut:
		s.cut(f)
	case timerRise:
		f.rp.timeRises++
		s.after(f, timerRise, f.cfg.Control.RiseTime)
		s.rise(f)
	case timerLoss:
		s.lost(f)
	case timers: // not a timer
	}
}

// after restarts a timer of a flow.
func (s *Sim) after(f *Flow, t timer, d Time) {
	f.round[t]++
	s.schedule(event{at: s.now + d, kind: evFlow, a: f.id, b: f.round[t], c: uint8(t)})
}

// onCongestion handles a congestion notification at the sender.
func (s *Sim) onCongestion(f *Flow) {
	c := f.cfg.Control
	if c == nil || f.done {
		return
	}
	if s.cfg.Observe != nil {
		s.observe(Observation{Kind: SeenCNP, Flow: f})
	}
	if c.NIC {
		s.congestedNIC(f)
		return
	}
	r := &f.rp
	if r.began { // α does not decrease before the first notification
		r.decay(c, s.now)
	}
	r.began = true
	r.target = f.rate
	f.rate = max(c.MinRate, f.rate*(1-r.alpha/2))
	r.alpha = (1-c.G)*r.alpha + c.G
	r.alphaAt = s.now
	r.timeRises, r.byteRises, r.bytes = 0, 0, 0
	s.after(f, timerRise, c.RiseTime)
	s.observeRate(f)
}

// decay decreases α for the intervals that passed without a notification.
func (r *reaction) decay(c *DCQCN, now Time) {
	n := int64((now - r.alphaAt) / c.AlphaTime)
	if n <= 0 {
		return
	}
	r.alphaAt += Time(n) * c.AlphaTime
	if r.heard {
		r.heard = false
		r.alpha = (1-c.G)*r.alpha + c.G
		n--
	}
	r.alpha *= math.Pow(1-c.G, float64(n))
}

// congestedNIC schedules a rate cut at the next interval.
func (s *Sim) congestedNIC(f *Flow) {
	c, r := f.cfg.Control, &f.rp
	if !r.began {
		r.began = true
		r.alphaAt, r.cutAt = s.now, s.now+Nanosecond
		r.target = f.rate
	} else {
		r.decay(c, s.now)
		r.heard = true
	}
	if !r.cutting {
		r.cutting = true
		steps := (s.now-r.cutAt)/c.CutTime + 1
		if s.now < r.cutAt {
			steps = 1
		}
		s.after(f, timerCut, r.cutAt+steps*c.CutTime-s.now)
	}
}

// cut decreases the rate of a NIC.
func (s *Sim) cut(f *Flow) {
	c, r := f.cfg.Control, &f.rp
	r.cutting = false
	r.decay(c, s.now)
	if r.timeRises > 0 {
		r.target = f.rate
	}
	f.rate = max(c.MinRate, f.rate*(1-r.alpha/2))
	r.timeRises = 0
	s.after(f, timerRise, c.RiseTime)
	s.observeRate(f)
}

// sentBytes counts bytes toward the next increase by bytes.
func (s *Sim) sentBytes(f *Flow, n int64) {
	c, r := f.cfg.Control, &f.rp
	if c == nil || c.RiseBytes == 0 || f.rate >= float64(f.cfg.Rate) {
		return
	}
	if r.bytes += n; r.bytes >= c.RiseBytes {
		r.bytes -= c.RiseBytes
		r.byteRises++
		s.rise(f)
	}
}

// rise increases the rate half way to the target, which after some steps increases too.
func (s *Sim) rise(f *Flow) {
	c, r := f.cfg.Control, &f.rp
	r.target += c.step(r.timeRises, r.byteRises)
	r.target = min(r.target, float64(f.cfg.Rate))
	f.rate = min((r.target+f.rate)/2, float64(f.cfg.Rate))
	s.observeRate(f)
	s.kick(f.cfg.From.port)
}

// step is the increase of the target after so many increases by time and by bytes. NICs
// use only the former, counted from 0.
func (c *DCQCN) step(rises, loads int) float64 {
	if c.NIC {
		switch rises--; {
		case rises > c.Recover:
			return c.AddFast
		case rises == c.Recover:
			return c.Add
		}
		return 0
	}
	switch less := min(rises, loads); {
	case less >= c.Recover:
		return float64(less-c.Recover+1) * c.AddFast
	case max(rises, loads) >= c.Recover:
		return c.Add
	}
	return 0
}

func (s *Sim) observeRate(f *Flow) {
	if s.cfg.Observe != nil {
		s.observe(Observation{Kind: SeenRate, Flow: f, Level: int64(f.rate), Target: int64(f.rp.target)})
	}
}

// watchLoss starts the retransmission timer.
func (s *Sim) watchLoss(f *Flow) {
	if f.cfg.Timeout > 0 && !f.done {
		f.lossAt = f.acked
		s.after(f, timerLoss, f.cfg.Timeout)
	}
}

// lost retransmits everything not acknowledged, if nothing has been acknowledged since
// the timer was started.
func (s *Sim) lost(f *Flow) {
	if f.acked == f.lossAt && f.next > f.acked {
		f.Stats.Timeouts++
		s.goBack(f, f.acked)
		s.kick(f.cfg.From.port)
	}
	s.watchLoss(f)
}
