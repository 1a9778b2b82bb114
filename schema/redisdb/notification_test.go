package redisdb_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/schema/redisdb"
	"xon/schema/redistest"
)

func TestNotificationText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       redisdb.Notification
		err        string
	}{
		{"tool", `["USER","PG_SHARED"]`, redisdb.Notification{Op: "USER", Data: "PG_SHARED"}, ""},
		{"pairs", `["set_stats","oid:0x1","A","1","A","2"]`, redisdb.Notification{Op: "set_stats", Data: "oid:0x1", Values: []redisdb.FieldValue{{"A", "1"}, {"A", "2"}}}, ""},
		{"empty strings", ` ["", "" ] `, redisdb.Notification{}, ""},
		{"no JSON", `G`, redisdb.Notification{}, "not a list of strings"},
		{"an object", `{"op":"data"}`, redisdb.Notification{}, "not a list of strings"},
		{"a number", `["op",1]`, redisdb.Notification{}, "not a list of strings"},
		{"null", `["op",null]`, redisdb.Notification{}, "null is among them"},
		{"nothing", `[]`, redisdb.Notification{}, "0 strings"},
		{"half a pair", `["op","data","field"]`, redisdb.Notification{}, "3 strings"},
		{"too long", `["op","` + strings.Repeat("x", 1<<20) + `"]`, redisdb.Notification{}, "at most 1048576"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := redisdb.ParseNotification(tt.text)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if again, err := redisdb.ParseNotification(got.Format()); err != nil || !cmp.Equal(again, got) {
				t.Errorf("formatted and parsed: %+v, %v", again, err)
			}
		})
	}
}

func FuzzNotification(f *testing.F) {
	for _, s := range []string{`["USER","PG_SHARED"]`, `["a","b","c","d"]`, `["a"]`, `[null,1]`, "{}", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := redisdb.ParseNotification(text)
		if err != nil {
			return
		}
		if again, err := redisdb.ParseNotification(n.Format()); err != nil || !cmp.Equal(again, n) {
			t.Errorf("%q: %+v, then %+v, %v", text, n, again, err)
		}
	})
}

// tell sends messages as soon as somebody listens.
func tell(t testing.TB, c *redisdb.Client, channel string, ops ...string) {
	t.Helper()
	for i, op := range ops {
		redistest.Eventually(t, "somebody hears "+op, func() bool {
			heard, err := c.Notify(t.Context(), channel, redisdb.Notification{Op: op, Data: "x"})
			return err == nil && (heard > 0 || i > 0)
		})
	}
}

// hear takes one message.
func hear(t testing.TB, ch <-chan redisdb.Notification) string {
	t.Helper()
	select {
	case n := <-ch:
		return n.Op
	case <-time.After(10 * time.Second):
		t.Error("no message within ten seconds")
		t.FailNow()
		return ""
	}
}

func TestNotifications(t *testing.T) {
	t.Parallel()
	p := newProxy(t, redistest.Start(t).Addr())
	c := redistest.Connect(t, p.addr)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	mine := c.Notifications(ctx, "MINE")
	tell(t, c, "MINE", "one")
	var b redisdb.Batch
	b.Publish("MINE", "rubbish") // is passed over
	b.Notify("MINE", redisdb.Notification{Op: "two"})
	if err := c.DB(redisdb.ApplDB).Write(ctx, &b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"one", "two"} {
		if got := hear(t, mine); got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	p.drop() // and the connection is made again
	redistest.Eventually(t, "what is said after the connection was lost is heard", func() bool {
		_, _ = c.Notify(ctx, "MINE", redisdb.Notification{Op: "three"}) // its own connection may have to be made again
		select {
		case n := <-mine:
			return n.Op == "three"
		default:
			return false
		}
	})
	stop()
	for n := range mine { // until it is closed
		if n.Op != "three" {
			t.Errorf("heard %q", n.Op)
		}
	}
}

// TestNotificationsClosed: closing the client ends what listens.
func TestNotificationsClosed(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	c, err := redisdb.Open(t.Context(), s.Addr(), redisdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch := c.Notifications(t.Context(), "MINE")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n, open := <-ch; open {
		t.Errorf("heard %+v", n)
	}
}
