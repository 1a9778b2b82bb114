package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"

	"xon/gnmi/client"
	"xon/gnmi/server"
	"xon/schema/configdb"
)

// TestOptions: how a change is to be carried out gets to the agent.
func TestOptions(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, tt := range []struct {
		args                []string
		disruptive, confirm bool
	}{
		{[]string{"set", "PORT|Ethernet0", "mtu=1500"}, false, false},
		{[]string{"set", "PORT|Ethernet0", "mtu=1501", "--disruptive"}, true, false},
		{[]string{"delete", "PORT|Ethernet0", "--confirm"}, false, true},
		{[]string{"apply", "testdata/change.json", "--confirm", "--disruptive"}, true, true},
	} {
		code, said := r.xonctl(t, "", tt.args...)
		if got := r.tr.Last(); code != 0 || got.Disruptive != tt.disruptive || got.Confirmed != tt.confirm {
			t.Errorf("%v: %d %s %+v", tt.args, code, said, got)
		}
	}
	before := r.tr.Last()
	if code, said := r.xonctl(t, "", "set", "PORT|Ethernet0", "mtu=1", "--dry-run"); code != 0 || !cmp.Equal(before, r.tr.Last()) {
		t.Errorf("a dry run got to the transactor: %d %s", code, said)
	}
}

// TestWouldNot: a plan that would not come into force ends with 1.
func TestWouldNot(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.agent.change(func() { r.agent.guard = "60 of 100 objects would be removed" })
	for name, tt := range map[string]struct {
		code int
		args []string
	}{
		"plan-held":           {1, []string{"plan", "PORT|Ethernet0", "--delete"}},
		"plan-held-confirmed": {0, []string{"plan", "PORT|Ethernet0", "--delete", "--confirm"}},
	} {
		code, said := r.xonctl(t, "", tt.args...)
		if code != tt.code {
			t.Errorf("%s: code %d", name, code)
		}
		want(t, name, said)
	}
	r.agent.change(func() {
		r.agent.guard, r.agent.refusal = "", configdb.Faults{{Kind: configdb.Limit, Row: "PORT|Ethernet0", Field: "mtu", Err: errors.New("over 9216, the chip's most")}}
	})
	code, said := r.xonctl(t, "", "apply", "--dry-run", "testdata/change.json")
	if code != 1 {
		t.Errorf("code %d", code)
	}
	want(t, "plan-refused", said)
}

// TestBusy: what the agent is at is part of its status, and can be ended.
func TestBusy(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.agent.change(func() { r.agent.idle = false })
	for name, args := range map[string][]string{
		"status-busy":      {"status"},
		"status-busy-json": {"status", "--json"},
		"abort":            {"abort"},
	} {
		code, said := r.xonctl(t, "", args...)
		if code != 0 {
			t.Errorf("%s: code %d", name, code)
		}
		want(t, name, said)
	}
	code, said := r.xonctl(t, "", "restart", "buffers")
	if code != 1 {
		t.Errorf("a restart that is held: code %d", code)
	}
	want(t, "restart-held", said)
	r.agent.change(func() { r.agent.losing, r.agent.idle = 2, true })
	if code, said = r.xonctl(t, "", "restart", "buffers"); code != 0 {
		t.Errorf("a restart that loses headroom: code %d", code)
	}
	want(t, "restart-losing", said)
}

func TestHeld(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.tr.Refuse = func([]configdb.Op) error { return &server.Held{Why: "60 of 100 objects would be removed"} }
	code, said := r.xonctl(t, "", "delete", "PORT|Ethernet0")
	if code != 1 {
		t.Errorf("code %d", code)
	}
	want(t, "held", said)
}

// TestUnanswered: an error that leaves open what became of a change says so, others
// don't.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	for err, open := range map[error]bool{
		context.DeadlineExceeded: true,
		&client.Error{Code: codes.Canceled, Message: "context canceled"}:                  true,
		&client.Error{Code: codes.Unavailable, Message: "error reading from server: EOF"}: true,
		&client.Error{Code: codes.Unavailable, Message: "the chip is not connected"}:      false,
		&client.Error{Code: codes.InvalidArgument, Message: "no"}:                         false,
	} {
		got := unanswered(err)
		if errors.Is(got, errUnanswered) != open || !errors.Is(got, err) || (hintFor(got) == "Look before you ask again; --timeout gives it longer.") != open {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// TestManyFaults: what one cause does to many rows of a table is one line.
func TestManyFaults(t *testing.T) {
	t.Parallel()
	faults := []client.Fault{
		{Row: "BUFFER_POOL|a", Message: "too large"},
		{Row: "QUEUE|Ethernet0|3", Field: "scheduler", Message: "SCHEDULER|x does not exist"},
		{Row: "QUEUE|Ethernet0|4", Field: "scheduler", Message: "SCHEDULER|x does not exist"},
		{Row: "QUEUE|Ethernet4|3", Field: "scheduler", Message: "SCHEDULER|y does not exist"},
		{Row: "WRED_PROFILE|w", Message: "bad"},
		{Row: "SCHEDULER|w", Message: "bad"},
	}
	var rows []any
	for _, r := range faultTable(faults).rows {
		rows = append(rows, r[0])
	}
	want := []any{"BUFFER_POOL|a", "QUEUE|Ethernet0|3 and 1 more", "QUEUE|Ethernet4|3", "WRED_PROFILE|w", "SCHEDULER|w"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

// TestDeleteWhatIsNotThere: the answer counts the rows that were there.
func TestDeleteWhatIsNotThere(t *testing.T) {
	t.Parallel()
	r := start(t)
	for _, tt := range []struct{ args, want string }{
		{"delete PORT|Ethernet99", "nothing was there to delete, revision 1\n"},
		{"set PORT|Ethernet0 --delete nonesuch", "nothing was there to delete, revision 2\n"},
		{"delete PORT|Ethernet0 PORT|Ethernet99", "applied: 1 row, revision 3\nconfiguration: 0 rows added, 0 changed, 1 removed\nnot there to delete: 1 row\n"},
		{"delete PORT|Ethernet4", "applied: 1 row, revision 4\nconfiguration: 0 rows added, 0 changed, 1 removed\n"},
	} {
		code, said := r.xonctl(t, "", strings.Fields(tt.args)...)
		if diff := cmp.Diff(tt.want, said); code != 0 || diff != "" {
			t.Errorf("%s: code %d (-want +got):\n%s", tt.args, code, diff)
		}
	}
	if _, said := r.xonctl(t, "", "delete", "PORT|Ethernet99", "--json"); !strings.Contains(said, `"rows": 0`) {
		t.Error(said)
	}
}
