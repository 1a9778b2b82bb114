// Package tables_test shows, table by table, what rows of CONFIG_DB do to ASIC_DB: rows
// are written to a real redis-server as SONiC's tools write them, taken in by the feed,
// and what the agent publishes is compared with what is expected.
package tables_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/feed"
	"xon/orchagent/graph"
	"xon/orchagent/inventory"
	"xon/orchagent/publish"
	"xon/orchagent/report"
	"xon/sai"
	"xon/sai/vsai"
	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/schema/statedb"
	"xon/test/scale"
)

// ports is how many ports the chip is strapped with.
const ports = 2

// rig is an agent with its feed and publisher on a server and a chip of its own.
type rig struct {
	t      *testing.T
	client *redisdb.Client
	chip   *vsai.Chip
	step   int

	mu    sync.Mutex
	names map[string]string // of objects, by handle as text
}

// note keeps the names of objects on their way.
func (r *rig) note(report report.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, id := range report.Handles {
		r.names[id.String()] = k.String()
	}
}

// noting is a publisher that tells the rig what it is about to publish.
type noting struct {
	*publish.Publisher
	r *rig
}

func (n noting) Publish(ctx context.Context, report report.Report) error {
	n.r.note(report)
	return n.Publisher.Publish(ctx, report)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	layout := make([]vsai.PortLayout, ports)
	for i := range layout {
		layout[i] = vsai.PortLayout{Lanes: scale.Lanes(i), SpeedMbps: scale.SpeedMbps}
	}
	known := *vsai.Profiles()[0]
	known.HideBuffer = false // so that what becomes of pools beyond the chip is seen
	r := &rig{t: t, client: redistest.Open(t), chip: vsai.New(vsai.Config{Profile: &known, Ports: layout}), names: map[string]string{}}
	sw, _, err := inventory.Open(r.chip)
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	agent := orchagent.New(orchagent.Config{
		Log: log, Switch: sw, Names: r.chip, Store: feed.Store{Client: r.client}, Buffers: buffers(t),
		Publisher: noting{publish.New(publish.Config{Client: r.client, Switch: sw, Log: log}), r},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 2)
	go func() { done <- agent.Run(ctx) }()
	go func() { done <- feed.Run(ctx, feed.Config{Client: r.client, Sink: agent, Log: log}) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	var b redisdb.Batch
	b.SetText(feed.Initialized, "1")
	for i := range ports {
		b.Set("PORT|"+scale.PortName(i), redisdb.Fields{"lanes": lanes(i), "speed": "100000"})
	}
	r.write(&b)
	return r
}

func lanes(i int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(scale.Lanes(i)), " ", ","), "[]")
}

// write writes to CONFIG_DB and waits until all of it is published: a row that is
// written last has a fate only then.
func (r *rig) write(b *redisdb.Batch) {
	r.t.Helper()
	r.step++
	mark := fmt.Sprintf("TABLES_TEST|%d", r.step)
	b.Set(mark, redisdb.Fields{"a": "b"})
	if err := r.client.DB(redisdb.ConfigDB).Write(r.t.Context(), b); err != nil {
		r.t.Fatal(err)
	}
	redistest.Eventually(r.t, "a step is published", func() bool {
		f, err := r.client.DB(redisdb.StateDB).Row(r.t.Context(), statedb.FateKey(configdb.RowKey(mark)))
		return err == nil && f != nil
	})
}

var handle = regexp.MustCompile(`oid:0x[1-9a-f][0-9a-f]*`)

// object is one row of ASIC_DB with names for handles.
type object struct {
	name   string
	fields map[string]string
}

// asic reads ASIC_DB, by handle.
func (r *rig) asic() map[string]object {
	r.t.Helper()
	db := r.client.DB(redisdb.ASICDB)
	rows, err := db.All(r.t.Context(), db.ID.Pattern(asicdb.StateTable))
	if err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]object, len(rows))
	for key, f := range rows {
		typ, id, ok := asicdb.ParseObjectKey(key)
		if !ok {
			r.t.Fatalf("a row %s", key)
		}
		o := object{name: r.names[id], fields: map[string]string{}}
		switch {
		case asicdb.IsEntry(id): // it has its key for a name
			o.name = strings.TrimPrefix(typ, "SAI_OBJECT_TYPE_") + " " + r.readable(typ, "", id)
		case o.name == "":
			o.name = strings.TrimPrefix(typ, "SAI_OBJECT_TYPE_") + " of the chip"
		}
		for name, text := range f {
			o.fields[name] = r.readable(typ, name, text)
		}
		out[id] = o
	}
	return out
}

// readable puts names for handles, and says a QoS map in few words.
func (r *rig) readable(typ, name, text string) string {
	if t, ok := sai.ObjectTypeByName(typ); ok && strings.HasPrefix(text, `{"count"`) {
		if m := sai.ByType(t).AttrByName(name); m != nil {
			_, list, _ := strings.Cut(graph.Attr{AttrMeta: m, Value: graph.Text(text)}.String(), "=")
			return list
		}
	}
	return handle.ReplaceAllStringFunc(text, func(id string) string {
		if name := r.names[id]; name != "" {
			return "@" + name
		}
		return id
	})
}

// fates are the fates of all rows but the marks, as one line each.
func (r *rig) fates() map[string]string {
	r.t.Helper()
	db := r.client.DB(redisdb.StateDB)
	rows, err := db.All(r.t.Context(), db.ID.Pattern(statedb.FateTable))
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]string{}
	for key, f := range rows {
		k, ok := statedb.ParseFateKey(key)
		if !ok || k.Table() == "TABLES_TEST" {
			continue
		}
		fate, err := statedb.ParseFate(f)
		if err != nil {
			r.t.Fatal(err)
		}
		line := string(fate.State)
		if fate.Field != "" && !strings.HasPrefix(fate.Reason, fate.Field+": ") {
			line += ": " + fate.Field
		}
		if fate.Reason != "" {
			line += ": " + fate.Reason
		}
		for _, w := range fate.Warnings {
			line += "\n        warning: " + w
		}
		out[string(k)] = line
	}
	return out
}

// difference says what became of ASIC_DB and of fates between two moments.
func difference(before, after map[string]object, was, now map[string]string) []string {
	var lines []string
	for id, o := range before {
		if _, ok := after[id]; !ok {
			lines = append(lines, "- "+o.name)
		}
	}
	for id, o := range after {
		old, ok := before[id]
		sign := "~ "
		if !ok {
			sign = "+ "
			lines = append(lines, sign+o.name)
		}
		for _, name := range slices.Sorted(maps.Keys(o.fields)) {
			if text := o.fields[name]; !ok || text != old.fields[name] {
				lines = append(lines, sign+o.name+" "+name+"="+text)
			}
		}
		for name := range old.fields {
			if _, still := o.fields[name]; !still {
				lines = append(lines, "! "+o.name+" lost "+name)
			}
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	for _, k := range slices.Sorted(maps.Keys(now)) {
		if now[k] != was[k] {
			lines = append(lines, "  "+k+" "+now[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(was)) {
		if now[k] == "" {
			lines = append(lines, "  "+k+" gone")
		}
	}
	return lines
}
