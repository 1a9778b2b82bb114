package dataplane

import "fmt"

// check compares a switch's counters with the packets that it holds, and returns the
// bytes of those packets.
func (w *Switch) check() (held int64, err error) {
	groups := make([]int64, len(w.mmu.groups))
	for _, p := range w.ports {
		for q := range p.egress.queues {
			x := &p.egress.queues[q]
			n, cells := w.count(x.packets, groups)
			held += n
			if i := p.sending; i != noPacket && int(w.sim.packets.all[i].queue) == q {
				k := &w.sim.packets.all[i] // still charged, but on the wire
				n += int64(k.bytes)
				cells += int64(k.cells)
				groups[int(k.in)*Classes+int(k.group)] += int64(k.cells)
			}
			if x.stats.Length != n || x.stats.Held != cells {
				return 0, fmt.Errorf("queue %d of %s: counters have %d bytes, %d cells; its packets have %d, %d", q, p.Name(), x.stats.Length, x.stats.Held, n, cells)
			}
		}
	}
	for i := range groups {
		if g := &w.mmu.groups[i]; g.stats.Held != groups[i] {
			return 0, fmt.Errorf("priority group %d of %s: counters have %d cells; its packets have %d", g.index, g.port.Name(), g.stats.Held, groups[i])
		}
	}
	if b := w.balance; b.in != b.out+b.dropped+held {
		return 0, fmt.Errorf("switch %s: %d bytes came in, %d went out, %d were dropped, %d are held", w.cfg.Name, b.in, b.out, b.dropped, held)
	}
	return held, w.mmu.check(w.ports)
}

// count sums the bytes and cells of a list of packets, and adds the cells to their
// priority groups.
func (w *Switch) count(l packetList, groups []int64) (bytes, cells int64) {
	w.sim.packets.each(l, func(k *packet) {
		bytes += int64(k.bytes)
		cells += int64(k.cells)
		groups[int(k.in)*Classes+int(k.group)] += int64(k.cells)
	})
	return bytes, cells
}

// poolSums is the use of a pool, in cells of each slice.
type poolSums struct{ shared, inHeadroom [maxSlices]int64 }

// usageSums is the use of pools, of each port's share of them, and of ports' headroom.
type usageSums struct {
	mmu   *mmu
	pools map[*pool]*poolSums
	uses  map[*portUse][maxSlices]int64
	rooms []int64
}

// check compares the counters of pools and ports with the sums over their users.
func (m *mmu) check(ports []*Port) error {
	t := usageSums{mmu: m, pools: map[*pool]*poolSums{}, uses: map[*portUse][maxSlices]int64{}, rooms: make([]int64, len(ports))}
	for i := range m.pools {
		t.pools[&m.pools[i]] = &poolSums{}
	}
	for i := range m.groups {
		g := &m.groups[i]
		if err := t.add(g.pool, g.use, &g.parts, g.limits.own); err != nil {
			return fmt.Errorf("priority group %d of %s: %w", g.index, g.port.Name(), err)
		}
		t.rooms[g.port.index] += g.stats.Headroom
	}
	for _, p := range ports {
		for q := range p.egress.queues {
			x := &p.egress.queues[q]
			if err := t.add(x.pool, x.use, &x.parts, x.limits.own); err != nil {
				return fmt.Errorf("queue %d of %s: %w", q, p.Name(), err)
			}
		}
	}
	return t.compare(ports)
}

func (t *usageSums) compare(ports []*Port) error {
	m, held := t.mmu, t.pools
	for i := range m.uses {
		if u := &m.uses[i]; u.shared != t.uses[u] {
			return fmt.Errorf("%s, pool %d: counters have %v shared cells; its users have %v", ports[i/len(m.pools)].Name(), i%len(m.pools), u.shared, t.uses[u])
		}
	}
	for i := range m.rooms {
		if m.rooms[i].used != t.rooms[i] {
			return fmt.Errorf("%s: counters have %d cells in headroom; its groups have %d", ports[i].Name(), m.rooms[i].used, t.rooms[i])
		}
	}
	for i := range m.pools {
		if p := &m.pools[i]; p.used != held[p].shared || p.inHeadroom != held[p].inHeadroom {
			return fmt.Errorf("pool %d: counters have %v shared cells, %v in headroom; its users have %v, %v", i, p.used, p.inHeadroom, held[p].shared, held[p].inHeadroom)
		}
	}
	return nil
}

// add adds the use of one group or queue.
func (t *usageSums) add(of *pool, use *portUse, parts *[maxSlices]usage, own int64) error {
	to, sum := t.pools[of], t.uses[use]
	for s := range parts {
		u := &parts[s]
		if u.own < 0 || u.shared < 0 || u.headroom < 0 {
			return fmt.Errorf("slice %d: %+v cells: negative", s, *u)
		}
		if to == nil {
			continue // it never had a pool
		}
		to.shared[s] += u.shared
		sum[s] += u.shared
		if t.mmu.model.Admission == AdmitPerGroup {
			to.inHeadroom[s] += max(u.headroom-own, 0)
		} else {
			to.inHeadroom[s] += u.headroom
		}
	}
	t.uses[use] = sum
	return nil
}
