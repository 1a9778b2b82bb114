package orchagent_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
)

// TestHeadroomStaysOverFiles (I1): headroom of what is paused stays when the files that it
// comes from are read again and have become bad, whether at once or at a restart; good
// files count again.
func TestHeadroomStaysOverFiles(t *testing.T) {
	t.Parallel()
	const huge = 1 << 40
	line := func(edit func(*bufmgr.LookupEntry)) func(*bufmgr.Params) {
		return func(p *bufmgr.Params) {
			p.Lookup.Entries = slices.Clone(p.Lookup.Entries)
			for i := range p.Lookup.Entries {
				edit(&p.Lookup.Entries[i])
			}
		}
	}
	for name, bad := range map[string]func(*bufmgr.Params){
		"no lookup":       func(p *bufmgr.Params) { p.Lookup = nil },
		"empty lookup":    func(p *bufmgr.Params) { p.Lookup.Entries = nil },
		"no xoff":         line(func(e *bufmgr.LookupEntry) { e.Xoff = 0 }),
		"huge xoff":       line(func(e *bufmgr.LookupEntry) { e.Xoff = huge }),
		"huge size":       line(func(e *bufmgr.LookupEntry) { e.Size = huge }),
		"huge xon":        line(func(e *bufmgr.LookupEntry) { e.Xon = huge }),
		"huge xon_offset": line(func(e *bufmgr.LookupEntry) { e.XonOffset, e.HasXonOffset = huge, true }),
		"other threshold": line(func(e *bufmgr.LookupEntry) { e.Threshold = 100 }),
	} {
		t.Run("looked up/"+name, func(t *testing.T) { t.Parallel(); headroomStaysOverFiles(t, bad) })
	}
}

func headroomStaysOverFiles(t *testing.T, spoil func(*bufmgr.Params)) {
	t.Helper()
	files := buffers()
	r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = files })
	r.pub.db = r.db
	r.load(pausedLookedUp())
	r.agent.Published(t.Context())
	had := r.headroom()
	if len(had) != 4 || r.exposed() != 0 {
		t.Fatal(had)
	}
	stays := func(when string) {
		t.Helper()
		if now := r.headroom(); !maps.Equal(now, had) || r.exposed() != 0 {
			t.Errorf("%s the headroom is %v, it was %v\n%s", when, now, had, fateLines(r.agent.Fates()))
		}
	}
	w := r.watched()
	bad := buffers()
	spoil(&bad)
	if _, err := r.agent.RestartBuffers(t.Context(), bad, ""); err != nil {
		t.Fatal(err)
	}
	stays("at once")
	r.agent.Published(t.Context())
	r.stop()
	files = bad
	r.start(r.pub)
	r.load()
	stays("after a restart")
	if _, err := r.agent.RestartBuffers(t.Context(), buffers(), ""); err != nil {
		t.Fatal(err)
	}
	stays("with good files")
	if err := w.err(); err != nil {
		t.Error(err)
	}
}

// TestFilesThatRob (I1): no row is to blame for files by which there would be no computed
// headroom, or more than the chip has. They are refused, and all stays as it was.
func TestFilesThatRob(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(*bufmgr.Params){
		"huge cells":   func(p *bufmgr.Params) { p.ASIC.CellBytes = 1 << 40 },
		"huge latency": func(p *bufmgr.Params) { p.ASIC.PipelineLatency = 1e6 },
		"huge delay":   func(p *bufmgr.Params) { p.ASIC.MACPHYDelay = 1e300 },
		"no room":      func(p *bufmgr.Params) { p.ASIC.PipelineLatency = 5000 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, 2, func(cfg *orchagent.Config) { cfg.Buffers = buffers() })
			load := paused()
			load["BUFFER_POOL|ingress_lossless_pool"] = configdb.Fields{"type": "ingress", "mode": "dynamic"} // its size is computed
			r.load(load)
			had, files := r.headroom(), buffers()
			w := r.watched()
			bad(&files)
			_, err := r.agent.RestartBuffers(t.Context(), files, "")
			if err == nil || !strings.Contains(err.Error(), "by these files ") {
				t.Error(err)
			}
			r.change(rows{"PORT|Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "admin_status": "up", "mtu": "9000"}})
			if now := r.headroom(); len(had) != 4 || len(now) != 4 || r.exposed() != 0 || w.err() != nil {
				t.Errorf("%v, it was %v; %v", now, had, w.err())
			}
		})
	}
}
