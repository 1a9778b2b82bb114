package feed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent/feed"
	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// site is a feed between databases and a sink.
type site struct {
	*sink
	c            *redisdb.Client
	appl, config *redisdb.DB
	logs         *logtest.Hook
}

func newSite(t *testing.T, c *redisdb.Client) *site {
	t.Helper()
	s := &site{sink: newSink(), c: c, appl: c.DB(redisdb.ApplDB), config: c.DB(redisdb.ConfigDB)}
	mark(t, s.config)
	return s
}

// run starts the feed, and returns what ends it.
func (s *site) run(t *testing.T) (stop func() error) {
	log, logs := logtest.NewNullLogger()
	s.logs = logs
	return start(t, feed.Config{Client: s.c, Sink: s.sink, Log: log})
}

// stage has a producer stage a row of APPL_DB; nil removes one.
func (s *site) stage(t *testing.T, table, key string, f redisdb.Fields) {
	t.Helper()
	write(t, s.appl, func(b *redisdb.Batch) { s.appl.Stage(b, table, key, f) })
}

// said counts the warnings about a row.
func (s *site) said(about string) int {
	n := 0
	for _, e := range s.logs.AllEntries() {
		if e.Level <= logrus.WarnLevel && e.Data["row"] == about {
			n++
		}
	}
	return n
}

// TestInputs: rows that producers hand to APPL_DB count where CONFIG_DB has none.
func TestInputs(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Open(t))
	s.stage(t, appldb.BufferPoolTable, "p", redisdb.Fields{"size": "1000"}) // before anybody listens
	stop := s.run(t)
	s.has(t, rows{"BUFFER_POOL|p": {"size": "1000"}})

	s.stage(t, appldb.BufferPoolTable, "p", redisdb.Fields{"mode": "static"})
	s.stage(t, appldb.BufferPGTable, "Ethernet0:3-4", redisdb.Fields{"profile": "x"})
	s.has(t, rows{"BUFFER_POOL|p": {"size": "1000", "mode": "static"}, "BUFFER_PG|Ethernet0|3-4": {"profile": "x"}})
	for key, want := range map[string]redisdb.Fields{
		"BUFFER_PG_TABLE:Ethernet0:3-4":            {"profile": "x"},
		"XON_STAGED:BUFFER_PG_TABLE:Ethernet0:3-4": {"profile": "x"},
		"_BUFFER_PG_TABLE:Ethernet0:3-4":           nil,
	} {
		if f, err := s.appl.Row(t.Context(), key); !cmp.Equal(f, want) || err != nil {
			t.Errorf("%s is %v, %v, want %v", key, f, err, want)
		}
	}

	// CONFIG_DB comes first; what was staged counts again when its row goes.
	write(t, s.config, func(b *redisdb.Batch) { b.Set("BUFFER_POOL|p", redisdb.Fields{"size": "7"}) })
	s.has(t, rows{"BUFFER_POOL|p": {"size": "7"}, "BUFFER_PG|Ethernet0|3-4": {"profile": "x"}})
	s.stage(t, appldb.BufferPoolTable, "p", redisdb.Fields{"size": "2000"})
	s.stage(t, appldb.BufferPGTable, "Ethernet0:3-4", nil)
	s.has(t, rows{"BUFFER_POOL|p": {"size": "7"}})
	if n := s.said("BUFFER_POOL|p"); n != 1 {
		t.Errorf("the log says %d times that CONFIG_DB comes first, want once", n)
	}
	write(t, s.config, func(b *redisdb.Batch) { b.Delete("BUFFER_POOL|p") })
	s.has(t, rows{"BUFFER_POOL|p": {"size": "2000", "mode": "static"}})

	// They are there for the next one too, unless they were removed meanwhile.
	s.stage(t, appldb.BufferPGTable, "Ethernet4:0", redisdb.Fields{"profile": "y"})
	s.has(t, rows{"BUFFER_POOL|p": {"size": "2000", "mode": "static"}, "BUFFER_PG|Ethernet4|0": {"profile": "y"}})
	if err := stop(); err != nil {
		t.Error(err)
	}
	s.stage(t, appldb.BufferPGTable, "Ethernet4:0", nil)
	next := newSite(t, s.c)
	next.run(t)
	next.has(t, rows{"BUFFER_POOL|p": {"size": "2000", "mode": "static"}})
}

// TestPlainInput: rows of SWITCH_TABLE need no handing over.
func TestPlainInput(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Open(t))
	s.run(t)
	write(t, s.appl, func(b *redisdb.Batch) { b.SetField("SWITCH_TABLE:switch", "ecmp_hash_seed", "10") })
	s.has(t, rows{"SWITCH_TABLE|switch": {"ecmp_hash_seed": "10"}})
	s.stage(t, appldb.SwitchTable, "switch", redisdb.Fields{"lag_hash_seed": "11"})
	s.has(t, rows{"SWITCH_TABLE|switch": {"ecmp_hash_seed": "10", "lag_hash_seed": "11"}})
	write(t, s.appl, func(b *redisdb.Batch) { b.DeleteFields("SWITCH_TABLE:switch", "ecmp_hash_seed") })
	s.has(t, rows{"SWITCH_TABLE|switch": {"lag_hash_seed": "11"}})
	write(t, s.appl, func(b *redisdb.Batch) { b.Delete("SWITCH_TABLE:switch") })
	s.has(t, rows{})
}

// TestInputsLost: what is emptied with APPL_DB is gone.
func TestInputsLost(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := newSite(t, redistest.Connect(t, server.Addr()))
	s.run(t)
	s.stage(t, appldb.BufferProfileTable, "x", redisdb.Fields{"pool": "p"})
	s.has(t, rows{"BUFFER_PROFILE|x": {"pool": "p"}})
	redisCLI(t, server, "-n", "0", "flushdb")
	s.has(t, rows{})
}

// TestJunkInputs: what is no row spoils itself only, and is told of once.
func TestJunkInputs(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := newSite(t, redistest.Connect(t, server.Addr()))
	s.run(t)
	for range 2 {
		write(t, s.appl, func(b *redisdb.Batch) {
			b.SetText("BUFFER_QUEUE_TABLE_KEY_SET", "junk")
			b.Publish("BUFFER_QUEUE_TABLE_CHANNEL@0", "G")
			b.SetText("_BUFFER_PG_TABLE:junk", "junk")
		})
		redisCLI(t, server, "sadd", "BUFFER_PG_TABLE_KEY_SET", "junk")
		s.stage(t, appldb.BufferPGTable, "Ethernet0:0", redisdb.Fields{"profile": "x"})
		s.has(t, rows{"BUFFER_PG|Ethernet0|0": {"profile": "x"}})
		s.stage(t, appldb.BufferPGTable, "Ethernet0:0", nil)
		s.has(t, rows{})
	}
	for _, about := range []string{"BUFFER_QUEUE_TABLE", "BUFFER_PG_TABLE:junk"} {
		if n := s.said(about); n != 1 {
			t.Errorf("the log tells of %s %d times, want once", about, n)
		}
	}
	// Once the set is one again, its rows are taken.
	redisCLI(t, server, "del", "BUFFER_QUEUE_TABLE_KEY_SET")
	s.stage(t, appldb.BufferQueueTable, "Ethernet0:0", redisdb.Fields{"profile": "x"})
	s.has(t, rows{"BUFFER_QUEUE|Ethernet0|0": {"profile": "x"}})
}

// TestStore: transactions about rows that stand in APPL_DB alone.
func TestStore(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Open(t))
	s.run(t)
	store := feed.Store{Client: s.c}
	s.stage(t, appldb.BufferPGTable, "Ethernet0:0", redisdb.Fields{"profile": "x"})
	write(t, s.appl, func(b *redisdb.Batch) { b.SetField("SWITCH_TABLE:switch", "ecmp_hash_seed", "10") })
	write(t, s.config, func(b *redisdb.Batch) { b.SetField("BUFFER_PG|Ethernet4|0", "profile", "x") })
	there := rows{"BUFFER_PG|Ethernet0|0": {"profile": "x"}, "SWITCH_TABLE|switch": {"ecmp_hash_seed": "10"}, "BUFFER_PG|Ethernet4|0": {"profile": "x"}}
	s.has(t, there)

	err := store.Commit(t.Context(), there, rows{"BUFFER_PG|Ethernet0|0": nil, "BUFFER_PG|Ethernet4|0": nil})
	var faults configdb.Faults
	if !errors.As(err, &faults) || faults[0].Row != "BUFFER_PG|Ethernet0|0" || !strings.Contains(err.Error(), "APPL_DB as BUFFER_PG_TABLE:Ethernet0:0") {
		t.Errorf("a row is to be removed that is not in CONFIG_DB: %v", err)
	}
	if err := store.Commit(t.Context(), there, rows{"BUFFER_PG|Ethernet0|0": {"profile": "y"}, "BUFFER_PG|Ethernet4|0": nil}); err != nil {
		t.Error(err)
	}
	s.has(t, rows{"BUFFER_PG|Ethernet0|0": {"profile": "y"}, "SWITCH_TABLE|switch": {"ecmp_hash_seed": "10"}})
	// Now it is in CONFIG_DB, and nobody may have changed it.
	err = store.Commit(t.Context(), rows{"BUFFER_PG|Ethernet0|0": {"profile": "x"}}, rows{"BUFFER_PG|Ethernet0|0": nil})
	if !errors.Is(err, redisdb.ErrConflict) {
		t.Errorf("a row that was changed meanwhile: %v", err)
	}
	if err := store.Commit(t.Context(), rows{"BUFFER_PG|Ethernet0|0": {"profile": "y"}}, rows{"BUFFER_PG|Ethernet0|0": nil}); err != nil {
		t.Error(err)
	}
	s.has(t, rows{"BUFFER_PG|Ethernet0|0": {"profile": "x"}, "SWITCH_TABLE|switch": {"ecmp_hash_seed": "10"}})
}
