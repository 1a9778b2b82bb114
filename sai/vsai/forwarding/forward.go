package forwarding

import "xon/sai/vsai/dataplane"

// packet is the state of a packet on its way through the tables.
type packet struct {
	header   *dataplane.Header
	in       int
	out      int // egress port, at Egress
	vlan     uint16
	iface    ID // ingress interface if hasIface
	hasIface bool
	routed   bool // it goes to a next hop

	values [fieldCount]uint32
	has    uint32 // bits of the fields in values

	verdict  Verdict
	redirect *Target
	tc, dscp uint8
	count    []*dataplane.Counter
}

// decision is a forwarding decision before egress access lists.
type decision struct {
	drop  dataplane.Reason
	cpu   bool
	route bool
	exits []dataplane.Exit
}

func dropFor(r dataplane.Reason) decision { return decision{drop: r} }

// Forward implements dataplane.Forwarder.
func (t *Tables) Forward(in int, h *dataplane.Header, m dataplane.Marks) dataplane.Decision {
	p := packet{header: h, in: in, tc: dataplane.Keep, dscp: dataplane.Keep}
	if why := t.classify(&p); why != dataplane.Kept {
		return dataplane.Decision{Drop: why}
	}
	p.describe(m)
	p.set(MatchMeta, t.ports[in].Meta)
	t.applyACLs(Ingress, in, &p)
	o := t.decide(&p)
	o.exits = t.applyEgress(&p, o.exits)
	if o.drop == dataplane.Kept && !o.cpu && len(o.exits) == 0 {
		o.drop = dataplane.DropACL
	}
	return dataplane.Decision{Drop: o.drop, CPU: o.cpu, Route: o.route, TC: p.tc, Exits: o.exits, Count: p.count}
}

// classify finds the VLAN of a packet, learns its source address, and finds its router
// interface: that of the port, or of the VLAN if it has one.
func (t *Tables) classify(p *packet) dataplane.Reason {
	h, port := p.header, &t.ports[p.in]
	p.vlan = h.VLAN
	if p.iface, p.hasIface = t.ifaces[ifaceKey{p.in, p.vlan}]; p.hasIface {
		return dataplane.Kept
	}
	untagged := p.vlan == 0
	if untagged {
		p.vlan = port.PVID
	}
	v := t.vlans[p.vlan]
	if v == nil || !v.has(p.in) || untagged && port.DropUntagged || !untagged && port.DropTagged {
		return dataplane.DropVLAN
	}
	t.learn(p.vlan, v, p.in, h.SrcMAC)
	p.iface, p.hasIface = t.ifaces[ifaceKey{-1, p.vlan}]
	return dataplane.Kept
}

// describe sets the fields that access lists match.
func (p *packet) describe(m dataplane.Marks) {
	h := p.header
	p.set(MatchEtherType, uint32(h.Type()))
	p.set(MatchVLAN, uint32(p.vlan))
	p.set(MatchTC, uint32(m.TC))
	p.set(MatchIP, 0)
	if h.Tagged {
		p.set(MatchPCP, uint32(m.PCP))
	}
	if !h.IP() {
		return
	}
	p.set(MatchIP, 4)
	if h.Type() == dataplane.IPv6 {
		p.set(MatchIP, 6)
	}
	p.set(MatchProtocol, uint32(h.Protocol))
	p.set(MatchDSCP, uint32(m.DSCP))
	p.set(MatchECN, uint32(m.ECN))
	if h.Protocol == dataplane.UDP && h.DstPort == dataplane.RoCE {
		p.set(MatchOpcode, uint32(h.Opcode))
		p.set(MatchQP, h.QP)
	}
}

func (p *packet) set(f Field, v uint32) {
	p.values[f] = v
	p.has |= 1 << f
}

// class is the current traffic class of a packet.
func (p *packet) class() uint32 { return p.values[MatchTC] }

// decide finds the destination of a packet.
func (t *Tables) decide(p *packet) decision {
	h := p.header
	switch {
	case p.verdict == Drop:
		return dropFor(dataplane.DropACL)
	case p.verdict == Trap:
		return decision{cpu: true}
	case p.redirect != nil:
		return t.resolve(p, *p.redirect)
	case p.hasIface && h.IP() && h.DstMAC == t.interfaces[p.iface].MAC:
		to, ok := t.vrfs[t.interfaces[p.iface].VRF].find(h.Dst)
		if !ok {
			return dropFor(dataplane.DropForward)
		}
		return t.resolve(p, to)
	case p.hasIface && t.interfaces[p.iface].Port >= 0:
		return dropFor(dataplane.DropForward) // addressed to another station
	}
	return t.bridge(p, p.vlan, *h)
}

// applyACLs applies the access lists of a stage to a packet.
func (t *Tables) applyACLs(s Stage, port int, p *packet) {
	for _, a := range t.acls[s] {
		if !a.ports.has(port) {
			continue
		}
		for i := range a.entries {
			if a.entries[i].hits(p) {
				p.apply(&a.entries[i].do)
				break
			}
		}
	}
	p.refreshFields()
}

// apply carries out an entry's actions unless an earlier list has set the same result.
func (p *packet) apply(d *Actions) {
	if p.verdict == Undecided && p.redirect == nil {
		p.verdict, p.redirect = d.Verdict, d.Redirect
	}
	if d.TC.On && p.tc == dataplane.Keep {
		p.tc = d.TC.To
	}
	if d.DSCP.On && p.dscp == dataplane.Keep {
		p.dscp = d.DSCP.To
	}
	if d.Meta.Mask != 0 {
		p.set(MatchMeta, p.values[MatchMeta]&^d.Meta.Mask|d.Meta.Value&d.Meta.Mask)
	}
	if d.Count != nil {
		p.count = append(p.count, d.Count)
	}
}

// refreshFields makes the class and DSCP that this stage set visible to the next.
func (p *packet) refreshFields() {
	if p.tc != dataplane.Keep {
		p.set(MatchTC, uint32(p.tc))
	}
	if p.dscp != dataplane.Keep && p.header.IP() {
		p.set(MatchDSCP, uint32(p.dscp))
	}
}

// applyEgress applies egress access lists to each copy, and returns the copies that are
// not dropped.
func (t *Tables) applyEgress(p *packet, exits []dataplane.Exit) []dataplane.Exit {
	kept := exits[:0]
	for i := range exits {
		x := &exits[i]
		q := *p
		q.header, q.out, q.verdict, q.redirect = &x.Header, x.Port, Undecided, nil
		q.tc, q.dscp = dataplane.Keep, dataplane.Keep
		if x.Header.Tagged {
			q.set(MatchVLAN, uint32(x.Header.VLAN))
		}
		t.applyACLs(Egress, x.Port, &q)
		p.count = q.count
		if x.TC, x.DSCP = q.tc, q.dscp; x.DSCP == dataplane.Keep {
			x.DSCP = p.dscp
		}
		if q.verdict != Drop {
			kept = append(kept, *x)
		}
	}
	return kept
}
