package publish_test

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/publish"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/schema/statedb"
	"xon/test/scale"
)

// TestDatabaseAway: what happens while the database is away is published when it
// is back.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	rows := scale.Load(2)
	r.load(rows)
	if err := syscall.Kill(r.server.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wred := maps.Clone(rows["WRED_PROFILE|AZURE_LOSSLESS"])
	wred["green_min_threshold"] = "260000"
	if err := r.agent.Change(t.Context(), []configdb.Change{{Row: "WRED_PROFILE|AZURE_LOSSLESS", Fields: wred}}); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the change is published", func() bool {
		all, err := r.client.DB(redisdb.ASICDB).All(t.Context(), "ASIC_STATE:SAI_OBJECT_TYPE_WRED:*")
		for _, f := range all {
			return err == nil && f["SAI_WRED_ATTR_GREEN_MIN_THRESHOLD"] == "260000"
		}
		return false
	})
	r.check()
}

// TestNoDatabase: without a server a report is an error. When one is there, empty,
// the same report leaves it with what another has that was told step by step.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.put(scale.Load(2))
	r.load(scale.Load(2))
	_, full, _ := r.pub.seen()

	dir := redistest.Dir(t)
	start := func() *redisdb.Server {
		s, err := redisdb.StartServer(context.WithoutCancel(t.Context()), redisdb.ServerConfig{Dir: dir}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	stop := func(s *redisdb.Server) {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
	server := start()
	client := redistest.Connect(t, server.Addr())
	pub := publish.New(publish.Config{Client: client, Switch: r.sw, Log: r.log, About: about})
	stop(server)
	if err := pub.Publish(t.Context(), full); err == nil || !strings.Contains(err.Error(), "publish revision 1: ") {
		t.Errorf("without a server: %v", err)
	}
	server = start()
	defer stop(server)
	redistest.Eventually(t, "the report is published", func() bool { return pub.Publish(t.Context(), full) == nil })
	for _, id := range []redisdb.ID{redisdb.ASICDB, redisdb.StateDB, redisdb.CountersDB} {
		got, err := client.DB(id).All(t.Context(), redisdb.Everything)
		if diff := cmp.Diff(r.all(id, redisdb.Everything), got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", id, err, diff)
		}
	}
}

// TestRestore: what an agent takes over is what the one before it said.
func TestRestore(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	empty, err := publish.Restore(t.Context(), r.client)
	if err != nil || len(empty.Accepted) != 0 || empty.Revision != 0 {
		t.Errorf("an empty database gives %v, %v", empty, err)
	}
	rows := scale.Load(1)
	rows["SCHEDULER|none"] = configdb.Fields{"NULL": "NULL"}
	r.load(rows)
	bad := maps.Clone(rows)
	bad["WRED_PROFILE|AZURE_LOSSLESS"] = configdb.Fields{"green_min_threshold": "many"}
	r.load(bad)
	_, full, _ := r.pub.seen()
	got, err := publish.Restore(t.Context(), r.client)
	if err != nil {
		t.Fatal(err)
	}
	about := map[string]string{"version": "1.2.3", "chip": "in process", "revision": strconv.FormatUint(full.Revision, 10), "buffer_model": "traditional", "stated_memory": "0"}
	if diff := cmp.Diff(publish.State{Accepted: full.Accepted, Refused: map[configdb.RowKey]statedb.Refusal{}, Derived: map[configdb.RowKey][]string{}, About: about, Revision: full.Revision, Model: "traditional"}, got); diff != "" {
		t.Errorf("restored (-published +read):\n%s", diff)
	}
	if diff := cmp.Diff(rows["WRED_PROFILE|AZURE_LOSSLESS"], got.Accepted["WRED_PROFILE|AZURE_LOSSLESS"]); diff != "" {
		t.Errorf("accepted version of a refused row: %s", diff)
	}

	if diff := cmp.Diff(about, r.row(redisdb.StateDB, statedb.AgentKey)); diff != "" {
		t.Errorf("the agent's row: %s", diff)
	}
	var b redisdb.Batch
	b.SetField(statedb.AgentKey, statedb.AgentRevision, "seven")
	if err := r.client.DB(redisdb.StateDB).Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if _, err := publish.Restore(t.Context(), r.client); !errors.Is(err, strconv.ErrSyntax) {
		t.Errorf("a revision that is no number gives %v", err)
	}
}

// TestNoRow: something that is no row, under a key of a row that changes, does not keep
// this and what comes after it from being published: all is made right.
func TestNoRow(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	rows := scale.Load(2)
	r.load(rows)
	before := r.bufferRows()
	junk := map[redisdb.ID]string{redisdb.ApplDB: "PORT_TABLE:Ethernet0", redisdb.StateDB: "XON_ROW|PORT|Ethernet0"}
	for id, key := range junk {
		var b redisdb.Batch
		b.Delete(key)
		b.SetText(key, "junk")
		if err := r.client.DB(id).Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	port := maps.Clone(rows["PORT|Ethernet0"])
	port["mtu"] = "1500"
	if err := r.agent.Change(t.Context(), []configdb.Change{{Row: "PORT|Ethernet0", Fields: port}}); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the port's row is whole again, and its fate told", func() bool {
		app, err := r.client.DB(redisdb.ApplDB).RowsAsFound(t.Context(), "PORT_TABLE:Ethernet0")
		fate, errFate := r.client.DB(redisdb.StateDB).RowsAsFound(t.Context(), "XON_ROW|PORT|Ethernet0")
		return err == nil && errFate == nil && app[0]["mtu"] == "1500" && app[0]["lanes"] == port["lanes"] && fate[0]["revision"] == "2"
	})
	if diff := cmp.Diff(before, r.bufferRows()); diff != "" {
		t.Error(diff)
	}
}
