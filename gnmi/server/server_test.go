package server_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"xon/gnmi/gnmitest"
	"xon/gnmi/path"
	"xon/gnmi/server"
	"xon/gnmi/translate"
)

type fields = translate.Fields

func content() *gnmitest.Databases {
	d := &gnmitest.Databases{}
	d.PutAll("CONFIG_DB", map[string]fields{
		"PORT|Ethernet0":          {"mtu": "9100", "speed": "100000"},
		"PORT|Ethernet4":          {"mtu": "1500"},
		"BUFFER_PG|Ethernet0|3-4": {"profile": "lossless"},
		"FLAG|x":                  {},
	})
	d.PutAll("COUNTERS_DB", map[string]fields{
		"COUNTERS_PORT_NAME_MAP":  {"Ethernet0": "oid:0x1"},
		"COUNTERS_QUEUE_NAME_MAP": {"Ethernet0:0": "oid:0x10", "Ethernet0:1": "oid:0x11"},
		"COUNTERS:oid:0x1":        {"IN": "1"},
		"COUNTERS:oid:0x10":       {"PKTS": "10"},
		"COUNTERS:oid:0x11":       {"PKTS": "11"},
	})
	d.Put("STATE_DB", "PORT_TABLE|Ethernet0", fields{"state": "ok"})
	d.Put("APPL_DB", "PORT_TABLE:Ethernet0", fields{"mtu": "9100"})
	return d
}

// rig is a server with a client.
type rig struct {
	dbs    *gnmitest.Databases
	tr     *gnmitest.Transactor
	client gpb.GNMIClient
	conn   *grpc.ClientConn
	stop   func() error
}

func start(t testing.TB, change func(*server.Config)) *rig {
	t.Helper()
	dbs := content()
	r := &rig{dbs: dbs, tr: &gnmitest.Transactor{DB: dbs}}
	cfg := server.Config{Databases: dbs, Transactor: r.tr}
	if change != nil {
		change(&cfg)
	}
	l := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.New(cfg).Serve(ctx, l, nil) }()
	r.stop = func() error { cancel(); err := <-done; done <- err; return err }
	conn, err := grpc.NewClient("passthrough:bufconn",
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return l.Dial() }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	r.conn, r.client = conn, gpb.NewGNMIClient(conn)
	return r
}

func at(text string) *gpb.Path {
	p, err := path.Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

func want(t *testing.T, what string, err error, code codes.Code, text string) {
	t.Helper()
	if status.Code(err) != code || code != codes.OK && !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v, want %v with %q", what, err, code, text)
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	got, err := r.client.Capabilities(t.Context(), &gpb.CapabilityRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if got.GetGNMIVersion() != "0.10.0" || got.GetSupportedModels()[0].GetName() != "sonic-db" || len(got.GetSupportedEncodings()) != 4 {
		t.Error(got)
	}
}

// show writes an answer as "prefix / path = value" lines.
func show(resp *gpb.GetResponse) []string {
	var lines []string
	for _, n := range resp.GetNotification() {
		for _, u := range n.GetUpdate() {
			v := u.GetVal()
			text := fmt.Sprintf("%s%s%s%s", v.GetJsonVal(), v.GetJsonIetfVal(), v.GetStringVal(), v.GetAsciiVal())
			p := strings.TrimPrefix(path.String(u.GetPath()), "sonic-db:/")
			if n.GetPrefix() != nil {
				p = "(" + n.GetPrefix().GetTarget() + " " + path.String(n.GetPrefix()) + ") " + p
			}
			lines = append(lines, p+" = "+text)
		}
	}
	return lines
}

func TestGet(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	const port0 = `{"mtu":"9100","speed":"100000"}`
	tests := []struct {
		name string
		req  *gpb.GetRequest
		want []string
	}{
		{"field", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu")}}, []string{`CONFIG_DB/PORT/Ethernet0/mtu = "9100"`}},
		{"row", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/localhost/PORT/Ethernet0")}, Encoding: gpb.Encoding_JSON_IETF}, []string{"CONFIG_DB/localhost/PORT/Ethernet0 = " + port0}},
		{"bare row", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/FLAG/x")}}, []string{"CONFIG_DB/FLAG/x = {}"}},
		{"bare row in proto", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/FLAG/x")}, Encoding: gpb.Encoding_PROTO}, []string{"CONFIG_DB/FLAG/x/NULL = NULL"}},
		{"table", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT")}}, []string{`CONFIG_DB/PORT = {"Ethernet0":` + port0 + `,"Ethernet4":{"mtu":"1500"}}`}},
		{"rows", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/*")}}, []string{"CONFIG_DB/PORT/Ethernet0 = " + port0, `CONFIG_DB/PORT/Ethernet4 = {"mtu":"1500"}`}},
		{"leaves", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT")}, Encoding: gpb.Encoding_PROTO}, []string{
			"CONFIG_DB/PORT/Ethernet0/mtu = 9100", "CONFIG_DB/PORT/Ethernet0/speed = 100000", "CONFIG_DB/PORT/Ethernet4/mtu = 1500",
		}},
		{"ascii", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu")}, Encoding: gpb.Encoding_ASCII}, []string{"CONFIG_DB/PORT/Ethernet0/mtu = 9100"}},
		{"two paths", &gpb.GetRequest{Prefix: &gpb.Path{Target: "sw1", Origin: "sonic-db", Elem: path.Of("CONFIG_DB", "PORT")}, Path: []*gpb.Path{at("/Ethernet4"), at("/Ethernet0/mtu")}}, []string{
			`(sw1 sonic-db:/CONFIG_DB/PORT) /Ethernet4 = {"mtu":"1500"}`, `(sw1 sonic-db:/CONFIG_DB/PORT) /Ethernet0/mtu = "9100"`,
		}},
		{"target", &gpb.GetRequest{Prefix: &gpb.Path{Target: "COUNTERS_DB"}, Path: []*gpb.Path{at("/COUNTERS/Ethernet*/Queues")}}, []string{
			`(COUNTERS_DB /) /COUNTERS/Ethernet0/Queues = {"Ethernet0:0":{"PKTS":"10"},"Ethernet0:1":{"PKTS":"11"}}`,
		}},
		{"prefix only", &gpb.GetRequest{Prefix: at("sonic-db:/CONFIG_DB/FLAG")}, []string{`( sonic-db:/CONFIG_DB/FLAG) / = {"x":{}}`}},
		{"nothing matches", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Vlan*")}}, nil},
		{"root, config", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/*/PORT")}, Type: gpb.GetRequest_CONFIG}, []string{`CONFIG_DB/PORT = {"Ethernet0":` + port0 + `,"Ethernet4":{"mtu":"1500"}}`}},
		{"root, operational", &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/*/PORT_TABLE")}, Type: gpb.GetRequest_OPERATIONAL}, []string{`STATE_DB/PORT_TABLE = {"Ethernet0":{"state":"ok"}}`}},
		{"root, state", &gpb.GetRequest{Path: []*gpb.Path{at("/")}, Type: gpb.GetRequest_STATE}, []string{
			`/sonic-db:APPL_DB = {"PORT_TABLE":{"Ethernet0":{"mtu":"9100"}}}`,
			`/sonic-db:COUNTERS_DB = {"COUNTERS":{"oid:0x1":{"IN":"1"},"oid:0x10":{"PKTS":"10"},"oid:0x11":{"PKTS":"11"}},"COUNTERS_PORT_NAME_MAP":{"Ethernet0":"oid:0x1"},"COUNTERS_QUEUE_NAME_MAP":{"Ethernet0:0":"oid:0x10","Ethernet0:1":"oid:0x11"}}`,
			`/sonic-db:STATE_DB = {"PORT_TABLE":{"Ethernet0":{"state":"ok"}}}`,
		}},
	}
	for _, tt := range tests {
		got, err := r.client.Get(t.Context(), tt.req)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.want, show(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
		if len(got.GetNotification()) != max(1, len(tt.req.GetPath())) || got.GetNotification()[0].GetTimestamp() == 0 {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestGetErrors(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	port := []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT")}
	tests := []struct {
		req  *gpb.GetRequest
		code codes.Code
		want string
	}{
		{&gpb.GetRequest{Path: port, Encoding: gpb.Encoding_BYTES}, codes.Unimplemented, "BYTES"},
		{&gpb.GetRequest{Path: port, Encoding: 9}, codes.Unimplemented, "9"},
		{&gpb.GetRequest{Path: port, Type: 9}, codes.InvalidArgument, "data type 9"},
		{&gpb.GetRequest{Path: port, UseModels: []*gpb.ModelData{{Name: "x"}}}, codes.InvalidArgument, `model "x"`},
		{&gpb.GetRequest{Path: port, Type: gpb.GetRequest_STATE}, codes.NotFound, "sonic-db:/CONFIG_DB/PORT"},
		{&gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet8")}}, codes.NotFound, "sonic-db:/CONFIG_DB/PORT/Ethernet8: nothing is there"},
		{&gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/X")}}, codes.NotFound, "there is no database"},
		{&gpb.GetRequest{Path: []*gpb.Path{at("/interfaces")}}, codes.Unimplemented, "openconfig"},
	}
	for _, tt := range tests {
		_, err := r.client.Get(t.Context(), tt.req)
		want(t, tt.req.String(), err, tt.code, tt.want)
	}
	r.dbs.Fail(errors.New("connection refused"))
	_, err := r.client.Get(t.Context(), &gpb.GetRequest{Path: port})
	want(t, "no database", err, codes.Unavailable, "connection refused")
}

// numbers is a switch with every kind of row of COUNTERS_DB.
func numbers(r *rig) {
	r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"alias": "10", "mtu": "9100"})
	r.dbs.PutAll("COUNTERS_DB", map[string]fields{
		"COUNTERS:oid:0x1":               {"SAI_PORT_STAT_IF_IN_OCTETS": "18446744073709551615", "SAI_PORT_STAT_PFC_3_RX_PKTS": "N/A"},
		"COUNTERS:oid:0x10":              {"SAI_QUEUE_STAT_PACKETS": "7", "PFC_WD_STATUS": "1", "PFC_WD_QUEUE_STATS_TX_PACKETS": "2"},
		"COUNTERS:TIME_STAMP":            {"QUEUE_STAT_COUNTER_time_stamp": "1796079733314675111"},
		"USER_WATERMARKS:oid:0x10":       {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "5612800"},
		"PERSISTENT_WATERMARKS:oid:0x10": {"SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": "1"},
		"RATES:oid:0x1":                  {"RX_BPS": "729363.91191185", "SAI_PORT_STAT_IF_IN_OCTETS_last": "3"},
		"RATES:oid:0x1:PORT":             {"INIT_DONE": "1"},
		"RATES:PORT":                     {"PORT_ALPHA": "0.18", "PORT_SMOOTH_INTERVAL": "10"},
	})
}

// TestNumbers: counters, watermarks and rates are numbers in PROTO, in a Get and in
// every mode of Subscribe; fields that only look so are not.
func TestNumbers(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	numbers(r)
	for where, want := range map[string]string{
		"CONFIG_DB/PORT/Ethernet0/alias":                                                                 `string_val:"10"`,
		"CONFIG_DB/PORT/Ethernet0/mtu":                                                                   `string_val:"9100"`,
		"COUNTERS_DB/COUNTERS_PORT_NAME_MAP/Ethernet0":                                                   `string_val:"oid:0x1"`,
		"COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_IF_IN_OCTETS":                                      `uint_val:18446744073709551615`,
		"COUNTERS_DB/COUNTERS/oid:0x1/SAI_PORT_STAT_IF_IN_OCTETS":                                        `uint_val:18446744073709551615`,
		"COUNTERS_DB/COUNTERS/Ethernet0/SAI_PORT_STAT_PFC_3_RX_PKTS":                                     `string_val:"N/A"`,
		"COUNTERS_DB/COUNTERS/Ethernet0/Queues/Ethernet0:0/SAI_QUEUE_STAT_PACKETS":                       `uint_val:7`,
		"COUNTERS_DB/COUNTERS/Ethernet0/Queues/Ethernet0:0/PFC_WD_STATUS":                                `string_val:"1"`,
		"COUNTERS_DB/COUNTERS/Ethernet0/Queues/Ethernet0:0/PFC_WD_QUEUE_STATS_TX_PACKETS":                `uint_val:2`,
		"COUNTERS_DB/COUNTERS/TIME_STAMP/QUEUE_STAT_COUNTER_time_stamp":                                  `uint_val:1796079733314675111`,
		"COUNTERS_DB/USER_WATERMARKS/Ethernet0/Queues/Ethernet0:0/SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES": `uint_val:5612800`,
		"COUNTERS_DB/PERSISTENT_WATERMARKS/oid:0x10/SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES":               `uint_val:1`,
		"COUNTERS_DB/RATES/Ethernet0/RX_BPS":                                                             `double_val:729363.91191185`,
		"COUNTERS_DB/RATES/oid:0x1/SAI_PORT_STAT_IF_IN_OCTETS_last":                                      `uint_val:3`,
		"COUNTERS_DB/RATES/oid:0x1:PORT/INIT_DONE":                                                       `string_val:"1"`,
		"COUNTERS_DB/RATES/PORT/PORT_ALPHA":                                                              `double_val:0.18`,
	} {
		p := &gpb.Path{Origin: translate.Origin, Elem: path.Of(strings.Split(where, "/")...)}
		resp, err := r.client.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{p}, Encoding: gpb.Encoding_PROTO})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if got := resp.GetNotification()[0].GetUpdate()[0].GetVal().String(); got != want {
			t.Errorf("Get of %s: %s, want %s", where, got, want)
		}
		for _, mode := range []gpb.SubscriptionList_Mode{gpb.SubscriptionList_ONCE, gpb.SubscriptionList_STREAM} {
			l := &gpb.SubscriptionList{Mode: mode, Encoding: gpb.Encoding_PROTO, Subscription: []*gpb.Subscription{{Path: p}}}
			m, err := r.open(t, &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: l}}).Recv()
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if got := m.GetUpdate().GetUpdate()[0].GetVal().String(); got != want {
				t.Errorf("%s of %s: %s, want %s", mode, where, got, want)
			}
		}
	}
}

// TestNumbersJSON: a row of counters has numbers in JSON and, as RFC 7951 has it for 64
// bits, strings in JSON_IETF.
func TestNumbersJSON(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	numbers(r)
	for e, want := range map[gpb.Encoding]string{
		gpb.Encoding_JSON:      `COUNTERS_DB/RATES/oid:0x1 = {"RX_BPS":729363.91191185,"SAI_PORT_STAT_IF_IN_OCTETS_last":3}`,
		gpb.Encoding_JSON_IETF: `COUNTERS_DB/RATES/oid:0x1 = {"RX_BPS":"729363.91191185","SAI_PORT_STAT_IF_IN_OCTETS_last":"3"}`,
	} {
		resp, err := r.client.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{at("sonic-db:/COUNTERS_DB/RATES/oid:0x1")}, Encoding: e})
		if got := show(resp); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v, want %s", e, got, err, want)
		}
	}
}
