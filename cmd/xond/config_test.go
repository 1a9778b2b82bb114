package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sirupsen/logrus/hooks/test"

	"xon/orchagent/feed"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// TestSaveAgain: a save that failed is tried again although nothing changes.
func TestSaveAgain(t *testing.T) {
	t.Parallel()
	db := redistest.Open(t).DB(redisdb.ConfigDB)
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
	go func() { ended <- saveChanges(ctx, db, file, log) }()
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
