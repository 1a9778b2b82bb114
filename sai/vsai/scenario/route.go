package scenario

import (
	"errors"
	"maps"
	"slices"
)

// nextHops are the routes of a switch: to each host, the wires to use.
type nextHops map[*node][]*wire

// routes finds the shortest paths over wires that are not cut, except for the detours
// of the scenario, by switch and host.
func (p *plan) routes(detours map[*node]map[*node][]*wire) map[*node]nextHops {
	out := map[*node]nextHops{}
	for _, s := range p.switches {
		out[s] = nextHops{}
	}
	for _, h := range p.hosts {
		far := p.distances(h)
		for _, s := range p.switches {
			if out[s][h] = detours[s][h]; out[s][h] == nil {
				out[s][h] = closerWires(s, far)
			}
		}
	}
	return out
}

// closerWires are the wires of a switch to nodes closer to a host.
func closerWires(s *node, far map[*node]int) (out []*wire) {
	for _, w := range s.wires {
		if w == nil || w.cut {
			continue
		}
		if next := w.peer(s).node; reached(far, next) && far[next] == far[s]-1 {
			out = append(out, w)
		}
	}
	return out
}

func reached(far map[*node]int, n *node) bool { _, ok := far[n]; return ok }

// distances counts the hops between a host and all switches.
func (p *plan) distances(h *node) map[*node]int {
	far := map[*node]int{h: 0}
	for todo := []*node{h}; len(todo) > 0; todo = todo[1:] {
		n := todo[0]
		for _, w := range n.wires {
			if w == nil || w.cut {
				continue
			}
			if next := w.peer(n).node; next.sw != nil && !reached(far, next) {
				far[next] = far[n] + 1
				todo = append(todo, next)
			}
		}
	}
	return far
}

// path returns the wires of one path between two hosts.
func (p *plan) path(from, to *node) (wires []*wire) {
	far := p.distances(to)
	wires = []*wire{from.wires[0]}
	for n := from.wires[0].peer(from).node; n != to; {
		next := closerWires(n, far)
		if len(next) == 0 {
			return wires // no path
		}
		wires = append(wires, next[0])
		n = next[0].peer(n).node
	}
	return wires
}

// detours returns the routes in the file.
func (p *plan) detours() (map[*node]map[*node][]*wire, error) {
	out := map[*node]map[*node][]*wire{}
	var faults []error
	for _, s := range p.switches {
		for _, to := range slices.Sorted(maps.Keys(s.sw.Routes)) {
			faults = append(faults, p.detour(out, s.at, Detour{Switch: s.name, To: to, Via: s.sw.Routes[to]}))
		}
	}
	return out, errors.Join(faults...)
}

// detour adds one detour.
func (p *plan) detour(out map[*node]map[*node][]*wire, at Pos, d Detour) error {
	s, h := p.named[d.Switch], p.named[d.To]
	if s == nil || s.sw == nil {
		return at.errorf("route: there is no switch %q; there are %s", d.Switch, names(p.switches))
	}
	if h == nil || h.host == nil {
		return at.errorf("route of %s: there is no host %q; there are %s", d.Switch, d.To, names(p.hosts))
	}
	via, err := d.Via.expand()
	if err != nil {
		return at.errorf("route of %s to %s: %w", d.Switch, d.To, err)
	}
	var wires []*wire
	for _, name := range via {
		w := p.between(s, p.named[name])
		if w == nil {
			return at.errorf("route of %s to %s: it has no link to %q; it has links to %s", d.Switch, d.To, name, neighbours(s))
		}
		wires = append(wires, w)
	}
	if len(wires) == 0 {
		return at.errorf("route of %s to %s: via nothing; name a neighbour: %s", d.Switch, d.To, neighbours(s))
	}
	if out[s] == nil {
		out[s] = map[*node][]*wire{}
	}
	out[s][h] = wires
	return nil
}

// between finds the wire between two nodes; nil if there is none.
func (p *plan) between(a, b *node) *wire {
	for _, w := range p.wires {
		if x, y := w.ends[0].node, w.ends[1].node; x == a && y == b || x == b && y == a {
			return w
		}
	}
	return nil
}

func neighbours(s *node) string {
	var out []string
	for _, w := range s.wires {
		if w != nil {
			out = append(out, w.peer(s).node.name)
		}
	}
	return abbreviate(out)
}

func (p *plan) checkRoutes() error {
	_, err := p.detours()
	return err
}
