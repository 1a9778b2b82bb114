package scenario_test

import (
	"os"
	"testing"

	"xon/cmd/offline"
	"xon/orchagent/bufmgr"
	"xon/sai/vsai/dataplane"
	"xon/sai/vsai/scenario"
	"xon/schema/configdb"
)

// TestDemo: through a chip that an agent configures from outside packets move as the
// demo says: the ports come when the agent makes the switch, then their hosts send.
func TestDemo(t *testing.T) {
	file, err := configdb.ReadFile("../../cmd/xond/demo.json", configdb.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := file.Rows
	const traffic = "../../cmd/xond/demo_traffic.yaml"
	text, err := os.ReadFile(traffic)
	if err != nil {
		t.Fatal(err)
	}
	chip := offline.NewChip(nil, rows)
	live, err := scenario.NewLive(traffic, text, chip, offline.Rows(rows), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	lookup, err := os.ReadFile("../../cmd/xond/demo_lookup.ini")
	if err != nil {
		t.Fatal(err)
	}
	var buffers bufmgr.Params
	if buffers.Lookup, err = bufmgr.ParseLookup("demo_lookup.ini", lookup); err != nil {
		t.Fatal(err)
	}
	a, err := offline.Start(t.Context(), chip, rows, buffers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := live.Device.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := live.Sim.Run(3 * dataplane.Millisecond); err != nil {
		t.Fatal(err)
	}
	w := live.Device.Switch()
	for r := dataplane.DropLink; r <= dataplane.DropDeadlock; r++ {
		if n := w.Drops(r); n > 0 {
			t.Errorf("%d dropped: %v", n, r)
		}
	}
	for _, f := range live.Sim.Flows() {
		if c := f.Config(); f.Stats.Delivered == 0 {
			t.Errorf("nothing came from %s to %s", c.From.Name(), c.To.Name())
		}
	}
}
