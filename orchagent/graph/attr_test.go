package graph_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/sai"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		attr graph.Attr
		want string
	}{
		{graph.Of(sai.PortAttrMTU.Is(9122)), "MTU=9122"},
		{graph.Of(sai.PortAttrAdminState.Is(true)), "ADMIN_STATE=true"},
		{graph.Of(sai.PortAttrFECMode.Is(sai.PortFECModeRs)), "FEC_MODE=RS"},
		{graph.Of(sai.BufferProfileAttrSharedDynamicTH.Is(-3)), "SHARED_DYNAMIC_TH=-3"},
		{graph.Of(sai.HostifAttrName.Is("Ethernet0")), "NAME=Ethernet0"},
		{graph.Of(sai.PortAttrHwLaneList.Is([]uint32{3, 4})), "HW_LANE_LIST=2:3,4"},
		{graph.Of(sai.PortAttrAdvertisedSpeed.Is(nil)), "ADVERTISED_SPEED=0:null"},
		{graph.Of(sai.NeighborEntryAttrDstMACAddress.Is(sai.MAC{2, 0, 0, 0, 0, 1})), "DST_MAC_ADDRESS=02:00:00:00:00:01"},
		{graph.RefTo(sai.QueueAttrBufferProfileID, profile), "BUFFER_PROFILE_ID=@lossless"},
		{graph.RefTo(sai.HostifAttrObjID, link.Object()), "OBJ_ID=@Ethernet0"}, // may name objects of several types
		{graph.RefsTo(sai.PortAttrQoSIngressBufferProfileList, profile, profile), "QOS_INGRESS_BUFFER_PROFILE_LIST=@lossless,@lossless"},
	} {
		if got := tt.attr.String(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
	if graph.Of(sai.PortAttrAdvertisedSpeed.Is(nil)).Value != (graph.Value{}) {
		t.Error("an empty list is not the zero Value")
	}
	attrs := graph.AppendIf(graph.AppendIf(nil, false, sai.PortAttrMTU.Is(1)), true, sai.PortAttrSpeed.Is(2))
	if len(attrs) != 1 || attrs[0] != graph.Of(sai.PortAttrSpeed.Is(2)) {
		t.Errorf("AppendIf: %v", attrs)
	}
	n := graph.NewNode(pfc, []graph.Attr{graph.Of(sai.PortAttrPriorityFlowControl.Is(0x18))})
	if graph.Num(n, sai.PortAttrPriorityFlowControl) != 0x18 || graph.Num(n, sai.PortAttrMTU) != 1514 {
		t.Error("Num")
	}
}

// TestWrongTarget checks what the compiler cannot: which object a name stands for.
func TestWrongTarget(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]func(){
		"a pool for a profile":         func() { graph.RefTo(sai.QueueAttrBufferProfileID, pool) },
		"a pool in a list of profiles": func() { graph.RefsTo(sai.PortAttrQoSEgressBufferProfileList, profile, pool) },
		"an id":                        func() { graph.Of(sai.QueueAttrBufferProfileID.Is(7)) },
		"a list of ids":                func() { graph.Of(sai.PortAttrQoSEgressBufferProfileList.Is(nil)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", name)
				}
			}()
			wrong()
		}()
	}
}

// TestTypes checks what does not compile, beside a line that does.
func TestTypes(t *testing.T) {
	t.Parallel()
	lines := []struct{ expr, want string }{
		{`graph.Of(sai.PortAttrFECMode.Is(sai.PortFECModeRs))`, ""},
		{`graph.Of(sai.PortAttrFECMode.Is(sai.HashAlgorithmCrc))`, "cannot use"},
		{`graph.Of(sai.BufferProfileAttrSharedDynamicTH.Is(200))`, "overflows"},
		{`graph.AppendIf[sai.Port](nil, true, sai.QueueAttrIndex.Is(1))`, "cannot use"},
		{`graph.RefTo(sai.PortAttrMTU, graph.Key{})`, "does not satisfy"},
		{`graph.RefTo(sai.PortAttrQoSEgressBufferProfileList, graph.Key{})`, "does not satisfy"},
		{`graph.RefsTo(sai.PortAttrAdvertisedSpeed, graph.Key{})`, "does not satisfy"},
	}
	src := "package main\n\nimport (\n\t\"xon/orchagent/graph\"\n\t\"xon/sai\"\n)\n\nfunc main() {\n"
	at := strings.Count(src, "\n") + 1 // the number of the first line
	for _, l := range lines {
		src += "\t_ = " + l.expr + "\n"
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(src+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-e", "-o", os.DevNull, file).CombinedOutput()
	if err == nil {
		t.Fatal("all of it compiles")
	}
	for i, l := range lines {
		_, said, found := strings.Cut(string(out), fmt.Sprintf("main.go:%d:", at+i))
		said, _, _ = strings.Cut(said, "\n")
		if found != (l.want != "") || !strings.Contains(said, l.want) {
			t.Errorf("%s: the compiler says %q, want %q\n%s", l.expr, said, l.want, out)
		}
	}
}
