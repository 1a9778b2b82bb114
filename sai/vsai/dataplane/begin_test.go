package dataplane_test

import (
	"testing"

	"xon/sai/vsai/dataplane"
)

// TestFirstNotification: a sender's first notification halves its rate, whenever the
// flow began.
func TestFirstNotification(t *testing.T) {
	for _, begin := range []dataplane.Time{0, 100 * dataplane.Millisecond} {
		var rates []int64
		s := newStar(t, rig{
			sim: dataplane.Config{Observe: func(o dataplane.Observation) {
				if o.Kind == dataplane.SeenRate {
					rates = append(rates, o.Level)
				}
			}},
			port: dataplane.PortConfig{Rate: 100e9}, hosts: 2, link: dataplane.Link{Delay: dataplane.Microsecond},
		})
		s.open(0)
		w := &dataplane.WRED{}
		w.Mark[dataplane.Green] = dataplane.Curve{On: true, Min: 0, Max: 0, Percent: 100}
		s.sw.SetQueue(1, 3, dataplane.Queue{Buffer: dataplane.Buffer{Pool: 1}, WRED: w})
		s.stopSending(1, true)
		_, err := s.AddFlow(dataplane.FlowConfig{
			From: s.hosts[0], To: s.hosts[1], Start: begin, Bytes: 10e3, Class: 3, ECN: true,
			Control: dataplane.PaperDCQCN(), CNPEvery: 50 * dataplane.Microsecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.pass(t, begin+2*dataplane.Microsecond)
		s.stopSending(1, false)
		s.pass(t, 10*dataplane.Microsecond)
		if len(rates) == 0 || rates[0] != 50e9 {
			t.Errorf("begun at %v: rates %v, want 50 Gb/s first", begin, rates)
		}
	}
}

// TestControlRefused: parameters that give no valid rate are refused.
func TestControlRefused(t *testing.T) {
	s := newStar(t, rig{port: dataplane.PortConfig{Rate: 100e9}, hosts: 2})
	for _, c := range []struct {
		name string
		set  func(*dataplane.DCQCN)
	}{
		{"no gain", func(d *dataplane.DCQCN) { d.G = 0 }},
		{"a gain above 1", func(d *dataplane.DCQCN) { d.G = 2 }},
		{"no time of α", func(d *dataplane.DCQCN) { d.AlphaTime = 0 }},
		{"no time of cutting", func(d *dataplane.DCQCN) { d.CutTime = 0 }},
		{"no time of rising", func(d *dataplane.DCQCN) { d.RiseTime = 0 }},
		{"no least rate", func(d *dataplane.DCQCN) { d.MinRate = 0 }},
	} {
		d := dataplane.NICDCQCN(100e9)
		c.set(d)
		if _, err := s.AddFlow(dataplane.FlowConfig{From: s.hosts[0], To: s.hosts[1], Control: d}); err == nil {
			t.Errorf("%s: taken, want an error", c.name)
		}
	}
}
