package dataplane

import (
	"fmt"
	"math"
)

// timer is what a flow waits for.
type timer uint8

const (
	timerStart timer = iota
	timerCut         // the vendor's moment of decreasing
	timerRise
	timerLoss
	timers
)

// DCQCN is the parameters of a reaction point (Zhu et al., SIGCOMM 2015), or of
// the variant that network cards have.
type DCQCN struct {
	// NIC is the variant: α is updated and the rate cut at fixed steps, whatever
	// the number of notifications between.
	NIC       bool
	G         float64 // gain of α, above 0 to 1
	AlphaTime Time    // α falls every so long without a notification; above 0
	CutTime   Time    // of Cards: the rate is cut at most every so long; above 0
	RiseTime  Time    // the rate rises every so long; above 0
	RiseBytes int64   // and every so many bytes; 0: by time alone
	Recover   int     // rises that only go back to the target: F
	Add       float64 // bit/s, of an additive rise
	AddFast   float64 // bit/s, of a hyper rise
	MinRate   float64 // bit/s, 1 or more, that the rate never falls below
}

// check reports parameters that a rate can't be reckoned by.
func (c *DCQCN) check() error {
	switch {
	case c == nil:
	case c.G <= 0 || c.G > 1:
		return fmt.Errorf("gain %g of DCQCN: want above 0, and 1 at most", c.G)
	case c.AlphaTime <= 0 || c.RiseTime <= 0 || c.NIC && c.CutTime <= 0:
		return fmt.Errorf("times %v of α, %v of cutting, %v of rising of DCQCN: want more than 0", c.AlphaTime, c.CutTime, c.RiseTime)
	case c.MinRate < 1:
		return fmt.Errorf("least rate %g of DCQCN: want 1 bit/s or more", c.MinRate)
	}
	return nil
}

// PaperDCQCN has the parameters of the paper.
func PaperDCQCN() *DCQCN {
	return &DCQCN{
		G: 1.0 / 256, AlphaTime: 55 * Microsecond, RiseTime: 55 * Microsecond, RiseBytes: 10e6,
		Recover: 5, Add: 40e6, AddFast: 400e6, MinRate: 10e6,
	}
}

// NICDCQCN has the parameters of cards of a rate in bit/s. Its least rate is 1 Gb/s, as
// in papers about them: HPCC (Li et al., SIGCOMM 2019) and its simulator's configuration.
func NICDCQCN(rate uint64) *DCQCN {
	return &DCQCN{
		NIC: true, G: 1.0 / 256, AlphaTime: Microsecond, CutTime: 4 * Microsecond, RiseTime: 300 * Microsecond,
		Recover: 1, Add: 5e6 * float64(rate) / 25e9, AddFast: 50e6 * float64(rate) / 25e9, MinRate: 1e9,
	}
}

// reaction is a flow's reaction point.
type reaction struct {
	target    float64
	alpha     float64
	alphaAt   Time // of the last step of α
	heard     bool // a notification since that step
	cutAt     Time // origin of the steps of cutting
	cutting   bool // one is on the agenda
	began     bool // the first notification has come
	timeRises int  // by time
	byteRises int  // by bytes
	bytes     int64
}

func (r *reaction) init(c *DCQCN, rate float64) { *r = reaction{target: rate, alpha: 1} }

// flowTimer is when something that a flow waits for is due.
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
	case timers: // none
	}
}

// after has a flow's timer be due in a while, in place of what it was.
func (s *Sim) after(f *Flow, t timer, d Time) {
	f.round[t]++
	s.schedule(event{at: s.now + d, kind: evFlow, a: f.id, b: f.round[t], c: uint8(t)})
}

// onCongestion is what a sender does when it is told of a mark.
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
	if r.began { // until the first, α does not fall
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

// decay lets α fall for the steps that have passed without a notification.
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

// congestedNIC has the next step cut the rate.
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

// cut lowers a card's rate.
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

// sentBytes counts for the rise by bytes.
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

// rise raises the rate: half way to the target, which after some steps rises too.
func (s *Sim) rise(f *Flow) {
	c, r := f.cfg.Control, &f.rp
	r.target += c.step(r.timeRises, r.byteRises)
	r.target = min(r.target, float64(f.cfg.Rate))
	f.rate = min((r.target+f.rate)/2, float64(f.cfg.Rate))
	s.observeRate(f)
	s.kick(f.cfg.From.port)
}

// step is how much the target rises after so many rises by time and by bytes.
// Cards count the former alone, from 0.
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

// watchLoss starts the timer that ends in sending all again.
func (s *Sim) watchLoss(f *Flow) {
	if f.cfg.Timeout > 0 && !f.done {
		f.lossAt = f.acked
		s.after(f, timerLoss, f.cfg.Timeout)
	}
}

// lost sends again what has not been acknowledged, if nothing has been since
// the timer was started.
func (s *Sim) lost(f *Flow) {
	if f.acked == f.lossAt && f.next > f.acked {
		f.Stats.Timeouts++
		s.goBack(f, f.acked)
		s.kick(f.cfg.From.port)
	}
	s.watchLoss(f)
}
