package publish_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
)

var update = flag.Bool("update", false, "rewrite golden files")

// defaultPorts are the PORT rows of SONiC's virtual switch: 32 ports of four lanes
// each, without an admin status.
func defaultPorts() configdb.RawRows {
	first := []int{
		25, 29, 33, 37, 45, 41, 1, 5, 13, 9, 17, 21, 53, 49, 57, 61,
		69, 65, 73, 77, 109, 105, 113, 117, 125, 121, 81, 85, 93, 89, 101, 97,
	}
	rows := configdb.RawRows{}
	for i, l := range first {
		rows[configdb.Key("PORT", "Ethernet"+strconv.Itoa(4*i))] = configdb.Fields{
			"alias": "fortyGigE0/" + strconv.Itoa(4*i), "index": strconv.Itoa(i), "speed": "100000", "subport": "0",
			"lanes": fmt.Sprintf("%d,%d,%d,%d", l, l+1, l+2, l+3),
		}
	}
	return rows
}

// TestDefaultSwitch: what SONiC's tests expect in ASIC_DB of a switch that has its
// ports and nothing else configured.
func TestDefaultSwitch(t *testing.T) {
	t.Parallel()
	r := newRigOn(t, vsai.Config{Record: -1})
	r.load(defaultPorts())
	r.check()
	asic := r.all(redisdb.ASICDB, redisdb.Everything)
	r.checkTopology()

	var b strings.Builder
	b.WriteString("-- census --\n")
	counts := census(r.all(redisdb.ASICDB, redisdb.ASICDB.Pattern(asicdb.StateTable)))
	for _, typ := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s %d\n", typ, counts[typ])
	}
	b.WriteString("-- rows with attributes, the first two of each type --\n")
	shown := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(asic)) {
		typ, _, ok := asicdb.ParseObjectKey(key)
		if f := asic[key]; ok && len(f) > 0 && shown[typ] < 2 {
			shown[typ]++
			writeRow(&b, key, f)
		}
	}
	b.WriteString("-- notes --\n")
	writeRow(&b, asicdb.Hidden, asic[asicdb.Hidden])
	for _, key := range []string{asicdb.Lanes, asicdb.ColdVIDs, asicdb.VIDToRID, asicdb.RIDToVID} {
		fmt.Fprintf(&b, "%s: %d fields\n", key, len(asic[key]))
	}
	golden(t, "default.txt", b.String())
}

func writeRow(b *strings.Builder, key string, f redisdb.Fields) {
	b.WriteString(key + "\n")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(b, "\t%s = %s\n", name, f[name])
	}
}

// checkTopology compares what belongs to each port with SONiC's virtual switch, by
// the read-only attributes of the chip, and that no row shows them.
func (r *rig) checkTopology() {
	r.t.Helper()
	for i, id := range r.chip.Ports() {
		port := sai.ID[sai.Port](id)
		queues, err1 := sai.Get(r.sw, port, sai.PortAttrQoSQueueList)
		groups, err2 := sai.Get(r.sw, port, sai.PortAttrIngressPriorityGroupList)
		scheds, err3 := sai.Get(r.sw, port, sai.PortAttrQoSSchedulerGroupList)
		if err1 != nil || err2 != nil || err3 != nil || len(queues) != 20 || len(groups) != 8 || len(scheds) != 13 {
			r.t.Fatalf("port %d: %d queues, %d priority groups, %d scheduler groups; %v %v %v", i, len(queues), len(groups), len(scheds), err1, err2, err3)
		}
		for q, id := range queues {
			index, err1 := sai.Get(r.sw, id, sai.QueueAttrIndex)
			typ, err2 := sai.Get(r.sw, id, sai.QueueAttrType)
			want := sai.QueueTypeUnicast
			if q >= 10 {
				want = sai.QueueTypeMulticast
			}
			if err1 != nil || err2 != nil || int(index) != q || typ != want {
				r.t.Errorf("port %d queue %d: index %d, type %v; %v %v", i, q, index, typ, err1, err2)
			}
			key := asicdb.ObjectKey("SAI_OBJECT_TYPE_QUEUE", id.OID().String())
			if f := r.row(redisdb.ASICDB, key); f == nil || len(f) != 0 {
				r.t.Errorf("%s is %v", key, f)
			}
		}
	}
	sw := r.sw.ID
	ecmp, err1 := sai.Get(r.sw, sw, sai.SwitchAttrECMPHash)
	lag, err2 := sai.Get(r.sw, sw, sai.SwitchAttrLAGHash)
	if err1 != nil || err2 != nil || ecmp >= lag {
		r.t.Errorf("the hash of ECMP is %s, that of LAGs %s; %v %v", ecmp, lag, err1, err2)
	}
}

// golden compares text with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
