package graph_test

import (
	"slices"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/sai"
)

func num[O sai.Object, V any](a sai.Attr[O, V], n uint64) graph.Attr {
	return graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Uint(n)}
}

func ref[O sai.Object, V any](a sai.Attr[O, V], k ...graph.Key) graph.Attr {
	return graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Refs(k...)}
}

func text[O sai.Object, V any](a sai.Attr[O, V], s string) graph.Attr {
	return graph.Attr{AttrMeta: a.AttrMeta, Value: graph.Text(s)}
}

var (
	pool    = graph.Key{Type: sai.ObjectTypeBufferPool, Name: "ingress"}
	profile = graph.Key{Type: sai.ObjectTypeBufferProfile, Name: "lossless"}
	pg      = graph.Key{Type: sai.ObjectTypeIngressPriorityGroup, Name: "Ethernet0|3", Facet: graph.Buffer}
	queue   = graph.Key{Type: sai.ObjectTypeQueue, Name: "Ethernet0|3", Facet: graph.WRED}
	pfc     = graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0", Facet: graph.PFC}
	link    = graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0", Facet: graph.Link}
)

func TestKeyText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]graph.Key{
		"QUEUE Ethernet0|3#wred":        queue,
		"PORT Ethernet0#pfc":            pfc,
		"PORT Ethernet0":                pfc.Object(),
		"PORT a#b#pfc":                  {Type: sai.ObjectTypePort, Name: "a#b", Facet: graph.PFC},
		"PORT a#":                       {Type: sai.ObjectTypePort, Name: "a#"},
		"BUFFER_POOL a#pfc":             {Type: sai.ObjectTypeBufferPool, Name: "a#pfc"},
		"BUFFER_POOL a#b":               {Type: sai.ObjectTypeBufferPool, Name: "a#b"},
		"QOS_MAP DSCP_TO_TC_MAP|A name": {Type: sai.ObjectTypeQoSMap, Name: "DSCP_TO_TC_MAP|A name"},
	} {
		got, err := graph.ParseKey(text)
		if err != nil || got != want {
			t.Errorf("ParseKey(%q) = %+v, %v", text, got, err)
		}
		if got.String() != text {
			t.Errorf("%+v prints as %q, want %q", got, got.String(), text)
		}
	}
	for _, bad := range []string{"", "PORT", "PORT ", " Ethernet0", "port Ethernet0", "NOTHING x", "BUFFER_POOL a\x00b"} {
		if k, err := graph.ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) = %+v, want an error", bad, k)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"QUEUE Ethernet0|3#wred", "BUFFER_POOL a#b", "PORT #", "PORT a#", "PORT x y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := graph.ParseKey(s)
		if err != nil {
			return
		}
		again, err := graph.ParseKey(k.String())
		if err != nil || again != k {
			t.Errorf("%q is %+v, and that is %+v, %v", s, k, again, err)
		}
	})
}

func TestKeyOrder(t *testing.T) {
	t.Parallel()
	want := []graph.Key{pfc.Object(), link, pfc, queue, pool, profile, pg}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, graph.Key.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("order is %v", got)
	}
}

// TestDefaults checks what "absent" means: the SAI default where there is one, and
// otherwise that the agent leaves the attribute alone.
func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a    *sai.AttrMeta
		want graph.Value
		ok   bool
	}{
		{sai.PortAttrSpeed.AttrMeta, graph.Value{}, false},
		{sai.PortAttrMTU.AttrMeta, graph.Uint(1514), true},
		{sai.PortAttrAdminState.AttrMeta, graph.Bool(false), true},
		{sai.PortAttrFECMode.AttrMeta, graph.Uint(uint64(sai.PortFECModeNone)), true},
		{sai.PortAttrQoSIngressBufferProfileList.AttrMeta, graph.Value{}, true},
		{sai.PortAttrAdvertisedSpeed.AttrMeta, graph.Value{}, true},
		{sai.QueueAttrBufferProfileID.AttrMeta, graph.Value{}, true},
		{sai.WredAttrGreenDropProbability.AttrMeta, graph.Uint(100), true},
		{sai.SchedulerAttrLabel.AttrMeta, graph.Value{}, true},
		{sai.SchedulerAttrSchedulingType.AttrMeta, graph.Uint(uint64(sai.SchedulingTypeWrr)), true},
		{sai.BufferPoolAttrSize.AttrMeta, graph.Value{}, false},
		{sai.HostifAttrName.AttrMeta, graph.Value{}, false},
		{sai.SwitchAttrSrcMACAddress.AttrMeta, graph.Value{}, false},
	} {
		if v, ok := graph.Default(tt.a); v != tt.want || ok != tt.ok {
			t.Errorf("default of %s = %v, %v", tt.a.FullName(), v, ok)
		}
	}
}

func TestNewNode(t *testing.T) {
	t.Parallel()
	n := graph.NewNode(profile, []graph.Attr{
		num(sai.BufferProfileAttrXoffTH, 0), // the default, but stated
		num(sai.BufferProfileAttrReservedBufferSize, 0),
		ref(sai.BufferProfileAttrPoolID, pool),
	})
	if len(n.Attrs) != 2 || n.Attrs[0].Name != "POOL_ID" || n.Attrs[1].Name != "RESERVED_BUFFER_SIZE" {
		t.Errorf("attributes: %v", n.Attrs)
	}
	if len(n.Stated) != 1 || n.Stated[0].Name != "XOFF_TH" {
		t.Errorf("stated: %v", n.Stated)
	}
	if n.Adopted() || n.Has(sai.BufferProfileAttrXoffTH.AttrMeta) || !n.Has(sai.BufferProfileAttrReservedBufferSize.AttrMeta) {
		t.Errorf("node: %+v", n)
	}
	// Of an object that the chip made, too.
	n = graph.NewNode(link, []graph.Attr{num(sai.PortAttrMTU, 1514), num(sai.PortAttrSpeed, 0)})
	if len(n.Attrs) != 1 || len(n.Stated) != 1 || !n.Has(sai.PortAttrSpeed.AttrMeta) || n.Attr(sai.PortAttrMTU.AttrMeta).Num() != 1514 {
		t.Errorf("node: %+v", n)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	n := graph.NewNode(link, []graph.Attr{num(sai.PortAttrSpeed, 100000), num(sai.PortAttrMTU, 9100)})
	m := n.With(num(sai.PortAttrMTU, 1514), num(sai.PortAttrFECMode, uint64(sai.PortFECModeRs)))
	if got := (graph.Graph{link: m}).String(); got != "PORT Ethernet0#link\n\tSPEED = 100000\n\tFEC_MODE = RS\n" {
		t.Errorf("node:\n%s", got)
	}
	if got := (graph.Graph{link: n}).String(); got != "PORT Ethernet0#link\n\tSPEED = 100000\n\tMTU = 9100\n" {
		t.Errorf("the node itself changed:\n%s", got)
	}
}

func TestRenamed(t *testing.T) {
	t.Parallel()
	other := graph.Key{Type: profile.Type, Name: "other"}
	buffers := graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0", Facet: graph.Ingress}
	n := graph.NewNode(buffers, []graph.Attr{
		ref(sai.PortAttrQoSIngressBufferProfileList, profile, other),
	})
	if m := n.Renamed(map[graph.Key]graph.Key{pool: other}); m != n {
		t.Error("a node that is not concerned was copied")
	}
	// Two objects exchange their names, and the port gets another one.
	m := n.Renamed(map[graph.Key]graph.Key{profile: other, other: profile, buffers.Object(): {Type: buffers.Type, Name: "Ethernet8"}})
	want := "PORT Ethernet8#ingress\n\tQOS_INGRESS_BUFFER_PROFILE_LIST = @other,@lossless\n"
	if got := (graph.Graph{m.Key: m}).String(); got != want {
		t.Errorf("node:\n%s", got)
	}
	if !n.Attrs[0].Value.Refers(profile) || n.Key != buffers {
		t.Error("the node itself changed")
	}
}

func TestDeps(t *testing.T) {
	t.Parallel()
	deps := func(k graph.Key, attrs ...graph.Attr) string {
		var out []string
		for d := range graph.NewNode(k, attrs).Deps {
			out = append(out, d.String())
		}
		return strings.Join(out, ", ")
	}
	const port = "PORT Ethernet0"
	groups := port + ", INGRESS_PRIORITY_GROUP Ethernet0|3#buffer, INGRESS_PRIORITY_GROUP Ethernet0|4#buffer"
	whole := pfc.Object()
	separate := num(sai.PortAttrPriorityFlowControlMode, uint64(sai.PortPriorityFlowControlModeSeparate))
	for name, tt := range map[string]struct{ got, want string }{
		"pausing":        {deps(pfc, num(sai.PortAttrPriorityFlowControl, 0x18)), groups},
		"pausing apart":  {deps(pfc, separate, num(sai.PortAttrPriorityFlowControlTx, 0x18)), groups},
		"being paused":   {deps(pfc, separate, num(sai.PortAttrPriorityFlowControlRx, 0xff)), port},
		"reference":      {deps(pg, ref(sai.IngressPriorityGroupAttrBufferProfile, profile)), "BUFFER_PROFILE lossless, " + port},
		"null reference": {deps(pg, ref(sai.IngressPriorityGroupAttrBufferProfile)), port},
		"a port":         {deps(whole), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s needs %q, want %q", name, tt.got, tt.want)
		}
	}
	for range graph.NewNode(pfc, []graph.Attr{num(sai.PortAttrPriorityFlowControl, 0x18)}).Deps {
		break // must stop
	}
}

func TestReadies(t *testing.T) {
	t.Parallel()
	admin := graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0", Facet: graph.Admin}
	buffer := queue
	buffer.Facet = graph.Buffer
	for k, want := range map[graph.Key]bool{pg: true, buffer: true, link: true, pfc: true, queue: false, admin: false, pool: false} {
		if got, ok := k.Readies(); ok != want || ok && got != admin {
			t.Errorf("%s readies %v, %v", k, got, ok)
		}
	}
	if !admin.Last() || pfc.Last() || pool.Last() || admin.Object().Last() {
		t.Error("the admin state, and nothing else, comes last")
	}
	if !admin.Object().First() || admin.First() || pool.First() {
		t.Error("a port, and nothing else, comes first")
	}
}

// TestFacets checks that every attribute with an owner is one that an agent can
// set, of an object that the chip makes, and can be given up again.
func TestFacets(t *testing.T) {
	t.Parallel()
	n := 0
	for _, o := range sai.Objects {
		for _, a := range o.Attrs {
			f, ok := graph.FacetOf(a)
			if !ok {
				continue
			}
			n++
			if a == sai.PortAttrHwLaneList.AttrMeta { // of the port as a whole, which comes and goes
				continue
			}
			k := graph.Key{Type: o.Type, Name: "x", Facet: f}
			if node := graph.NewNode(k, nil); !node.Adopted() || !a.Has(sai.Settable) {
				t.Errorf("%s has an owner", a.FullName())
			}
			if !slices.Contains(graph.Facets, f) {
				t.Errorf("%s: facet %q is not listed", a.FullName(), f)
			}
			if _, ok := graph.Default(a); !ok && a != sai.PortAttrSpeed.AttrMeta {
				t.Errorf("%s has no default", a.FullName())
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d attributes have an owner", n)
	}
}
