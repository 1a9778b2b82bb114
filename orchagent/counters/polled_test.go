package counters_test

import (
	"slices"
	"testing"

	"xon/schema/configdb"
	"xon/schema/countersdb"
)

// TestPolledGroups: rows of the groups that are read, and of rates, are without a warning.
func TestPolledGroups(t *testing.T) {
	t.Parallel()
	var groups []string
	for _, g := range append(slices.Clone(countersdb.Groups), countersdb.RatesGroup) {
		groups = append(groups, g.Config)
	}
	want := slices.Clone(configdb.PolledGroups)
	slices.Sort(groups)
	slices.Sort(want)
	if !slices.Equal(groups, want) {
		t.Errorf("read are %v, said to be %v", groups, want)
	}
}
