package orchagent_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"xon/schema/configdb"
	"xon/test/scale"
)

// rowsOf reads rows from text, a line each: TABLE|key, then field=value, separated
// by tabs.
func rowsOf(text string) rows {
	out := rows{}
	for line := range strings.Lines(text) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if !strings.Contains(parts[0], "|") {
			continue // the feed drops what can't be a row
		}
		f := configdb.Fields{}
		for _, p := range parts[1:] {
			name, value, _ := strings.Cut(p, "=")
			f[name] = value
		}
		out[configdb.RowKey(parts[0])] = f
	}
	return out
}

func textOf(rows map[configdb.RowKey]configdb.Fields) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		b.WriteString(string(k))
		for _, name := range slices.Sorted(maps.Keys(rows[k])) {
			b.WriteString("\t" + name + "=" + rows[k][name])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// FuzzRows (I3, I12): whatever rows there are, the agent neither panics nor hangs, and
// what it believes of the chip is what the chip has.
func FuzzRows(f *testing.F) {
	good := textOf(small())
	f.Add(good, "PORT|Ethernet8\tlanes=1,2,3,4\nPORT|Ethernet4\tlanes=1,2,3,4\n")
	f.Add(good, "BUFFER_PG|Ethernet0,Ethernet4|0-7\tprofile=lossless\nBUFFER_PG|Ethernet0|3\tprofile=lossy\n")
	f.Add(good, "BUFFER_POOL|ingress\tsize=0\ttype=egress\nPORT_QOS_MAP|global\tdscp_to_tc_map=AZURE\n")
	f.Add("PORT|\tlanes=\n|\t=\nX|Y|Z\tNULL=NULL\n", good)
	f.Fuzz(func(t *testing.T, first, then string) {
		r := newRig(t, 2)
		defer r.stop()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := r.agent.Load(ctx, scale.Changes(rowsOf(first))); err != nil {
			t.Fatal(err)
		}
		if err := r.agent.Change(ctx, scale.Changes(rowsOf(then))); err != nil {
			t.Fatal(err)
		}
		belief, adopted := r.agent.Belief(ctx)
		if got, want := belief.String(), r.readback(adopted).String(); got != want {
			t.Errorf("belief\n%s\nchip\n%s", got, want)
		}
		if err := r.agent.CheckResolution(ctx); err != nil {
			t.Error(err)
		}
	})
}
