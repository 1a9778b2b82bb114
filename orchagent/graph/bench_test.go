package graph_test

import (
	"strconv"
	"testing"

	"xon/orchagent/graph"
	"xon/sai"
	"xon/schema/configdb"
)

// benchNames are the names of 512 ports and their parts, made beforehand as an
// inventory does.
func benchNames() (ports []string, children [][16]string) {
	for i := range 512 {
		p := "Ethernet" + strconv.Itoa(8*i)
		var c [16]string
		for j := range c {
			c[j] = p + "|" + strconv.Itoa(j)
		}
		ports, children = append(ports, p), append(children, c)
	}
	return ports, children
}

// build derives some 18,000 nodes: for each port 8 priority groups, 16 queues with
// a buffer and 8 with a WRED profile, PFC, link and admin state.
func build(ports []string, children [][16]string, bad func(*graph.Builder)) graph.Result {
	b := graph.NewBuilder(40 * len(ports))
	wred := graph.Key{Type: sai.ObjectTypeWred, Name: "ecn"}
	b.Add("POOL|ingress", pool, num(sai.BufferPoolAttrSize, 1))
	b.Add("PROFILE|lossless", profile, ref(sai.BufferProfileAttrPoolID, pool))
	b.Add("WRED|ecn", wred, num(sai.WredAttrGreenEnable, 1))
	for i, p := range ports {
		row := configdb.Key("PORT", p)
		b.Add(row, graph.Key{Type: sai.ObjectTypePort, Name: p, Facet: graph.Admin}, num(sai.PortAttrAdminState, 1))
		b.Add(row, graph.Key{Type: sai.ObjectTypePort, Name: p, Facet: graph.Link}, num(sai.PortAttrSpeed, 100000), num(sai.PortAttrMTU, 9100))
		b.Add(row, graph.Key{Type: sai.ObjectTypePort, Name: p, Facet: graph.PFC}, num(sai.PortAttrPriorityFlowControl, 24))
		for j, c := range children[i] {
			b.Add(row, graph.Key{Type: sai.ObjectTypeQueue, Name: c, Facet: graph.Buffer}, ref(sai.QueueAttrBufferProfileID, profile))
			if j < 8 {
				b.Add(row, graph.Key{Type: sai.ObjectTypeIngressPriorityGroup, Name: c, Facet: graph.Buffer}, ref(sai.IngressPriorityGroupAttrBufferProfile, profile))
				b.Add(row, graph.Key{Type: sai.ObjectTypeQueue, Name: c, Facet: graph.WRED}, ref(sai.QueueAttrWredProfileID, wred))
			}
		}
	}
	bad(b)
	return b.Finish()
}

func BenchmarkBuilder(b *testing.B) {
	ports, children := benchNames()
	for _, bb := range []struct {
		name string
		bad  func(*graph.Builder)
	}{
		{"good", func(*graph.Builder) {}},
		{"row-refused", func(b *graph.Builder) { b.Refuse("Ethernet0", "", errBad) }},
		{"pool-refused", func(b *graph.Builder) { b.Refuse("POOL|ingress", "", errBad) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			nodes := 0
			for b.Loop() {
				nodes = len(build(ports, children, bb.bad).Nodes)
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}
