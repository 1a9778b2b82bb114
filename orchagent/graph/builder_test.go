package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/orchagent/graph"
	"xon/sai"
	"xon/schema/configdb"
)

var errBad = errors.New("bad")

// chain adds a pool, a profile in it, a priority group with that and PFC on it,
// and a WRED profile with a queue, each from a row of its own.
func chain(b *graph.Builder) {
	wred := graph.Key{Type: sai.ObjectTypeWred, Name: "ecn"}
	b.Add("POOL|ingress", pool, num(sai.BufferPoolAttrSize, 1))
	b.Add("PROFILE|lossless", profile, ref(sai.BufferProfileAttrPoolID, pool))
	b.Add("PG|Ethernet0|3", pg, ref(sai.IngressPriorityGroupAttrBufferProfile, profile))
	b.AddFrom([]configdb.RowKey{"PORT|Ethernet0", "QOS|Ethernet0"}, pfc, num(sai.PortAttrPriorityFlowControl, 8))
	b.Add("PORT|Ethernet0", link, num(sai.PortAttrMTU, 9100))
	b.Add("WRED|ecn", wred, num(sai.WredAttrGreenEnable, 1))
	b.Add("QUEUE|Ethernet0|3", queue, ref(sai.QueueAttrWredProfileID, wred))
}

func TestFinish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		problems func(*graph.Builder)
		gone     string
		want     string
	}{
		{name: "nothing", problems: func(*graph.Builder) {}},
		{
			name:     "warning",
			problems: func(b *graph.Builder) { b.Warn("POOL|ingress", "size", errBad) },
			want:     "POOL|ingress 0  size",
		},
		{
			name:     "waits along references",
			problems: func(b *graph.Builder) { b.Refuse("POOL|ingress", "size", errBad) },
			gone:     "BUFFER_POOL ingress, BUFFER_PROFILE lossless, INGRESS_PRIORITY_GROUP Ethernet0|3#buffer",
			want:     "PG|Ethernet0|3 1 PROFILE|lossless ; POOL|ingress 2  size; PROFILE|lossless 1 POOL|ingress ",
		},
		{
			name: "a row without nodes",
			problems: func(b *graph.Builder) {
				b.Wait("PG|Ethernet8|3", "profile", "PROFILE|x", errBad)
			},
			want: "PG|Ethernet8|3 1 PROFILE|x profile",
		},
		{
			name: "a row that lacks what is not a row",
			problems: func(b *graph.Builder) {
				b.Lack("WRED|ecn", "file", "a file", errBad)
			},
			gone: "WRED ecn, QUEUE Ethernet0|3#wred",
			want: "QUEUE|Ethernet0|3 1 WRED|ecn ; WRED|ecn 1 a file file",
		},
		{
			name:     "a node of two rows leaves the other in force",
			problems: func(b *graph.Builder) { b.Refuse("QOS|Ethernet0", "pfc_enable", errBad) },
			gone:     "PORT Ethernet0#pfc",
			want:     "QOS|Ethernet0 2  pfc_enable",
		},
		{
			name: "a row with two nodes",
			problems: func(b *graph.Builder) {
				b.Refuse("PORT|Ethernet0", "mtu", errBad)
				b.Warn("PORT|Ethernet0", "speed", errBad)
			},
			gone: "PORT Ethernet0#link, PORT Ethernet0#pfc",
			want: "PORT|Ethernet0 2  mtu; PORT|Ethernet0 0  speed",
		},
		{
			name: "two chains at once",
			problems: func(b *graph.Builder) {
				b.Refuse("PROFILE|lossless", "", errBad)
				b.Refuse("WRED|ecn", "", errBad)
			},
			gone: "WRED ecn, QUEUE Ethernet0|3#wred, BUFFER_PROFILE lossless, INGRESS_PRIORITY_GROUP Ethernet0|3#buffer",
			want: "PG|Ethernet0|3 1 PROFILE|lossless ; PROFILE|lossless 2  ; QUEUE|Ethernet0|3 1 WRED|ecn ; WRED|ecn 2  ",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := graph.NewBuilder(8)
			chain(b)
			before := graph.NewBuilder(8)
			chain(before)
			tt.problems(b)
			r := b.Finish()
			var gone []string
			for _, k := range before.Finish().Nodes.Keys() {
				if r.Nodes[k] == nil {
					gone = append(gone, k.String())
				}
				if (r.Nodes[k] == nil) != (r.Rows[k] == nil) {
					t.Errorf("%s: rows %v", k, r.Rows[k])
				}
			}
			if got := strings.Join(gone, ", "); got != tt.gone {
				t.Errorf("gone: %s, want %s", got, tt.gone)
			}
			var problems []string
			for _, p := range r.Problems {
				problems = append(problems, fmt.Sprint(p.Row, " ", p.Severity, " ", p.WaitsFor(), " ", p.Field))
			}
			if got := strings.Join(problems, "; "); got != tt.want {
				t.Errorf("problems: %s, want %s", got, tt.want)
			}
		})
	}
}

// TestFinishIsDeterministic checks that a row which waits for several things always
// names the same one.
func TestFinishIsDeterministic(t *testing.T) {
	t.Parallel()
	for range 50 {
		b := graph.NewBuilder(8)
		buffers := graph.Key{Type: sai.ObjectTypePort, Name: "Ethernet0", Facet: graph.Ingress}
		var list []graph.Key
		for _, name := range []string{"c", "a", "b"} {
			k := graph.Key{Type: profile.Type, Name: name}
			b.Add(configdb.Key("PROFILE", name), k, num(sai.BufferProfileAttrReservedBufferSize, 1))
			b.Refuse(configdb.Key("PROFILE", name), "", errBad)
			list = append(list, k)
		}
		b.Add("LIST|Ethernet0", buffers, ref(sai.PortAttrQoSIngressBufferProfileList, list...))
		if p := b.Finish().Problems[0]; p.Row != "LIST|Ethernet0" || p.On != "PROFILE|a" {
			t.Fatalf("problem: %+v", p)
		}
	}
}

func TestAddPanics(t *testing.T) {
	t.Parallel()
	for name, add := range map[string]func(*graph.Builder){
		"twice":         func(b *graph.Builder) { b.Add("x", pool); b.Add("y", pool) },
		"foreign facet": func(b *graph.Builder) { b.Add("x", pfc, num(sai.PortAttrMTU, 9100)) },
		"no facet":      func(b *graph.Builder) { b.Add("x", pfc.Object(), num(sai.PortAttrMTU, 9100)) },
		"not to be set": func(b *graph.Builder) { b.Add("x", pfc, num(sai.PortAttrMetaData, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			add(graph.NewBuilder(1))
		}()
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	b := graph.NewBuilder(1)
	chain(b)
	if !b.Has(pool) || b.Has(pool.Object()) != b.Has(pool) || b.Has(graph.Key{Type: pool.Type, Name: "x"}) {
		t.Error("Has")
	}
}
