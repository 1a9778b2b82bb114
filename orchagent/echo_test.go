package orchagent_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"xon/orchagent"
	"xon/orchagent/report"
	"xon/schema/configdb"
	"xon/schema/redistest"
)

const (
	echoedPG  configdb.RowKey = "BUFFER_PG|Ethernet0|3-4"
	fiveM     configdb.RowKey = "BUFFER_PROFILE|pg_lossless_100000_5m_profile"
	fortyM    configdb.RowKey = "BUFFER_PROFILE|pg_lossless_100000_40m_profile"
	threeHunM configdb.RowKey = "BUFFER_PROFILE|pg_lossless_100000_300m_profile"
)

// slow is a publisher whose reports wait while the test holds mu.
type slow struct {
	report.Publisher
	mu    sync.Mutex
	fail  error // of the next reports
	late  bool  // they fail when all is written
	tries int   // that failed
}

func (s *slow) failed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

func (s *slow) Publish(ctx context.Context, r report.Report) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		s.tries++
	}
	if s.fail != nil && !s.late {
		return s.fail
	}
	return cmp.Or(s.Publisher.Publish(ctx, r), s.fail)
}

// slowRig is an agent with derived rows of a port with a cable of 5 m, all published.
func slowRig(t *testing.T) (*rig, *slow) {
	t.Helper()
	pub := &slow{}
	r := newRigWith(t, 2, func(cfg *orchagent.Config) {
		pub.Publisher, cfg.Publisher, cfg.Buffers = cfg.Publisher, pub, buffers()
		cfg.Retry = time.Millisecond
	})
	r.pub.db = r.db
	r.load(lookedUp())
	r.agent.Published(t.Context())
	if r.profile() != fiveM.Key() {
		t.Fatal(r.db.snapshot())
	}
	return r, pub
}

// cable changes the length of the port's cable.
func (r *rig) cable(length string) { r.change(rows{"CABLE_LENGTH|AZURE": {"Ethernet0": length}}) }

// profile is that of the derived priority groups in the database.
func (r *rig) profile() string { return r.db.snapshot()[echoedPG]["profile"] }

// reads has the agent hear what the feed read, however old; nil fields are no row.
func (r *rig) reads(mark uint64, list ...configdb.Change) []configdb.RowKey {
	r.t.Helper()
	again, err := r.agent.ChangeAsOf(r.t.Context(), mark, list)
	if err != nil {
		r.t.Fatal(err)
	}
	return again
}

// follows checks that the derived rows still follow the cable, to the chip and the database.
func (r *rig) follows() {
	r.t.Helper()
	for length, profile := range map[string]configdb.RowKey{"40m": fortyM, "300m": threeHunM, "5m": fiveM} {
		r.cable(length)
		r.agent.Published(r.t.Context())
		r.load()
		r.agent.Published(r.t.Context())
		if got := r.profile(); got != profile.Key() || r.pub.derived[echoedPG] == nil {
			r.t.Errorf("with a cable of %s the database has %s, derived %v", length, got, r.pub.derived)
		}
		if f := configdb.Format(r.pub.last.Rows.Get(echoedPG)); f["profile"] != profile.Key() {
			r.t.Errorf("with a cable of %s %v is in effect", length, f)
		}
	}
}

// TestLateEchoes: versions of derived rows that the feed reads after the agent has gone on
// to others are its own, whether they were written, replaced or removed since.
func TestLateEchoes(t *testing.T) {
	t.Parallel()
	version := func(profile configdb.RowKey) configdb.Change {
		return configdb.Change{Row: echoedPG, Fields: configdb.Fields{"profile": profile.Key()}}
	}
	for name, late := range map[string][]configdb.Change{
		"before":           {version(fiveM)},
		"between":          {version(threeHunM)},
		"both":             {version(fiveM), version(threeHunM)},
		"newest, oldest":   {version(fortyM), version(threeHunM)},
		"profiles not yet": {{Row: fortyM}, {Row: threeHunM}},
		"profiles still":   {{Row: fiveM, Fields: configdb.Fields{}}, {Row: threeHunM, Fields: configdb.Fields{}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, pub := slowRig(t)
			profiles := r.profiles()
			pub.mu.Lock()
			old := r.db.snapshot()
			r.cable("300m")
			r.cable("40m")
			for _, c := range late {
				if c.Fields != nil && c.Row != echoedPG {
					c.Fields = profiles[c.Row]
				}
				r.reads(r.agent.Mark(), c)
			}
			old["CABLE_LENGTH|AZURE"] = configdb.Fields{"Ethernet0": "40m"}
			r.loadRead(old) // and the derived rows of before
			pub.mu.Unlock()
			r.agent.Published(t.Context())
			if got := r.profile(); got != fortyM.Key() {
				t.Errorf("the database has %s", got)
			}
			r.follows()
		})
	}
}

// TestReadBeforePublished: what the feed read before a derived row was written is read again
// when it arrives after that.
func TestReadBeforePublished(t *testing.T) {
	t.Parallel()
	r, _ := slowRig(t)
	mark := r.agent.Mark()
	r.cable("40m")
	r.agent.Published(t.Context())
	old := configdb.Change{Row: echoedPG, Fields: configdb.Fields{"profile": fiveM.Key()}}
	if again := r.reads(mark, old); !slices.Equal(again, []configdb.RowKey{echoedPG}) {
		t.Errorf("to be read again: %v", again)
	}
	r.follows()
}

// TestOthersWrite: what somebody else writes is theirs, while a derived row is on its way
// and after, and also if it is what the agent had written before.
func TestOthersWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		early bool
		to    configdb.Fields
	}{
		"another row meanwhile":     {true, configdb.Fields{"profile": "theirs"}},
		"another row after":         {false, configdb.Fields{"profile": "theirs"}},
		"an earlier version, after": {false, configdb.Fields{"profile": fiveM.Key()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, pub := slowRig(t)
			pub.mu.Lock()
			r.change(rows{"BUFFER_PROFILE|theirs": {"pool": "ingress_lossless_pool", "size": "18432", "xon": "18432", "xoff": "20480", "dynamic_th": "-3"}})
			r.cable("40m")
			if !c.early {
				pub.mu.Unlock()
				r.agent.Published(t.Context())
			}
			r.change(rows{echoedPG: c.to})
			if c.early {
				pub.mu.Unlock()
			}
			r.cable("300m")
			r.agent.Published(t.Context())
			r.load()
			r.agent.Published(t.Context())
			if got := r.profile(); got != c.to["profile"] || r.pub.derived[echoedPG] != nil {
				t.Errorf("the database has %s, derived %v", got, r.pub.derived)
			}
		})
	}
}

// TestRestartHalfway: a row that the agent before was about to replace when it ended is a
// derived one, in the old version or the new.
func TestRestartHalfway(t *testing.T) {
	t.Parallel()
	fresh := configdb.Fields{"profile": fortyM.Key()}
	for _, written := range []bool{false, true} {
		r, _ := slowRig(t)
		r.stop()
		before := r.pub
		before.derived[echoedPG] = []string{fresh.Digest(), r.db.snapshot()[echoedPG].Digest()}
		if written {
			r.db.set(echoedPG, fresh)
		}
		r.with = func(cfg *orchagent.Config) { cfg.Buffers = buffers() }
		r.start(before)
		r.load()
		r.follows()
	}
}

// inTheWay is a database to which a derived row comes after the first commit.
type inTheWay struct {
	*memory
	publish func()
	commits int
}

func (s *inTheWay) Commit(ctx context.Context, before, after map[configdb.RowKey]configdb.Fields) error {
	s.commits++
	defer s.publish()
	return s.memory.Commit(ctx, before, after)
}

// TestTakeOverLate: a transaction that takes over a derived row, of which the database still
// has an earlier version, waits for the one of now.
func TestTakeOverLate(t *testing.T) {
	t.Parallel()
	r, pub := slowRig(t)
	r.stop()
	store := &inTheWay{memory: r.db, publish: sync.OnceFunc(pub.mu.Unlock)}
	r.with = func(cfg *orchagent.Config) {
		pub.Publisher, cfg.Publisher, cfg.Store, cfg.Buffers = cfg.Publisher, pub, store, buffers()
	}
	r.start(r.pub)
	r.load()
	r.agent.Published(t.Context())
	pub.mu.Lock()
	r.cable("40m")
	op := configdb.Op{Kind: configdb.Update, Table: "BUFFER_PG", Key: echoedPG.Key(), Fields: configdb.Fields{"profile": threeHunM.Key()}}
	profile := configdb.Op{Kind: configdb.Update, Table: "BUFFER_PROFILE", Key: threeHunM.Key(), Fields: r.db.snapshot()[fiveM]}
	if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: []configdb.Op{profile, op}}); err != nil || store.commits != 2 {
		t.Errorf("%d commits: %v", store.commits, err)
	}
	r.cable("5m")
	r.agent.Published(t.Context())
	if got := r.profile(); got != threeHunM.Key() || r.pub.derived[echoedPG] != nil {
		t.Errorf("the database has %s, derived %v", got, r.pub.derived)
	}
}

// TestPartlyPublished: a report that failed after the rows were written, or before, is merged
// with what follows, also with a full one, and no version is taken for somebody's.
func TestPartlyPublished(t *testing.T) {
	t.Parallel()
	for _, written := range []bool{false, true} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprintf("written %v full %v", written, full), func(t *testing.T) {
				t.Parallel()
				r, pub := slowRig(t)
				pub.mu.Lock()
				pub.fail, pub.late = errors.New("away"), written
				pub.mu.Unlock()
				r.cable("300m")
				redistest.Eventually(t, "a report fails", func() bool { return pub.failed() > 0 })
				r.cable("40m")
				if full {
					r.load()
				}
				pub.mu.Lock()
				pub.fail = nil
				pub.mu.Unlock()
				r.agent.Published(t.Context())
				if got := r.profile(); got != fortyM.Key() {
					t.Errorf("the database has %s", got)
				}
				r.follows()
			})
		}
	}
}

// profiles are the derived profiles of all lengths, as the agent writes them.
func (r *rig) profiles() configdb.RawRows {
	r.t.Helper()
	all := configdb.RawRows{}
	for _, length := range []string{"300m", "40m", "5m"} {
		r.cable(length)
		r.agent.Published(r.t.Context())
		r.load()
		maps.Copy(all, r.db.snapshot())
	}
	return all
}

// loadRead has the agent load what the feed read.
func (r *rig) loadRead(db configdb.RawRows) {
	r.t.Helper()
	var list []configdb.Change
	for k, f := range db {
		list = append(list, configdb.Change{Row: k, Fields: f})
	}
	if err := r.agent.Load(r.t.Context(), list); err != nil {
		r.t.Fatal(err)
	}
}
