package server_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/gnmitest"
	"xon/gnmi/notify"
	"xon/gnmi/server"
)

// large fills databases with a switch of 64 ports: 10 queues of 9 counters each,
// and 88 counters of the port.
func large(dbs *gnmitest.Databases) {
	const ports = 64
	config, counters := map[string]fields{}, map[string]fields{}
	portMap, queueMap := fields{}, fields{}
	for p := range ports {
		name, oid := fmt.Sprintf("Ethernet%d", p), fmt.Sprintf("oid:0x1%06x", p)
		config["PORT|"+name] = fields{"mtu": "9100", "speed": "100000", "lanes": "1,2,3,4", "admin_status": "up", "alias": name}
		portMap[name], counters["COUNTERS:"+oid] = oid, stats("SAI_PORT_STAT_", 88, p)
		for q := range 10 {
			oid := fmt.Sprintf("oid:0x15%03x%03x", p, q)
			queueMap[fmt.Sprintf("%s:%d", name, q)], counters["COUNTERS:"+oid] = oid, stats("SAI_QUEUE_STAT_", 9, p)
		}
	}
	counters["COUNTERS_PORT_NAME_MAP"], counters["COUNTERS_QUEUE_NAME_MAP"] = portMap, queueMap
	dbs.PutAll("CONFIG_DB", config)
	dbs.PutAll("COUNTERS_DB", counters)
}

func stats(prefix string, n, seed int) fields {
	f := fields{}
	for i := range n {
		f[fmt.Sprintf("%sCOUNTER_%d", prefix, i)] = fmt.Sprint(seed * i * 12345)
	}
	return f
}

func BenchmarkGet(b *testing.B) {
	r := start(b, nil)
	large(r.dbs)
	for _, bench := range []struct {
		name, path string
		encoding   gpb.Encoding
	}{
		{"row", "sonic-db:/CONFIG_DB/PORT/Ethernet0", gpb.Encoding_JSON_IETF},
		{"counters-of-port", "sonic-db:/COUNTERS_DB/COUNTERS/Ethernet0", gpb.Encoding_JSON_IETF},
		{"table", "sonic-db:/CONFIG_DB/PORT", gpb.Encoding_JSON_IETF},
		{"table-proto", "sonic-db:/CONFIG_DB/PORT", gpb.Encoding_PROTO},
		{"queues-of-64-ports", "sonic-db:/COUNTERS_DB/COUNTERS/Ethernet*/Queues", gpb.Encoding_JSON_IETF},
		{"counters-table", "sonic-db:/COUNTERS_DB/COUNTERS", gpb.Encoding_JSON_IETF},
	} {
		b.Run(bench.name, func(b *testing.B) {
			req := &gpb.GetRequest{Path: []*gpb.Path{at(bench.path)}, Encoding: bench.encoding}
			for b.Loop() {
				if _, err := r.client.Get(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type nothing struct{}

func (nothing) Transact(context.Context, server.Request) (server.Outcome, error) {
	return server.Outcome{Revision: 1}, nil
}

func BenchmarkSet10Rows(b *testing.B) {
	r := start(b, func(c *server.Config) { c.Transactor = nothing{} })
	req := &gpb.SetRequest{}
	for i := range 10 {
		p := fmt.Sprintf("sonic-db:/CONFIG_DB/PORT_QOS_MAP/Ethernet%d", i)
		req.Update = append(req.Update, update(p, `{"pfc_enable":"3,4","tc_to_queue_map":"AZURE","dscp_to_tc_map":"AZURE"}`))
	}
	for b.Loop() {
		if _, err := r.client.Set(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStream is the server's cost of a leaf, gRPC and the client's reading of
// frames included, with samples as fast as they are taken.
func BenchmarkStream(b *testing.B) {
	for _, bench := range []struct {
		name     string
		encoding gpb.Encoding
	}{{"proto", gpb.Encoding_PROTO}, {"json", gpb.Encoding_JSON}} {
		b.Run(bench.name, func(b *testing.B) {
			r := start(b, func(c *server.Config) { c.Limits = notify.Limits{Floor: time.Nanosecond, Sample: time.Second} })
			large(r.dbs)
			req := subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/COUNTERS_DB/COUNTERS/Ethernet*/Queues")
			req.GetSubscribe().Encoding = bench.encoding
			req.GetSubscribe().Subscription[0].SampleInterval = 1
			s, err := r.client.Subscribe(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Send(req); err != nil {
				b.Fatal(err)
			}
			leaves := 0
			for b.Loop() {
				m, err := s.Recv()
				if err != nil {
					b.Fatal(err)
				}
				leaves += len(m.GetUpdate().GetUpdate())
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds(), "leaves/s")
		})
	}
}

// BenchmarkEngine is a sample of 5,760 leaves without gRPC.
func BenchmarkEngine(b *testing.B) {
	dbs := &gnmitest.Databases{}
	large(dbs)
	plan, err := notify.Parse(subscribe(gpb.SubscriptionList_ONCE, "sonic-db:/COUNTERS_DB/COUNTERS/Ethernet*/Queues").GetSubscribe(), notify.DefaultLimits)
	if err != nil {
		b.Fatal(err)
	}
	e := notify.New(dbs, nolog)
	for b.Loop() {
		if err := e.Once(b.Context(), plan, func(*gpb.SubscribeResponse) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/5760, "ns/leaf")
}

// BenchmarkOnChange is from a change in the database to the client.
func BenchmarkOnChange(b *testing.B) {
	r := start(b, nil)
	large(r.dbs)
	s, err := r.client.Subscribe(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Send(subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/PORT")); err != nil {
		b.Fatal(err)
	}
	for synced := false; !synced; {
		m, err := s.Recv()
		if err != nil {
			b.Fatal(err)
		}
		synced = m.GetSyncResponse()
	}
	n := 0
	for b.Loop() {
		n++
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet7", fields{"mtu": fmt.Sprint(n)})
		if _, err := s.Recv(); err != nil {
			b.Fatal(err)
		}
	}
}

// nolog is a log for benchmarks, which don't look at it.
var nolog, _ = logtest.NewNullLogger()
