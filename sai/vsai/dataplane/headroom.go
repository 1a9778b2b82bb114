package dataplane

// Reach describes the path between a port that requests a pause and the sender at the
// other end of its link.
type Reach struct {
	Rate     uint64 // bit/s
	MTU      int    // maximum frame size with FCS, either direction
	Delay    Time   // of the link, one way
	Response Time   // of the peer
	Overhead int    // bytes per frame on the wire besides its own
	// Dynamic: the threshold shrinks as others fill the pool, so it may fall below a
	// group's use before the group's next frame shows it.
	Dynamic bool
}

// Headroom is the number of bytes that can still arrive after a port decides to request
// a pause, by the terms of IEEE 802.1Q annex N: a frame that it has just begun to send,
// the pause frame, the propagation delay, the response time, a frame that the sender
// has just begun, and the delay back. A chip stores them in cells: each frame takes
// Model.Frame.
func (r Reach) Headroom() int64 {
	frame := wireTime(int64(r.MTU+r.Overhead), r.Rate)
	pause := wireTime(int64(ControlBytes+r.Overhead), r.Rate)
	span := 2*frame + pause + 2*r.Delay + r.Response
	frames := int64(span / frame)
	if r.Dynamic {
		frames++
	}
	return frames * int64(r.MTU)
}

// Frame is the memory that a frame takes in the chip, in bytes.
func (m Model) Frame(bytes int) int64 {
	cell := int64(max(m.CellBytes, 1))
	return ceil(int64(bytes+m.CellOverhead), cell) * cell
}
