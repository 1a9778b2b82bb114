package scenario

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// check reports a length that a delay is given beside, of which one would count for
// nothing.
func (w *Wires) check(at Pos, what string) error {
	if w.Delay > 0 && w.Length > 0 {
		return at.errorf("%s: want delay or length, which is 5 ns a metre, not both", what)
	}
	return nil
}

// check reports what is given and would have no effect.
func (t *Topology) check() error {
	var faults []error
	if t.Star != nil {
		faults = append(faults, t.Star.check(t.At, "star"))
	}
	if t.LeafSpine != nil {
		faults = append(faults, t.LeafSpine.check(t.At, "leaf-spine"))
	}
	if t.Ring != nil {
		faults = append(faults, t.Ring.check(t.At, "ring"))
	}
	for i := range t.Hosts {
		faults = append(faults, t.Hosts[i].Wires.check(t.Hosts[i].At, "host "+t.Hosts[i].Name), t.Hosts[i].Card.check(t.Hosts[i].At))
	}
	for i := range t.Links {
		faults = append(faults, t.Links[i].check(t.Links[i].At, "link "+t.Links[i].Name))
	}
	return errors.Join(faults...)
}

// checkRows finds rows without effect.
func (p *plan) checkRows() error {
	var faults []error
	for _, n := range p.switches {
		if !slices.ContainsFunc(n.wires, func(w *wire) bool { return w != nil }) {
			p.problem("switch %s has no link: nothing passes it (%s)", n.name, n.at)
		}
		if n.agent() && !n.outside {
			faults = append(faults, n.wrongRows(n.setup.Rows, n.at))
			p.problems = append(p.problems, n.moot(n.setup.Rows, n.base)...)
		}
	}
	return errors.Join(faults...)
}

// portLike are names of ports as SONiC has them.
var portLike = regexp.MustCompile(`^Ethernet\d+$`)

// wrongRows reports rows of a switch that name ports that it does not have, or that say
// something of "*" while there is no port with a link.
func (n *node) wrongRows(rows Rows, at Pos) error {
	var faults []error
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, key := range slices.Sorted(maps.Keys(rows[table])) {
			row, fields := table+"|"+key, rows[table][key]
			for _, port := range n.strangers(key, fields) {
				faults = append(faults, at.errorf("rows of %s: %s: the switch has no port %q; it has %s", n.name, row, port, some(n.ports)))
			}
			if _, all := fields["*"]; (all || strings.HasPrefix(key, "*")) && len(n.linked()) == 0 {
				faults = append(faults, at.errorf("rows of %s: %s: no port of the switch has a link, which * stands for", n.name, row))
			}
		}
	}
	return errors.Join(faults...)
}

// strangers are the ports that a row names and the switch does not have.
func (n *node) strangers(key string, fields map[string]string) (out []string) {
	texts := []string{key}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		texts = append(texts, f, fields[f])
	}
	for _, t := range texts {
		for _, word := range strings.FieldsFunc(t, func(r rune) bool { return strings.ContainsRune("|, ", r) }) {
			if portLike.MatchString(word) && !slices.Contains(n.ports, word) && !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out
}

// moot finds rows that change nothing: "*" whose every port is named beside it, and rows
// that are removed though they are not there.
func (n *node) moot(rows, base Rows) (out []string) {
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, key := range slices.Sorted(maps.Keys(rows[table])) {
			row, fields := table+"|"+key, rows[table][key]
			if rest, all := strings.CutPrefix(key, "*"); all && n.everyPort(func(p string) bool { return named(rows[table], p+rest, fields) }) {
				out = append(out, fmt.Sprintf("%s: %s has no effect, as each port has a row of its own beside it", n.name, row))
			}
			if _, all := fields["*"]; all && n.everyPort(func(p string) bool { _, is := fields[p]; return is }) {
				out = append(out, fmt.Sprintf("%s: %s: \"*\" has no effect, as each port is named beside it", n.name, row))
			}
			if fields == nil && !n.removes(table, key, base) {
				out = append(out, fmt.Sprintf("%s: %s is to be removed, but there is no such row", n.name, row))
			}
		}
	}
	return out
}

func (n *node) everyPort(is func(port string) bool) bool {
	return !slices.ContainsFunc(n.linked(), func(p string) bool { return !is(p) })
}

// named reports whether rows have a row that stands in for all fields of another.
func named(rows map[string]map[string]string, key string, fields map[string]string) bool {
	own, ok := rows[key]
	if !ok || own == nil {
		return ok
	}
	for f := range fields {
		if _, has := own[f]; !has {
			return false
		}
	}
	return true
}

// removes reports whether there is a row that a removal takes away.
func (n *node) removes(table, key string, base Rows) bool {
	rest, all := strings.CutPrefix(key, "*")
	if !all {
		return base.has(table, key)
	}
	return !n.everyPort(func(p string) bool { return !base.has(table, p+rest) })
}
