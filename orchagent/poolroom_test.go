package orchagent_test

import (
	"fmt"
	"strings"
	"testing"

	"xon/orchagent"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// TestPoolRoom: a pool for which the chip has no room waits, and is told with its numbers and
// the chip's, in a transaction as well.
func TestPoolRoom(t *testing.T) {
	t.Parallel()
	pool := func(more fields) fields {
		f := fields{"type": "ingress", "mode": "dynamic", "size": "1000"}
		for k, v := range more {
			f[k] = v
		}
		return f
	}
	most, many := vsai.Profiles()[0].IngressPools, rows{}
	for i := range most - 1 {
		many[configdb.RowKey(fmt.Sprintf("BUFFER_POOL|many%d", i))] = pool(nil)
	}
	for _, tt := range []struct {
		name   string
		before rows
		row    string
		f      fields
		says   string
	}{
		{
			"a new pool", nil, "BUFFER_POOL|more", pool(fields{"xoff": "2000"}),
			"; its size is 1000 bytes and its shared headroom (xoff) 2000, other ingress pools have 1048576 and 131072; the chip has 16777216 for all of that and for what profiles reserve",
		},
		{
			"a change", nil, "BUFFER_POOL|ingress", with("BUFFER_POOL|ingress", fields{"xoff": "2000000"}),
			"; its size is 1048576 bytes and its shared headroom (xoff) 2000000; the chip has 16777216 for all of that and for what profiles reserve",
		},
		{"one too many", many, "BUFFER_POOL|more", pool(nil), fmt.Sprintf("; the chip has %d ingress pools at most", most)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2)
			r.load(small(), tt.before)
			change := rows{configdb.RowKey(tt.row): tt.f}
			if _, err := r.agent.Transact(t.Context(), orchagent.Request{Ops: ops(change)}); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("transaction: %v, want %q", err, tt.says)
			}
			r.change(change)
			if f := r.agent.Fates()[configdb.RowKey(tt.row)]; f.State != statedb.Waiting || !strings.Contains(f.Reason, tt.says+"; it is tried again") {
				t.Errorf("%+v, want %q", f, tt.says)
			}
		})
	}
}
