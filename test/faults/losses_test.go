package faults

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"xon/schema/configdb"
	"xon/schema/redisdb"
)

// startedAs waits until the agent says how its session with the chip began.
func (s *site) startedAs(want string) {
	s.Helper()
	eventually(s, "say how it started", func() error {
		if got := s.about()["start"]; got != want {
			return fmt.Errorf("start is %q, want %q", got, want)
		}
		return nil
	})
}

// TestColdStart: a chip that was lost is set up anew, and the agent says so; one
// that went on is not.
func TestColdStart(t *testing.T) {
	t.Parallel()
	s := newSite(t, load(8))
	s.begin()
	s.startedAs("cold")
	s.agent.kill()
	s.start()
	s.startedAs("warm")
	kill(listener(s.chip))
	s.startedAs("cold")
	if _, err := s.checkAll(); err != nil {
		t.Error(err)
	}
	s.startedAs("warm")
}

// saves waits until the saved configuration is that of the database.
func (s *site) saves() {
	s.Helper()
	want := s.rows()
	eventually(s, "save the configuration", func() error {
		file, err := configdb.ReadFile(filepath.Join(s.state, "config_db.json"), configdb.FileOptions{Verbatim: true})
		if err != nil {
			return err
		}
		rows := file.Rows
		if !maps.EqualFunc(want, plain(rows), maps.Equal[redisdb.Fields, redisdb.Fields]) {
			return fmt.Errorf("%d rows are saved, the database has %d", len(rows), len(want))
		}
		return nil
	})
}

// plain turns the keys of rows into text.
func plain(rows configdb.RawRows) map[string]redisdb.Fields {
	out := map[string]redisdb.Fields{}
	for k, f := range rows {
		out[string(k)] = redisdb.Fields(f)
	}
	return out
}

// TestLostDatabase: a redis-server that comes back without its data gets the saved
// configuration, whether the agent lives on or not, and the chip is not written to.
func TestLostDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t, load(8))
	s.begin()
	s.write(func(b *redisdb.Batch) { b.SetField("PORT|Ethernet0", "mtu", "4000") })
	s.fence()
	s.saves()
	want := s.rows()
	for _, agentToo := range []bool{false, true} {
		before := len(calls(t, s.record))
		if agentToo {
			s.agent.kill()
			s.forget()
		}
		s.wipe()
		if agentToo {
			s.start()
		}
		eventually(t, "put the rows back", func() error {
			if have := s.rows(); !maps.EqualFunc(have, want, maps.Equal[redisdb.Fields, redisdb.Fields]) {
				return fmt.Errorf("%d rows, want %d; %s", len(have), len(want), differs(have, want))
			}
			return nil
		})
		if _, err := s.checkAll(); err != nil {
			t.Fatal(err)
		}
		if after := calls(t, s.record); len(after) > before {
			t.Errorf("agent killed too: %v; the chip was written to: %v", agentToo, after[before:])
		}
		s.saves()
	}
}

// TestEmptiedDatabase: a database that somebody empties is waited for. The chip and
// the saved configuration stay as they are until it is marked complete again.
func TestEmptiedDatabase(t *testing.T) {
	t.Parallel()
	rows := load(8)
	s := newSite(t, rows)
	s.begin()
	s.saves()
	before, saved := len(calls(t, s.record)), s.rows()
	if out, err := exec.Command("redis-cli", "-s", s.redis, "flushall").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.logged("waiting for the configuration to be written")
	delete(rows, "BUFFER_PG|Ethernet0|0")
	s.write(func(b *redisdb.Batch) {
		for k, f := range plain(rows) {
			b.Set(k, f)
		}
	})
	have, err := configdb.ReadFile(filepath.Join(s.state, "config_db.json"), configdb.FileOptions{Verbatim: true})
	if err != nil || len(have.Rows) != len(saved) {
		t.Errorf("%v is saved, want %d rows: %v", have, len(saved), err)
	}
	if after := calls(t, s.record); len(after) > before {
		t.Errorf("the chip was written to before the database was complete: %v", after[before:])
	}
	s.write(func(b *redisdb.Batch) { b.SetText("CONFIG_DB_INITIALIZED", "1") })
	if _, err := s.checkAll(); err != nil {
		t.Fatal(err)
	}
	if after := calls(t, s.record); len(after) != before+1 {
		t.Errorf("one row is gone, and the chip was written to %d times: %v", len(after)-before, after[before:])
	}
	s.saves()
}

// logged waits until the log has a text.
func (s *site) logged(text string) {
	s.Helper()
	eventually(s, "say in the log: "+text, func() error {
		log, err := os.ReadFile(s.log())
		if err == nil && !strings.Contains(string(log), text) {
			err = errors.New(s.tail())
		}
		return err
	})
}

// differs is the first row, by name, that two sets of rows do not share.
func differs(have, want map[string]redisdb.Fields) string {
	keys := maps.Clone(want)
	maps.Copy(keys, have)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !maps.Equal(have[k], want[k]) {
			return fmt.Sprintf("%s is %v, want %v", k, have[k], want[k])
		}
	}
	return ""
}
