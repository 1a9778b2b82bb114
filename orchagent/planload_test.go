package orchagent_test

import (
	"io"
	"testing"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/inventory"
	"xon/schema/configdb"
	"xon/test/scale"
)

// TestPlanLoad: the plan of a load is what the load then does, it touches nothing,
// and there is nothing left to plan after it.
func TestPlanLoad(t *testing.T) {
	t.Parallel()
	chip := newChip(t, 4)
	sw, _, err := inventory.Open(chip)
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	plan := func() string {
		before := chip.Writes()
		p, err := orchagent.PlanLoad(orchagent.Config{Log: log, Switch: sw, Names: chip}, scale.Changes(scale.Load(4)))
		if err != nil || chip.Writes() != before {
			t.Fatal(err, "writes", chip.Writes()-before)
		}
		return p.String()
	}
	cold := plan()
	if cold == "" || cold != plan() {
		t.Errorf("plan\n%s", cold)
	}
	r := &rig{t: t, chip: chip, db: &memory{rows: configdb.RawRows{}}}
	r.start(&recorder{})
	r.load(scale.Load(4))
	if settled := plan(); settled != "" {
		t.Errorf("after the load it plans\n%s", settled)
	}
	if _, err := orchagent.PlanLoad(orchagent.Config{Log: log, Switch: sw, Names: chip}, []configdb.Change{}); err != nil {
		t.Error(err)
	}
}
