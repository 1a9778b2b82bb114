package vsai_test

import (
	"testing"

	"xon/sai"
	"xon/sai/saitest"
	"xon/sai/vsai"
)

// TestSuite runs what every driver passes, on a chip of each profile.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, p := range vsai.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			saitest.Run(t, func(*testing.T) sai.Driver {
				return vsai.New(vsai.Config{Profile: p, Ports: layout(3)})
			})
		})
	}
}
