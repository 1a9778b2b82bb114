package orchagent_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/test/random"
	"xon/test/scale"
)

// move is one step of a walk: plain data, so that a walk that fails can be repeated
// and cut down to what it takes.
type move struct {
	do      string
	rows    map[configdb.RowKey]configdb.Fields // change: nil fields remove
	ops     []configdb.Op                       // transact
	harsh   bool                                // transact: disruptive
	trouble trouble
}

func (m move) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n", m.do, m.trouble)
	for _, k := range slices.Sorted(maps.Keys(m.rows)) {
		fmt.Fprintf(&b, "\t%s %v\n", k, m.rows[k])
	}
	for _, op := range m.ops {
		fmt.Fprintf(&b, "\t%d %s|%s %s %v\n", op.Kind, op.Table, op.Key, op.Field, op.Fields)
	}
	return b.String()
}

// moves are what a walk is made of, and how often.
var moves = []string{"change", "change", "change", "transact", "transact", "transact", "transact", "rename", "echo", "load", "restart", "retry", "buffers"}

// plot makes a walk: where it starts, and n moves, in trouble by trouble; nil: in none.
func plot(g *random.Rows, n int, trouble func(*rand.Rand) trouble) []move {
	start := map[configdb.RowKey]configdb.Fields(scale.Ports(randomPorts))
	odd := g.Odd
	g.Odd = 0
	maps.Copy(start, g.Changes(40, 1<<30))
	start["DEVICE_METADATA|localhost"] = configdb.Fields{"buffer_model": g.Model}
	if g.Buffers {
		start["LOSSLESS_TRAFFIC_PATTERN|AZURE"] = configdb.Fields{"mtu": "1024", "small_packet_percentage": "100"}
		start["BUFFER_POOL|ingress_lossless_pool"] = configdb.Fields{"type": "ingress", "mode": "dynamic"}
	}
	g.Odd = odd
	list := []move{{do: "change", rows: start}}
	for range n {
		m := move{do: moves[g.Rand.IntN(len(moves))]}
		switch m.do {
		case "change":
			m.rows = g.Changes(1+g.Rand.IntN(6), 4)
		case "rename":
			m.do, m.rows = "change", renamed(g)
		case "transact":
			m.ops, m.harsh = randomOps(g), g.Rand.IntN(4) == 0
		}
		if trouble != nil {
			m.trouble = trouble(g.Rand)
		}
		list = append(list, m)
	}
	return list
}

// renamed exchanges lanes between ports, gives them other names, breaks one out into its
// lanes and puts it together again, or takes a port
// out of use.
func renamed(g *random.Rows) map[configdb.RowKey]configdb.Fields {
	rows := map[configdb.RowKey]configdb.Fields{}
	ports := scale.Ports(randomPorts)
	name := func(i int) configdb.RowKey { return configdb.Key("PORT", scale.PortName(i)) }
	i, j := g.Rand.IntN(randomPorts), g.Rand.IntN(randomPorts)
	switch g.Rand.IntN(6) {
	case 0:
		rows[name(i)], rows[name(j)] = ports[name(j)], ports[name(i)]
	case 1:
		rows[name(i)], rows["PORT|A"] = nil, ports[name(i)]
	case 2:
		rows["PORT|A"] = nil
		maps.Copy(rows, ports)
	case 3: // broken out
		for lane, n := range scale.Lanes(i) {
			k := name(i)
			if lane > 0 {
				k += configdb.RowKey(fmt.Sprintf("-%d", lane))
			}
			rows[k] = configdb.Fields{"lanes": strconv.Itoa(int(n)), "speed": "25000", "admin_status": "up"}
		}
	case 4: // and back
		for lane := 1; lane < scale.LanesPerPort; lane++ {
			rows[name(i)+configdb.RowKey(fmt.Sprintf("-%d", lane))] = nil
		}
		rows[name(i)] = ports[name(i)]
	default:
		rows[name(i)] = nil
	}
	return rows
}

// randomOps are operations of all kinds.
func randomOps(g *random.Rows) []configdb.Op {
	var list []configdb.Op
	odd := g.Odd
	if g.Rand.IntN(3) > 0 {
		g.Odd = 0 // or hardly a transaction would get far
	}
	for range 1 + g.Rand.IntN(4) {
		k, f := g.Row()
		op := configdb.Op{Kind: configdb.OpKind(g.Rand.IntN(3)), Table: k.Table(), Key: k.Key(), Fields: f}
		if op.Table == "DEVICE_METADATA" {
			op.Kind = configdb.Update
		}
		if op.Kind == configdb.Delete {
			op.Fields = nil
			if g.Rand.IntN(4) == 0 {
				op.Field = slices.Sorted(maps.Keys(f))[0]
			}
		}
		list = append(list, op)
	}
	g.Odd = odd
	return list
}

// account is what walks did.
type account struct {
	moves, calls, writes, faults, transactions, refused, undone, dirty, restarts, same, short int
}

func (a account) log(t testing.TB) {
	t.Logf("%d moves, %d SAI calls (%d writes), %d faults injected, %d transactions: %d refused, %d of them undone exactly; %d times unknown what the chip has; %d restarts, %d of them without a write; %d times no room on a port",
		a.moves, a.calls, a.writes, a.faults, a.transactions, a.refused, a.undone, a.dirty, a.restarts, a.same, a.short)
}

// walker goes along a walk.
type walker struct {
	*world
	*account
	ctx context.Context
}

// step makes one move and looks at everything afterwards.
func (w *walker) step(m move) error {
	w.moves++
	before, err := w.everything()
	if err != nil {
		return err
	}
	settled := w.agent.Condition(w.ctx)
	w.watch.begin()
	w.weather.begin(m.trouble)
	failed := w.do(m, settled)
	w.weather.end()
	if err := w.watch.err(); err != nil {
		return err
	}
	switch err := failed; {
	case m.do == "transact":
		w.transactions++
		err = w.afterTransaction(m, settled, before, failed)
		if err != nil {
			return err
		}
	case m.do == "restart":
		w.restarts++
		if err := w.afterRestart(settled, before, failed); err != nil {
			return err
		}
	case err != nil:
		if m.trouble.kind == calm {
			return err
		}
		if err := w.load(); err != nil {
			return err
		}
	}
	return w.check()
}

// do makes a move.
func (w *walker) do(m move, settled orchagent.Condition) error {
	switch m.do {
	case "change":
		return w.change(m.rows)
	case "transact":
		w.db.mu.Lock()
		w.db.fail = nil
		if m.trouble.kind == taken {
			w.db.fail = &configdb.Fault{Kind: configdb.Conflict, Row: "PORT|Ethernet0"}
		}
		w.db.mu.Unlock()
		return w.transact(m.ops, m.harsh)
	case "echo":
		return w.change(w.db.snapshot())
	case "load":
		return w.load()
	case "retry":
		w.agent.Retry(w.ctx)
		return nil
	case "restart":
		return w.restart()
	case "buffers":
		w.chip.ResetCalls()
		if _, err := w.agent.RestartBuffers(w.ctx, buffers(), ""); err != nil {
			return err
		}
		if n := w.chip.Writes(); n > 0 && !settled.Dirty && !settled.Unfinished {
			return fmt.Errorf("a restart of the buffer manager with nothing changed wrote %d times", n)
		}
		return nil
	}
	panic(m.do)
}

// restart stops the agent and starts another one on the same chip and database.
func (w *walker) restart() error {
	w.agent.Published(w.ctx)
	if err := w.stop(); err != nil {
		return err
	}
	// The chip answers while nothing is written to it: trouble begins with the load.
	trouble := w.weather.now
	w.weather.end()
	w.chip.ResetCalls()
	if err := w.start(w.pub); err != nil {
		return err
	}
	if err := w.transact([]configdb.Op{{Kind: configdb.Delete}}, false); !errors.Is(err, orchagent.ErrNotLoaded) {
		return fmt.Errorf("I8: a transaction before the first load: %w", err)
	}
	if n := w.chip.Writes(); n > 0 {
		return fmt.Errorf("I8: %d writes before the first load", n)
	}
	w.weather.begin(trouble)
	return w.load()
}

// afterTransaction checks what became of a transaction (I7).
func (w *walker) afterTransaction(m move, settled orchagent.Condition, before everything, failed error) error {
	after, err := w.everything()
	if err != nil {
		return err
	}
	if failed == nil {
		want := maps.Clone(before.db)
		changed, err := configdb.Apply(want, m.ops)
		if err != nil {
			return fmt.Errorf("a transaction succeeded that makes no sense: %w", err)
		}
		for k, f := range changed {
			if want[k] = f; f == nil {
				delete(want, k)
			}
		}
		if !maps.EqualFunc(written(want, before, after), written(after.db, before, after), maps.Equal[configdb.Fields, configdb.Fields]) {
			return fmt.Errorf("a transaction succeeded, the database has\n%v\nwant\n%v", after.db, want)
		}
		return nil
	}
	w.refused++
	if !maps.EqualFunc(written(before.db, before, after), written(after.db, before, after), maps.Equal[configdb.Fields, configdb.Fields]) {
		return fmt.Errorf("I7: a transaction failed (%w) and changed the database to %v", failed, after.db)
	}
	if !m.trouble.single() || settled.Dirty || settled.Unfinished {
		return nil
	}
	w.undone++
	if err := after.differs(before); err != nil {
		return fmt.Errorf("I7: after a transaction that failed (%w): %w", failed, err)
	}
	return nil
}

// written are the rows that somebody wrote, which derived ones are not.
func written(rows configdb.RawRows, when ...everything) configdb.RawRows {
	rest := maps.Clone(rows)
	for _, e := range when {
		for k := range e.derived {
			delete(rest, k)
		}
	}
	return rest
}

// afterRestart checks that an agent that came back found everything in order (I6).
// Where the chip refused the accepted version of a row as well, it is asked again.
func (w *walker) afterRestart(settled orchagent.Condition, before everything, failed error) error {
	if failed != nil {
		if w.loaded || strings.HasPrefix(failed.Error(), "I8") {
			return failed
		}
		return w.load()
	}
	if settled.Dirty || settled.Unfinished || settled.Untold > 0 {
		return nil
	}
	w.same++
	if n := w.chip.Writes(); n > 0 {
		return fmt.Errorf("I6: %d writes after a restart", n)
	}
	after, err := w.everything()
	if err != nil {
		return err
	}
	if err := after.differs(before); err != nil {
		return fmt.Errorf("I6: after a restart: %w", err)
	}
	return nil
}

// check checks what must hold at any time, once the trouble is over.
func (w *walker) check() error {
	c := w.agent.Condition(w.ctx)
	if c.Dirty {
		w.dirty++
		w.agent.Retry(w.ctx)
		if c = w.agent.Condition(w.ctx); c.Dirty {
			return errors.New("the agent does not find out what the chip has")
		}
	}
	belief, adopted := w.agent.Belief(w.ctx)
	chip, err := w.chipState(adopted)
	if err != nil {
		return err
	}
	if chip != belief.String() {
		return fmt.Errorf("I3: the chip has\n%s\nthe agent believes\n%s", chip, belief)
	}
	if err := w.chip.Recount(); err != nil {
		return err
	}
	if err := w.agent.CheckResolution(w.ctx); err != nil {
		return fmt.Errorf("I4: %w", err)
	}
	if err := cmp.Or(owned(belief), w.exposedForWant()); err != nil {
		return err
	}
	w.agent.Published(w.ctx)
	w.pub.mu.Lock()
	published := states(w.pub.fates)
	w.pub.mu.Unlock()
	if has := states(w.agent.Fates()); published != has {
		return fmt.Errorf("published\n%s\nthe agent says\n%s", published, has)
	}
	return w.idle(c)
}

// idle checks that what is there already costs nothing (I5).
func (w *walker) idle(c orchagent.Condition) error {
	w.weather.begin(trouble{})
	calls := w.weather.calls
	if err := w.change(w.db.snapshot()); err != nil {
		return err
	}
	if !c.Unfinished {
		if err := w.load(); err != nil {
			return err
		}
	}
	if n := w.weather.calls - calls; n > 0 {
		return fmt.Errorf("I5: %d calls although nothing changed, the last %s", n, w.weather.last)
	}
	return w.watch.err()
}

// exposedForWant checks that no priority is paused without headroom for want of room (I1).
func (w *walker) exposedForWant() error {
	exposed := w.watch.exposed()
	for port, groups := range w.agent.Short(w.ctx) {
		w.short++
		if bad := exposed[port] & groups; bad != 0 {
			return fmt.Errorf("I1: port %v pauses priorities %08b although there is no room for their headroom", port, bad)
		}
	}
	return nil
}

// owned checks that every attribute is where its owner is (I2).
func owned(g graph.Graph) error {
	seen := map[string]graph.Key{}
	for k, n := range g {
		for _, a := range n.Attrs {
			if f, ok := graph.FacetOf(a.AttrMeta); ok && f != k.Facet {
				return fmt.Errorf("I2: %s sets %s, which facet %s owns", k, a.Name, f)
			}
			id := k.Object().String() + " " + a.Name
			if other, twice := seen[id]; twice {
				return fmt.Errorf("I2: %s and %s set %s", k, other, a.Name)
			}
			seen[id] = k
		}
	}
	return nil
}

// walkAlong goes along a walk and returns the number of the move that went wrong.
func walkAlong(t testing.TB, profile string, socket bool, list []move, sum *account) (at int, err error) {
	w, err := newWorld(t, profile, socket)
	if err != nil {
		return 0, err
	}
	defer func() {
		err = errors.Join(err, w.stop())
		sum.calls += w.weather.calls
		sum.writes += w.weather.writes
		sum.faults += w.weather.faults
	}()
	walk := &walker{world: w, account: sum, ctx: context.Background()}
	if err := w.load(); err != nil {
		return 0, err
	}
	for i, m := range list {
		if err := walk.step(m); err != nil {
			return i, err
		}
	}
	return len(list), walk.end()
}

// TestRandomWalks walks through random configurations of every table, without
// trouble, with it, with the chip behind a socket, and with groups that find no room.
func TestRandomWalks(t *testing.T) {
	for _, kind := range []struct {
		name    string
		walks   int
		socket  bool
		trouble func(*rand.Rand) trouble
		rows    func(seed uint64, profile string) *random.Rows
	}{
		{"calm", 24, false, nil, rowsFor},
		{"troubled", 40, false, randomTrouble, rowsFor},
		{"socket", 6, true, randomTrouble, rowsFor},
		{"headroom", 24, false, nil, headroomRows},
		{"buffers", 40, false, randomTrouble, bufferRows},
		{"crowded", 24, false, crowd, headroomRows},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			var sum account
			for seed := range random.Seeds(t, kind.walks) {
				profile := profiles[seed%uint64(len(profiles))]
				list := plot(kind.rows(seed, profile), 25, kind.trouble)
				at, err := walkAlong(t, profile, kind.socket, list, &sum)
				if err != nil {
					t.Errorf("seed %d, move %d on %s: %v\n%s\n%s", seed, at, profile, err, random.Again(t, seed), cut(t, profile, kind.socket, list[:min(at+1, len(list))]))
				}
			}
			sum.log(t)
		})
	}
}
