package dataplane

// kind is what an event does.
type kind uint8

const (
	evArrive   kind = iota // the first frame in flight to port a arrives
	evSent                 // port a has sent its frame
	evPaused               // port a reacts to pause frame b
	evPauseEnd             // the pause of class c at port a may be over
	evRefresh              // port a refreshes its XOFF
	evWake                 // a shaper of port a may allow a packet
	evNIC                  // a flow of the host at port a may send
	evFlow                 // timer c of flow a
	evDetector             // the detector of queue c at port a
	evCall                 // call a
)

// event is a value without pointers. Simultaneous events run in the order of seq, in
// which they were scheduled.
type event struct {
	at   Time
	seq  uint64
	a, b uint32
	kind kind
	c    uint8
}

func (e *event) before(x *event) bool { return e.at < x.at || e.at == x.at && e.seq < x.seq }

// agenda is a 4-ary heap of events. It stays small: a link has only its next arrival
// here, a port only its own end of transmission.
type agenda struct{ heap []event }

func (g *agenda) push(e event) {
	g.heap = append(g.heap, e)
	h := g.heap
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

// pop removes the first event.
func (g *agenda) pop() {
	h := g.heap
	last := h[len(h)-1]
	g.heap = h[:len(h)-1]
	if len(g.heap) > 0 {
		g.sink(last)
	}
}

// sink replaces the first event with e.
func (g *agenda) sink(e event) {
	h := g.heap
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least := child
		for j := child + 1; j < min(child+4, len(h)); j++ {
			if h[j].before(&h[least]) {
				least = j
			}
		}
		if !h[least].before(&e) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
}
