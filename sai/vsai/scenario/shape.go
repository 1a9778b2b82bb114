package scenario

import (
	"errors"
	"fmt"
	"slices"
)

// Maximum sizes of shapes. A switch has at most its chip's ports.
const (
	mostSwitches = 256
	maxHosts     = 4096
)

// expand expands the shape to switches, hosts and links, and applies what is given by
// name.
func (t *Topology) expand() error {
	shapes := 0
	var made Topology
	for _, s := range []struct {
		given bool
		make  func(*Topology) error
	}{
		{t.Star != nil, t.Star.expand},
		{t.LeafSpine != nil, t.LeafSpine.expand},
		{t.Ring != nil, t.Ring.expand},
	} {
		if !s.given {
			continue
		}
		shapes++
		if err := s.make(&made); err != nil {
			return t.At.errorf("topology: %w", err)
		}
	}
	if shapes > 1 {
		return t.At.errorf("topology: want at most one of star, leaf-spine and ring")
	}
	made.at(t.At)
	for _, s := range t.Switches {
		made.overlaySwitch(s)
	}
	for _, h := range t.Hosts {
		made.overlayHost(h)
	}
	for _, l := range t.Links {
		made.overlayLink(l)
	}
	t.Switches, t.Hosts, t.Links = made.Switches, made.Hosts, made.Links
	if len(t.Switches) == 0 || len(t.Hosts) < 2 {
		return t.At.errorf("topology: %d switches, %d hosts: want at least 1 and 2; for example: star: {hosts: 5}", len(t.Switches), len(t.Hosts))
	}
	return nil
}

// at sets the position of the shape for its objects.
func (t *Topology) at(p Pos) {
	for i := range t.Switches {
		t.Switches[i].At = p
	}
	for i := range t.Hosts {
		t.Hosts[i].At = p
	}
	for i := range t.Links {
		t.Links[i].At = p
	}
}

func within(what string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%s: %d: want %d to %d", what, n, least, most)
	}
	return nil
}

func (s *Star) expand(t *Topology) error {
	if err := within("star: hosts", s.Hosts, 2, maxHosts); err != nil {
		return err
	}
	t.addSwitch("sw1")
	t.addHosts("sw1", s.Hosts, s.Wires)
	return nil
}

func (s *LeafSpine) expand(t *Topology) error {
	if err := errors.Join(
		within("leaf-spine: leaves", s.Leaves, 1, mostSwitches), within("leaf-spine: spines", s.Spines, 1, mostSwitches),
		within("leaf-spine: hosts", s.Hosts, 1, maxHosts/max(s.Leaves, 1)),
	); err != nil {
		return err
	}
	up := s.Wires
	if s.Uplink > 0 {
		up.Rate = s.Uplink
	}
	for i := range s.Leaves {
		t.addSwitch(fmt.Sprintf("leaf%d", i+1))
		t.addHosts(t.Switches[i].Name, s.Hosts, s.Wires)
	}
	for i := range s.Spines {
		t.addSwitch(fmt.Sprintf("spine%d", i+1))
		for j := range s.Leaves {
			t.addLink(t.Switches[j].Name, t.Switches[s.Leaves+i].Name, up)
		}
	}
	return nil
}

func (s *Ring) expand(t *Topology) error {
	if err := errors.Join(
		within("ring: switches", s.Switches, 2, mostSwitches), within("ring: hosts", s.Hosts, 1, maxHosts/max(s.Switches, 1)),
	); err != nil {
		return err
	}
	for i := range s.Switches {
		t.addSwitch(fmt.Sprintf("sw%d", i+1))
		t.addHosts(t.Switches[i].Name, s.Hosts, s.Wires)
	}
	for i := range s.Switches {
		if s.Switches > 2 || i == 0 {
			t.addLink(t.Switches[i].Name, t.Switches[(i+1)%s.Switches].Name, s.Wires)
		}
	}
	if s.Clockwise {
		s.addClockwiseRoutes(t)
	}
	return nil
}

// addClockwiseRoutes makes each switch send packets for other switches' hosts to the
// next.
func (s *Ring) addClockwiseRoutes(t *Topology) {
	for i := range t.Switches {
		w := &t.Switches[i]
		w.Routes = map[string]Names{}
		for _, h := range t.Hosts {
			if h.Attach != w.Name {
				w.Routes[h.Name] = Names{t.Switches[(i+1)%s.Switches].Name}
			}
		}
	}
}

func (t *Topology) addSwitch(name string) { t.Switches = append(t.Switches, Switch{Name: name}) }

func (t *Topology) addHosts(sw string, n int, w Wires) {
	for range n {
		t.Hosts = append(t.Hosts, Host{Name: fmt.Sprintf("h%d", len(t.Hosts)+1), Attach: sw, Wires: w})
	}
}

func (t *Topology) addLink(a, b string, w Wires) {
	t.Links = append(t.Links, Link{Name: a + "-" + b, Ends: []string{a, b}, Wires: w})
}

func (t *Topology) overlaySwitch(s Switch) {
	i := slices.IndexFunc(t.Switches, func(x Switch) bool { return x.Name == s.Name })
	if i < 0 {
		t.Switches = append(t.Switches, s)
		return
	}
	if s.Routes == nil {
		s.Routes = t.Switches[i].Routes
	}
	t.Switches[i] = s
}

func (t *Topology) overlayHost(h Host) {
	i := slices.IndexFunc(t.Hosts, func(x Host) bool { return x.Name == h.Name })
	if i < 0 {
		t.Hosts = append(t.Hosts, h)
		return
	}
	if h.Attach == "" {
		h.Attach = t.Hosts[i].Attach
	}
	h.overlay(t.Hosts[i].Wires)
	t.Hosts[i] = h
}

func (t *Topology) overlayLink(l Link) {
	i := slices.IndexFunc(t.Links, func(x Link) bool { return x.Name == l.Name })
	if i < 0 {
		t.Links = append(t.Links, l)
		return
	}
	if l.Ends == nil {
		l.Ends = t.Links[i].Ends
	}
	l.overlay(t.Links[i].Wires)
	t.Links[i] = l
}

// overlay takes missing fields from another value.
func (w *Wires) overlay(of Wires) {
	if w.Rate == 0 {
		w.Rate = of.Rate
	}
	if w.Delay == 0 && w.Length == 0 {
		w.Delay, w.Length = of.Delay, of.Length
	}
}
