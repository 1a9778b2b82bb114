package remote_test

import (
	"strings"
	"testing"

	"xon/sai"
	"xon/sai/vsai"
)

// TestReceiverPanics: a receiver of notifications that meets a bug costs the
// connection, and the next one is good.
func TestReceiverPanics(t *testing.T) {
	t.Parallel()
	p := startChip(t, vsai.Config{Ports: layout(2)})
	c := p.dial(t)
	sw := boot(t, c)
	token := c.Notify(sai.OnPortStateChange, func(sai.Notification) { panic("a mistake") })
	arm := sai.Attribute{AttrMeta: sai.SwitchAttrPortStateChangeNotify.AttrMeta, Value: token}
	if st := c.Set(sai.SwitchObject{}.Meta(), sai.Key{OID: sw.ID.OID()}, arm); st != 0 {
		t.Fatal(st)
	}
	// The answer may come after the loss.
	_ = sai.Set(sw, sai.ID[sai.Port](p.chip.Ports()[1]), sai.PortAttrAdminState.Is(true))
	if err := lost(t, c); !strings.Contains(err.Error(), "a bug: a mistake") || !strings.Contains(err.Error(), "bug_test.go") {
		t.Error(err)
	}
	if _, err := p.redial(t).Names(); err != nil {
		t.Error(err)
	}
}

// loose is a driver that meets a bug when an agent's subscriptions are taken away.
type loose struct{ sai.Driver }

func (d loose) Notify(_ *sai.NotifyMeta, f func(sai.Notification)) sai.Value {
	if f == nil {
		panic("a mistake")
	}
	return sai.Value{}
}

// TestGoodbyePanics: a bug at the end of a session leaves the chip process be.
func TestGoodbyePanics(t *testing.T) {
	t.Parallel()
	p := start(t, loose{vsai.New(vsai.Config{})}, nil)
	c := p.dial(t)
	c.Notify(sai.OnPortStateChange, func(sai.Notification) {})
	_ = c.Close()
	if n := p.redial(t).Version(); n != sai.FactsVersion {
		t.Error(n)
	}
}
