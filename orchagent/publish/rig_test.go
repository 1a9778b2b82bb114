package publish_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/orchagent/publish"
	"xon/orchagent/report"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/test/scale"
)

// rig is an agent on a virtual chip that publishes to a real server.
type rig struct {
	t      testing.TB
	chip   *vsai.Chip
	sw     *sai.Switch
	server *redisdb.Server
	client *redisdb.Client
	agent  *orchagent.Agent
	pub    *counter
	rows   configdb.RawRows // of CONFIG_DB
	every  time.Duration    // how often databases are compared; 0: as it is by default
	told   *told
	log    logrus.FieldLogger
	stop   func()
}

// counter counts reports on their way.
type counter struct {
	*publish.Publisher
	mu    sync.Mutex
	fulls int
	full  report.Report // the last
	other report.Report // the last that is not full
	told  *told         // hears of what rows ask for
}

func (c *counter) Publish(ctx context.Context, r report.Report) error {
	c.told.ask(r)
	err := c.Publisher.Publish(ctx, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
	case r.Full:
		c.fulls++
		c.full = r
	default:
		c.other = r
	}
	return err
}

func (c *counter) seen() (fulls int, full, other report.Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fulls, c.full, c.other
}

func newRig(t testing.TB, ports int) *rig {
	t.Helper()
	profile := *vsai.Profiles()[0]
	profile.HideBuffer = false
	profile.BufferBytes = max(profile.BufferBytes, scale.MemoryBytes(ports))
	layout := make([]vsai.PortLayout, ports)
	for i := range layout {
		layout[i] = vsai.PortLayout{Lanes: scale.Lanes(i), SpeedMbps: scale.SpeedMbps}
	}
	return newRigOn(t, vsai.Config{Profile: &profile, Ports: layout, Record: -1})
}

// newRigOn starts an agent on a chip of the caller's choice.
func newRigOn(t testing.TB, cfg vsai.Config) *rig {
	t.Helper()
	r := &rig{t: t, chip: vsai.New(cfg), server: redistest.Start(t)}
	r.client = redistest.Connect(t, r.server.Addr())
	r.told = tell(r.chip)
	r.start()
	return r
}

// about is what is told of every agent.
var about = map[string]string{"version": "1.2.3", "chip": "in process", "revision": "not so"}

// start starts an agent, as xond does.
func (r *rig) start() {
	r.t.Helper()
	sw, _, err := inventory.Open(r.chip)
	if err != nil {
		r.t.Fatal(err)
	}
	before, err := publish.Restore(r.t.Context(), r.client)
	if err != nil {
		r.t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	r.log, r.sw, r.pub = log, sw, &counter{Publisher: publish.New(publish.Config{Client: r.client, Switch: sw, Log: log, About: about}), told: r.told}
	r.agent = orchagent.New(orchagent.Config{
		Log: log, Switch: sw, Names: r.chip, Store: redisdb.ConfigStore{DB: r.client.DB(redisdb.ConfigDB)},
		Publisher: r.pub, Accepted: before.Accepted, Revision: before.Revision, Limits: before.Limits, Compare: r.every,
	})
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

// load has the agent load everything, and waits until that is published.
func (r *rig) load(rows configdb.RawRows) {
	r.t.Helper()
	r.rows = rows
	n, _, _ := r.pub.seen()
	if err := r.agent.Load(r.t.Context(), scale.Changes(rows)); err != nil {
		r.t.Fatal(err)
	}
	redistest.Eventually(r.t, "a full report is published", func() bool { now, _, _ := r.pub.seen(); return now > n })
}

// put puts rows into CONFIG_DB, for transactions.
func (r *rig) put(rows configdb.RawRows) {
	r.t.Helper()
	var b redisdb.Batch
	for k, f := range rows {
		b.Set(string(k), redisdb.Fields(f))
	}
	if err := r.client.DB(redisdb.ConfigDB).Write(r.t.Context(), &b); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) transact(ops ...configdb.Op) {
	r.t.Helper()
	if _, err := r.agent.Transact(r.t.Context(), orchagent.Request{Ops: ops}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) all(id redisdb.ID, pattern string) map[string]redisdb.Fields {
	r.t.Helper()
	rows, err := r.client.DB(id).All(r.t.Context(), pattern)
	if err != nil {
		r.t.Fatal(err)
	}
	return rows
}

// row reads one row.
func (r *rig) row(id redisdb.ID, key string) redisdb.Fields {
	r.t.Helper()
	f, err := r.client.DB(id).Row(r.t.Context(), key)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

// clear removes all rows.
func (r *rig) clear(id redisdb.ID) {
	r.t.Helper()
	keys, err := r.client.DB(id).Keys(r.t.Context(), redisdb.Everything)
	if err != nil {
		r.t.Fatal(err)
	}
	var b redisdb.Batch
	b.Delete(keys...)
	if err := r.client.DB(id).Write(r.t.Context(), &b); err != nil {
		r.t.Fatal(err)
	}
}

// check compares ASIC_DB with the chip: the same objects, the attributes that were
// set and no other, and for every one what the chip says.
func (r *rig) check() {
	r.t.Helper()
	have := r.all(redisdb.ASICDB, redisdb.ASICDB.Pattern(asicdb.StateTable))
	ids := redisdb.Fields{}
	for _, o := range sai.Objects {
		keys, st := r.sw.Objects(r.sw.ID.OID(), o)
		if st != 0 || o.Entry > 0 {
			continue
		}
		for _, k := range keys {
			key := asicdb.ObjectKey(o.Type.FullName(), k.OID.String())
			ids[k.OID.String()] = k.OID.String()
			f, ok := have[key]
			if !ok {
				r.t.Errorf("%s is missing", key)
			}
			r.checkRow(o, k, f)
			delete(have, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(have)) {
		r.t.Errorf("%s is no object", key)
	}
	for _, table := range []string{asicdb.VIDToRID, asicdb.RIDToVID} {
		if diff := cmp.Diff(ids, r.row(redisdb.ASICDB, table)); diff != "" {
			r.t.Errorf("%s: %s", table, diff)
		}
	}
	r.checkPools()
}

// checkPools compares the names of pools with those that the agent keeps.
func (r *rig) checkPools() {
	r.t.Helper()
	names, err := r.chip.Names()
	if err != nil {
		r.t.Fatal(err)
	}
	var want redisdb.Fields
	for name, id := range names {
		if pool, ok := strings.CutPrefix(name, "BUFFER_POOL "); ok {
			if want == nil {
				want = redisdb.Fields{}
			}
			want[pool] = id.String()
		}
	}
	if diff := cmp.Diff(want, r.row(redisdb.CountersDB, countersdb.PoolNameMap)); diff != "" {
		r.t.Errorf("names of pools: %s", diff)
	}
}

// checkRow compares one row with what the chip was told of the object, and says of
// it now.
func (r *rig) checkRow(o *sai.ObjectMeta, k sai.Key, f redisdb.Fields) {
	r.t.Helper()
	want := r.told.of(k.OID)
	for name, text := range f { // below it is compared with the chip
		if want[name] == "" && r.told.asked[k.OID][name] {
			want[name] = text
		}
	}
	if !maps.Equal(want, f) {
		r.t.Errorf("%s %s is not what the chip was told: %s", o.Name, k.OID, cmp.Diff(want, f))
	}
	for name, text := range f {
		m := o.AttrByName(name)
		if m == nil {
			r.t.Errorf("%s has a field %s", k.OID, name)
			continue
		}
		a := []sai.Attribute{{AttrMeta: m}}
		if st := r.sw.Get(o, k, a); st != 0 {
			r.t.Errorf("%s %s: %v", k.OID, name, st)
		} else if got := m.Format(a[0].Value); got != text {
			r.t.Errorf("%s %s is %s, the chip has %s", k.OID, name, text, got)
		}
	}
}

// witness watches what is written to databases.
type witness struct {
	r       *rig
	watches map[redisdb.ID]*redisdb.Watch
}

func (r *rig) witness(ids ...redisdb.ID) *witness {
	r.t.Helper()
	w := &witness{r: r, watches: map[redisdb.ID]*redisdb.Watch{}}
	for _, id := range ids {
		w.watches[id] = r.client.DB(id).Watch(r.t.Context(), redisdb.Everything)
		r.t.Cleanup(w.watches[id].Stop)
		if e, err := w.watches[id].Next(r.t.Context()); err != nil || !e.Resync {
			r.t.Fatal(e, err)
		}
	}
	return w
}

// tell returns the rows of a database that were written until now, in order.
func (w *witness) tell(id redisdb.ID) []string {
	w.r.t.Helper()
	const last = "THE END"
	for _, f := range []func(*redisdb.Batch){
		func(b *redisdb.Batch) { b.SetText(last, "") },
		func(b *redisdb.Batch) { b.Delete(last) },
	} {
		var b redisdb.Batch
		f(&b)
		if err := w.r.client.DB(id).Write(w.r.t.Context(), &b); err != nil {
			w.r.t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for !seen[last] {
		e, err := w.watches[id].Next(w.r.t.Context())
		if err != nil || e.Resync {
			w.r.t.Fatal(e, errors.Join(err))
		}
		for _, k := range e.Keys {
			seen[k] = true
		}
	}
	delete(seen, last)
	return slices.Sorted(maps.Keys(seen))
}

// device is that of the last full report.
func (r *rig) device() *intent.Device {
	_, full, _ := r.pub.seen()
	return full.Device
}
