package scenario

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// check reports a length given together with a delay, because one of them would be
// ignored.
func (w *Wires) check(at Pos, what string) error {
	if w.Delay > 0 && w.Length > 0 {
		return at.errorf("%s: want delay or length, which is 5 ns a metre, not both", what)
	}
	return nil
}

// check reports settings without effect.
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
		faults = append(faults, t.Hosts[i].Wires.check(t.Hosts[i].At, "host "+t.Hosts[i].Name), t.Hosts[i].NIC.check(t.Hosts[i].At))
	}
	for i := range t.Links {
		faults = append(faults, t.Links[i].check(t.Links[i].At, "link "+t.Links[i].Name))
	}
	return errors.Join(faults...)
}

// checkRows reports rows without effect.
func (p *plan) checkRows() error {
	var faults []error
	for _, n := range p.switches {
		if !slices.ContainsFunc(n.wires, func(w *wire) bool { return w != nil }) {
			p.problem("switch %s has no link: it gets no traffic (%s)", n.name, n.at)
		}
		if n.agent() && !n.external {
			faults = append(faults, n.wrongRows(n.setup.Rows, n.at))
			p.problems = append(p.problems, n.rowsWithoutEffect(n.setup.Rows, n.base)...)
		}
	}
	return errors.Join(faults...)
}

// portLike matches SONiC's port names.
var portLike = regexp.MustCompile(`^Ethernet\d+$`)

// wrongRows reports rows of a switch for ports that it does not have, or for "*"
// without any port that has a link.
func (n *node) wrongRows(rows Rows, at Pos) error {
	var faults []error
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, key := range slices.Sorted(maps.Keys(rows[table])) {
			row, fields := table+"|"+key, rows[table][key]
			for _, port := range n.unknownPorts(key, fields) {
				faults = append(faults, at.errorf("rows of %s: %s: the switch has no port %q; it has %s", n.name, row, port, abbreviate(n.ports)))
			}
			if _, all := fields["*"]; (all || strings.HasPrefix(key, "*")) && len(n.linked()) == 0 {
				faults = append(faults, at.errorf("rows of %s: %s: * stands for ports with a link, and no port of the switch has one", n.name, row))
			}
		}
	}
	return errors.Join(faults...)
}

// unknownPorts returns the ports that a row names and the switch does not have.
func (n *node) unknownPorts(key string, fields map[string]string) (out []string) {
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

// rowsWithoutEffect finds rows that change nothing: "*" if every port has its own row,
// and removals of rows that do not exist.
func (n *node) rowsWithoutEffect(rows, base Rows) (out []string) {
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, key := range slices.Sorted(maps.Keys(rows[table])) {
			row, fields := table+"|"+key, rows[table][key]
			if rest, all := strings.CutPrefix(key, "*"); all && n.everyPort(func(p string) bool { return replacedBy(rows[table], p+rest, fields) }) {
				out = append(out, fmt.Sprintf("%s: %s has no effect: every port has its own row", n.name, row))
			}
			if _, all := fields["*"]; all && n.everyPort(func(p string) bool { _, is := fields[p]; return is }) {
				out = append(out, fmt.Sprintf("%s: %s: \"*\" has no effect: every port is named explicitly", n.name, row))
			}
			if fields == nil && !n.removes(table, key, base) {
				out = append(out, fmt.Sprintf("%s: %s is removed, but there is no such row", n.name, row))
			}
		}
	}
	return out
}

func (n *node) everyPort(is func(port string) bool) bool {
	return !slices.ContainsFunc(n.linked(), func(p string) bool { return !is(p) })
}

// replacedBy reports whether rows contain a row that sets all fields of another.
func replacedBy(rows map[string]map[string]string, key string, fields map[string]string) bool {
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

// removes reports whether a removal has a row to remove.
func (n *node) removes(table, key string, base Rows) bool {
	rest, all := strings.CutPrefix(key, "*")
	if !all {
		return base.has(table, key)
	}
	return !n.everyPort(func(p string) bool { return !base.has(table, p+rest) })
}
