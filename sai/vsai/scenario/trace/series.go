package trace

import "xon/sai/vsai/dataplane"

// clock is the current bucket.
type clock struct {
	at     dataplane.Time // current time
	width  dataplane.Time
	bucket int
	end    dataplane.Time // end of the bucket
}

// advance moves to the bucket of a time, and returns its number.
func (c *clock) advance(t dataplane.Time) int {
	c.at = t
	c.bucket = int(t / c.width)
	c.end = dataplane.Time(c.bucket+1) * c.width
	return c.bucket
}

// folder is a series whose buckets can be merged in pairs.
type folder interface{ fold() }

// Series is a value over time. A bucket without a change has no point: the last value
// applies.
type Series struct {
	Points []Point
	Start  int64 // before all points
	Max    int64
	MostAt dataplane.Time
	Min    int64 // minimum of all values set
	sum    float64
	since  dataplane.Time
	last   int64
}

// Point is the range of a value within one bucket, including its value at the start.
type Point struct {
	Bucket         int
	Min, Max, Last int64
}

func (s *Series) set(c *clock, t dataplane.Time, v int64) {
	n := len(s.Points)
	if n == 0 {
		s.last, s.Min, s.Max, s.MostAt = s.Start, v, v, t
	}
	if v > s.Max {
		s.Max, s.MostAt = v, t
	}
	s.Min = min(s.Min, v)
	s.sum += float64(s.last) * float64(t-s.since)
	s.since = t
	if n > 0 && s.Points[n-1].Bucket == c.bucket {
		p := &s.Points[n-1]
		p.Min, p.Max, p.Last = min(p.Min, v), max(p.Max, v), v
	} else {
		s.Points = append(s.Points, Point{Bucket: c.bucket, Min: min(s.last, v), Max: max(s.last, v), Last: v})
	}
	s.last = v
}

// Mean is the mean over time, from 0 to a time not before the last change.
func (s *Series) Mean(until dataplane.Time) float64 {
	if until <= 0 {
		return float64(s.last)
	}
	return (s.sum + float64(s.last)*float64(until-s.since)) / float64(until)
}

func (s *Series) fold() {
	kept := s.Points[:0]
	for _, p := range s.Points {
		p.Bucket /= 2
		if n := len(kept); n > 0 && kept[n-1].Bucket == p.Bucket {
			to := &kept[n-1]
			to.Min, to.Max, to.Last = min(to.Min, p.Min), max(to.Max, p.Max), p.Last
		} else {
			kept = append(kept, p)
		}
	}
	s.Points = kept
}

// Count counts events or amounts over time.
type Count struct {
	Total       int64
	First, Last dataplane.Time // 0 if Total is 0
	Points      []Part
}

// Part is the amount in one bucket.
type Part struct {
	Bucket int
	N      int64
}

func (n *Count) add(c *clock, t dataplane.Time, more int64) {
	if more == 0 {
		return
	}
	n.count(t, more)
	n.Points = addPart(n.Points, c.bucket, more)
}

// count adds to the total without a point.
func (n *Count) count(t dataplane.Time, more int64) {
	if n.Total == 0 {
		n.First = t
	}
	n.Total += more
	n.Last = t
}

func addPart(parts []Part, bucket int, n int64) []Part {
	if last := len(parts) - 1; last >= 0 && parts[last].Bucket == bucket {
		parts[last].N += n
		return parts
	}
	return append(parts, Part{bucket, n})
}

func (n *Count) fold() { n.Points = foldParts(n.Points) }

func foldParts(parts []Part) []Part {
	kept := parts[:0]
	for _, p := range parts {
		kept = addPart(kept, p.Bucket/2, p.N)
	}
	return kept
}

// Strip records when a condition holds.
type Strip struct {
	Times   int64          // number of periods
	Total   dataplane.Time // total duration
	Longest dataplane.Time
	First   dataplane.Time // start of the first period
	Last    dataplane.Time // end of the last period; if On, of the recording
	On      bool           // a period has not ended
	Points  []Part         // picoseconds in each bucket
	since   dataplane.Time
	painted dataplane.Time // end of what Points contain
}

func (s *Strip) begin(t dataplane.Time) {
	if s.On {
		return
	}
	if s.Times == 0 {
		s.First = t
	}
	s.Times++
	s.On, s.since, s.painted = true, t, t
}

func (s *Strip) end(c *clock, t dataplane.Time) {
	if s.On {
		s.accumulate(c, t)
		s.On = false
	}
}

// accumulate adds the time up to t to Points.
func (s *Strip) accumulate(c *clock, t dataplane.Time) {
	s.Total += t - s.painted
	s.Longest = max(s.Longest, t-s.since)
	s.Last = t
	for s.painted < t {
		b := s.painted / c.width
		to := min((b+1)*c.width, t)
		s.Points = addPart(s.Points, int(b), int64(to-s.painted))
		s.painted = to
	}
}

// Fraction is the share of a span, 0 to 1.
func (s *Strip) Fraction(of dataplane.Time) float64 {
	if of <= 0 {
		return 0
	}
	return float64(s.Total) / float64(of)
}

func (s *Strip) fold() { s.Points = foldParts(s.Points) }
