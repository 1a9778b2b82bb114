package dataplane

import "fmt"

const (
	noFlow = ^uint32(0)
	noGap  = ^uint64(0)
)

// Lengths of RoCEv2 frames over IPv4: Ethernet 14, IP 20, UDP 8, BTH 12, ICRC 4, FCS 4.
const (
	roceHeaders = 62
	ackBytes    = roceHeaders + 4 // AETH
	cnpBytes    = roceHeaders + 16
)

// FlowConfig is a stream of data from one host to another.
type FlowConfig struct {
	From, To *Host
	Bytes    uint64 // payload; 0: endless
	Start    Time
	Class    uint8 // priority, 0..7
	DSCP     uint8
	ECN      bool   // sent as ECN-capable
	Rate     uint64 // maximum, bit/s; 0: the port's rate
	Payload  int    // bytes per packet; 0 means 1024
	Headers  int    // header bytes per packet; 0 means those of RoCEv2
	AckBytes int    // 0 means those of RoCEv2
	AckEvery int    // packets; 0 means 1
	// EchoMarks reports marks in acknowledgements instead of CNPs.
	EchoMarks bool
	CNPEvery  Time   // minimum interval between CNPs of a flow
	Control   *DCQCN // nil: none
	Timeout   Time   // time without progress before everything is retransmitted; 0: never
	Restart   bool   // a loss restarts the flow from its beginning: go-back-0
	TTL       uint8  // 0 means 64
	SrcPort   uint16 // of UDP
	QP        uint32
	Header    *Header // nil: RoCEv2 between the hosts
}

// Flow is a stream of data and its progress.
type Flow struct {
	id     uint32
	cfg    FlowConfig
	header uint32
	answer uint32 // header of acknowledgements and CNPs

	next   uint64 // offset to send next
	acked  uint64
	lossAt uint64 // offset acknowledged when the loss timer was started
	sendAt Time
	begun  bool
	active bool // counted in Host.left
	done   bool
	rate   float64 // bit/s
	rp     reaction
	round  [timers]uint32

	expected uint64 // offset expected by the receiver
	asked    bool   // the receiver has requested what is missing
	gap      uint64 // first packet that arrived trimmed
	since    int    // packets since the last acknowledgement
	cnpAt    Time

	Stats FlowStats
}

// FlowStats counts packets and bytes of a flow.
type FlowStats struct {
	Sent, Received uint64 // data packets
	Delivered      uint64 // bytes of payload, in order
	Resent         uint64 // packets
	Naks, Timeouts uint64
	Marked         uint64 // arrived marked
	Trimmed        uint64 // arrived without payload
	CNPs           uint64 // received by the sender
	Began, Ended   Time
}

// AddFlow adds a flow. It starts at its start time, or now if that has passed. AddFlow
// rejects invalid hosts, class or congestion control.
func (s *Sim) AddFlow(cfg FlowConfig) (*Flow, error) {
	if cfg.From == nil || cfg.To == nil || cfg.From == cfg.To || cfg.Class >= Classes {
		return nil, fmt.Errorf("flow: want two hosts, and a class of 0 to %d", Classes-1)
	}
	if err := cfg.Control.check(); err != nil {
		return nil, fmt.Errorf("flow: %w", err)
	}
	defaults(&cfg)
	f := &Flow{id: uint32(len(s.flows)), cfg: cfg, cnpAt: -cfg.CNPEvery, gap: noGap}
	h := f.fullHeader()
	f.header = s.Header(h)
	f.answer = s.Header(h.answer(cfg.To))
	f.rate = float64(cfg.Rate)
	f.rp.init(cfg.Control, f.rate)
	s.flows = append(s.flows, f)
	cfg.From.flows = append(cfg.From.flows, f)
	s.schedule(event{at: max(cfg.Start, s.now), kind: evFlow, a: f.id, b: f.round[timerStart], c: uint8(timerStart)})
	return f, nil
}

func defaults(c *FlowConfig) {
	set := func(n *int, d int) {
		if *n == 0 {
			*n = d
		}
	}
	set(&c.Payload, 1024)
	set(&c.Headers, roceHeaders)
	set(&c.AckBytes, ackBytes)
	set(&c.AckEvery, 1)
	if line := c.From.port.cfg.Rate; c.Rate == 0 || c.Rate > line {
		c.Rate = line
	}
	if c.TTL == 0 {
		c.TTL = 64
	}
	if c.Bytes == 0 {
		c.Bytes = 1<<63 - 1
	}
}

// fullHeader returns the header of data packets: RoCEv2 unless the flow has its own. A
// tag carries the flow's class.
func (f *Flow) fullHeader() Header {
	if f.cfg.Header != nil {
		return *f.cfg.Header
	}
	from, to := f.cfg.From.cfg, f.cfg.To.cfg
	h := Header{
		SrcMAC: from.MAC, DstMAC: to.MAC, Src: from.Addr.Addr(), Dst: to.Addr.Addr(),
		Tagged: true, Protocol: UDP, SrcPort: f.cfg.SrcPort, DstPort: RoCE, QP: f.cfg.QP,
	}
	if from.Gateway != (MAC{}) && !from.Addr.Masked().Contains(h.Dst) {
		h.DstMAC = from.Gateway
	}
	return h
}

// answer is the header of the receiver's packets to the sender.
func (h Header) answer(from *Host) Header {
	h.Src, h.Dst = h.Dst, h.Src
	h.SrcMAC, h.DstMAC = from.cfg.MAC, h.SrcMAC
	if from.cfg.Gateway != (MAC{}) && !from.cfg.Addr.Masked().Contains(h.Dst) {
		h.DstMAC = from.cfg.Gateway
	}
	h.Opcode = 0x11 // acknowledge
	return h
}

func (s *Sim) flowOf(k *packet) *Flow {
	if k.flow == noFlow {
		return nil
	}
	return s.flows[k.flow]
}

// dataOf returns the flow of a data packet; nil for other packets.
func (s *Sim) dataOf(k *packet) *Flow {
	if k.kind != pktData {
		return nil
	}
	return s.flowOf(k)
}

// Config returns the flow's configuration.
func (f *Flow) Config() FlowConfig { return f.cfg }

// ID is the flow's number, from 0 in creation order.
func (f *Flow) ID() int { return int(f.id) }

// Done reports whether all of the flow has been acknowledged.
func (f *Flow) Done() bool { return f.done }

// Rate is the sender's current rate limit, in bit/s.
func (f *Flow) Rate() float64 { return f.rate }

// Expected is the number of bytes that the receiver has in order.
func (f *Flow) Expected() uint64 { return f.expected }

// Stop ends a flow early: what has been sent is all that there is. The flow is done
// when that is acknowledged.
func (s *Sim) Stop(f *Flow) {
	f.cfg.Bytes = min(f.cfg.Bytes, max(f.next, f.expected))
	s.activity(f)
	if f.since > 0 && f.expected == f.cfg.Bytes {
		s.answer(f, pktAck, false) // the last packet sent did not request it
	}
	s.conclude(f)
}

// wants reports whether a flow has data to send.
func (f *Flow) wants() bool { return f.begun && f.next < f.cfg.Bytes }

// activity updates the number of active flows of a host.
func (s *Sim) activity(f *Flow) {
	if w := f.wants(); w != f.active {
		f.active = w
		if w {
			f.cfg.From.left++
		} else {
			f.cfg.From.left--
		}
	}
}

// sendData makes the next data packet of a flow.
func (s *Sim) sendData(f *Flow) uint32 {
	i, k := s.packets.alloc()
	n := min(uint64(f.cfg.Payload), f.cfg.Bytes-f.next)
	*k = packet{
		next: noPacket, flow: f.id, header: f.header, kind: pktData, psn: f.next,
		bytes: int32(n) + int32(f.cfg.Headers), dscp: f.cfg.DSCP, pcp: f.cfg.Class, ttl: f.cfg.TTL,
	}
	if f.cfg.ECN {
		k.ecn = ect0
	}
	f.next += n
	f.Stats.Sent++
	f.sendAt = s.now + s.pace(f, k.bytes)
	s.balance.in += int64(k.bytes)
	s.activity(f)
	s.sentBytes(f, int64(k.bytes))
	return i
}

// pace is the time between packets of a flow at its rate.
func (s *Sim) pace(f *Flow, bytes int32) Time {
	return s.span(int64(bytes), uint64(f.rate))
}

// receiveData handles data at the receiver.
func (s *Sim) receiveData(f *Flow, k *packet) {
	f.Stats.Received++
	if k.trimmed {
		f.Stats.Trimmed++
	}
	n := uint64(int(k.bytes) - f.cfg.Headers)
	marked := k.ecn == ce
	if marked {
		f.Stats.Marked++
		s.notify(f)
	}
	switch {
	case k.trimmed && k.psn >= f.expected:
		f.gap = min(f.gap, k.psn)
		s.onGap(f, marked)
	case k.psn == f.expected:
		f.expected += n
		if f.expected >= f.cfg.Bytes {
			s.observe(Observation{Kind: SeenArrived, Flow: f, Span: s.now - f.Stats.Began})
		}
		f.Stats.Delivered = max(f.Stats.Delivered, f.expected)
		f.asked = false
		f.since++
		if f.since >= f.cfg.AckEvery || f.expected >= f.cfg.Bytes || marked && f.cfg.EchoMarks {
			s.answer(f, pktAck, marked)
		}
		s.onGap(f, marked)
	case k.psn > f.expected:
		s.missing(f, k.psn, marked)
	default:
		s.answer(f, pktAck, marked)
	}
}

// missing requests missing data, once per gap.
func (s *Sim) missing(f *Flow, psn uint64, marked bool) {
	if f.asked || psn < f.expected {
		return
	}
	f.asked = true
	if f.cfg.Restart {
		f.expected = 0
	}
	s.answer(f, pktNak, marked)
}

// onGap requests a packet that arrived trimmed, once all before it have arrived:
// trimmed packets overtake earlier ones.
func (s *Sim) onGap(f *Flow, marked bool) {
	if f.gap == f.expected {
		f.asked = false
		s.missing(f, f.gap, marked)
	}
	if f.gap <= f.expected {
		f.gap = noGap
	}
}

// answer sends an acknowledgement.
func (s *Sim) answer(f *Flow, kind packetKind, marked bool) {
	f.since = 0
	k := s.backward(f, kind, int32(f.cfg.AckBytes))
	k.echo = marked && f.cfg.EchoMarks
	s.kick(f.cfg.To.port)
}

// notify sends a CNP unless the last one is too recent.
func (s *Sim) notify(f *Flow) {
	if f.cfg.EchoMarks || f.cfg.Control == nil || s.now-f.cnpAt < f.cfg.CNPEvery {
		return
	}
	f.cnpAt = s.now
	s.backward(f, pktCNP, cnpBytes)
	s.kick(f.cfg.To.port)
}

// backward makes a packet from the receiver to the sender.
func (s *Sim) backward(f *Flow, kind packetKind, bytes int32) *packet {
	i, k := s.packets.alloc()
	class, dscp := f.cfg.Class, f.cfg.DSCP
	if c := f.cfg.To.cfg.AckClass; c >= 0 {
		class = uint8(c)
	}
	if d := f.cfg.To.cfg.AckDSCP; d != nil {
		dscp = *d
	}
	*k = packet{next: noPacket, flow: f.id, header: f.answer, kind: kind, psn: f.expected, bytes: bytes, dscp: dscp, pcp: class, ttl: f.cfg.TTL}
	s.balance.in += int64(bytes)
	s.putAnswer(f.cfg.To, class, i)
	return k
}

// receiveAnswer handles an acknowledgement or CNP at the sender.
func (s *Sim) receiveAnswer(f *Flow, k *packet) {
	if k.kind == pktCNP || k.echo {
		f.Stats.CNPs++
		s.onCongestion(f)
	}
	if k.kind == pktCNP {
		return
	}
	f.acked = max(f.acked, k.psn)
	if f.next < f.acked { // after going back the sender may learn that it need not have
		f.next = f.acked
		s.activity(f)
	}
	if k.kind == pktNak {
		f.Stats.Naks++
		s.goBack(f, k.psn)
	}
	s.conclude(f)
	s.kick(f.cfg.From.port)
}

// conclude ends a flow when all of it is acknowledged.
func (s *Sim) conclude(f *Flow) {
	if f.acked < f.cfg.Bytes || f.done {
		return
	}
	f.done = true
	f.Stats.Ended = s.now
	s.observe(Observation{Kind: SeenDone, Flow: f, Span: s.now - f.Stats.Began})
}

// goBack resends from a byte offset.
func (s *Sim) goBack(f *Flow, to uint64) {
	if f.cfg.Restart {
		to, f.acked = 0, 0
	}
	if to >= f.next {
		return
	}
	f.Stats.Resent += (f.next - to + uint64(f.cfg.Payload) - 1) / uint64(f.cfg.Payload)
	f.next = to
	s.activity(f)
}
