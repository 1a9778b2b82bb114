package appldb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/schema/appldb"
)

func TestSigns(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(map[string]string{"count": "32"}, appldb.PortConfigDoneFields(32)); diff != "" {
		t.Errorf("PortConfigDone (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"lanes": "0"}, appldb.PortInitDoneFields()); diff != "" {
		t.Errorf("PortInitDone (-want +got):\n%s", diff)
	}
}
