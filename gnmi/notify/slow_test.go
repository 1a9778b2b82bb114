package notify_test

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/notify"
)

// A reader that is slow is sent the newest values and told how many it missed.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	l := list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT"))
	stream(t, ports(), l, func(r *rig) {
		synctest.Wait()
		r.sink.take()
		r.sink.hold()
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet10", fields{"mtu": "1"}) // is being sent
		for i := range 1000 {
			synctest.Wait()
			r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": strconv.Itoa(i)})
			r.dbs.Put("CONFIG_DB", "PORT|Ethernet4", nil)
			synctest.Wait()
			r.dbs.Put("CONFIG_DB", "PORT|Ethernet4", fields{"mtu": strconv.Itoa(i)})
		}
		synctest.Wait()
		r.sink.release()
		r.want("PORT/Ethernet10/mtu=1",
			"- PORT/Ethernet0/speed", "PORT/Ethernet0/mtu=999 x1000",
			"- PORT/Ethernet4", "PORT/Ethernet4/mtu=999")
	})
}

// A database that goes away and comes back is compared afresh.
func TestLost(t *testing.T) {
	t.Parallel()
	l := list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT"))
	stream(t, ports(), l, func(r *rig) {
		synctest.Wait()
		r.sink.take()
		r.dbs.Fail(errors.New("away"))
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet0", nil)
		r.dbs.Put("CONFIG_DB", "PORT|Ethernet4", fields{"mtu": "1"})
		time.Sleep(time.Minute)
		r.want()
		r.dbs.Fail(nil)
		time.Sleep(5 * time.Second)
		r.want("PORT/Ethernet4/mtu=1", "- PORT/Ethernet0")
		r.dbs.Lose("CONFIG_DB")
		r.want()
		r.dbs.End("CONFIG_DB")
		synctest.Wait()
		if err := <-r.done; status.Code(err) != codes.Unavailable {
			t.Errorf("ended with %v", err)
		}
	})
}

// TestStalled: a subscriber that reads nothing is read nothing more for after a while,
// is told what it missed if it goes on, and loses its stream if it does not.
func TestStalled(t *testing.T) {
	t.Parallel()
	dbs := ports()
	stream(t, dbs, list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT/Ethernet0/mtu")), func(r *rig) {
		r.sink.take()
		r.sink.hold()
		set := func(mtu string) {
			dbs.Put("CONFIG_DB", "PORT|Ethernet0", fields{"mtu": mtu})
			synctest.Wait()
		}
		set("1") // held up by the sink
		set("2") // waits in the queue
		time.Sleep(10 * time.Second)
		set("3")
		set("4")
		r.sink.release()
		time.Sleep(10 * time.Second)
		r.want("PORT/Ethernet0/mtu=1", "PORT/Ethernet0/mtu=2", "PORT/Ethernet0/mtu=4")

		r.sink.hold()
		set("5")
		set("6")
		time.Sleep(2 * time.Minute)
		select {
		case err := <-r.done:
			if status.Code(err) != codes.ResourceExhausted {
				t.Errorf("ended with %v", err)
			}
		default:
			t.Error("the stream goes on")
		}
		r.sink.release()
	})
}

func TestSendFails(t *testing.T) {
	t.Parallel()
	dbs := ports()
	plan, err := notify.Parse(list(sub(gpb.SubscriptionMode_ON_CHANGE, "/CONFIG_DB/PORT")), notify.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, send := range []notify.Send{
		func(*gpb.SubscribeResponse) error { return broken },
		func(*gpb.SubscribeResponse) error { panic("a bug") },
	} {
		err := notify.New(dbs, nolog).Stream(t.Context(), plan, send)
		if !errors.Is(err, broken) && status.Code(err) != codes.Internal {
			t.Error(err)
		}
	}
}
