package server_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"xon/gnmi/path"
	"xon/gnmi/server"
	"xon/gnmi/translate"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// committer is a transactor that only stores.
type committer struct{ db *redisdb.DB }

func (c committer) Transact(ctx context.Context, req server.Request) (server.Outcome, error) {
	stored, err := c.db.All(ctx, redisdb.Everything)
	if err != nil {
		return server.Outcome{}, err
	}
	rows := configdb.RawRows{}
	for k, f := range stored {
		rows[configdb.RowKey(k)] = f
	}
	changed, err := configdb.Apply(rows, req.Ops)
	if err != nil {
		return server.Outcome{}, err
	}
	before, after := map[string]redisdb.Fields{}, map[string]redisdb.Fields{}
	for k, f := range changed {
		before[string(k)], after[string(k)] = stored[string(k)], redisdb.Fields(f)
	}
	return server.Outcome{Revision: 1}, c.db.Commit(ctx, before, after)
}

// await reads a stream until a leaf has a value.
func await(t *testing.T, s gpb.GNMI_SubscribeClient, leaf, want string) {
	t.Helper()
	for {
		m, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		n := m.GetUpdate()
		for _, u := range n.GetUpdate() {
			if path.String(n.GetPrefix())+path.String(u.GetPath()) == leaf && u.GetVal().GetStringVal() == want {
				return
			}
		}
	}
}

// A stream on a real server sees what is set, and goes on when the database was
// away.
func TestOverRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	client := redistest.Connect(t, redis.Addr())
	r := start(t, func(c *server.Config) {
		c.Databases, c.Transactor = translate.Redis{Client: client}, committer{client.DB(redisdb.ConfigDB)}
	})
	mtu := func(n int) *gpb.SetRequest {
		return &gpb.SetRequest{Update: []*gpb.Update{update("sonic-db:/CONFIG_DB/PORT/Ethernet0", fmt.Sprintf(`{"mtu":%d}`, n))}}
	}
	_, err := r.client.Set(t.Context(), mtu(1500))
	want(t, "set", err, codes.OK, "")
	s := r.open(t, subscribe(gpb.SubscriptionList_STREAM, "sonic-db:/CONFIG_DB/PORT"))
	wantNext(t, s, "sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu=1500")
	wantNext(t, s, "sync")
	_, err = r.client.Set(t.Context(), mtu(9100))
	want(t, "set", err, codes.OK, "")
	wantNext(t, s, "sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu=9100")

	if err := syscall.Kill(redis.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; {
		if _, err = r.client.Set(t.Context(), mtu(4000)); err == nil || time.Now().After(until) {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	want(t, "set after the database was away", err, codes.OK, "")
	await(t, s, "sonic-db:/CONFIG_DB/PORT/Ethernet0/mtu", "4000")
}
