package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent/feed"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/schema/statedb"
)

// TestSaveAgain: a save that failed is tried again although nothing changes.
func TestSaveAgain(t *testing.T) {
	t.Parallel()
	client := redistest.Open(t)
	db := client.DB(redisdb.ConfigDB)
	file := filepath.Join(t.TempDir(), "later", "config.json")
	ctx, cancel := context.WithCancel(t.Context())
	log, hook := test.NewNullLogger()
	var batch redisdb.Batch
	batch.Set("PORT|Ethernet0", redisdb.Fields{"mtu": "9100"})
	batch.SetText(feed.Initialized, "1")
	if err := db.WriteAtomic(ctx, &batch); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- saveChanges(ctx, client, file, log) }()
	redistest.Eventually(t, "a save fails", func() bool { return len(hook.AllEntries()) > 0 })
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "it is saved", func() bool {
		_, err := os.Stat(file)
		return !errors.Is(err, os.ErrNotExist)
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestSaveDerived: rows that were derived are not saved, unless somebody changed them.
func TestSaveDerived(t *testing.T) {
	t.Parallel()
	client := redistest.Open(t)
	file := filepath.Join(t.TempDir(), "config.json")
	derived, theirs := configdb.Fields{"profile": "a"}, configdb.Fields{"profile": "b"}
	var config, state redisdb.Batch
	config.Set("BUFFER_PG|Ethernet0|3", redisdb.Fields(derived))
	config.Set("BUFFER_PG|Ethernet0|4", redisdb.Fields(theirs))
	config.SetText(feed.Initialized, "1")
	config.Set("BUFFER_PG|Ethernet0|5", redisdb.Fields(derived)) // about to be replaced
	state.Set(statedb.DerivedKey("BUFFER_PG|Ethernet0|5"), redisdb.Fields{statedb.DerivedHash: "new", statedb.DerivedBefore: "older," + derived.Digest()})
	for _, k := range []configdb.RowKey{"BUFFER_PG|Ethernet0|3", "BUFFER_PG|Ethernet0|4"} {
		state.SetField(statedb.DerivedKey(k), statedb.DerivedHash, derived.Digest())
	}
	if err := errors.Join(client.DB(redisdb.ConfigDB).Write(t.Context(), &config), client.DB(redisdb.StateDB).Write(t.Context(), &state)); err != nil {
		t.Fatal(err)
	}
	if err := saveConfig(t.Context(), client.DB(redisdb.ConfigDB), client.DB(redisdb.StateDB), file); err != nil {
		t.Fatal(err)
	}
	saved, err := configdb.ReadFile(file, configdb.FileOptions{Verbatim: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(configdb.RawRows{"BUFFER_PG|Ethernet0|4": theirs}, saved.Rows); diff != "" {
		t.Errorf("%v, saved (-want +got):\n%s", err, diff)
	}
}
