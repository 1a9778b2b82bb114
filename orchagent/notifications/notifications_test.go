package notifications_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"

	"xon/orchagent/notifications"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/redisdb"
	"xon/schema/redistest"
)

// run starts a hub on a chip, with somebody who asked to hear of ports.
func run(t *testing.T, sw *sai.Switch, c *redisdb.Client) (heard chan sai.Notification, stop func()) {
	t.Helper()
	log := logrus.New()
	log.SetOutput(io.Discard)
	h := notifications.New(notifications.Config{Switch: sw, Client: c, Log: log})
	heard = make(chan sai.Notification, 10)
	h.On(sai.OnPortStateChange, func(n sai.Notification) { heard <- n })
	if _, err := h.Listen(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	return heard, stop
}

func next[T any](t *testing.T, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(10 * time.Second):
		t.Error("nothing within ten seconds")
		t.FailNow()
	}
	return v
}

// TestHub: a change of a port's state comes to parts of the agent and to programs; a
// second hub on the same chip need not write to it.
func TestHub(t *testing.T) {
	t.Parallel()
	chip := vsai.New(vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{1}, SpeedMbps: 10000}}})
	sw := &sai.Switch{Driver: chip}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		t.Fatal(err)
	}
	c := redistest.Open(t)
	program := c.Notifications(t.Context(), notifications.Channel)
	redistest.Eventually(t, "the program listens", func() bool {
		n, err := c.Notify(t.Context(), notifications.Channel, redisdb.Notification{})
		return n > 0 && err == nil
	})
	if n := next(t, program); n.Op != "" {
		t.Error(n)
	}
	port := chip.Ports()[0]
	for round := range 2 {
		writes := chip.Writes()
		heard, stop := run(t, sw, c)
		redistest.Eventually(t, "the chip notifies", func() bool {
			v, err := sai.Get(sw, sw.ID, sai.SwitchAttrPortStateChangeNotify)
			return v != 0 && err == nil
		})
		if n := chip.Writes() - writes; n != 1-round {
			t.Errorf("round %d: %d writes to make the chip notify", round, n)
		}
		redistest.Eventually(t, "somebody hears", func() bool { // the attribute may be older than the hub
			for _, up := range []bool{true, false} {
				if err := sai.Set(sw, sai.ID[sai.Port](port), sai.PortAttrAdminState.Is(up)); err != nil {
					t.Fatal(err)
				}
			}
			return len(heard) > 0
		})
		want := redisdb.Notification{Op: "port_state_change", Data: fmt.Sprintf(`[{"port_id":"%v","port_state":"SAI_PORT_OPER_STATUS_UP"}]`, port)}
		for got := next(t, program); !cmp.Equal(got, want); got = next(t, program) {
			if got.Op != want.Op {
				t.Fatalf("a program hears %+v", got)
			}
		}
		stop()
	}
}
