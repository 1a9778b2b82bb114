package counters_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/counters"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

var (
	port  = sai.Port{}.Meta()
	queue = sai.Queue{}.Meta()
	pg    = sai.IngressPriorityGroup{}.Meta()
	pool  = sai.BufferPool{}.Meta()
)

// TestStatistics: every statistic that is polled is SAI's, and the default chip
// has it.
func TestStatistics(t *testing.T) {
	t.Parallel()
	chip := vsai.New(vsai.Config{})
	sw, err := sai.Create(&sai.Switch{Driver: chip}, sai.SwitchAttrInitSwitch.Is(true))
	if err != nil {
		t.Fatal(err)
	}
	objects := map[countersdb.Object]*sai.ObjectMeta{
		countersdb.Port: port, countersdb.Queue: queue, countersdb.PriorityGroup: pg, countersdb.BufferPool: pool, countersdb.Switch: sai.SwitchObject{}.Meta(),
	}
	for _, g := range countersdb.Groups {
		o := objects[g.Object]
		list, st := chip.StatsCapability(sw.OID(), o)
		if st != 0 {
			t.Fatal(st)
		}
		has := map[uint32]bool{}
		for _, c := range list {
			has[c.StatEnum] = true
		}
		for _, name := range g.Stats {
			switch m := o.StatByName(name); {
			case m == nil:
				t.Errorf("group %s: SAI has no %s", g.Name, name)
			case m.FullName() != name || !has[m.ID]:
				t.Errorf("group %s: %s is %s, and the chip has it: %v", g.Name, name, m.FullName(), has[m.ID])
			}
		}
	}
}

// TestValues: what the chip counts arrives, whole, for every object of a port that
// is configured.
func TestValues(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	dev, handles := r.device(2)
	p := dev.ByName["Ethernet4"]
	in, q, g := handles[p.Object], handles[p.Queues[3].Buffer.Object()], handles[p.PGs[4].Object()]
	r.set(in, port, "SAI_PORT_STAT_IF_IN_OCTETS", math.MaxUint64)
	r.set(in, port, "SAI_PORT_STAT_PFC_3_RX_PKTS", 17)
	r.set(q, queue, "SAI_QUEUE_STAT_PACKETS", 4)
	c, _ := r.collect(quickly)
	c.Follow(r.rows, dev, handles)
	r.set(g, pg, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", 5)
	r.shows(g, "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", "5")
	r.shows(q, "SAI_QUEUE_STAT_PACKETS", "4")
	r.shows(in, "SAI_PORT_STAT_IF_IN_OCTETS", "18446744073709551615")

	want := map[string]redisdb.Fields{}
	for _, name := range []string{"Ethernet0", "Ethernet4"} {
		p := dev.ByName[name]
		want["COUNTERS:"+handles[p.Object].String()] = zeros(countersdb.PortGroup, nil)
		for _, q := range p.Queues {
			want["COUNTERS:"+handles[q.Buffer.Object()].String()] = zeros(countersdb.QueueGroup, nil)
		}
		for _, k := range p.PGs {
			want["COUNTERS:"+handles[k.Object()].String()] = zeros(countersdb.PGDropGroup, nil)
		}
	}
	want["COUNTERS:"+in.String()]["SAI_PORT_STAT_IF_IN_OCTETS"] = "18446744073709551615"
	want["COUNTERS:"+in.String()]["SAI_PORT_STAT_PFC_3_RX_PKTS"] = "17"
	want["COUNTERS:"+q.String()]["SAI_QUEUE_STAT_PACKETS"] = "4"
	want["COUNTERS:"+g.String()]["SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"] = "5"
	got := r.stored()
	for key := range got {
		if !strings.HasPrefix(key, "COUNTERS:") {
			delete(got, key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("COUNTERS_DB (-want +got):\n%s", diff)
	}
	reading := c.Reading(countersdb.PortGroup)
	if len(reading.Objects) != 2 || reading.Failed != nil || len(reading.Values) != 2*len(reading.Stats) {
		t.Errorf("reading of ports: %d objects, %d values, failed %v", len(reading.Objects), len(reading.Values), reading.Failed)
	}
	if c.Reading("NO_SUCH_GROUP") != nil {
		t.Error("a group that does not exist has a reading")
	}
}

// TestNameMaps compares the name maps with what the chip itself says of its
// objects.
func TestNameMaps(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	c, _ := r.collect(nil)
	r.follow(c, 1)
	port := sai.ID[sai.Port](r.chip.Ports()[0])
	want := map[string]redisdb.Fields{
		"COUNTERS_PORT_NAME_MAP":  {"Ethernet0": port.OID().String()},
		"COUNTERS_QUEUE_NAME_MAP": {}, "COUNTERS_QUEUE_PORT_MAP": {}, "COUNTERS_QUEUE_INDEX_MAP": {}, "COUNTERS_QUEUE_TYPE_MAP": {},
		"COUNTERS_PG_NAME_MAP": {}, "COUNTERS_PG_PORT_MAP": {}, "COUNTERS_PG_INDEX_MAP": {},
	}
	for _, q := range must(sai.Get(r.sw, port, sai.PortAttrQoSQueueList)) {
		id, index := q.OID().String(), strconv.Itoa(int(must(sai.Get(r.sw, q, sai.QueueAttrIndex))))
		want["COUNTERS_QUEUE_NAME_MAP"]["Ethernet0:"+index] = id
		want["COUNTERS_QUEUE_PORT_MAP"][id] = port.OID().String()
		want["COUNTERS_QUEUE_INDEX_MAP"][id] = index
		typ := must(sai.Get(r.sw, q, sai.QueueAttrType))
		want["COUNTERS_QUEUE_TYPE_MAP"][id] = sai.QueueAttrType.AttrMeta.Enum.FullText(int32(typ))
	}
	for _, g := range must(sai.Get(r.sw, port, sai.PortAttrIngressPriorityGroupList)) {
		id, index := g.OID().String(), strconv.Itoa(int(must(sai.Get(r.sw, g, sai.IngressPriorityGroupAttrIndex))))
		want["COUNTERS_PG_NAME_MAP"]["Ethernet0:"+index] = id
		want["COUNTERS_PG_PORT_MAP"][id] = port.OID().String()
		want["COUNTERS_PG_INDEX_MAP"][id] = index
	}
	redistest.Eventually(t, "the name maps are there", func() bool { return r.row("COUNTERS_PORT_NAME_MAP") != nil })
	for table, f := range want {
		if diff := cmp.Diff(f, r.row(table)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
	if n := len(want["COUNTERS_QUEUE_NAME_MAP"]); n != 20 {
		t.Errorf("%d queues", n)
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// TestUnchanged: values that stay are not written again, and of an object only
// the statistics that changed. Each pass says when it read.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	dev, handles := r.device(2)
	c := r.collector(nil)
	c.Follow(r.rows, dev, handles)
	r.pass(c)
	id := handles[dev.ByName["Ethernet0"].Object]
	r.put("COUNTERS:"+id.String(), redisdb.Fields{"SAI_PORT_STAT_IF_OUT_OCTETS": "of another hand"})
	before := r.server.did()
	r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", 99)
	r.pass(c)
	if n := r.server.did()["hset"] - before["hset"]; n != 2 {
		t.Errorf("%d rows were written for one that changed and the time", n)
	}
	if f := r.counters(id); f["SAI_PORT_STAT_IF_OUT_OCTETS"] != "of another hand" || f["SAI_PORT_STAT_IF_IN_OCTETS"] != "99" {
		t.Errorf("of two statistics, one of which changed, %s and %s", f["SAI_PORT_STAT_IF_OUT_OCTETS"], f["SAI_PORT_STAT_IF_IN_OCTETS"])
	}
	at := strconv.FormatInt(c.Reading(countersdb.PortGroup).Time.UnixNano(), 10)
	if got := r.row("COUNTERS:TIME_STAMP")["PORT_STAT_COUNTER_time_stamp"]; got != at {
		t.Errorf("ports were read at %s, want %s", got, at)
	}
}

// TestFailedObjects: an object that can't be read keeps its row and spoils no
// other, whatever the way in which the chip says so.
func TestFailedObjects(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	dev, handles := r.device(3)
	bad, good := handles[dev.ByName["Ethernet4"].Object], handles[dev.ByName["Ethernet8"].Object]
	tests := []struct {
		name string
		hook func(vsai.Call) sai.Status
	}{
		{"one of a bulk call", func(c vsai.Call) sai.Status {
			if c.Op == vsai.OpStats && c.Key.OID == bad {
				return sai.StatusFailure
			}
			return 0
		}},
		{"no bulk calls at all", func(c vsai.Call) sai.Status {
			switch {
			case c.Op == vsai.OpStats && c.IsBulk():
				return sai.StatusNotSupported
			case c.Op == vsai.OpStats && c.Key.OID == bad:
				return sai.StatusObjectInUse
			}
			return 0
		}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, next := uint64(10*i+10), uint64(10*i+11)
			c, stop := r.collect(quickly)
			defer stop()
			for _, id := range []sai.OID{bad, good} {
				r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", old)
			}
			c.Follow(r.rows, dev, handles)
			r.shows(bad, "SAI_PORT_STAT_IF_IN_OCTETS", strconv.FormatUint(old, 10))
			r.chip.OnCall(tt.hook)
			for _, id := range []sai.OID{bad, good} {
				r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", next)
			}
			r.shows(good, "SAI_PORT_STAT_IF_IN_OCTETS", strconv.FormatUint(next, 10))
			if v := r.counters(bad)["SAI_PORT_STAT_IF_IN_OCTETS"]; v != strconv.FormatUint(old, 10) && v != strconv.FormatUint(next, 10) {
				t.Errorf("the object that fails shows %s", v)
			}
			r.passes(c, countersdb.PortGroup, 2)
			if f := c.Reading(countersdb.PortGroup).Failed; !f[bad] || len(f) != 1 {
				t.Errorf("failed objects are %v, want %s", f, bad)
			}
			r.chip.OnCall(nil)
			r.set(bad, port, "SAI_PORT_STAT_IF_IN_OCTETS", next+100)
			r.shows(bad, "SAI_PORT_STAT_IF_IN_OCTETS", strconv.FormatUint(next+100, 10))
		})
	}
}

// TestFollow: rows and names of objects that are no longer followed go, those of
// other objects come, and what is not counters stays.
func TestFollow(t *testing.T) {
	t.Parallel()
	r := newRig(t, 3)
	r.put("COUNTERS:oid:0xdead", redisdb.Fields{"SAI_PORT_STAT_IF_IN_OCTETS": "1"})
	r.put("COUNTERS_PG_NAME_MAP", redisdb.Fields{"Ethernet999:0": "oid:0xdead"})
	r.putIn(redisdb.FlexCounterDB, "FLEX_COUNTER_TABLE:PG_DROP_STAT_COUNTER:oid:0xdead", redisdb.Fields{"PG_COUNTER_ID_LIST": "SAI_PORT_STAT_IF_IN_OCTETS"})
	r.put("RATES:oid:0xdead", redisdb.Fields{"RX_BPS": "1"})
	r.put("COUNTERS:oid:0xbeef", redisdb.Fields{"SAI_BUFFER_POOL_STAT_WATERMARK_BYTES": "1"})
	c, _ := r.collect(quickly)
	three, handles := r.device(3)
	two, fewer := r.device(2)
	none, _ := r.device(0)
	gone := handles[three.ByName["Ethernet8"].Object]

	c.Follow(r.rows, three, handles)
	r.shows(gone, "SAI_PORT_STAT_IF_IN_OCTETS", "0")
	if r.counters(0xdead) != nil || r.row("COUNTERS_PG_NAME_MAP")["Ethernet999:0"] != "" {
		t.Error("what an agent before left behind is still there")
	}
	if r.row("RATES:oid:0xdead") == nil || r.counters(0xbeef) == nil {
		t.Error("a row of somebody else is gone")
	}
	c.Follow(r.rows, two, fewer)
	redistest.Eventually(t, "the third port is gone", func() bool { return r.counters(gone) == nil })
	r.shows(handles[three.ByName["Ethernet4"].Object], "SAI_PORT_STAT_IF_IN_OCTETS", "0")
	if n := len(r.row("COUNTERS_QUEUE_NAME_MAP")); n != 40 {
		t.Errorf("%d queues have names", n)
	}
	c.Follow(r.rows, none, nil)
	redistest.Eventually(t, "all are gone", func() bool { return len(r.stored()) == 2 })
	c.Follow(r.rows, three, handles)
	r.shows(gone, "SAI_PORT_STAT_IF_IN_OCTETS", "0")
}

// TestLateReading: a reading that was begun before its objects were given up does
// not bring their rows back.
func TestLateReading(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	two, handles := r.device(2)
	one, fewer := r.device(1)
	gone, q := handles[two.ByName["Ethernet4"].Object], fewer[one.Ports[0].Queues[0].Buffer.Object()]
	begun, proceed := make(chan struct{}), make(chan struct{}) // a value for each call
	defer r.chip.OnCall(nil)
	r.chip.OnCall(func(c vsai.Call) sai.Status {
		if c.Op != vsai.OpStats || !c.IsBulk() || c.Object != port {
			return 0
		}
		select {
		case begun <- struct{}{}:
		case <-t.Context().Done():
		}
		select {
		case <-proceed:
		case <-t.Context().Done():
		}
		return 0
	})
	c, _ := r.collect(quickly)
	c.Follow(r.rows, two, handles)
	<-begun
	c.Follow(r.rows, one, fewer)
	proceed <- struct{}{}
	<-begun // the next reading has begun, the late one is complete
	if late := c.Reading(countersdb.PortGroup); late != nil {
		t.Errorf("there is a reading of %v", late.Objects)
	}
	r.set(q, queue, "SAI_QUEUE_STAT_PACKETS", 1)
	r.shows(q, "SAI_QUEUE_STAT_PACKETS", "1")
	if f := r.counters(gone); f != nil {
		t.Errorf("a port that is not followed has a row of %d fields", len(f))
	}
	r.chip.OnCall(nil)
	proceed <- struct{}{}
	r.shows(handles[two.ByName["Ethernet0"].Object], "SAI_PORT_STAT_IF_IN_OCTETS", "0")
}

// TestNextAgent: an agent that finds the rows of the one before leaves what is
// right in place while it has read nothing yet.
func TestNextAgent(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	dev, handles := r.device(2)
	first, stop := r.collect(quickly)
	first.Follow(r.rows, dev, handles)
	for _, p := range dev.Ports {
		r.shows(handles[p.Object], "SAI_PORT_STAT_IF_IN_OCTETS", "0")
	}
	stop()
	before := r.server.did()
	next, stop := r.collect(quickly)
	next.Follow(r.rows, dev, handles)
	r.set(handles[dev.Ports[0].Object], port, "SAI_PORT_STAT_IF_IN_OCTETS", 7)
	r.shows(handles[dev.Ports[0].Object], "SAI_PORT_STAT_IF_IN_OCTETS", "7")
	stop()
	for _, verb := range []string{"del", "hdel", "unlink"} {
		if after := r.server.did(); after[verb] != before[verb] {
			t.Errorf("%d times %s", after[verb]-before[verb], verb)
		}
	}
}

// TestDatabaseAway: reading goes on while the database is away, and everything is
// there again when it is back, empty as it may be.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	dev, handles := r.device(2)
	id := handles[dev.ByName["Ethernet4"].Object]
	c, _ := r.collect(quickly)
	c.Follow(r.rows, dev, handles)
	r.shows(id, "SAI_PORT_STAT_IF_IN_OCTETS", "0")
	r.server.stop()
	r.set(id, port, "SAI_PORT_STAT_IF_IN_OCTETS", 5)
	r.passes(c, countersdb.PortGroup, 10)
	at := c.Reading(countersdb.PortGroup)
	if v := value(at, id, "SAI_PORT_STAT_IF_IN_OCTETS"); v != 5 {
		t.Errorf("without a database the counter reads %d", v)
	}
	r.server.forget()
	r.server.start()
	redistest.Eventually(t, "the counter is written", func() bool {
		f, err := r.db.Row(t.Context(), "COUNTERS:"+id.String())
		return err == nil && f["SAI_PORT_STAT_IF_IN_OCTETS"] == "5"
	})
	redistest.Eventually(t, "all is written", func() bool {
		rows, err := r.db.All(t.Context(), redisdb.Everything)
		return err == nil && len(rows) == 2+8+2*(1+20+8)
	})
	want := zeros(countersdb.PortGroup, redisdb.Fields{"SAI_PORT_STAT_IF_IN_OCTETS": "5"})
	if diff := cmp.Diff(want, r.counters(id)); diff != "" {
		t.Errorf("row of the port (-want +got):\n%s", diff)
	}
}

func value(r *counters.Reading, id sai.OID, stat string) uint64 {
	for i, o := range r.Objects {
		for j, s := range r.Stats {
			if o == id && s == stat {
				return r.Values[i*len(r.Stats)+j]
			}
		}
	}
	return 0
}
