package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/sirupsen/logrus/hooks/test"

	"xon/gnmi/web"
)

// busy returns metrics of which each has seen something.
func busy() *web.Metrics {
	m := web.NewMetrics("v1.2.3", func() web.Live {
		return web.Live{ChipConnected: true, RedisReconnects: 2, AuditLost: 3, Subscriptions: 4, QueuedRows: 5, PublishBehind: 1500 * time.Millisecond}
	})
	m.Pass(&web.Pass{
		Source: "redis", Outcome: "applied", Took: 3 * time.Millisecond, Apply: time.Millisecond,
		Steps: map[web.Step]int{{Phase: "build", Verb: "set"}: 7}, Writes: 7,
		Failures: map[string]int{"SAI_STATUS_TABLE_FULL": 1}, Requests: 2,
		Fates: map[string]int{"applied": 10, "refused": 0}, Warned: 5, Losing: 2, RetryIn: time.Second, End: time.Unix(1000, 0),
	})
	m.Pass(&web.Pass{Source: "retry", Warned: 5, Losing: 2, End: time.Unix(2000, 0)})
	m.Call("set", "queue", "SAI_STATUS_SUCCESS", 64, 40*time.Microsecond)
	m.Call("get", "queue", "SAI_STATUS_SUCCESS", 0, 20*time.Microsecond)
	m.Taken(3, 2*time.Millisecond)
	m.InSync(true)
	m.RPC("/gnmi.gNMI/Get", "OK", time.Millisecond)
	m.Poll("PORT_STAT_COUNTER", 32, 1, time.Millisecond)
	m.Published(time.Millisecond, errors.New("away"))
	m.ChipLost()
	return m
}

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func newServer(m *web.Metrics, health func(context.Context) []web.Check) *web.Server {
	log, _ := test.NewNullLogger()
	return web.New(web.Config{Metrics: m, Health: health, Log: log})
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	code, text := get(t, newServer(busy(), nil).Handler(false), "/metrics")
	if code != http.StatusOK {
		t.Fatalf("status %d", code)
	}
	for _, line := range []string{
		`xon_passes_total{outcome="applied",source="redis"} 1`,
		`xon_passes_total{outcome="none",source="retry"} 1`,
		`xon_pass_duration_seconds_sum{source="redis"} 0.003`,
		`xon_plan_steps_sum{phase="build",verb="set"} 7`,
		`xon_chip_writes_total 7`,
		`xon_failed_steps_total{status="SAI_STATUS_TABLE_FULL"} 1`,
		`xon_last_pass_timestamp_seconds 2000`,
		`xon_next_retry_timestamp_seconds 0`,
		`xon_requests_waiting 0`,
		`xon_rows{state="applied"} 10`,
		`xon_rows_warned{loss="true"} 2`,
		`xon_rows_warned{loss="false"} 3`,
		`xon_sai_calls_total{object="queue",status="SAI_STATUS_SUCCESS",verb="set"} 1`,
		`xon_sai_call_duration_seconds_count{bulk="true",verb="set"} 1`,
		`xon_sai_bulk_entries_sum{verb="set"} 64`,
		`xon_feed_lag_seconds_sum 0.002`,
		`xon_feed_rows_total 3`,
		`xon_feed_in_sync 1`,
		`xon_grpc_requests_total{code="OK",method="/gnmi.gNMI/Get"} 1`,
		`xon_counters_objects{group="PORT_STAT_COUNTER"} 32`,
		`xon_counters_failed_reads_total{group="PORT_STAT_COUNTER"} 1`,
		`xon_publish_failures_total 1`,
		`xon_publish_behind_seconds 1.5`,
		`xon_chip_losses_total 1`,
		`xon_chip_connected 1`,
		`xon_redis_reconnects_total 2`,
		`xon_audit_records_lost_total 3`,
		`xon_gnmi_subscriptions 4`,
		`xon_gnmi_queued_rows 5`,
		`xon_build_info{goversion="`,
		`process_open_fds `,
		`go_goroutines `,
	} {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("no %s", line)
		}
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	well := web.Check{Name: "agent", OK: true}
	ill := web.Check{Name: "chip", Detail: "not connected"}
	for _, tt := range []struct {
		name   string
		checks []web.Check
		code   int
	}{
		{"well", []web.Check{well}, http.StatusOK},
		{"ill", []web.Check{well, ill}, http.StatusServiceUnavailable},
		{"nothing", nil, http.StatusOK},
	} {
		h := newServer(busy(), func(ctx context.Context) []web.Check {
			if _, ok := ctx.Deadline(); !ok {
				t.Error("the examination may take for ever")
			}
			return tt.checks
		}).Handler(false)
		code, text := get(t, h, "/healthz")
		var got struct {
			OK     bool        `json:"ok"`
			Checks []web.Check `json:"checks"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if code != tt.code || got.OK != (tt.code == http.StatusOK) || len(got.Checks) != len(tt.checks) {
			t.Errorf("%s: %d %s", tt.name, code, text)
		}
	}
}

// TestProfiles: profiles are for those who reach the unix socket.
func TestProfiles(t *testing.T) {
	t.Parallel()
	s := newServer(busy(), nil)
	for _, path := range []string{"/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap", "/debug/pprof/symbol"} {
		if code, _ := get(t, s.Handler(true), path); code != http.StatusOK {
			t.Errorf("%s on the unix socket: %d", path, code)
		}
		if code, _ := get(t, s.Handler(false), path); code != http.StatusNotFound {
			t.Errorf("%s on TCP: %d", path, code)
		}
	}
	for _, local := range []bool{true, false} {
		code, text := get(t, s.Handler(local), "/")
		if code != http.StatusOK || strings.Contains(text, "pprof") != local {
			t.Errorf("index, local %v: %d %s", local, code, text)
		}
	}
	if code, _ := get(t, s.Handler(false), "/nothing"); code != http.StatusNotFound {
		t.Errorf("a page that is not there: %d", code)
	}
}

// TestServe: a server ends with its context, although a client stays connected.
func TestServe(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- newServer(busy(), nil).Serve(ctx, ln, false) }()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ln.Addr().String()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s, %v", resp.Status, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func BenchmarkCall(b *testing.B) {
	m := busy()
	b.ReportAllocs()
	for b.Loop() {
		m.Call("set", "queue", "SAI_STATUS_SUCCESS", 64, 40*time.Microsecond)
	}
}
