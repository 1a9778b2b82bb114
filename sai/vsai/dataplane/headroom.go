package dataplane

// Reach is what lies between a port that asks for a pause and the sender at the
// other end of its link.
type Reach struct {
	Rate     uint64 // bit/s
	MTU      int    // bytes of the greatest frame with FCS, either way
	Delay    Time   // of the link, one way
	Response Time   // of the sender
	Overhead int    // bytes that a frame takes on the wire beside its own
	// Dynamic says that the threshold falls as others fill the pool: it may have
	// fallen below what a group holds before the group's next frame shows it.
	Dynamic bool
}

// Headroom is how many bytes of frames can still arrive when a port has decided
// to ask for a pause, by the terms of IEEE 802.1Q annex N: a frame that it has
// just begun to send, the pause frame, the way there, the sender's response, a
// frame that the sender has just begun, and the way back. A chip keeps them in
// cells, so that each frame takes as many as Model.Frame says.
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

// Frame is what a frame takes of a chip's memory, in bytes.
func (m Model) Frame(bytes int) int64 {
	cell := int64(max(m.CellBytes, 1))
	return ceil(int64(bytes+m.CellOverhead), cell) * cell
}
