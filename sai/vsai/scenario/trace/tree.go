package trace

import (
	"cmp"
	"slices"

	"xon/sai/vsai/dataplane"
)

// Root is an origin of pauses: an overloaded port, or a host that requests pauses.
type Root struct {
	Port  int // the overloaded port of a switch, or the host's
	Class int
	Host  bool
	First dataplane.Time // first stop
	Times int64          // number of stops, without those that followed
	Total dataplane.Time
	Stops []*Branch
}

// Branch is a port that stops its peer for one cause, and the stops that followed.
type Branch struct {
	Cause
	Stops []*Branch
}

// Tree tells who paused whom, in order of first stops. A port may appear several times
// if it stopped its peer for several causes.
func (r *Recording) Tree() []*Root {
	branches := make([]Branch, len(r.Causes))
	roots := map[[2]int]*Root{}
	var out []*Root
	for i, c := range r.Causes {
		b := &branches[i]
		b.Cause = c
		if c.Parent != none && r.Causes[c.Parent].Out == none {
			root := roots[[2]int{r.Causes[c.Parent].Port, c.Class}]
			root.Stops = append(root.Stops, b)
			continue
		}
		if c.Parent != none {
			up := &branches[c.Parent]
			up.Stops = append(up.Stops, b)
			continue
		}
		x := r.root(c)
		key := [2]int{x.Port, x.Class}
		if roots[key] == nil {
			roots[key] = x
			out = append(out, x)
		}
		roots[key].Times += c.Times
		roots[key].Total += c.Total
		if c.Out != none {
			roots[key].Stops = append(roots[key].Stops, b)
		}
	}
	return out
}

// root returns the origin of a cause.
func (r *Recording) root(c Cause) *Root {
	x := &Root{Port: c.Out, Class: c.Class, First: c.First}
	if c.Out == none {
		x.Port, x.Host = c.Port, r.Ports[c.Port].Host
	}
	return x
}

// Circle returns the ports of a deadlock at the end: each stops its peer because it
// waits for the next. Each is the port that packets cannot leave by. Nil: there is
// none.
func (r *Recording) Circle() []int {
	waits := map[[2]int]int{}
	for _, c := range r.Controls {
		if c.Waits != none {
			waits[[2]int{c.Port, c.Class}] = c.Waits
		}
	}
	for _, c := range r.Controls {
		var way []int
		for at := c.Port; ; {
			out, ok := waits[[2]int{at, c.Class}]
			if !ok {
				break
			}
			if i := slices.Index(way, out); i >= 0 {
				return way[i:]
			}
			way = append(way, out)
			at = r.Ports[out].Peer
		}
	}
	return nil
}

// Victim is a flow that pauses slowed down although it does not cross their origin.
type Victim struct {
	Flow   int
	Port   int     // the port of its path that was paused most
	Paused float64 // share of its lifetime, 0 to 1
	// Clear and Held are its goodput in bit/s without and with pauses on its path;
	// Clear is its line rate if there was no time without.
	Clear, Held float64
}

// minPaused is the paused share from which on a bucket counts as paused.
const minPaused = 0.05

// Victims lists victims, the most affected first.
func (r *Recording) Victims() []Victim {
	culprit := map[[2]int]bool{}
	for _, root := range r.Tree() {
		port := root.Port
		if root.Host {
			port = r.Ports[port].Peer
		}
		culprit[[2]int{port, root.Class}] = true
	}
	pauses := map[[2]int]*Strip{}
	for _, c := range r.Controls {
		pauses[[2]int{c.Port, c.Class}] = &c.Pauses
	}
	var out []Victim
	for _, f := range r.Flows {
		if slices.ContainsFunc(f.Path, func(p int) bool { return culprit[[2]int{p, f.Class}] }) {
			continue
		}
		if v := r.victim(f, pauses); v.Paused > 0 {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Victim) int { return cmp.Compare(b.Paused, a.Paused) })
	return out
}

// Life returns the lifetime of a flow, which ends at the latest with the recording.
func (r *Recording) Life(f *Flow) (from, to dataplane.Time) {
	if f.Took > 0 {
		return f.Began, f.Began + f.Took
	}
	return f.Began, r.Span
}

func (r *Recording) victim(f *Flow, pauses map[[2]int]*Strip) Victim {
	from, to := r.Life(f)
	first, last := int(from/r.Width), min(int(to/r.Width), r.Buckets-1)
	v := Victim{Flow: f.ID, Port: none}
	most := make([]float64, r.Buckets)
	for _, p := range append([]int{f.From}, f.Path...) {
		s := pauses[[2]int{p, f.Class}]
		if s == nil {
			continue
		}
		var sum float64
		for _, x := range s.Points {
			if x.Bucket >= first && x.Bucket <= last {
				part := float64(x.N) / float64(r.Width)
				most[x.Bucket] = max(most[x.Bucket], part)
				sum += part
			}
		}
		if share := min(sum/float64(max(last-first+1, 1)), 1); share > v.Paused {
			v.Port, v.Paused = p, share
		}
	}
	v.Clear, v.Held = r.splitGoodput(f, most, first, last)
	return v
}

// splitGoodput returns a flow's goodput in buckets without and with pauses.
func (r *Recording) splitGoodput(f *Flow, paused []float64, first, last int) (clear, held float64) {
	var bytes [2]float64
	var buckets [2]int
	side := func(b int) int {
		if paused[b] >= minPaused {
			return 1
		}
		return 0
	}
	for b := first; b <= last; b++ {
		buckets[side(b)]++
	}
	for _, p := range f.Goodput.Points {
		if p.Bucket >= first && p.Bucket <= last {
			bytes[side(p.Bucket)] += float64(p.N)
		}
	}
	rate := func(i int) float64 { return bytes[i] * 8 / (float64(max(buckets[i], 1)) * r.Width.Seconds()) }
	if buckets[0] == 0 {
		return float64(f.Line), rate(1)
	}
	return rate(0), rate(1)
}
