package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"

	"xon/gnmi/admin"
	"xon/gnmi/gnmitest"
	"xon/gnmi/server"
	"xon/schema/configdb"
	"xon/schema/redistest"
)

var update = flag.Bool("update", false, "write the golden files anew")

type fields = map[string]string

// content is a switch of three ports.
func content() *gnmitest.Databases {
	d := &gnmitest.Databases{}
	d.PutAll("CONFIG_DB", map[string]fields{
		"DEVICE_METADATA|localhost":                  {"hostname": "leaf1"},
		"PORT|Ethernet0":                             {"alias": "eth1", "lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "fec": "rs", "admin_status": "up"},
		"PORT|Ethernet4":                             {"lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"},
		"PORT|Ethernet10":                            {"lanes": "9", "speed": "2500"},
		"PORT_QOS_MAP|Ethernet0":                     {"pfc_enable": "3,4"},
		"SCHEDULER|lossless":                         {"type": "DWRR", "weight": "50"},
		"QUEUE|Ethernet0|3-4":                        {"scheduler": "lossless", "wred_profile": "ecn"},
		"BUFFER_QUEUE|Ethernet0|3":                   {"profile": "egress_lossless"},
		"BUFFER_POOL|ingress_pool":                   {"type": "ingress", "mode": "dynamic", "size": "12582912", "xoff": "4194304"},
		"BUFFER_PROFILE|lossless":                    {"pool": "ingress_pool", "size": "1248", "xon": "18432", "xoff": "72704", "dynamic_th": "-1"},
		"BUFFER_PG|Ethernet0,Ethernet4|3":            {"profile": "lossless"},
		"BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0": {"profile_list@": "lossless,lossy"},
		"VLAN|Vlan10":                                {},
	})
	d.PutAll("STATE_DB", map[string]fields{
		"XON_AGENT|localhost":                     {"version": "0.1.0", "chip": "virtual td2", "database": "unix:/run/redis.sock", "revision": "7"},
		"XON_ROW|PORT|Ethernet0":                  {"state": "applied", "since": "2026-01-02T03:04:05.000Z", "revision": "1"},
		"XON_ROW|PORT|Ethernet4":                  {"state": "applied", "since": "2026-01-02T03:04:05.000Z", "revision": "1", "warnings": "no headroom\nno light"},
		"XON_ROW|PORT|Ethernet10":                 {"state": "refused", "since": "2026-01-02T03:04:06.000Z", "revision": "2", "field": "speed", "reason": "2500 Mb/s is not a speed of the chip"},
		"XON_ROW|BUFFER_PG|Ethernet0,Ethernet4|3": {"state": "waiting", "since": "2026-01-02T03:04:05.000Z", "revision": "1", "on": "BUFFER_PROFILE|lossless", "reason": "the profile is not there"},
		"XON_ROW|VLAN|Vlan10":                     {"state": "ignored", "since": "2026-01-02T03:04:05.000Z", "revision": "1", "reason": "table VLAN is outside xon's scope"},
	})
	d.PutAll("APPL_DB", map[string]fields{
		"PORT_TABLE:Ethernet0":           {"oper_status": "up"},
		"PORT_TABLE:Ethernet4":           {"oper_status": "down"},
		"PORT_TABLE:PortConfigDone":      {"count": "3"},
		"BUFFER_POOL_TABLE:ingress_pool": {"type": "ingress", "mode": "dynamic", "size": "12582912", "xoff": "4194304"},
		"BUFFER_PROFILE_TABLE:lossless":  {"pool": "ingress_pool", "size": "1248", "xon": "18432", "xoff": "72704", "dynamic_th": "-1"},
		"BUFFER_QUEUE_TABLE:Ethernet0:3": {"profile": "egress_lossless"},
	})
	d.PutAll("COUNTERS_DB", map[string]fields{
		"COUNTERS_PORT_NAME_MAP":  {"Ethernet0": "oid:0x1", "Ethernet4": "oid:0x2"},
		"COUNTERS_QUEUE_NAME_MAP": {"Ethernet0:3": "oid:0x13", "Ethernet0:5": "oid:0x15", "Ethernet4:0": "oid:0x20"},
		"COUNTERS_PG_NAME_MAP":    {"Ethernet0:3": "oid:0x33"},
		"COUNTERS:oid:0x1":        {"SAI_PORT_STAT_PFC_3_RX_PKTS": "12", "SAI_PORT_STAT_PFC_3_TX_PKTS": "3456", "SAI_PORT_STAT_IF_IN_OCTETS": "1"},
		"COUNTERS:oid:0x2":        {"SAI_PORT_STAT_PFC_3_RX_PKTS": "0"},
		"COUNTERS:oid:0x13":       {"SAI_QUEUE_STAT_PACKETS": "1000", "SAI_QUEUE_STAT_BYTES": "1500000", "SAI_QUEUE_STAT_DROPPED_PACKETS": "0", "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS": "5"},
		"COUNTERS:oid:0x15":       {"SAI_QUEUE_STAT_PACKETS": "0"},
		"COUNTERS:oid:0x20":       {"SAI_QUEUE_STAT_PACKETS": "7", "SAI_QUEUE_STAT_BYTES": "700"},
		"COUNTERS:oid:0x33":       {"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS": "9"},
	})
	return d
}

// rig is an agent's gNMI server on a socket.
type rig struct {
	dbs   *gnmitest.Databases
	tr    *gnmitest.Transactor
	agent *agent
	addr  string
}

func start(t testing.TB) *rig {
	t.Helper()
	dir := redistest.Dir(t) // short enough for a socket
	l, err := server.ListenUnix(t.Context(), filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, l, "unix:"+filepath.Join(dir, "s"), nil)
}

func serve(t testing.TB, l net.Listener, addr string, tls *server.TLS) *rig {
	t.Helper()
	r := &rig{dbs: content(), addr: addr}
	r.tr, r.agent = &gnmitest.Transactor{DB: r.dbs}, &agent{dbs: r.dbs, idle: true}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		var s *server.Server
		s = server.New(server.Config{
			Databases: r.dbs, Transactor: r.tr,
			Register: func(g grpc.ServiceRegistrar) { admin.New(r.agent, s).Register(g) },
		})
		if tls == nil {
			done <- s.Serve(ctx, l, nil)
			return
		}
		creds, err := tls.Credentials()
		if err != nil {
			done <- err
			return
		}
		done <- s.Serve(ctx, l, creds)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

// xonctl runs a command and returns all that it said.
func (r *rig) xonctl(t *testing.T, in string, args ...string) (code int, said string) {
	t.Helper()
	var out, errout bytes.Buffer
	code = run(t.Context(), append([]string{"--addr", r.addr}, args...), strings.NewReader(in), &out, &errout)
	said = out.String()
	if errout.Len() > 0 {
		said += "stderr:\n" + errout.String()
	}
	return code, strings.ReplaceAll(said, r.addr, "ADDR")
}

// want compares with a golden file.
func want(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	golden, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; go test ./cmd/xonctl -update makes it", err)
	}
	if d := cmp.Diff(string(golden), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	r := start(t)
	tests := []struct {
		name string
		code int
		args []string
	}{
		{"status", 0, []string{"status"}},
		{"tools", 0, []string{"config", "tools"}},
		{"status-json", 0, []string{"status", "--json"}},
		{"ports", 0, []string{"show", "ports"}},
		{"ports-one", 0, []string{"show", "ports", "--port", "Ethernet1*,Ethernet4"}},
		{"ports-none", 0, []string{"show", "ports", "--port", "Vlan*"}},
		{"ports-absent", 1, []string{"show", "queues", "--port", "Ethernet0,Ethernet99"}},
		{"ports-json", 0, []string{"show", "ports", "--json", "--port", "Ethernet0"}},
		{"pfc", 0, []string{"show", "pfc"}},
		{"pfc-json", 0, []string{"show", "pfc", "--json", "--port", "Ethernet0"}},
		{"counters", 0, []string{"show", "counters"}},
		{"counters-json", 0, []string{"show", "counters", "--json", "--port", "Ethernet0"}},
		{"pgs", 0, []string{"show", "pgs"}},
		{"watermark-none", 2, []string{"show", "pgs", "--watermark", "yearly"}},
		{"help-show", 0, []string{"show", "--help"}},
		{"queues", 0, []string{"show", "queues"}},
		{"queues-all", 0, []string{"show", "queues", "--all", "--port", "Ethernet0"}},
		{"buffers", 0, []string{"show", "buffers"}},
		{"buffers-json", 0, []string{"show", "buffers", "--json"}},
		{"rows", 0, []string{"fates"}},
		{"rows-json", 0, []string{"status", "rows", "PORT", "--json"}},
		{"rows-table", 0, []string{"status", "rows", "PORT"}},
		{"rows-refused", 0, []string{"fates", "--state", "refused,waiting"}},
		{"rows-warned", 0, []string{"status", "rows", "--warnings"}},
		{"rows-warned-json", 0, []string{"fates", "--warnings", "--json"}},
		{"rows-warned-none", 0, []string{"fates", "--warnings", "WRED_PROFILE"}},
		{"rows-none", 0, []string{"fates", "WRED_PROFILE"}},
		{"plan-row", 0, []string{"plan", "PORT|Ethernet0", "mtu=9100"}},
		{"plan-long", 0, []string{"plan", "--long", "PORT|Ethernet0", "mtu=9100"}},
		{"plan-file", 0, []string{"plan", "--replace", "testdata/change.json"}},
		{"plan-json", 0, []string{"plan", "PORT|Ethernet0", "mtu=9100", "--json"}},
		{"plan-delete-file", 2, []string{"plan", "--delete", "testdata/change.json"}},
		{"plan-nothing", 2, []string{"plan"}},
		{"set-dry-run", 0, []string{"set", "PORT|Ethernet0", "mtu=9100", "--dry-run"}},
		{"apply-dry-run", 0, []string{"apply", "--dry-run", "testdata/change.json"}},
		{"history", 0, []string{"history"}},
		{"history-plans", 0, []string{"history", "--plans"}},
		{"history-row", 0, []string{"history", "--row", "QUEUE|*", "-n", "1"}},
		{"history-json", 0, []string{"history", "--row", "QUEUE|*", "--json"}},
		{"history-none", 0, []string{"history", "--since", "1h", "--plans"}},
		{"calls", 0, []string{"calls"}},
		{"calls-failed", 0, []string{"calls", "--failed", "--json"}},
		{"confirm", 0, []string{"confirm", "17"}},
		{"confirm-other", 1, []string{"confirm", "3"}},
		{"confirm-word", 2, []string{"confirm", "all"}},
		{"explain", 0, []string{"explain", "headroom", "Ethernet0"}},
		{"explain-long", 1, []string{"explain", "headroom", "Ethernet0", "--cable", "300m"}},
		{"explain-json", 0, []string{"explain", "headroom", "Ethernet0", "--cable", "40", "--json"}},
		{"explain-no-port", 1, []string{"explain", "headroom", "Ethernet1"}},
		{"explain-no-cable", 2, []string{"explain", "headroom", "Ethernet0", "--cable", "long"}},
		{"explain-no-mtu", 2, []string{"explain", "headroom", "Ethernet0", "--mtu", "9217"}},
		{"explain-large-mtu", 2, []string{"explain", "headroom", "Ethernet0", "--mtu", "99999999999"}},
		{"explain-minus-speed", 2, []string{"explain", "headroom", "Ethernet0", "--speed", "-1"}},
		{"history-minus", 2, []string{"history", "-n", "-1"}},
		{"explain-no-speed", 2, []string{"explain", "headroom", "Ethernet0", "--speed", "0"}},
		{"restart-buffers", 0, []string{"restart", "buffers"}},
		{"restart-what", 2, []string{"restart", "everything"}},
		{"abort-nothing", 1, []string{"abort"}},
		{"delete-nothing", 2, []string{"delete"}},
		{"get-no-table", 1, []string{"get", "nope"}},
		{"near-command", 2, []string{"show", "port"}},
		{"save-nowhere", 2, []string{"config", "save"}},
		{"save-folder", 2, []string{"config", "save", "testdata"}},
		{"get-field", 0, []string{"get", "PORT/Ethernet0/mtu"}},
		{"get-row", 0, []string{"get", "PORT|Ethernet0"}},
		{"get-bare-row", 0, []string{"get", "VLAN|Vlan10"}},
		{"get-table", 0, []string{"get", "CONFIG_DB/PORT"}},
		{"get-fields", 0, []string{"get", "sonic-db:/CONFIG_DB/localhost/PORT/*/mtu", "/sonic-db:COUNTERS_DB/COUNTERS/Ethernet*/SAI_PORT_STAT_PFC_3_RX_PKTS"}},
		{"get-json", 0, []string{"get", "--json", "PORT|Ethernet10"}},
		{"get-json-many", 0, []string{"get", "--json", "PORT|*"}},
		{"get-state", 0, []string{"get", "STATE_DB/XON_ROW/VLAN|Vlan10"}},
		{"get-absent", 1, []string{"get", "PORT|Ethernet99"}},
		{"get-no-match", 0, []string{"get", "PORT|Vlan*"}},
		{"get-no-database", 1, []string{"get", "NO_DB/X"}},
		{"get-nothing", 2, []string{"get"}},
		{"set-nothing", 2, []string{"set", "PORT|Ethernet0"}},
		{"set-no-row", 2, []string{"set", "PORT/Ethernet0", "mtu=1"}},
		{"set-no-value", 2, []string{"set", "PORT|Ethernet0", "mtu"}},
		{"set-both", 2, []string{"set", "PORT|Ethernet0", "--delete", "--replace"}},
		{"apply-nothing", 2, []string{"apply"}},
		{"apply-no-file", 1, []string{"apply", "testdata/no-such-file.json"}},
		{"unknown-command", 2, []string{"frobnicate"}},
		{"unknown-flag", 2, []string{"show", "ports", "--nosuch"}},
		{"unknown-state", 2, []string{"fates", "--state", "happy"}},
		{"port-as-argument", 2, []string{"show", "ports", "Ethernet0"}},
		{"save", 0, []string{"config", "save", "-"}},
		{"help", 0, []string{"--help"}},
		{"help-set", 0, []string{"set", "--help"}},
	}
	for _, tt := range tests {
		code, said := r.xonctl(t, "", tt.args...)
		if code != tt.code {
			t.Errorf("%s: code %d, want %d\n%s", tt.name, code, tt.code, said)
		}
		want(t, tt.name, said)
	}
}

// lines is what a table of operations should be after a command.
func TestChange(t *testing.T) {
	t.Parallel()
	r := start(t)
	tests := []struct {
		in   string
		args []string
		said string
		row  string
		want fields
	}{
		{"", []string{"set", "PORT|Ethernet0", "mtu=1500"}, "applied: 1 row, revision 1\nconfiguration: 0 rows added, 1 changed, 0 removed\n", "PORT|Ethernet0", fields{"mtu": "1500", "alias": "eth1", "lanes": "1,2,3,4", "speed": "100000", "fec": "rs", "admin_status": "up"}},
		{"", []string{"set", "PORT|Ethernet0", "--delete", "fec", "alias"}, "applied: 1 row, revision 2\nconfiguration: 0 rows added, 1 changed, 0 removed\n", "PORT|Ethernet0", fields{"mtu": "1500", "lanes": "1,2,3,4", "speed": "100000", "admin_status": "up"}},
		{"", []string{"set", "PORT|Ethernet0", "--replace", "mtu=1"}, "applied: 1 row, revision 3\nconfiguration: 0 rows added, 1 changed, 0 removed\n", "PORT|Ethernet0", fields{"mtu": "1"}},
		{`{"mtu": 9000, "adv_speeds": ["1", "2"]}`, []string{"set", "PORT|Ethernet0", "--file", "-"}, "applied: 1 row, revision 4\nconfiguration: 0 rows added, 1 changed, 0 removed\n", "PORT|Ethernet0", fields{"mtu": "9000", "adv_speeds@": "1,2"}},
		{"", []string{"delete", "PORT|Ethernet0"}, "applied: 1 row, revision 5\nconfiguration: 0 rows added, 0 changed, 1 removed\n", "PORT|Ethernet0", nil},
		{`{"PORT": {"Ethernet4": {"mtu": "1"}}, "VLAN": {"Vlan20": {}}}`, []string{"apply", "-"}, "applied: 2 rows, revision 6\nconfiguration: 1 row added, 1 changed, 0 removed\n", "PORT|Ethernet4", fields{"mtu": "1", "lanes": "5,6,7,8", "speed": "100000", "admin_status": "up"}},
		{`{"PORT": {"Ethernet4": {"mtu": "2"}}}`, []string{"apply", "--replace", "-", "--json"}, "{\n  \"applied\": true,\n  \"changes\": {\n    \"added\": 0,\n    \"changed\": 1,\n    \"removed\": 12,\n    \"kept\": 0\n  },\n  \"fates\": [\n    {\n      \"row\": \"PORT|Ethernet4\",\n      \"state\": \"applied\",\n      \"warnings\": [\n        \"no headroom\",\n        \"no light\"\n      ]\n    }\n  ],\n  \"revision\": 7,\n  \"rows\": 1\n}\n", "PORT|Ethernet4", fields{"mtu": "2"}},
	}
	for _, tt := range tests {
		code, said := r.xonctl(t, tt.in, tt.args...)
		if code != 0 || said != tt.said {
			t.Errorf("%v: %d %s", tt.args, code, said)
		}
		got, err := r.dbs.Read(t.Context(), "CONFIG_DB", []string{tt.row})
		if d := cmp.Diff(tt.want, got[0]); d != "" || err != nil {
			t.Errorf("%v: %v %s", tt.args, err, d)
		}
	}
	if rows, err := r.dbs.Scan(t.Context(), "CONFIG_DB", ""); err != nil || len(rows) != 1 {
		t.Errorf("apply --replace left %v, %v", rows, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.tr.Refuse = func([]configdb.Op) error {
		return configdb.Faults{
			{Kind: configdb.Chip, Row: "BUFFER_PROFILE|x", Field: "xoff", Attr: "SAI_BUFFER_PROFILE_ATTR_XOFF_TH", Status: "SAI_STATUS_INSUFFICIENT_RESOURCES"},
			{Kind: configdb.Missing, Row: "BUFFER_PG|Ethernet0|3", Field: "profile", Err: errors.New(`there is no BUFFER_PROFILE "y"`)},
		}
	}
	for name, args := range map[string][]string{
		"refused":      {"apply", "-"},
		"refused-json": {"apply", "-", "--json"},
	} {
		code, said := r.xonctl(t, `{"BUFFER_PROFILE": {"x": {"xoff": "1"}}}`, args...)
		if code != 1 {
			t.Errorf("code %d", code)
		}
		want(t, name, said)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	code, said := (&rig{addr: "unix:/nobody"}).xonctl(t, "", "--version")
	if code != 0 || !strings.HasPrefix(said, "xonctl version ") {
		t.Error(code, said)
	}
}

// What is saved can be applied.
func TestSave(t *testing.T) {
	t.Parallel()
	r := start(t)
	file := filepath.Join(t.TempDir(), "config_db.json")
	if code, said := r.xonctl(t, "", "config", "save", file); code != 0 || !strings.HasPrefix(said, "saved 13 rows to ") {
		t.Fatalf("%d %s", code, said)
	}
	before, _ := r.dbs.Scan(t.Context(), "CONFIG_DB", "")
	if code, said := r.xonctl(t, "", "apply", "--replace", file); code != 0 {
		t.Fatalf("%d %s", code, said)
	}
	after, _ := r.dbs.Scan(t.Context(), "CONFIG_DB", "")
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}
}

// TestPauses: what pauses beside priorities, and that PFC is off.
func TestPauses(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.dbs.PutAll("CONFIG_DB", map[string]fields{"XON_PFC|GLOBAL": {"enabled": "False"}, "XON_PORT|Ethernet4": {"flow_control": "rx"}})
	for name, args := range map[string][]string{
		"pauses":      {"show", "pfc"},
		"pauses-json": {"show", "pfc", "--json", "--port", "Ethernet4"},
	} {
		if code, said := r.xonctl(t, "", args...); code != 0 {
			t.Errorf("code %d", code)
		} else {
			want(t, name, said)
		}
	}
}

// TestWarnings: what the agent has to say of an applied change is on stderr.
func TestWarnings(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.tr.Warnings = []string{"PORT_QOS_MAP|Ethernet0: priority 3 has no headroom"}
	code, said := r.xonctl(t, "", "set", "PORT|Ethernet0", "mtu=1500")
	if code != 0 || said != "stored, and applied but for what the warnings say: 1 row, revision 1\nconfiguration: 0 rows added, 1 changed, 0 removed\nstderr:\nwarning: PORT_QOS_MAP|Ethernet0: priority 3 has no headroom\n" {
		t.Error(code, said)
	}
}
