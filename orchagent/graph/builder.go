package graph

import (
	"fmt"
	"maps"
	"slices"
)

// Severity says what a problem means for its row.
type Severity uint8

// The severities.
const (
	Warned  Severity = iota // in force, but looks wrong
	Waiting                 // not in force until On is there
	Refused                 // not in force until the row changes
)

// Problem says what is wrong with one row ("BUFFER_PG|Ethernet0|3-4").
type Problem struct {
	Row      string
	Severity Severity
	On       string // Waiting: the row, or the thing, that it waits for
	Field    string // the field at fault, if it is one
	Err      error
}

// Builder collects the nodes and problems of one derivation.
type Builder struct {
	nodes    Graph
	rows     map[Key][]string // the rows that a node comes from
	problems []Problem
}

// NewBuilder returns an empty builder with room for n nodes.
func NewBuilder(n int) *Builder {
	return &Builder{nodes: make(Graph, n), rows: make(map[Key][]string, n)}
}

// Add adds the node that a row asks for; see NewNode for attrs. Adding a key
// twice, or an attribute of another orchestrator's facet, is a bug in an
// orchestrator and panics: facets exist so that no configuration can cause it.
func (b *Builder) Add(row string, k Key, attrs ...Attr) { b.AddFrom([]string{row}, k, attrs...) }

// AddFrom is Add for a node that several rows have a part in.
func (b *Builder) AddFrom(rows []string, k Key, attrs ...Attr) {
	if _, dup := b.nodes[k]; dup {
		panic(fmt.Sprintf("graph: %s added twice", k))
	}
	for _, a := range attrs {
		if f, ok := FacetOf(a.AttrMeta); ok && f != k.Facet || !ok && k.Facet != "" {
			panic(fmt.Sprintf("graph: %s sets attribute %s of facet %q", k, a.Name, f))
		}
	}
	b.nodes[k], b.rows[k] = NewNode(k, attrs), rows
}

// Has reports whether a node was added.
func (b *Builder) Has(k Key) bool { return b.nodes[k] != nil }

// Warn records that a row is applied although it looks wrong.
func (b *Builder) Warn(row, field string, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Warned, Field: field, Err: err})
}

// Wait records that a row needs something that is not there. The whole row then
// is without effect.
func (b *Builder) Wait(row, field, on string, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Waiting, On: on, Field: field, Err: err})
}

// Refuse records that a row can't be in force as it is. The whole row then is
// without effect.
func (b *Builder) Refuse(row, field string, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Refused, Field: field, Err: err})
}

// Result is the outcome of a derivation.
type Result struct {
	Nodes    Graph
	Rows     map[Key][]string // the rows that each node comes from
	Problems []Problem        // in order of row
}

// Finish returns what was built. A row that waits or is refused takes all its
// nodes along, and rows whose nodes refer to one of those then wait for it.
func (b *Builder) Finish() Result {
	out := map[string]bool{}
	for _, p := range b.problems {
		if p.Severity != Warned {
			out[p.Row] = true
		}
	}
	for len(out) > 0 && b.drop(out) {
	}
	slices.SortStableFunc(b.problems, func(x, y Problem) int {
		if x.Row != y.Row {
			if x.Row < y.Row {
				return -1
			}
			return 1
		}
		return int(y.Severity) - int(x.Severity)
	})
	return Result{Nodes: b.nodes, Rows: b.rows, Problems: b.problems}
}

// drop removes the nodes of rows in out, and adds to out the rows that referred
// to one of them. It reports whether there were any.
func (b *Builder) drop(out map[string]bool) bool {
	gone := map[Key]string{}
	maps.DeleteFunc(b.nodes, func(k Key, _ *Node) bool {
		for _, r := range b.rows[k] {
			if out[r] {
				gone[k] = r
				return true
			}
		}
		return false
	})
	more := false
	for k, n := range b.nodes {
		for _, a := range n.Attrs {
			for t := range a.Value.Targets() {
				if on, ok := gone[t]; ok {
					more = b.strand(out, b.rows[k], on) || more
				}
			}
		}
	}
	return more
}

func (b *Builder) strand(out map[string]bool, rows []string, on string) bool {
	more := false
	for _, r := range rows {
		if !out[r] {
			out[r], more = true, true
			b.Wait(r, "", on, fmt.Errorf("%s is not in force", on))
		}
	}
	return more
}
