package counters_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent/counters"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/inventory"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/test/scale"
)

// quickly has all groups polled all the time.
var quickly = map[string]time.Duration{
	countersdb.PortGroup: time.Millisecond, countersdb.QueueGroup: time.Millisecond, countersdb.PGDropGroup: time.Millisecond,
}

func silent() logrus.FieldLogger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

// rig is a chip, and a database to write its counters to.
type rig struct {
	t      testing.TB
	chip   *vsai.Chip
	inv    *inventory.Inventory
	sw     *sai.Switch
	server *server
	client *redisdb.Client
	db     *redisdb.DB
	rows   *configdb.Config // what collectors go by
	pools  map[string]sai.OID
}

func newRig(t testing.TB, ports int) *rig {
	t.Helper()
	layout := make([]vsai.PortLayout, ports)
	for i := range layout {
		layout[i] = vsai.PortLayout{Lanes: scale.Lanes(i), SpeedMbps: scale.SpeedMbps}
	}
	r := &rig{t: t, chip: vsai.New(vsai.Config{Ports: layout, Record: -1}), server: newServer(t), rows: enabled(t, "PORT", "QUEUE", "PG_DROP"), pools: map[string]sai.OID{}}
	var err error
	if r.sw, _, err = inventory.Open(r.chip); err != nil {
		t.Fatal(err)
	}
	if r.inv, err = inventory.Discover(r.sw); err != nil {
		t.Fatal(err)
	}
	r.client = redistest.Connect(t, r.server.addr)
	r.db = r.client.DB(redisdb.CountersDB)
	return r
}

// device is the chip with its first ports configured.
func (r *rig) device(ports int) (*intent.Device, map[graph.Key]sai.OID) {
	r.t.Helper()
	rows := map[string]*configdb.Port{}
	for k, f := range scale.Ports(ports) {
		row, _, err := configdb.Parse(k, f)
		if err != nil {
			r.t.Fatal(err)
		}
		rows[k.Key()], _ = row.(*configdb.Port)
	}
	return r.inv.Name(rows)
}

// parse makes rows of their fields.
func parse(t testing.TB, raw configdb.RawRows) *configdb.Config {
	t.Helper()
	e := new(configdb.Config).Edit()
	for k, f := range raw {
		row, _, err := configdb.Parse(k, f)
		if err != nil {
			t.Fatal(err)
		}
		e.Put(row)
	}
	return e.Config()
}

// enabled are rows that enable groups, without rates.
func enabled(t testing.TB, groups ...string) *configdb.Config {
	t.Helper()
	raw := configdb.RawRows{"FLEX_COUNTER_TABLE|PORT_RATES": {"FLEX_COUNTER_STATUS": "disable"}}
	for _, g := range groups {
		raw[configdb.Key("FLEX_COUNTER_TABLE", g)] = configdb.Fields{"FLEX_COUNTER_STATUS": "enable"}
	}
	return parse(t, raw)
}

// follow has a collector follow the first ports.
func (r *rig) follow(c *counters.Collector, ports int) {
	r.t.Helper()
	dev, handles := r.device(ports)
	c.Follow(r.rows, dev, handles)
}

// pools are the buffer pools that withPools makes.
var pools = []string{"egress_pool", "ingress_pool"}

// withPools adds rows of buffer pools, and the pools to the chip.
func (r *rig) withPools(rows *configdb.Config) *configdb.Config {
	r.t.Helper()
	for _, name := range pools {
		if r.pools[name] == sai.Null {
			p, err := sai.Create(r.sw, sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress), sai.BufferPoolAttrSize.Is(1<<16))
			if err != nil {
				r.t.Fatal(err)
			}
			r.pools[name] = p.OID()
		}
		rows = rows.With(&configdb.BufferPool{ID: configdb.Key("BUFFER_POOL", name), Name: name})
	}
	return rows
}

// followPools is follow with buffer pools.
func (r *rig) followPools(c *counters.Collector, ports int) {
	r.t.Helper()
	dev, handles := r.device(ports)
	c.Follow(r.rows, dev, r.withHandles(handles))
}

func (r *rig) withHandles(handles map[graph.Key]sai.OID) map[graph.Key]sai.OID {
	all := maps.Clone(handles)
	for name, id := range r.pools {
		all[graph.Key{Type: sai.ObjectTypeBufferPool, Name: name}] = id
	}
	return all
}

// collect runs a collector until the test ends, or stop is called.
func (r *rig) collect(intervals map[string]time.Duration) (c *counters.Collector, stop func()) {
	r.t.Helper()
	c = r.collector(intervals)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
	r.t.Cleanup(stop)
	return c, stop
}

func (r *rig) collector(intervals map[string]time.Duration) *counters.Collector {
	return counters.New(counters.Config{Log: silent(), Switch: r.sw, Client: r.client, Intervals: intervals})
}

// set gives a counter of an object a value.
func (r *rig) set(id sai.OID, o *sai.ObjectMeta, stat string, v uint64) {
	r.t.Helper()
	if err := r.chip.SetStat(id, o.StatByName(stat).ID, v); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) row(key string) redisdb.Fields {
	r.t.Helper()
	f, err := r.db.Row(r.t.Context(), key)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (r *rig) counters(id sai.OID) redisdb.Fields { return r.row("COUNTERS:" + id.String()) }

// stored is all of COUNTERS_DB, but for the two rows that are always there.
func (r *rig) stored() map[string]redisdb.Fields {
	r.t.Helper()
	all, err := r.db.All(r.t.Context(), redisdb.Everything)
	if err != nil {
		r.t.Fatal(err)
	}
	delete(all, countersdb.TimesKey)
	delete(all, countersdb.RateSettings)
	return all
}

func (r *rig) put(key string, f redisdb.Fields) {
	r.t.Helper()
	r.putIn(redisdb.CountersDB, key, f)
}

func (r *rig) putIn(id redisdb.ID, key string, f redisdb.Fields) {
	r.t.Helper()
	var b redisdb.Batch
	b.Set(key, f)
	if err := r.client.DB(id).Write(r.t.Context(), &b); err != nil {
		r.t.Fatal(err)
	}
}

// pass has a collector that does not run read and write once.
func (r *rig) pass(c *counters.Collector) {
	r.t.Helper()
	c.Poll(silent())
	if err := c.Write(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// shows waits until a counter has a value in the database.
func (r *rig) shows(id sai.OID, stat, value string) {
	r.t.Helper()
	redistest.Eventually(r.t, fmt.Sprintf("%s of %s is %s", stat, id, value), func() bool { return r.counters(id)[stat] == value })
}

// passes waits for so many further readings of a group.
func (r *rig) passes(c *counters.Collector, group string, n int) {
	r.t.Helper()
	var last *counters.Reading
	redistest.Eventually(r.t, fmt.Sprintf("%d readings of %s", n, group), func() bool {
		if now := c.Reading(group); now != nil && now != last {
			last, n = now, n-1
		}
		return n < 0
	})
}

// server is a redis-server that can go away.
type server struct {
	t         testing.TB
	dir, addr string
	running   *redisdb.Server
}

func newServer(t testing.TB) *server {
	s := &server{t: t, dir: redistest.Dir(t)}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *server) start() {
	s.t.Helper()
	running, err := redisdb.StartServer(context.WithoutCancel(s.t.Context()), redisdb.ServerConfig{Dir: s.dir}, nil)
	if err != nil {
		s.t.Fatalf("this test needs redis-server (Debian: apt-get install redis-server): %v", err)
	}
	s.running, s.addr = running, running.Addr()
}

func (s *server) stop() {
	if s.running == nil {
		return
	}
	if err := s.running.Stop(context.Background()); err != nil {
		s.t.Error(err)
	}
	s.running = nil
}

// forget removes what a stopped server has stored.
func (s *server) forget() {
	s.t.Helper()
	if err := os.RemoveAll(s.dir); err != nil {
		s.t.Fatal(err)
	}
}

var calls = regexp.MustCompile(`cmdstat_([a-z]+):calls=([0-9]+)`)

// did counts the commands that the server executed, by their name.
func (s *server) did() map[string]int {
	s.t.Helper()
	conn, err := net.Dial("unix", strings.TrimPrefix(s.addr, "unix:"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "INFO commandstats\r\nQUIT\r\n")
	count := map[string]int{}
	for sc := bufio.NewScanner(conn); sc.Scan(); {
		if m := calls.FindStringSubmatch(sc.Text()); m != nil {
			count[m[1]], _ = strconv.Atoi(m[2])
		}
	}
	return count
}

// fullNames are the statistics of a group.
func fullNames(name string) []string {
	for _, g := range countersdb.Groups {
		if g.Name == name {
			return g.Stats
		}
	}
	return nil
}

// zeros are all statistics of a group, with some of them other than 0.
func zeros(group string, others redisdb.Fields) redisdb.Fields {
	f := redisdb.Fields{}
	for _, name := range fullNames(group) {
		f[name] = "0"
	}
	maps.Copy(f, others)
	return f
}
