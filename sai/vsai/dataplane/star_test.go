package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// byMAC forwards by destination address alone.
type byMAC map[dataplane.MAC]int

func (f byMAC) Forward(_ int, h *dataplane.Header, _ dataplane.Marks) dataplane.Decision {
	out, ok := f[h.DstMAC]
	if !ok {
		return dataplane.Decision{Drop: dataplane.DropForward}
	}
	return dataplane.ToPort(out, *h)
}

// star is hosts around one switch: host i at port i.
type star struct {
	*dataplane.Sim
	sw    *dataplane.Switch
	hosts []*dataplane.Host
}

// rig is what a star is made of.
type rig struct {
	sim   dataplane.Config
	sw    dataplane.SwitchConfig
	port  dataplane.PortConfig // of switch and hosts
	hosts int
	link  dataplane.Link
}

func newStar(t testing.TB, r rig) *star {
	t.Helper()
	s := &star{Sim: dataplane.New(r.sim)}
	r.sw.Name, r.sw.Ports = "sw", r.hosts
	if r.sw.Queues == 0 {
		r.sw.Queues = 8
	}
	if r.sw.Pools == 0 {
		r.sw.Pools = 2
	}
	var err error
	if s.sw, err = s.AddSwitch(r.sw); err != nil {
		t.Fatal(err)
	}
	to := byMAC{}
	for i := range r.hosts {
		mac := dataplane.MAC{2, 0, 0, 0, 0, byte(i)}
		h, err := s.AddHost(dataplane.HostConfig{Name: "h", MAC: mac, Port: r.port, AckClass: -1})
		if err != nil {
			t.Fatal(err)
		}
		s.SetPort(s.sw.Ports()[i], r.port)
		if err := s.Connect(h.Port(), s.sw.Ports()[i], r.link); err != nil {
			t.Fatal(err)
		}
		to[mac] = i
		s.hosts = append(s.hosts, h)
	}
	s.sw.SetForwarder(to)
	return s
}

// run runs until all flows are done, a second at most.
func (s *star) run(t testing.TB) {
	t.Helper()
	for s.Pending() && s.Next() <= dataplane.Second {
		if err := s.Run(s.Next()); err != nil {
			t.Fatal(err)
		}
		if s.finished() {
			return
		}
	}
}

func (s *star) finished() bool {
	for _, f := range s.Flows() {
		if !f.Done() {
			return false
		}
	}
	return true
}

// long leaves a test of millions of packets to the run without the race detector,
// which hack/test makes too: here is one goroutine, and nothing to race with.
func long(t *testing.T) {
	t.Helper()
	if underRace {
		t.Skip("run without the race detector, as hack/test does")
	}
}
