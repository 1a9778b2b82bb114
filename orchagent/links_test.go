package orchagent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"xon/orchagent"
	"xon/orchagent/audit"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/orchagent/notifications"
	"xon/sai"
	"xon/sai/vsai"
)

// links tells the agent of links, and returns what was written because of it.
func (r *rig) links(up map[sai.OID]bool) (writes []string) {
	r.t.Helper()
	r.chip.AfterCall(func(c vsai.Call) {
		if c.Op.Write() && !c.IsBulk() {
			for _, a := range c.Attrs {
				writes = append(writes, c.Op.String()+" "+c.Object.Name+" "+a.Name+"="+a.Format(a.Value))
			}
		}
	})
	defer r.chip.AfterCall(nil)
	if err := r.agent.Inform(r.t.Context(), "links", false, func(f *intent.Facts) { f.SetLinks(up) }); err != nil {
		r.t.Fatal(err)
	}
	if err := r.agent.CheckResolution(r.t.Context()); err != nil {
		r.t.Error(err)
	}
	return writes
}

// hostif is what the chip has of a port's host interface.
func (r *rig) hostif(port string) bool {
	r.t.Helper()
	n := r.actual()[graph.Key{Type: sai.ObjectTypeHostif, Name: port}]
	if n == nil {
		r.t.Fatalf("%s has no host interface", port)
	}
	return n.Attr(sai.HostifAttrOperStatus.AttrMeta).Num() != 0
}

// TestLinks: a link that changes costs one attribute of its host interface, one that
// did not change nothing; and neither does a restart that finds links as they were.
func TestLinks(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	a, b := r.chip.Ports()[0], r.chip.Ports()[1]
	early := r.agent.Inform(t.Context(), "links", false, func(f *intent.Facts) { f.SetLinks(map[sai.OID]bool{a: true}) })
	if !errors.Is(early, orchagent.ErrNotLoaded) {
		t.Errorf("news before there is a configuration: %v", early)
	}
	r.load(small())
	up, down := []string{"set hostif OPER_STATUS=true"}, []string{"set hostif OPER_STATUS=false"}
	for _, step := range []struct {
		news map[sai.OID]bool
		want []string
		up   [2]bool
	}{
		{map[sai.OID]bool{a: false, b: false}, nil, [2]bool{}},
		{map[sai.OID]bool{a: true}, up, [2]bool{true, false}},
		{map[sai.OID]bool{a: true, 99: true}, nil, [2]bool{true, false}},
		{map[sai.OID]bool{b: true}, up, [2]bool{true, true}},
		{map[sai.OID]bool{a: false, b: true}, down, [2]bool{false, true}},
	} {
		records := len(r.agent.Records())
		if got := r.links(step.news); !slices.Equal(got, step.want) {
			t.Errorf("%v: wrote %q, want %q", step.news, got, step.want)
		}
		if got := [2]bool{r.hostif("Ethernet0"), r.hostif("Ethernet4")}; got != step.up {
			t.Errorf("%v: host interfaces %v, want %v", step.news, got, step.up)
		}
		if n := len(r.agent.Records()) - records; n != len(step.want) {
			t.Errorf("%v: %d records", step.news, n)
		} else if n > 0 && r.lastRecord().Source != audit.Facts {
			t.Errorf("%v: record %+v", step.news, r.lastRecord())
		}
	}
	for _, links := range []map[sai.OID]bool{{b: true}, {a: true, b: true}} {
		r.with = func(c *orchagent.Config) { c.Facts = &intent.Facts{Links: links} }
		want := 0
		if links[a] != r.hostif("Ethernet0") {
			want = 1
		}
		r.stop()
		writes := r.chip.Writes()
		r.start(r.pub)
		r.load()
		if n := r.chip.Writes() - writes; n != want {
			t.Errorf("a restart with links %v wrote %d times, want %d", links, n, want)
		}
	}
}

// TestLinksOfBreakout: ports that come are down until their links are up, whatever was
// known of those that went.
func TestLinksOfBreakout(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	old := r.chip.Ports()
	r.links(map[sai.OID]bool{old[0]: true, old[1]: true})
	r.change(split())
	for name, want := range map[string]bool{"Ethernet0": false, "Ethernet1": false, "Ethernet4": true} {
		if got := r.hostif(name); got != want {
			t.Errorf("%s is up: %v", name, got)
		}
	}
	fresh := map[sai.OID]bool{}
	for _, id := range r.chip.Ports() {
		if !slices.Contains(old, id) {
			fresh[id] = true
		}
	}
	if got := r.links(fresh); len(got) != 4 || len(fresh) != 4 {
		t.Errorf("%d new ports, wrote %q", len(fresh), got)
	}
	if !r.hostif("Ethernet0") || !r.hostif("Ethernet3") {
		t.Error("the new ports' host interfaces are not up")
	}
}

// TestFlaps: of links that go up and down all the time while the agent is busy, the end
// is taken up, once.
func TestFlaps(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.load(small())
	ids := r.chip.Ports()
	news, informed, ended := notifications.NewLinks(), 0, make(chan struct{})
	flap := func(n int) {
		for i := range n {
			for _, id := range ids {
				s := sai.PortOperStatusNotification{PortID: id, PortState: sai.PortOperStatusDown}
				if i%2 == 0 {
					s.PortState = sai.PortOperStatusUp
				}
				news.Hear(sai.Notification{NotifyMeta: sai.OnPortStateChange, Data: sai.Bytes(s)})
			}
		}
	}
	flap(1000)
	writes := r.chip.Writes()
	go func() {
		_ = news.Run(t.Context(), func(ctx context.Context, up map[sai.OID]bool) error {
			if informed++; informed == 1 {
				flap(1001)
			}
			err := r.agent.Inform(ctx, "links", false, func(f *intent.Facts) { f.SetLinks(up) })
			if informed == 2 {
				close(ended)
			}
			return err
		})
	}()
	<-ended
	if n := r.chip.Writes() - writes; n > len(ids) || !r.hostif("Ethernet0") || !r.hostif("Ethernet4") {
		t.Errorf("%d writes after flaps that ended up", n)
	}
}
