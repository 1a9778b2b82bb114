package dataplane

// kind is what an event does.
type kind uint8

const (
	evArrive   kind = iota // the first packet on the link into port a has arrived
	evSent                 // port a has sent its frame
	evPaused               // port a heeds the pause frame b
	evPauseEnd             // the pause of class c at port a may be over
	evRefresh              // port a tells again what it has stopped
	evWake                 // port a may have a packet that a shaper let go
	evNIC                  // a flow of the host at port a may send
	evFlow                 // timer c of flow a
	evDetector             // the detector of queue c at port a
	evCall                 // call a
)

// event is a value without pointers. Events of one moment happen in the order
// of seq, in which they were caused.
type event struct {
	at   Time
	seq  uint64
	a, b uint32
	kind kind
	c    uint8
}

func (e *event) before(x *event) bool { return e.at < x.at || e.at == x.at && e.seq < x.seq }

// agenda is a 4-ary heap of events. There are few of them, for each link has
// only its next arrival here and each port only its own end of sending.
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

// pop takes the first event away.
func (g *agenda) pop() {
	h := g.heap
	last := h[len(h)-1]
	g.heap = h[:len(h)-1]
	if len(g.heap) > 0 {
		g.sink(last)
	}
}

// sink puts e in the place of the first.
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
