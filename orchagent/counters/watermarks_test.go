package counters_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

const (
	queueMark = "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES"
	pgShared  = "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"
	pgRoom    = "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"
	poolMark  = "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES"
	poolRoom  = "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES"
)

// marked are the objects of a port and of the pool that tests look at.
type marked struct{ unicast, multicast, pg, pool sai.OID }

// watermarks is a rig with all groups of watermarks enabled.
func watermarks(t *testing.T, ports int) (*rig, marked) {
	t.Helper()
	r := newRig(t, ports)
	r.rows = r.withPools(enabled(t, "QUEUE_WATERMARK", "PG_WATERMARK", "BUFFER_POOL_WATERMARK"))
	dev, handles := r.device(ports)
	p := dev.Ports[0]
	return r, marked{
		handles[p.Queues[3].Buffer.Object()], handles[p.Queues[13].Buffer.Object()], handles[p.PGs[3].Object()], r.pools[pools[0]],
	}
}

// rise gives every watermark of the marked objects a value.
func (r *rig) rise(m marked, v uint64) {
	r.t.Helper()
	r.set(m.unicast, queue, queueMark, v)
	r.set(m.multicast, queue, queueMark, v)
	r.set(m.pg, pg, pgShared, v)
	r.set(m.pg, pg, pgRoom, v)
	r.set(m.pool, pool, poolMark, v)
	r.set(m.pool, pool, poolRoom, v)
}

// mark is a watermark in the database.
func (r *rig) mark(table string, id sai.OID, stat string) string {
	r.t.Helper()
	return r.row(table + "_WATERMARKS:" + id.String())[stat]
}

// TestWatermarks: each reading clears the chip, COUNTERS shows the reading, and the
// three hashes show the highest.
func TestWatermarks(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	c := r.collector(nil)
	r.followPools(c, 1)
	for i, v := range []uint64{500, 300, 700, 0} {
		if v > 0 {
			r.rise(m, v)
		}
		r.pass(c)
		high := []string{"500", "500", "700", "700"}[i]
		for _, at := range []struct {
			id   sai.OID
			stat string
		}{{m.unicast, queueMark}, {m.multicast, queueMark}, {m.pg, pgShared}, {m.pg, pgRoom}, {m.pool, poolMark}, {m.pool, poolRoom}} {
			if got := r.counters(at.id)[at.stat]; got != strconv.FormatUint(v, 10) {
				t.Errorf("reading %d: COUNTERS has %s=%s, want %d", i, at.stat, got, v)
			}
			for _, table := range []string{"USER", "PERSISTENT", "PERIODIC"} {
				if got := r.mark(table, at.id, at.stat); got != high {
					t.Errorf("reading %d: %s has %s=%s, want %s", i, table, at.stat, got, high)
				}
			}
		}
	}
}

// TestClear: a request clears what it names, and writes 0.
func TestClear(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	all := map[string]string{"unicast": "9", "multicast": "9", "shared": "9", "room": "9", "pool": "9", "pool room": "9"}
	marks := func(table string) map[string]string {
		return map[string]string{
			"unicast": r.mark(table, m.unicast, queueMark), "multicast": r.mark(table, m.multicast, queueMark),
			"shared": r.mark(table, m.pg, pgShared), "room": r.mark(table, m.pg, pgRoom),
			"pool": r.mark(table, m.pool, poolMark), "pool room": r.mark(table, m.pool, poolRoom),
		}
	}
	for what, cleared := range map[string]string{
		"PG_HEADROOM": "room", "PG_SHARED": "shared", "Q_SHARED_UNI": "unicast", "Q_SHARED_MULTI": "multicast", "Q_SHARED_ALL": "",
		"BUFFER_POOL": "pool", "HEADROOM_POOL": "pool room", "NO_SUCH_THING": "", "": "",
	} {
		for _, op := range []string{"USER", "PERSISTENT", "PERIODIC", "user"} {
			c := r.collector(nil)
			r.followPools(c, 1)
			r.rise(m, 9)
			r.pass(c)
			c.Clear(op, what)
			r.pass(c)
			for _, table := range []string{"USER", "PERSISTENT", "PERIODIC"} {
				want := map[string]string{}
				for k, v := range all {
					if want[k] = v; table == op && k == cleared && op != "PERIODIC" {
						want[k] = "0"
					}
				}
				if diff := cmp.Diff(want, marks(table)); diff != "" {
					t.Errorf("%s after clearing %s %s (-want +got):\n%s", table, op, what, diff)
				}
			}
		}
	}
}

// TestAnyQueue: queues that serve unicast and multicast alike are a kind of their own.
func TestAnyQueue(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	dev, handles := r.device(1)
	dev.Ports[0].Queues[3].Any = true
	c := r.collector(nil)
	c.Follow(r.rows, dev, handles)
	r.rise(m, 9)
	c.Poll(silent())
	c.Clear("USER", "Q_SHARED_UNI")
	if got := c.Mark(countersdb.User, m.unicast)[queueMark]; got != 9 {
		t.Errorf("a request about unicast queues cleared one of all: %d", got)
	}
	c.Clear("USER", "Q_SHARED_ALL")
	r.pass(c)
	if got := r.mark("USER", m.unicast, queueMark); got != "0" || r.mark("USER", m.multicast, queueMark) != "9" {
		t.Errorf("after a request about queues of all, there is %s", got)
	}
	if got := r.row("COUNTERS_QUEUE_TYPE_MAP")[m.unicast.String()]; got != "SAI_QUEUE_TYPE_ALL" {
		t.Errorf("the type of the queue is %s", got)
	}
}

// TestClearRequest: requests are heard on the channel, bad ones passed over.
func TestClearRequest(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	r.rise(m, 9)
	c, _ := r.collect(nil)
	r.followPools(c, 1)
	redistest.Eventually(t, "watermarks are there", func() bool { return r.mark("USER", m.pg, pgShared) == "9" })
	redistest.Eventually(t, "a request is heard and done", func() bool {
		var b redisdb.Batch
		for _, text := range []string{`["USER"]`, `{}`, `["USER","PG_SHARED","odd"]`, `["USER","NOTHING"]`, `["USER","PG_SHARED"]`} {
			b.Publish("WATERMARK_CLEAR_REQUEST", text)
		}
		if err := r.client.DB(redisdb.ApplDB).Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return r.mark("USER", m.pg, pgShared) == "0"
	})
	if got := r.mark("PERSISTENT", m.pg, pgShared) + " " + r.mark("USER", m.pg, pgRoom); got != "9 9" {
		t.Errorf("others are %s", got)
	}
}

// TestPeriodic: the periodic watermarks begin anew by the period that counted when the
// last one ended, from when watermarks of queues or priority groups are first polled.
func TestPeriodic(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	dev, handles := r.device(1)
	rows := func(group, seconds string) *configdb.Config {
		raw := configdb.RawRows{configdb.Key("FLEX_COUNTER_TABLE", group): {"FLEX_COUNTER_STATUS": "enable"}}
		if seconds != "" {
			raw["WATERMARK_TABLE|TELEMETRY_INTERVAL"] = configdb.Fields{"interval": seconds}
		}
		return r.withPools(parse(t, raw))
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := r.collector(nil)
		go c.Renew(ctx)
		kept := func(after time.Duration) bool {
			r.rise(m, 5)
			c.Poll(silent())
			time.Sleep(after)
			synctest.Wait()
			if c.Mark(countersdb.User, m.unicast)[queueMark] != 5 {
				t.Error("another kind of watermark was cleared")
			}
			return c.Mark(countersdb.Periodic, m.unicast)[queueMark] == 5
		}
		for i, step := range []struct {
			group, seconds string
			after          time.Duration
			kept           bool
		}{
			{"QUEUE_WATERMARK", "", 119 * time.Second, true}, // begins the timer
			{"QUEUE_WATERMARK", "", time.Second, false},
			{"QUEUE_WATERMARK", "30", 119 * time.Second, true}, // counts after the period that runs
			{"QUEUE_WATERMARK", "30", time.Second, false},
			{"QUEUE_WATERMARK", "30", 29 * time.Second, true},
			{"QUEUE_WATERMARK", "0", time.Second, false},
			{"QUEUE_WATERMARK", "0", 1000 * time.Hour, true},
			{"QUEUE_WATERMARK", "10", 9 * time.Second, true},
			{"QUEUE_WATERMARK", "10", time.Second, false},
		} {
			c.Follow(rows(step.group, step.seconds), dev, r.withHandles(handles))
			if got := kept(step.after); got != step.kept {
				t.Errorf("step %d: kept %v, want %v", i, got, step.kept)
			}
		}
		cancel()
		synctest.Wait()
	})
}

// TestPoolsAlone: the watermarks of pools do not begin the timer.
func TestPoolsAlone(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	dev, handles := r.device(1)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := r.collector(nil)
		go c.Renew(ctx)
		c.Follow(r.withPools(enabled(t, "BUFFER_POOL_WATERMARK")), dev, r.withHandles(handles))
		r.rise(m, 5)
		c.Poll(silent())
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := c.Mark(countersdb.Periodic, m.pool)[poolMark]; got != 5 {
			t.Errorf("watermark of a pool is %d", got)
		}
		cancel()
		synctest.Wait()
	})
}

// TestNoMarkLost: what is read while nothing can be written counts, and what the agent
// before wrote.
func TestNoMarkLost(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 2)
	r.put("USER_WATERMARKS:"+m.pg.String(), redisdb.Fields{pgShared: "800", pgRoom: "5"})
	r.put("PERSISTENT_WATERMARKS:"+m.pg.String(), redisdb.Fields{pgShared: "nonsense"})
	c := r.collector(nil)
	r.followPools(c, 1)
	for _, v := range []uint64{100, 600, 200} {
		r.rise(m, v)
		c.Poll(silent())
	}
	r.followPools(c, 2) // another list of objects
	r.pass(c)
	for _, is := range []struct{ table, stat, want string }{
		{"USER", pgShared, "800"}, {"USER", pgRoom, "600"}, {"PERSISTENT", pgShared, "600"}, {"PERIODIC", pgRoom, "600"},
	} {
		if got := r.mark(is.table, m.pg, is.stat); got != is.want {
			t.Errorf("%s %s is %s, want %s", is.table, is.stat, got, is.want)
		}
	}
	if got := r.counters(m.pg)[pgShared]; got != "0" {
		t.Errorf("the last reading is %s", got)
	}
	c.Clear("USER", "PG_SHARED")
	r.pass(c)
	if got := r.mark("USER", m.pg, pgShared); got != "0" {
		t.Errorf("after clearing, the watermark of the agent before is %s", got)
	}
}

// stubborn is a chip with a pool whose statistics can't be cleared.
type stubborn struct {
	*vsai.Chip
	pool sai.OID
}

func (s stubborn) ClearStats(o *sai.ObjectMeta, k sai.Key, ids []uint32) sai.Status {
	if k.OID == s.pool {
		return sai.StatusNotSupported
	}
	return s.Chip.ClearStats(o, k, ids)
}

// TestStubbornPool: a pool that can't be cleared is read, and its row says so.
func TestStubbornPool(t *testing.T) {
	t.Parallel()
	r, m := watermarks(t, 1)
	r.sw = &sai.Switch{Driver: stubborn{r.chip, m.pool}, ID: r.sw.ID}
	c := r.collector(nil)
	r.followPools(c, 1)
	other := r.pools[pools[1]]
	for range 2 {
		r.rise(m, 9)
		r.set(other, pool, poolMark, 7)
		r.pass(c)
	}
	r.pass(c)
	key := "FLEX_COUNTER_TABLE:BUFFER_POOL_WATERMARK_STAT_COUNTER:"
	flex := r.flex()
	if got := flex[key+m.pool.String()]["STATS_MODE"]; got != "STATS_MODE_READ" {
		t.Errorf("the pool that can't be cleared is read by %q", got)
	}
	if _, has := flex[key+other.String()]["STATS_MODE"]; has || flex[key+other.String()] == nil {
		t.Errorf("the other pool's row is %v", flex[key+other.String()])
	}
	if a, b := r.counters(m.pool)[poolMark], r.counters(other)[poolMark]; a != "9" || b != "0" {
		t.Errorf("the pool that can't be cleared reads %s, the other %s", a, b)
	}
	if a, b := r.mark("USER", m.pool, poolMark), r.mark("USER", other, poolMark); a != "9" || b != "7" {
		t.Errorf("watermarks %s and %s", a, b)
	}
}
