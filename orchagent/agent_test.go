package orchagent_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

// TestRestart (I5, I6): the same rows again make no call, and an agent that comes
// back makes no write.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.load(scale.Load(4), configdb.RawRows{"WRED_PROFILE|AZURE_LOSSLESS": {
		"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "5", "green_max_threshold": "6", "junk": "1",
	}})
	r.change(rows{
		"BUFFER_PG|Ethernet0|0": {"profile": "nonesuch"},
		"PORT|Ethernet8":        {"lanes": "9,10,11,12,13,14,15,16", "speed": "12345"}, // the chip refuses
	})
	r.chip.ResetCalls()
	r.load()
	if calls := r.chip.Calls(); len(calls) > 0 {
		t.Errorf("the same rows made %d calls, the first %+v", len(calls), calls[0])
	}
	before := r.actual().String()
	r.stop()
	fates := states(r.pub.fates)
	r.start(r.pub)
	r.chip.ResetCalls()
	r.load()
	if n := r.chip.Writes(); n > 0 {
		t.Errorf("the restart made %d writes", n)
	}
	if diff := cmp.Diff(before, r.actual().String()); diff != "" {
		t.Errorf("the chip differs:\n%s", diff)
	}
	if got := states(r.agent.Fates()); got != fates {
		t.Errorf("fates after\n%s\nbefore\n%s", got, fates)
	}
}

// TestColdChip: a chip that lost everything gets everything back.
func TestColdChip(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	want := r.actual().String()
	r.stop()
	r.chip = newChip(t, 2)
	r.start(&recorder{accepted: r.pub.accepted}) // another chip may take what this one refused
	r.load()
	if diff := cmp.Diff(want, r.actual().String()); diff != "" {
		t.Errorf("the chip differs:\n%s", diff)
	}
}

// TestChangedWhileAway: an agent that comes back to a row gone bad meanwhile keeps
// what was in force.
func TestChangedWhileAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	want := r.actual().String()
	r.stop()
	r.db.set("BUFFER_PROFILE|lossless", fields{"pool": "ingress", "size": "many", "dynamic_th": "-3"})
	r.db.set("SCHEDULER|dwrr", nil)
	r.start(r.pub)
	r.load()
	if diff := cmp.Diff(want, r.actual().String()); diff != "" {
		t.Errorf("the chip differs:\n%s", diff)
	}
	for k, state := range map[configdb.RowKey]statedb.State{
		"BUFFER_PROFILE|lossless": statedb.Refused, "SCHEDULER|dwrr": statedb.Waiting,
	} {
		if f := r.agent.Fates()[k]; f.State != state {
			t.Errorf("%s: %+v", k, f)
		}
	}
}

// TestReports: the first report tells everything, later ones what changed, and a
// load after a loss everything again.
func TestReports(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	r.change(rows{"SCHEDULER|dwrr": with("SCHEDULER|dwrr", fields{"weight": "20"})})
	r.stop()
	if r.pub.last.Full {
		// Both may have gone out as one; then it tells everything.
		t.Log("merged")
	} else if got := slices.Collect(maps.Keys(r.pub.last.Fates)); !slices.Equal(got, []configdb.RowKey{"SCHEDULER|dwrr"}) {
		t.Errorf("the second report has the fates of %v", got)
	}
	if f := r.pub.fates["SCHEDULER|dwrr"]; f.Revision != 2 || f.Since.IsZero() {
		t.Errorf("fate %+v", f)
	}
	if f := r.pub.fates["SCHEDULER|strict"]; f.Revision != 1 {
		t.Errorf("fate of an unchanged row %+v", f)
	}
	if diff := cmp.Diff(map[configdb.RowKey]configdb.Fields(r.db.rows), r.pub.accepted); diff != "" {
		t.Errorf("accepted differs from the rows:\n%s", diff)
	}
}

// TestReportsRows: who follows the rows hears of one that nothing on the chip comes of,
// each time that it changes.
func TestReportsRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	for _, ms := range []string{"500", "700"} {
		r.change(rows{"FLEX_COUNTER_TABLE|PORT": {"FLEX_COUNTER_STATUS": "enable", "POLL_INTERVAL": ms}})
	}
	r.stop()
	if got := r.pub.last.Rows.FlexCounters["PORT"]; got == nil || got.IntervalMs != 700 {
		t.Errorf("the last report has %+v", got)
	}
	if f := r.pub.fates["FLEX_COUNTER_TABLE|PORT"]; f.State != statedb.Applied {
		t.Errorf("fate %+v", f)
	}
}

// TestPublisherFails: reports that could not be published come with the next ones,
// and the chip does not wait for that.
func TestPublisherFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 2)
		r.pub.fail = errors.New("out of reach")
		r.load(small())
		r.change(rows{"SCHEDULER|dwrr": nil, "QUEUE|Ethernet0|3": nil, "QUEUE|Ethernet4|3": nil})
		synctest.Wait()
		r.pub.mu.Lock()
		r.pub.fail = nil
		r.pub.mu.Unlock()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got, want := states(r.pub.fates), states(r.agent.Fates()); got != want {
			t.Errorf("published\n%s\nwant\n%s", got, want)
		}
		if !r.pub.last.Full || len(r.pub.last.Actual) == 0 {
			t.Errorf("full %v, %d objects", r.pub.last.Full, len(r.pub.last.Actual))
		}
		r.stop()
	})
}

// TestBackoff runs the loop on a fake clock: a chip that is short of resources for
// ten seconds is asked again after 1, 3, 7 and 15, and then all is in force. What
// was in force before is so all the time.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 2)
		r.load(small())
		before := r.actual().String()
		start := time.Now()
		var asked []time.Duration
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if c.Op != vsai.OpSet || c.Object.Type != sai.ObjectTypeBufferProfile {
				return 0
			}
			asked = append(asked, time.Since(start))
			if time.Since(start) < 10*time.Second {
				return sai.StatusInsufficientResources
			}
			return 0
		})
		r.change(rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "65536"})})
		f := r.agent.Fates()["BUFFER_PROFILE|lossless"]
		if f.State != statedb.Waiting || f.Field != "xoff" || f.On != "the chip" {
			t.Errorf("fate %+v", f)
		}
		if diff := cmp.Diff(before, r.actual().String()); diff != "" {
			t.Errorf("the chip differs:\n%s", diff)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second}
		if !slices.Equal(asked, want) {
			t.Errorf("asked after %v, want %v", asked, want)
		}
		if f := r.agent.Fates()["BUFFER_PROFILE|lossless"]; f.State != statedb.Applied {
			t.Errorf("fate %+v", f)
		}
		r.stop()
	})
}

// TestPermanent: what the chip refuses for good is asked once, until the row, or
// one it refers to, changes.
func TestPermanent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 2)
		r.load(small())
		before := r.actual().String()
		asked := 0
		r.chip.OnCall(func(c vsai.Call) sai.Status {
			if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeBufferProfile {
				asked++
				return sai.StatusAttrNotSupported0
			}
			return 0
		})
		step := func(want int, change rows) {
			t.Helper()
			r.change(change)
			time.Sleep(time.Hour)
			if asked != want {
				t.Errorf("asked %d times, want %d", asked, want)
			}
		}
		step(1, rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "65536"})})
		if diff := cmp.Diff(before, r.actual().String()); diff != "" {
			t.Errorf("the chip differs:\n%s", diff)
		}
		step(1, rows{"SCHEDULER|other": {"type": "STRICT"}})
		step(2, rows{"BUFFER_POOL|ingress": with("BUFFER_POOL|ingress", fields{"size": "1048577"})})
		step(3, rows{"BUFFER_PROFILE|lossless": with("BUFFER_PROFILE|lossless", fields{"xoff": "65537"})})
		f := r.agent.Fates()["BUFFER_PROFILE|lossless"]
		if f.State != statedb.Refused || f.Reason != "SAI_BUFFER_PROFILE_ATTR_XOFF_TH: SAI_STATUS_ATTR_NOT_SUPPORTED_0" {
			t.Errorf("fate %+v", f)
		}
		r.stop()
	})
}

// TestRemovalRefused: a row whose removal the chip refuses stays in force and is
// told of.
func TestRemovalRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	before := r.actual().String()
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op == vsai.OpSet && c.Object.Type == sai.ObjectTypeSwitch {
			return sai.StatusNotImplemented
		}
		return 0
	})
	r.change(rows{"PORT_QOS_MAP|global": nil})
	if diff := cmp.Diff(before, r.actual().String()); diff != "" {
		t.Errorf("the chip differs:\n%s", diff)
	}
	f := r.agent.Fates()["PORT_QOS_MAP|global"]
	if f.State != statedb.Refused {
		t.Errorf("fate %+v", f)
	}
	r.chip.OnCall(nil)
	r.change(rows{"PORT_QOS_MAP|global": with("PORT_QOS_MAP|global", nil)})
	r.change(rows{"PORT_QOS_MAP|global": nil})
	if f, ok := r.agent.Fates()["PORT_QOS_MAP|global"]; ok {
		t.Errorf("fate %+v of a row that is gone", f)
	}
}

// TestOneBadRow: a row that the chip refuses in the middle of a load leaves
// everything else in force.
func TestOneBadRow(t *testing.T) {
	t.Parallel()
	whole := newRig(t, 2)
	whole.load(small())
	n := 0
	for f := false; !f; {
		n++
		r := newRig(t, 2)
		r.load(nil) // the ports leave the VLAN that they are in from the start
		hit := failAt(r.chip, n, sai.StatusNotSupported)
		r.change(small())
		r.chip.OnCall(nil)
		if f = !*hit; f {
			continue
		}
		var out []configdb.RowKey
		for k, fate := range r.agent.Fates() {
			if fate.State == statedb.Refused {
				out = append(out, k)
			}
		}
		if len(out) != 1 {
			t.Errorf("write %d: refused are %v:\n%s", n, out, fateLines(r.agent.Fates()))
		}
		if err := r.agent.CheckResolution(t.Context()); err != nil {
			t.Error(err)
		}
		for _, k := range out { // touched, a refused row is tried again
			r.change(rows{k: nil})
			r.change(rows{k: small()[k]})
		}
		if diff := cmp.Diff(whole.actual().String(), r.actual().String()); diff != "" {
			t.Errorf("write %d: mended, the chip differs:\n%s", n, diff)
		}
		r.stop()
	}
	t.Logf("%d writes", n-1)
}
