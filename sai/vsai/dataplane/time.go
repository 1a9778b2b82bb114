package dataplane

import (
	"math"
	"time"
)

// Time is a time or duration of the virtual clock in picoseconds: one byte at 800 Gb/s
// takes ten of them.
type Time int64

// Units of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond

	never Time = math.MaxInt64
)

// FromDuration converts a standard library duration.
func FromDuration(d time.Duration) Time { return Time(d) * Nanosecond }

// Duration rounds down to nanoseconds.
func (t Time) Duration() time.Duration { return time.Duration(t / Nanosecond) }

// Seconds converts to a number, for rates and reports.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

func (t Time) String() string { return t.Duration().String() }

// wireTime returns how long bytes take at a rate of r bit/s. The division is exact for
// every Ethernet rate.
func wireTime(bytes int64, r uint64) Time {
	const bitTime = uint64(8 * Second)
	if per := bitTime / r; per*r == bitTime {
		return Time(uint64(bytes) * per)
	}
	return Time(float64(bytes) * float64(bitTime) / float64(r))
}

// span returns how long bytes take at a rate of r bit/s, in ticks of the simulation.
func (s *Sim) span(bytes int64, r uint64) Time {
	if s.cfg.Tick == Picosecond {
		return wireTime(bytes, r)
	}
	return cut(float64(bytes*8)/float64(r), s.cfg.Tick)
}

// cut rounds seconds down to ticks. It uses the exact value of the number: a value
// slightly below a tick, because float64 cannot represent the tick, is below it.
func cut(seconds float64, tick Time) Time {
	perSecond := float64(Second / tick)
	n := math.Floor(seconds * perSecond)
	if math.FMA(seconds, perSecond, -n) < 0 {
		n--
	}
	return Time(n) * tick
}
