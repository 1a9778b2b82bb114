package graph

import (
	"cmp"
	"fmt"
	"slices"

	"xon/schema/configdb"
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
	Row      configdb.RowKey
	Severity Severity
	On       configdb.RowKey // Waiting: the row that it waits for; Refused: the row that it does not fit, if it is another one
	Lacks    Missing         // Waiting: what it waits for if that is not a row
	Field    string          // the field at fault, if it is one
	Err      error
}

// Missing is something other than a row that a row may wait for, such as a file, a
// setting or a result, in words.
type Missing string

// WaitsFor is what the row of a problem waits for, in words; "" if it does not wait.
func (p *Problem) WaitsFor() string {
	if p.Severity != Waiting {
		return ""
	}
	return cmp.Or(string(p.Lacks), string(p.On))
}

// Builder collects the nodes and problems of one derivation.
type Builder struct {
	nodes    Graph
	origins  []Origin
	last     []configdb.RowKey // the rows of the node before: one row makes many nodes
	problems []Problem
}

// Origin is a node with the rows that it comes from.
type Origin struct {
	Key  Key
	Node *Node
	Rows []configdb.RowKey
}

// NewBuilder returns an empty builder with room for n nodes.
func NewBuilder(n int) *Builder { return &Builder{nodes: make(Graph, n)} }

// Take is Finish for derivations in parts: it returns the nodes of a part and what is wrong
// with its rows, and empties the builder for the next part.
func (b *Builder) Take() ([]Origin, []Problem) {
	b.settle()
	origins, problems := b.origins, b.problems
	b.origins, b.problems = make([]Origin, 0, len(origins)), nil
	clear(b.nodes)
	return origins, problems
}

// Add adds the node that a row asks for; see NewNode for attrs. Adding a key
// twice, or an attribute of another orchestrator's facet, is a bug in an
// orchestrator and panics: facets exist so that no configuration can cause it.
func (b *Builder) Add(row configdb.RowKey, k Key, attrs ...Attr) {
	if len(b.last) != 1 || b.last[0] != row {
		b.last = []configdb.RowKey{row}
	}
	b.AddFrom(b.last, k, attrs...)
}

// AddFrom is Add for a node that several rows have a part in. The node is there
// only while all of them are in force.
func (b *Builder) AddFrom(rows []configdb.RowKey, k Key, attrs ...Attr) {
	for _, a := range attrs {
		if f, ok := FacetOf(a.AttrMeta); ok && f != k.Facet || !ok && k.Facet != "" {
			panic(fmt.Sprintf("graph: %s sets attribute %s of facet %q", k, a.Name, f))
		}
	}
	before, n := len(b.nodes), NewNode(k, attrs)
	b.nodes[k] = n
	if len(b.nodes) == before {
		panic(fmt.Sprintf("graph: %s added twice", k))
	}
	b.origins = append(b.origins, Origin{k, n, rows})
}

// Has reports whether a node was added.
func (b *Builder) Has(k Key) bool { return b.nodes[k] != nil }

// Warn records that a row is applied although it looks wrong.
func (b *Builder) Warn(row configdb.RowKey, field string, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Warned, Field: field, Err: err})
}

// Wait records that a row needs another row that is not there. The whole row then is
// without effect.
func (b *Builder) Wait(row configdb.RowKey, field string, on configdb.RowKey, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Waiting, On: on, Field: field, Err: err})
}

// Lack records that a row needs something that is not a row and is not there. The whole
// row then is without effect.
func (b *Builder) Lack(row configdb.RowKey, field string, thing Missing, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Waiting, Lacks: thing, Field: field, Err: err})
}

// Refuse records that a row can't be in force as it is. The whole row then is
// without effect.
func (b *Builder) Refuse(row configdb.RowKey, field string, err error) {
	b.problems = append(b.problems, Problem{Row: row, Severity: Refused, Field: field, Err: err})
}

// Result is the outcome of a derivation.
type Result struct {
	Nodes    Graph
	Rows     map[Key][]configdb.RowKey // the rows that each node comes from
	Problems []Problem                 // in order of row, the gravest of each first
}

// Finish returns what was built. A row that waits or is refused takes all its
// nodes along, and rows whose nodes refer to one of those then wait for it. A
// node without one of its rows is gone too, but its other rows stay in force.
func (b *Builder) Finish() Result {
	b.settle()
	rows := make(map[Key][]configdb.RowKey, len(b.origins))
	for _, o := range b.origins {
		rows[o.Key] = o.Rows
	}
	return Result{Nodes: b.nodes, Rows: rows, Problems: b.problems}
}

// settle drops the nodes of rows that are not in force, and puts problems in order.
func (b *Builder) settle() {
	if len(b.problems) == 0 {
		return
	}
	out := map[configdb.RowKey]bool{}
	for _, p := range b.problems {
		if p.Severity != Warned {
			out[p.Row] = true
		}
	}
	for gone := b.drop(out); len(gone) > 0; gone = b.drop(out) {
		if !b.strand(out, gone) {
			break
		}
	}
	slices.SortStableFunc(b.problems, func(x, y Problem) int {
		return cmp.Or(cmp.Compare(x.Row, y.Row), cmp.Compare(y.Severity, x.Severity))
	})
}

// drop removes the nodes of rows in out. It returns those that others can refer
// to, with the row that they went with.
func (b *Builder) drop(out map[configdb.RowKey]bool) map[Key]configdb.RowKey {
	if len(out) == 0 {
		return nil
	}
	gone := map[Key]configdb.RowKey{}
	b.origins = slices.DeleteFunc(b.origins, func(o Origin) bool {
		i := slices.IndexFunc(o.Rows, func(r configdb.RowKey) bool { return out[r] })
		if i < 0 {
			return false
		}
		if o.Key.Facet == "" {
			gone[o.Key] = o.Rows[i]
		}
		delete(b.nodes, o.Key)
		return true
	})
	return gone
}

// strand adds to out the rows whose nodes refer to one that is gone. It reports
// whether there were any.
func (b *Builder) strand(out map[configdb.RowKey]bool, gone map[Key]configdb.RowKey) bool {
	waits := map[configdb.RowKey]configdb.RowKey{}
	for _, o := range b.origins {
		for t := range b.nodes[o.Key].Deps {
			if on, ok := gone[t]; ok {
				wait(waits, o.Rows, on)
			}
		}
	}
	for row, on := range waits {
		out[row] = true
		b.Wait(row, "", on, fmt.Errorf("%s is not in force", on))
	}
	return len(waits) > 0
}

// wait notes that rows wait for on. Of several things that a row waits for the
// first by name is told, so that equal input gives equal output.
func wait(waits map[configdb.RowKey]configdb.RowKey, rows []configdb.RowKey, on configdb.RowKey) {
	for _, r := range rows {
		if have, ok := waits[r]; !ok || on < have {
			waits[r] = on
		}
	}
}
