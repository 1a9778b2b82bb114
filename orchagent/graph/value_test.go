package graph_test

import (
	"slices"
	"testing"

	"xon/orchagent/graph"
	"xon/sai"
)

func TestValue(t *testing.T) {
	t.Parallel()
	other := graph.Key{Type: profile.Type, Name: "other"}
	list := graph.Refs(profile, other)
	if got := slices.Collect(list.Targets()); !slices.Equal(got, []graph.Key{profile, other}) {
		t.Errorf("targets: %v", got)
	}
	for range list.Targets() {
		break // must stop
	}
	if !list.Refers(other) || list.Refers(pool) || list.Refers(graph.Key{Type: pool.Type, Name: "other"}) {
		t.Error("Refers")
	}
	if list.IsNull() || list.Plain() != "" || !graph.Refs().IsNull() || graph.Ref(profile) != graph.Refs(profile) {
		t.Error("references")
	}
	if graph.Bool(true) != graph.Uint(1) || graph.Bool(false) != (graph.Value{}) {
		t.Error("numbers")
	}
	if graph.Text("0:null") != (graph.Value{}) || graph.Text("2:1,2").Plain() != "2:1,2" {
		t.Error("texts")
	}
}

func TestAttrText(t *testing.T) {
	t.Parallel()
	entry := func(from, to sai.QoSMapParams) sai.QoSMapItem { return sai.QoSMapItem{Key: from, Value: to} }
	qosMap := func(items ...sai.QoSMapItem) graph.Attr {
		a := sai.QoSMapAttrMapToValueList.Is(items)
		return text(sai.QoSMapAttrMapToValueList, a.Format(a.Value))
	}
	for _, tt := range []struct {
		attr graph.Attr
		want string
	}{
		{num(sai.PortAttrAdminState, 1), "ADMIN_STATE=true"},
		{num(sai.PortAttrPriorityFlowControl, 24), "PRIORITY_FLOW_CONTROL=24"},
		{graph.Of(sai.BufferProfileAttrSharedDynamicTH.Is(-3)), "SHARED_DYNAMIC_TH=-3"},
		{num(sai.WredAttrECNMarkMode, uint64(sai.ECNMarkModeAll)), "ECN_MARK_MODE=ALL"},
		{ref(sai.BufferProfileAttrPoolID, pool), "POOL_ID=@ingress"},
		{ref(sai.QueueAttrWredProfileID), "WRED_PROFILE_ID=none"},
		{ref(sai.PortAttrQoSIngressBufferProfileList, profile, profile), "QOS_INGRESS_BUFFER_PROFILE_LIST=@lossless,@lossless"},
		{ref(sai.PortAttrQoSIngressBufferProfileList), "QOS_INGRESS_BUFFER_PROFILE_LIST=none"},
		{text(sai.HostifAttrName, "Ethernet0"), "NAME=Ethernet0"},
		{text(sai.HostifAttrName, ""), `NAME=""`},
		{text(sai.PortAttrAdvertisedSpeed, "2:25000,50000"), "ADVERTISED_SPEED=2:25000,50000"},
		{text(sai.PortAttrAdvertisedSpeed, "0:null"), "ADVERTISED_SPEED=0:null"},
		{
			qosMap(entry(sai.QoSMapParams{DSCP: 3}, sai.QoSMapParams{TC: 3}), entry(sai.QoSMapParams{DSCP: 46}, sai.QoSMapParams{TC: 5})),
			"MAP_TO_VALUE_LIST=dscp>tc 3>3 46>5",
		},
		{qosMap(entry(sai.QoSMapParams{TC: 1, Color: 1}, sai.QoSMapParams{})), "MAP_TO_VALUE_LIST=tc,color> 1,1>0"},
		{qosMap(), `MAP_TO_VALUE_LIST={"count":0,"list":null}`},
		{text(sai.QoSMapAttrMapToValueList, "no map"), "MAP_TO_VALUE_LIST=no map"},
	} {
		if got := tt.attr.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
