package counters

import (
	"slices"
	"strconv"
	"time"

	"xon/sai"
	"xon/schema/countersdb"
)

// rateStats are the statistics that rates are worked out of.
var rateStats = [...]string{
	"SAI_PORT_STAT_IF_IN_OCTETS", "SAI_PORT_STAT_IF_IN_UCAST_PKTS", "SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS",
	"SAI_PORT_STAT_IF_OUT_OCTETS", "SAI_PORT_STAT_IF_OUT_UCAST_PKTS", "SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS",
}

// rateFields are the rates, in the order of rate.now.
var rateFields = [...]string{countersdb.RxBytes, countersdb.RxPackets, countersdb.TxBytes, countersdb.TxPackets}

// rate is that of one port. The zero value has seen nothing.
type rate struct {
	seen int       // readings, up to 3: the second gives a rate, those after it smooth it
	at   time.Time // of the last
	last [len(rateStats)]uint64
	now  [len(rateFields)]float64 // a second
}

// add takes in a reading of a time after that of the one before. alpha, from 0 to 1, is
// how much it counts.
func (r *rate) add(counts [len(rateStats)]uint64, at time.Time, alpha float64) {
	if r.seen > 0 {
		rx, rxPackets := delta(counts[0], r.last[0]), delta(counts[1], r.last[1])+delta(counts[2], r.last[2])
		tx, txPackets := delta(counts[3], r.last[3]), delta(counts[4], r.last[4])+delta(counts[5], r.last[5])
		if r.seen == 1 {
			alpha = 1
		}
		for i, n := range [...]float64{rx, rxPackets, tx, txPackets} {
			r.now[i] = alpha*n/at.Sub(r.at).Seconds() + (1-alpha)*r.now[i]
		}
	}
	r.last, r.at, r.seen = counts, at, min(r.seen+1, 3)
}

// delta is what was counted in between; 0 when the counter began anew.
func delta(now, last uint64) float64 {
	if now < last {
		return 0
	}
	return float64(now - last)
}

// format returns the fields of RATES:<oid>.
func (r *rate) format() map[string]string {
	f := make(map[string]string, len(rateFields)+len(rateStats))
	for i, name := range rateFields {
		if r.seen > 1 {
			f[name] = strconv.FormatFloat(r.now[i], 'g', 14, 64) // as Lua prints numbers
		}
	}
	for i, name := range rateStats {
		f[name+"_last"] = strconv.FormatUint(r.last[i], 10)
	}
	return f
}

// state returns the fields of RATES:<oid>:PORT.
func (r *rate) state() map[string]string {
	if r.seen > 1 {
		return map[string]string{countersdb.RateState: countersdb.RateWorking}
	}
	return map[string]string{countersdb.RateState: countersdb.RateSeen}
}

// rates are those of all ports.
type rates struct {
	from  *Reading // the last that was taken in
	ports map[sai.OID]*rate
}

// due reports whether a reading is to be taken in. A little early is as good as right:
// readings come when the ports' own interval says so.
func (s *rates) due(r *Reading, interval time.Duration) bool {
	return s.from == nil || r != s.from && r.Time.Sub(s.from.Time) >= interval*9/10
}

// add takes in a reading of ports.
func (s *rates) add(r *Reading, alpha float64) {
	var at [len(rateStats)]int
	for i, name := range rateStats {
		if at[i] = slices.Index(r.Stats, name); at[i] < 0 {
			return // the chip lacks it
		}
	}
	next := make(map[sai.OID]*rate, len(r.Objects))
	for i, id := range r.Objects {
		p := s.ports[id]
		if p == nil {
			p = &rate{}
		}
		if next[id] = p; !r.Failed[id] {
			var counts [len(rateStats)]uint64
			for k := range counts {
				counts[k] = r.Values[i*len(r.Stats)+at[k]]
			}
			p.add(counts, r.Time, alpha)
		}
	}
	s.from, s.ports = r, next
}
