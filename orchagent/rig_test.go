package orchagent_test

import (
	"context"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/orchagent/inventory"
	"xon/orchagent/reconcile"
	"xon/orchagent/report"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

var update = flag.Bool("update", false, "rewrite golden files")

// memory is a database of rows: a Store, and a feed's content.
type memory struct {
	mu   sync.Mutex
	rows configdb.RawRows
	fail error // of the next commits
	// meanwhile is what somebody else does after each Row; nil: nothing.
	meanwhile func(*memory)
}

func (m *memory) Commit(_ context.Context, before, after map[configdb.RowKey]configdb.Fields) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	for k, f := range before {
		if have, ok := m.rows[k]; ok != (f != nil) || !maps.Equal(have, f) {
			return &configdb.Fault{Kind: configdb.Conflict, Row: k}
		}
	}
	for k, f := range after {
		m.put(k, f)
	}
	return nil
}

func (m *memory) Row(_ context.Context, k configdb.RowKey) (configdb.Fields, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.meanwhile != nil {
		defer m.meanwhile(m)
	}
	return m.rows[k], nil
}

// set is what a tool does to a row, at any time.
func (m *memory) set(k configdb.RowKey, f configdb.Fields) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(k, f)
}

// put is set for a caller that holds the lock.
func (m *memory) put(k configdb.RowKey, f configdb.Fields) {
	if f == nil {
		delete(m.rows, k)
	} else {
		m.rows[k] = f
	}
}

func (m *memory) snapshot() configdb.RawRows {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.rows)
}

// recorder is a Publisher that puts what it gets together, as databases do.
type recorder struct {
	mu       sync.Mutex
	fail     error
	last     report.Report
	reports  int
	fates    map[configdb.RowKey]statedb.Fate
	accepted map[configdb.RowKey]configdb.Fields
	refused  map[configdb.RowKey]statedb.Refusal
	writes   []reconcile.Write
	db       *memory // takes the derived rows; nil: nobody does
	derived  map[configdb.RowKey][]string
}

func (p *recorder) Publish(_ context.Context, r report.Report) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return p.fail
	}
	if r.Full || p.fates == nil {
		p.fates, p.accepted = map[configdb.RowKey]statedb.Fate{}, map[configdb.RowKey]configdb.Fields{}
		p.refused, p.derived = map[configdb.RowKey]statedb.Refusal{}, map[configdb.RowKey][]string{}
	}
	p.derive(r.Derived)
	p.last = r
	p.reports++
	p.writes = append(p.writes, r.Writes...)
	maps.Copy(p.fates, r.Fates)
	for _, k := range r.Gone {
		delete(p.fates, k)
	}
	for k, x := range r.Refused {
		if x == nil {
			delete(p.refused, k)
		} else {
			p.refused[k] = *x
		}
	}
	for k, f := range r.Accepted {
		if f == nil {
			delete(p.accepted, k)
		} else {
			p.accepted[k] = f
		}
	}
	return nil
}

// derive writes derived rows, those that somebody changed meanwhile left out.
func (p *recorder) derive(rows map[configdb.RowKey]*report.Derived) {
	for k, d := range rows {
		delete(p.derived, k)
		if d == nil || p.db == nil {
			continue
		}
		p.db.mu.Lock()
		have := p.db.rows[k]
		if d.Replaces(have) {
			p.db.put(k, d.After)
		}
		if d.After != nil && (d.Replaces(have) || have.Digest() == d.After.Digest()) {
			p.derived[k] = []string{d.After.Digest()}
		}
		p.db.mu.Unlock()
	}
}

// link is how an agent reaches a chip; nil: directly.
type link func(testing.TB, *vsai.Chip) (sai.Driver, sai.Names)

// rig is an agent on a virtual chip, between a database and a publisher.
type rig struct {
	t     testing.TB
	chip  *vsai.Chip
	sw    *sai.Switch
	db    *memory
	pub   *recorder
	agent *orchagent.Agent
	over  link
	with  func(*orchagent.Config) // changes what start uses; nil: nothing
	stop  func()
}

// layout straps a chip with the ports of package scale.
func layout(ports int) []vsai.PortLayout {
	out := make([]vsai.PortLayout, ports)
	for i := range out {
		out[i] = vsai.PortLayout{Lanes: scale.Lanes(i), SpeedMbps: scale.SpeedMbps}
	}
	return out
}

func newChip(t testing.TB, ports int) *vsai.Chip {
	t.Helper()
	profile := *vsai.Profiles()[0]
	profile.HideBuffer, profile.OfflineLinks = false, true
	profile.BufferBytes = max(profile.BufferBytes, scale.MemoryBytes(ports))
	return vsai.New(vsai.Config{Profile: &profile, Ports: layout(ports)})
}

// newRig starts an agent on a chip of its own. Nothing is loaded yet.
func newRig(t testing.TB, ports int) *rig {
	t.Helper()
	return newRigWith(t, ports, nil)
}

func newRigWith(t testing.TB, ports int, with func(*orchagent.Config)) *rig {
	t.Helper()
	r := &rig{t: t, chip: newChip(t, ports), db: &memory{rows: configdb.RawRows{}}, with: with}
	r.start(&recorder{})
	return r
}

// start starts an agent as after a restart: with what the one before reported.
func (r *rig) start(before *recorder) {
	r.t.Helper()
	driver, names := sai.Driver(r.chip), sai.Names(r.chip)
	if r.over != nil {
		driver, names = r.over(r.t, r.chip)
	}
	sw, _, err := inventory.Open(driver)
	if err != nil {
		r.t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	r.sw, r.pub = sw, &recorder{db: r.db}
	cfg := orchagent.Config{Log: log, Switch: sw, Names: names, Store: r.db, Publisher: r.pub, Accepted: before.accepted, Refused: before.refused, Derived: before.derived, Compare: -1}
	if was := before.last; was.Buffers != nil {
		cfg.Before = &orchagent.Terms{Model: was.Model, StatedMMU: was.Buffers.StatedMMU}
	}
	if r.with != nil {
		r.with(&cfg)
	}
	r.agent = orchagent.New(cfg)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	stopped := make(chan error, 1)
	agent := r.agent
	go func() { stopped <- agent.Run(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-stopped; err != nil {
			r.t.Error(err)
		}
	})
	r.t.Cleanup(r.stop)
}

// load puts rows into the database and loads all of it.
func (r *rig) load(rows ...configdb.RawRows) {
	r.t.Helper()
	for _, more := range rows {
		for k, f := range more {
			r.db.set(k, f)
		}
	}
	if err := r.agent.Load(r.t.Context(), scale.Changes(r.db.snapshot())); err != nil {
		r.t.Fatal(err)
	}
}

// change writes rows to the database, as a tool does, and tells the agent.
func (r *rig) change(rows map[configdb.RowKey]configdb.Fields) {
	r.t.Helper()
	for k, f := range rows {
		r.db.set(k, f)
	}
	if err := r.agent.Change(r.t.Context(), scale.Changes(rows)); err != nil {
		r.t.Fatal(err)
	}
}

// empty removes all rows, those too whose removal was refused for good. It is for
// tests in a bubble of synctest, as it waits for retries.
func (r *rig) empty() {
	r.t.Helper()
	all := rows{}
	for k := range r.db.snapshot() {
		all[k] = nil
	}
	r.change(all)
	time.Sleep(5 * time.Minute)
	for k, f := range maps.Clone(r.pub.accepted) {
		if r.db.snapshot()[k] == nil {
			r.change(rows{k: f})
			r.change(rows{k: nil})
		}
	}
}

// lasting are those of accepted versions that no removal takes out of effect.
func lasting(accepted map[configdb.RowKey]configdb.Fields) map[configdb.RowKey]configdb.Fields {
	out := maps.Clone(accepted)
	maps.DeleteFunc(out, func(k configdb.RowKey, _ configdb.Fields) bool { return !configdb.Keeps(k.Table()) })
	return out
}

// afresh is another agent on a chip of its own, which begins with what no removal
// takes out of effect.
func (r *rig) afresh(ports int) *rig {
	r.t.Helper()
	fresh := newRig(r.t, ports)
	fresh.stop()
	fresh.start(&recorder{accepted: lasting(r.pub.accepted)})
	return fresh
}

// actual reads the chip, trusting nothing that the agent remembers.
func (r *rig) actual() graph.Graph {
	r.t.Helper()
	inv, err := inventory.Discover(r.sw)
	if err != nil {
		r.t.Fatal(err)
	}
	ports := map[string]*configdb.Port{}
	for k, f := range r.db.snapshot() {
		row, _, err := configdb.Parse(k, f)
		if port, ok := row.(*configdb.Port); ok && err == nil {
			ports[k.Key()] = port
		}
	}
	_, adopted := inv.Name(ports)
	return r.readback(adopted)
}

// readback reads the chip under the given names of its own objects.
func (r *rig) readback(adopted map[graph.Key]sai.OID) graph.Graph {
	r.t.Helper()
	rec, err := reconcile.Readback(r.sw, r.chip, adopted)
	if err != nil {
		r.t.Fatal(err)
	}
	return rec.Actual()
}

// fateLines prints the fates that are not plainly applied, without times.
func fateLines(fates map[configdb.RowKey]statedb.Fate) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(fates)) {
		f := fates[k]
		if f.State == statedb.Applied && len(f.Warnings) == 0 {
			continue
		}
		b.WriteString(string(k) + " " + string(f.State))
		for _, part := range []struct{ name, text string }{{"field", f.Field}, {"on", f.On}, {"because", f.Reason}} {
			if part.text != "" {
				b.WriteString("\n\t" + part.name + " " + part.text)
			}
		}
		for _, w := range f.Warnings {
			b.WriteString("\n\twarning " + w)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// golden compares text with a file under testdata.
func golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
