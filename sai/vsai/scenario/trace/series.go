package trace

import "xon/sai/vsai/dataplane"

// clock is the bucket of now.
type clock struct {
	at     dataplane.Time // a moment of the bucket
	width  dataplane.Time
	bucket int
	end    dataplane.Time // of the bucket
}

// turn goes on to the bucket of a moment, and returns its number.
func (c *clock) turn(t dataplane.Time) int {
	c.at = t
	c.bucket = int(t / c.width)
	c.end = dataplane.Time(c.bucket+1) * c.width
	return c.bucket
}

// folder is a series whose buckets can be made twice as wide.
type folder interface{ fold() }

// Series is a value that changes. A bucket in which nothing changed has no point:
// the value is the last one before.
type Series struct {
	Points []Point
	Start  int64 // before all points
	Most   int64
	MostAt dataplane.Time
	Least  int64 // of values that were set
	sum    float64
	since  dataplane.Time
	last   int64
}

// Point is what a value was within one bucket, the value that it had at the
// bucket's start among it.
type Point struct {
	Bucket         int
	Min, Max, Last int64
}

func (s *Series) set(c *clock, t dataplane.Time, v int64) {
	n := len(s.Points)
	if n == 0 {
		s.last, s.Least, s.Most, s.MostAt = s.Start, v, v, t
	}
	if v > s.Most {
		s.Most, s.MostAt = v, t
	}
	s.Least = min(s.Least, v)
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

// Mean is the mean over time, from 0 to a moment not before the last change.
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

// Count is how often something happened, or how much.
type Count struct {
	Total       int64
	First, Last dataplane.Time // of Total 0: 0
	Points      []Part
}

// Part is how much of it within one bucket.
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

// count adds without a point.
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

// Strip is when something lasts, which begins and ends again and again.
type Strip struct {
	Times   int64          // that it began
	Total   dataplane.Time // that it lasted
	Longest dataplane.Time
	First   dataplane.Time // beginning
	Last    dataplane.Time // end; if On, when the recording ended
	On      bool           // it lasts
	Points  []Part         // picoseconds of each bucket in which it lasted
	since   dataplane.Time
	painted dataplane.Time // up to which it is in Points
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
		s.paint(c, t)
		s.On = false
	}
}

// paint counts what has lasted up to a moment.
func (s *Strip) paint(c *clock, t dataplane.Time) {
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

// Fraction is how much of a span it lasted, 0 to 1.
func (s *Strip) Fraction(of dataplane.Time) float64 {
	if of <= 0 {
		return 0
	}
	return float64(s.Total) / float64(of)
}

func (s *Strip) fold() { s.Points = foldParts(s.Points) }
