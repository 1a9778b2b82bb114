package orchagent_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/inventory"
	"xon/orchagent/reconcile"
	"xon/sai"
	"xon/sai/remote"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/test/scale"
)

// world is an agent with all that it talks to, in trouble now and then, and watched.
type world struct {
	t       testing.TB
	chip    *vsai.Chip
	socket  string // where the chip is, if it is not in the process
	db      *memory
	pub     *recorder
	weather *weather
	watch   *watch

	sw     *sai.Switch
	agent  *orchagent.Agent
	loaded bool
	stop   func() error
}

// newWorld boots a chip of a profile, whose packet memory is told.
func newWorld(t testing.TB, profile string, over bool) (*world, error) {
	p, err := vsai.ProfileByName(profile)
	if err != nil {
		return nil, err
	}
	open := *p
	open.HideBuffer, open.OfflineLinks = false, true
	w := &world{
		t: t, chip: vsai.New(vsai.Config{Profile: &open, Ports: layout(randomPorts), Record: -1}),
		db: &memory{rows: configdb.RawRows{}}, pub: &recorder{}, weather: &weather{},
	}
	w.weather.end()
	w.watch = &watch{chip: w.chip, weather: w.weather, asked: map[string]uint64{}, safe: map[string]uint64{}}
	w.chip.OnCall(w.weather.call)
	w.chip.AfterCall(w.watch.after)
	if over {
		w.socket = serveChip(t, w.chip)
	}
	return w, w.start(&recorder{})
}

// serveChip puts a chip behind a socket.
func serveChip(t testing.TB, chip *vsai.Chip) string {
	path := filepath.Join(t.TempDir(), "chip")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- remote.Serve(ctx, ln, chip, chip, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return path
}

// driver connects to the chip, as soon as it has noticed that the agent before is
// gone.
func (w *world) driver() (sai.Driver, sai.Names, func(), error) {
	if w.socket == "" {
		return w.chip, w.chip, func() {}, nil
	}
	for end := time.Now().Add(10 * time.Second); ; {
		c, err := remote.Dial(w.t.Context(), w.socket)
		switch {
		case err == nil:
			return c, c, func() { _ = c.Close() }, nil
		case !errors.Is(err, remote.ErrBusy) || time.Now().After(end):
			return nil, nil, nil, err
		}
	}
}

// start starts an agent with what the one before published.
func (w *world) start(before *recorder) error {
	drv, store, hangUp, err := w.driver()
	if err != nil {
		return err
	}
	if w.sw, _, err = inventory.Open(drv); err != nil {
		return err
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	w.pub, w.loaded = &recorder{db: w.db}, false
	w.agent = orchagent.New(orchagent.Config{
		Log: log, Switch: w.sw, Names: stormy{store, w.weather}, Store: w.db, Publisher: w.pub,
		Accepted: before.accepted, Refused: before.refused, Derived: before.derived, Buffers: buffers(), Retry: time.Hour, // moves retry when they mean to
	})
	w.watch.mu.Lock()
	w.watch.agent = w.agent
	w.watch.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	agent := w.agent
	go func() { stopped <- agent.Run(ctx) }()
	w.stop = sync.OnceValue(func() error {
		cancel()
		defer hangUp()
		return <-stopped
	})
	return nil
}

// load loads the whole database. A chip that does not tell what it has ends it with
// an error; the rows are as good as unheard of then.
func (w *world) load() error {
	err := w.agent.Load(context.Background(), scale.Changes(w.db.snapshot()))
	w.loaded = w.loaded || err == nil
	return err
}

// change writes rows to the database, as a tool does, and tells the agent.
func (w *world) change(rows map[configdb.RowKey]configdb.Fields) error {
	for k, f := range rows {
		w.db.set(k, f)
	}
	return w.agent.Change(context.Background(), scale.Changes(rows))
}

func (w *world) transact(ops []configdb.Op, harsh bool) error {
	_, err := w.agent.Transact(context.Background(), orchagent.Request{Ops: ops, Disruptive: harsh, Confirmed: true})
	return err
}

// buffers are the files of the buffer manager: round numbers, of which some lines are
// for the ports of package scale, and a chip of 128-byte cells.
func buffers() bufmgr.Params {
	var lookup bufmgr.Lookup
	for i, metres := range []uint32{5, 40, 300} {
		for _, speed := range []uint32{40000, 100000} {
			lookup.Entries = append(lookup.Entries, bufmgr.LookupEntry{
				Line: i + 1, Speed: speed, Metres: metres, Size: 18432, Xon: 18432, Xoff: 10240 + uint64(metres)*128, Threshold: -3,
			})
		}
	}
	return bufmgr.Params{
		Lookup: &lookup,
		ASIC:   &bufmgr.ASIC{Name: "TEST", Source: "test", CellBytes: 128, PipelineLatency: 18, MACPHYDelay: 0.8, PeerResponseTime: 3.8},
		Zero: &bufmgr.ZeroProfiles{
			Pools: []*configdb.BufferPool{{ID: "BUFFER_POOL|zero", Name: "zero", Type: configdb.Ingress, Mode: configdb.Static, HasSize: true}},
			Profiles: []*configdb.BufferProfile{
				{ID: "BUFFER_PROFILE|pg_zero", Name: "pg_zero", Pool: "zero", HasSize: true, Mode: configdb.Static, HeadroomType: configdb.Static},
				{ID: "BUFFER_PROFILE|zero", Name: "zero", Pool: "ingress_lossless_pool", HasSize: true, Mode: configdb.Dynamic, DynamicTh: -6, HeadroomType: configdb.Static},
			},
			PGs: []int{0}, Ingress: "pg_zero",
		},
	}
}

// chipState is what the chip has, by names and values.
func (w *world) chipState(adopted map[graph.Key]sai.OID) (string, error) {
	w.weather.looking.Store(true)
	defer w.weather.looking.Store(false)
	rec, err := reconcile.Readback(w.sw, w.chip, adopted)
	if err != nil {
		return "", err
	}
	return rec.Actual().String(), nil
}

// recorded is what was published for an agent to take over that has another chip: accepted
// versions and which rows were derived.
func (w *world) recorded() *recorder {
	w.agent.Published(context.Background())
	w.pub.mu.Lock()
	defer w.pub.mu.Unlock()
	return &recorder{accepted: maps.Clone(w.pub.accepted), derived: maps.Clone(w.pub.derived)}
}

// everything is all that can be seen of a world from outside.
type everything struct {
	chip, census, fates, accepted string
	db                            configdb.RawRows
	derived                       map[configdb.RowKey][]string
	names                         map[string]bool
}

func (w *world) everything() (everything, error) {
	w.agent.Published(context.Background())
	_, adopted := w.agent.Belief(context.Background())
	chip, err := w.chipState(adopted)
	if err != nil {
		return everything{}, err
	}
	ids, err := w.chip.Names()
	all := map[string]bool{}
	for name := range ids {
		all[name] = true
	}
	w.pub.mu.Lock()
	defer w.pub.mu.Unlock()
	return everything{
		chip: chip, census: w.chip.ObjectCounts(), fates: states(w.pub.fates), accepted: fmt.Sprint(w.pub.accepted),
		db: w.db.snapshot(), names: all, derived: maps.Clone(w.pub.derived),
	}, err
}

// differs says what is not as before.
func (e everything) differs(b everything) error {
	text := func(what, got, want string) error {
		if got == want {
			return nil
		}
		return fmt.Errorf("%s (-before +after)\n%s", what, gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
	err := cmp.Or(text("chip", e.chip, b.chip), text("census", e.census, b.census), text("fates", e.fates, b.fates), text("accepted", e.accepted, b.accepted))
	switch {
	case err != nil:
		return err
	case !maps.Equal(e.names, b.names):
		return fmt.Errorf("names: %v, before: %v", e.names, b.names)
	case !maps.EqualFunc(e.db, b.db, maps.Equal[configdb.Fields, configdb.Fields]):
		return fmt.Errorf("database: %v, before: %v", e.db, b.db)
	}
	return nil
}
