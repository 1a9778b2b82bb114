package counters

import (
	"slices"
	"sync"

	"xon/sai"
	"xon/schema/countersdb"
)

// marks are the highest readings of a group's watermarks since each was last cleared:
// reading a watermark clears it in the chip. They belong to the readings and not to
// the database, so that none is lost while that is away.
type marks struct {
	mu    sync.Mutex
	of    *polled
	highs highs
}

// highs are values as in Reading.Values, by countersdb.Watermark; nil before the first
// reading. The slices are not changed.
type highs [3][]uint64

// follow takes up another list of objects; those that were in the last keep their
// marks.
func (m *marks) follow(to *polled) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == to {
		return
	}
	if m.of != nil && m.highs[0] != nil {
		for w, values := range m.highs {
			m.highs[w] = carry(m.of, values, to)
		}
	}
	m.of = to
}

// carry returns values of another list of objects: those that are in both have theirs,
// the others 0.
func carry(from *polled, values []uint64, to *polled) []uint64 {
	out, n := make([]uint64, len(to.ids)*len(to.stats)), len(to.stats)
	if !slices.Equal(from.stats, to.stats) {
		return out
	}
	at := placesOf(from)
	for i, id := range to.ids {
		if old, ok := at[id]; ok {
			copy(out[i*n:i*n+n], values[old*n:])
		}
	}
	return out
}

func placesOf(p *polled) map[sai.OID]int {
	at := make(map[sai.OID]int, len(p.ids))
	for i, id := range p.ids {
		at[id] = i
	}
	return at
}

// raise takes a reading in. One of another list counts for the objects that are in
// both: what it read is no longer in the chip.
func (m *marks) raise(r *Reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	values := r.Values
	if r.of != m.of {
		values = carry(r.of, values, m.of)
	}
	m.max(values, func(i int) bool { return r.Failed[m.of.ids[i]] }, 0, 1, 2)
}

// seed takes in what the database had when this agent began.
func (m *marks) seed(of *polled, w countersdb.Watermark, values []uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.max(carry(of, values, m.of), func(int) bool { return false }, w)
}

// max raises marks to values, but for those of objects to skip.
func (m *marks) max(values []uint64, skip func(i int) bool, which ...countersdb.Watermark) {
	n := len(m.of.stats)
	for _, w := range which {
		next := make([]uint64, len(values))
		copy(next, m.highs[w])
		for i := range m.of.ids {
			if skip(i) {
				continue
			}
			for j := i * n; j < i*n+n; j++ {
				next[j] = max(next[j], values[j])
			}
		}
		m.highs[w] = next
	}
}

// clear sets marks to 0: those of one statistic, and of queues of one kind unless that
// is "". It reports whether there were any.
func (m *marks) clear(w countersdb.Watermark, stat, kind string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.highs[w] == nil || m.of == nil {
		return false
	}
	j, n := slices.Index(m.of.stats, stat), len(m.of.stats)
	if j < 0 {
		return false
	}
	next := slices.Clone(m.highs[w])
	for i, o := range m.of.objects {
		if kind == "" || o.kind == kind {
			next[i*n+j] = 0
		}
	}
	m.highs[w] = next
	return true
}

// now returns the marks, and of what they are.
func (m *marks) now() (*polled, highs) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.of, m.highs
}
