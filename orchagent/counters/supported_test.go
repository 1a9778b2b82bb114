package counters_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/countersdb"
	"xon/test/scale"
)

// limited is a chip that lacks statistics, or does not say which it has.
type limited struct {
	*vsai.Chip
	has  []sai.StatCapability // of ports
	st   sai.Status           // of the question what ports have
	only []uint32             // if not nil, any other makes a call fail
}

func (l limited) Stats(o *sai.ObjectMeta, k sai.Key, ids []uint32, mode sai.StatsMode, out []uint64) sai.Status {
	if l.only != nil && slices.ContainsFunc(ids, func(id uint32) bool { return !slices.Contains(l.only, id) }) {
		return sai.StatusNotSupported
	}
	return l.Chip.Stats(o, k, ids, mode, out)
}

func (l limited) StatsCapability(sw sai.OID, o *sai.ObjectMeta) ([]sai.StatCapability, sai.Status) {
	if o != port {
		return l.Chip.StatsCapability(sw, o)
	}
	return l.has, l.st
}

// TestSupported: only what the chip has is asked for; all if it does not say.
func TestSupported(t *testing.T) {
	t.Parallel()
	octets := sai.StatCapability{StatEnum: port.StatByName("IF_IN_OCTETS").ID}
	tests := []struct {
		name  string
		chip  limited
		stats []string // of ports
	}{
		{"one", limited{has: []sai.StatCapability{octets}}, []string{"SAI_PORT_STAT_IF_IN_OCTETS"}},
		{"not said", limited{st: sai.StatusNotImplemented}, fullNames(countersdb.PortGroup)},
		{"not said, one", limited{st: sai.StatusNotSupported, only: []uint32{octets.StatEnum}}, []string{"SAI_PORT_STAT_IF_IN_OCTETS"}},
		{"not said, none", limited{st: sai.StatusNotSupported, only: []uint32{}}, fullNames(countersdb.PortGroup)},
		{"none", limited{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			tt.chip.Chip = r.chip
			r.sw = &sai.Switch{Driver: tt.chip, ID: r.sw.ID}
			c := r.collector(nil)
			r.follow(c, 1)
			c.Poll(silent())
			var stats []string
			if got := c.Reading(countersdb.PortGroup); got != nil {
				stats = got.Stats
			}
			if diff := cmp.Diff(tt.stats, stats); diff != "" {
				t.Errorf("statistics (-want +got):\n%s", diff)
			}
			if err := c.Write(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestHoles: a chip may lack a queue or a priority group in the middle.
func TestHoles(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	dev, handles := r.device(1)
	p := dev.Ports[0]
	delete(handles, p.Queues[3].Buffer.Object())
	p.Queues[3] = intent.Queue{}
	delete(handles, p.PGs[2].Object())
	p.PGs[2] = graph.Key{}
	c := r.collector(nil)
	c.Follow(r.rows, dev, handles)
	c.Poll(silent())
	if err := c.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	queues, groups := r.row("COUNTERS_QUEUE_NAME_MAP"), r.row("COUNTERS_PG_NAME_MAP")
	if len(queues) != 19 || queues[scale.PortName(0)+":3"] != "" || queues[scale.PortName(0)+":4"] == "" {
		t.Errorf("queues %v", queues)
	}
	if len(groups) != 7 || groups[scale.PortName(0)+":2"] != "" || len(r.row("COUNTERS_PG_PORT_MAP")) != 7 {
		t.Errorf("priority groups %v", groups)
	}
	if n := len(r.stored()); n != 8+1+19+7 {
		t.Errorf("%d rows", n)
	}
}
