package notify_test

import (
	"fmt"
	"strings"
	"testing"

	logtest "github.com/sirupsen/logrus/hooks/test"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/gnmitest"
	"xon/gnmi/notify"
)

func TestParseErrors(t *testing.T) {
	t.Parallel()
	with := func(change func(l *gpb.SubscriptionList, s *gpb.Subscription)) *gpb.SubscriptionList {
		s := sub(gpb.SubscriptionMode_SAMPLE, "/CONFIG_DB/PORT")
		l := list(s)
		change(l, s)
		return l
	}
	tests := []struct {
		list *gpb.SubscriptionList
		code codes.Code
		want string
	}{
		{list(), codes.InvalidArgument, "without subscriptions"},
		{list(sub(0, "openconfig:/qos")), codes.Unimplemented, "origin"},
		{with(func(l *gpb.SubscriptionList, _ *gpb.Subscription) { l.Encoding = gpb.Encoding_BYTES }), codes.Unimplemented, "BYTES"},
		{with(func(l *gpb.SubscriptionList, _ *gpb.Subscription) { l.Mode = 7 }), codes.InvalidArgument, "mode 7"},
		{with(func(_ *gpb.SubscriptionList, s *gpb.Subscription) { s.Mode = 7 }), codes.InvalidArgument, "mode 7"},
		{with(func(_ *gpb.SubscriptionList, s *gpb.Subscription) { s.SampleInterval = 99999999 }), codes.InvalidArgument, "sample_interval of 99.999999ms: at least 100ms"},
		{with(func(_ *gpb.SubscriptionList, s *gpb.Subscription) { s.SampleInterval = 1 << 63 }), codes.InvalidArgument, "at most 8760h"},
		{with(func(_ *gpb.SubscriptionList, s *gpb.Subscription) { s.HeartbeatInterval = 1 }), codes.InvalidArgument, "heartbeat_interval of 1ns"},
	}
	for _, tt := range tests {
		_, err := notify.Parse(tt.list, notify.DefaultLimits)
		if status.Code(err) != tt.code || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %v with %q", tt.list, err, tt.code, tt.want)
		}
	}
}

// A row of any size goes out in messages that clients take.
func TestLargeRow(t *testing.T) {
	t.Parallel()
	dbs, row := &gnmitest.Databases{}, fields{}
	for i := range 10000 {
		row[fmt.Sprintf("Ethernet%d:0", i)] = fmt.Sprintf("oid:0x%x", i)
	}
	dbs.Put("COUNTERS_DB", "COUNTERS_QUEUE_NAME_MAP", row)
	plan, err := notify.Parse(list(sub(0, "/COUNTERS_DB/COUNTERS_QUEUE_NAME_MAP")), notify.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	if err := notify.New(dbs, nolog).Once(t.Context(), plan, func(r *gpb.SubscribeResponse) error {
		sizes = append(sizes, len(r.GetUpdate().GetUpdate()))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(sizes) != "[4096 4096 1808 0]" {
		t.Errorf("messages of %v updates, the last being the sync", sizes)
	}
}

// nolog is a log for tests that don't look at it.
var nolog, _ = logtest.NewNullLogger()
