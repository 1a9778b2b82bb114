package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestCutLink: while a link is cut nothing is sent, and frames in flight are lost;
// afterwards a flow that resends completes.
func TestCutLink(t *testing.T) {
	s := newStar(t, rig{
		sim:   dataplane.Config{CheckEvents: true},
		port:  dataplane.PortConfig{Rate: 100e9},
		hosts: 2, link: dataplane.Link{Delay: dataplane.Microsecond},
	})
	s.sw.SetPool(0, dataplane.Pool{Size: 1 << 20})
	s.sw.SetPool(1, dataplane.Pool{Size: 1 << 20, Egress: true})
	for i := range s.hosts {
		s.sw.SetGroup(i, 0, dataplane.Buffer{Pool: 0})
		s.sw.SetQueue(i, 0, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}})
	}
	f, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	link := func(at dataplane.Time, l dataplane.Link) {
		s.At(at, func() {
			if err := s.SetLink(s.hosts[0].Port(), l); err != nil {
				t.Error(err)
			}
		})
	}
	link(20*dataplane.Microsecond, dataplane.Link{Delay: dataplane.Microsecond, Cut: true})
	link(300*dataplane.Microsecond, dataplane.Link{Delay: dataplane.Microsecond})
	at := func() uint64 { return s.hosts[0].Port().Stats.OutPackets }
	if err := s.Run(22 * dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
	sent := at()
	if err := s.Run(299 * dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
	if at() != sent || f.Expected() == 0 || f.Expected() >= f.Config().Bytes {
		t.Errorf("while the link was cut: %d packets sent before, %d after; the receiver has %d bytes", sent, at(), f.Expected())
	}
	s.run(t)
	if !f.Done() || f.Stats.Naks == 0 {
		t.Errorf("done %v after %d requests to send again, want true after one or more", f.Done(), f.Stats.Naks)
	}
	if err := s.SetLink(s.hosts[0].Port(), dataplane.Link{Loss: 2}); err == nil {
		t.Error("a loss of 2 was taken")
	}
}
