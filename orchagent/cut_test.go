package orchagent_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/test/random"
)

// profiles are the chips that walks take turns with: their rules of packet memory
// differ.
var profiles = []string{"default", "th", "th3", "spc3"}

// headroomRows are rows of which every other one is for headroom.
func headroomRows(seed uint64, profile string) *random.Rows {
	g := rowsFor(seed, profile)
	g.Headroom = true
	return g
}

// bufferRows are rows that buffers are computed from alone, for the model that computes
// most.
func bufferRows(seed uint64, profile string) *random.Rows {
	g := rowsFor(seed, profile)
	g.Buffers, g.Model = true, configdb.Dynamic
	return g
}

func rowsFor(seed uint64, profile string) *random.Rows {
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		panic(err)
	}
	return &random.Rows{
		Rand: rand.New(rand.NewPCG(seed, 8)), Ports: randomPorts, Memory: p.BufferBytes, Odd: 60,
		Model: []string{configdb.Traditional, configdb.Dynamic}[seed/4%2],
	}
}

// cut drops moves, rows and operations from a walk that fails for as long as it still
// does, and prints what is left.
func cut(t testing.TB, profile string, socket bool, list []move) string {
	end := time.Now().Add(random.Cutting())
	var last error
	fails := func(l []move) bool {
		if time.Now().After(end) {
			return false
		}
		_, err := walkAlong(t, profile, socket, l, new(account))
		if err != nil {
			last = err
		}
		return err != nil
	}
	for n := len(list) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(list); {
			if less := slices.Concat(list[:i], list[i+n:]); fails(less) {
				list = less
			} else {
				i += n
			}
		}
	}
	for i := range list {
		list[i] = thin(list[i], func(m move) bool {
			l := slices.Clone(list)
			l[i] = m
			return fails(l)
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cut down to %d moves: %v\n", len(list), last)
	for _, m := range list {
		b.WriteString(m.String())
	}
	return b.String()
}

// thin drops what a move can do without.
func thin(m move, fails func(move) bool) move {
	for _, k := range slices.Sorted(maps.Keys(m.rows)) {
		less := m
		less.rows = maps.Clone(m.rows)
		delete(less.rows, k)
		if fails(less) {
			m = less
		}
	}
	for i := len(m.ops) - 1; i >= 0; i-- {
		less := m
		less.ops = slices.Delete(slices.Clone(m.ops), i, i+1)
		if fails(less) {
			m = less
		}
	}
	return m
}

// end brings a walk to its end: when nothing is in the way any more everything
// arrives, and it is the same as from nothing.
func (w *walker) end() error {
	w.agent.Retry(w.ctx)
	if err := w.check(); err != nil {
		return err
	}
	if err := w.askAgain(); err != nil {
		return err
	}
	if w.agent.Condition(w.ctx).Untold == 0 { // or the chip refuses what it had applied, and another agent would ask again
		if err := w.sameAs(w.db.snapshot(), w.recorded()); err != nil {
			return err
		}
	}
	gone := map[configdb.RowKey]configdb.Fields{}
	for k := range w.db.snapshot() {
		gone[k] = nil
	}
	if err := w.next(gone); err != nil {
		return err
	}
	w.agent.Retry(w.ctx)
	left := w.recorded().accepted
	for _, k := range slices.Sorted(maps.Keys(left)) { // its removal was refused for good
		if err := w.next(map[configdb.RowKey]configdb.Fields{k: left[k]}); err != nil {
			return err
		}
		if err := w.next(map[configdb.RowKey]configdb.Fields{k: nil}); err != nil {
			return err
		}
	}
	if err := w.next(map[configdb.RowKey]configdb.Fields(small())); err != nil {
		return err
	}
	w.watch.begin()
	if _, err := w.agent.RestartBuffers(w.ctx, buffers(), ""); err != nil {
		return err
	}
	w.agent.Retry(w.ctx)
	if err := w.check(); err != nil {
		return err
	}
	return w.sameAs(small(), &recorder{accepted: lasting(w.recorded().accepted)})
}

// next changes rows, as a move of its own.
func (w *walker) next(rows map[configdb.RowKey]configdb.Fields) error {
	w.watch.begin()
	return w.change(rows)
}

// askAgain writes rows otherwise that the chip refused while it was in trouble, so that it
// is asked what it says now. Some may have to wait for others.
func (w *walker) askAgain() error {
	for round := 0; round < 4 && w.agent.Condition(w.ctx).Refused > 0; round++ {
		before := w.recorded()
		w.pub.mu.Lock()
		refused := slices.Sorted(maps.Keys(w.pub.refused))
		w.pub.mu.Unlock()
		for _, k := range refused {
			steps := []configdb.Fields{before.accepted[k], nil}
			if now := w.db.snapshot()[k]; now != nil {
				again := maps.Clone(now)
				again["surplus"] = strconv.Itoa(round)
				steps = []configdb.Fields{again}
			}
			for _, f := range steps {
				if err := w.next(map[configdb.RowKey]configdb.Fields{k: f}); err != nil {
					return err
				}
			}
		}
		w.agent.Retry(w.ctx)
	}
	return w.check()
}

// full are the rows for which the chip had no room, and those of ports that it no longer
// has and that nobody says how to make.
func full(a *orchagent.Agent) map[configdb.RowKey]bool {
	rows := map[configdb.RowKey]bool{}
	for k, f := range a.Fates() {
		for _, why := range []string{sai.StatusInsufficientResources.Name(), sai.StatusInsufficientResources.Error(), "to make one its speed has to be given"} {
			if strings.Contains(f.Reason, why) {
				rows[k] = true
			}
		}
	}
	return rows
}

// sameAs checks that the world is as one that was loaded with rows at once.
func (w *walker) sameAs(rows configdb.RawRows, before *recorder) (err error) {
	fresh, err := newWorld(w.t, w.chip.Profile().Name, false)
	if err != nil {
		return err
	}
	if err := fresh.stop(); err != nil {
		return err
	}
	if err := fresh.start(before); err != nil {
		return err
	}
	fresh.db.rows = maps.Clone(rows)
	if err := fresh.load(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.stop()) }()
	want, _ := fresh.agent.Desired(w.ctx)
	got, away := w.agent.Desired(w.ctx)
	short, shortAtOnce := full(w.agent), full(fresh.agent)
	if len(short) > 0 && !maps.Equal(short, shortAtOnce) || len(away) > 0 && len(short)+len(shortAtOnce) > 0 {
		return nil // who came too late depends on who came first, and who was there stays
	}
	switch {
	case got != want:
		return fmt.Errorf("I4: not as if loaded at once (-want +got)\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	case len(away) > 0:
		return fmt.Errorf("does not arrive: there is left to do\n%s", away)
	}
	// What the chip says depends on what it is asked, to make or to change.
	refused := w.agent.Condition(w.ctx).Refused > 0
	if got, want := states(w.agent.Fates()), states(fresh.agent.Fates()); got != want && !refused {
		return fmt.Errorf("I4: fates not as if loaded at once (-want +got)\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
	return nil
}
