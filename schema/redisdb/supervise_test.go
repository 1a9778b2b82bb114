package redisdb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus/hooks/test"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// TestUnsafe: a server whose changes do not reach the disk is complained of, with the
// files of Redis 7 and of Redis 6.
func TestUnsafe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, want string }{
		{"none", "", "has no append-only file"},
		{"Redis 7", "appendonlydir/x.aof", "too many levels of symbolic links"},
		{"Redis 6", "appendonly.aof", "too many levels of symbolic links"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := redistest.Dir(t)
			log, hook := test.NewNullLogger()
			s, err := redisdb.StartServer(t.Context(), redisdb.ServerConfig{Dir: dir}, log)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Stop(t.Context()) }) // it is killed as its context has ended
			for _, name := range []string{"appendonlydir", "appendonly.aof"} {
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			if tt.file != "" {
				name := filepath.Join(dir, tt.file)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(name, name); err != nil { // a file that can't be opened, by nobody
					t.Fatal(err)
				}
			}
			redistest.Eventually(t, "it is complained of", func() bool {
				for _, e := range hook.AllEntries() {
					if err, ok := e.Data["error"].(error); ok && strings.Contains(err.Error(), tt.want) {
						return true
					}
				}
				return false
			})
		})
	}
}
