package dataplane

// Trim says how packets that do not fit are trimmed to their headers, so that the
// receiver learns of the loss at once (SAI_SWITCH_ATTR_PACKET_TRIM_SIZE).
type Trim struct {
	Bytes int   // trimmed size with FCS; 0: no trimming
	DSCP  uint8 // of trimmed packets
	Queue uint8 // of trimmed packets
}

// SetTrim sets how packets are trimmed in queues with Buffer.Trim.
func (w *Switch) SetTrim(t Trim) { w.trim = t }

// trimPacket trims a packet that does not fit into its queue and puts it into the trim
// queue. It returns false if it does not fit there either or is already short enough.
func (s *Sim) trimPacket(p, out *Port, i uint32) bool {
	w, k := p.sw, &s.packets.all[i]
	refused := &out.egress.queues[k.queue]
	lost := int64(k.bytes) - int64(w.trim.Bytes)
	if w.trim.Bytes <= 0 || lost <= 0 || k.trimmed || int(w.trim.Queue) >= len(out.egress.queues) {
		return false
	}
	if out.egress.queues[w.trim.Queue].watchdog.dropping {
		return false
	}
	m, g := w.mmu, w.mmu.group(p.index, int(k.group))
	n := m.cells(int32(w.trim.Bytes))
	at, why := m.admit(g, k.slice, n)
	to, ok := m.admitQueue(&out.egress.queues[w.trim.Queue], k.slice, n)
	if why != Kept || !ok {
		return false
	}
	k.bytes, k.dscp, k.queue, k.trimmed = int32(w.trim.Bytes), w.trim.DSCP, w.trim.Queue, true
	w.balance.dropped += lost
	s.balance.dropped += lost
	refused.stats.Trimmed++
	out.Stats.Trimmed++
	s.store(p, out, i, n, at, to)
	return true
}
