package configdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// PortLayout is what a platform's own files say of its ports: which lanes each has.
// SONiC keeps that beside CONFIG_DB, so PORT rows of its tools may lack it.
type PortLayout struct {
	source string
	ports  map[string]Fields // by name, of a port_config.ini
	cages  []cage            // of a platform.json, each can be broken out
}

// ParsePortLayout reads a port_config.ini or a platform.json; source names it in
// messages.
//
// Source: sonic-config-engine's portconfig.py.
func ParsePortLayout(source string, text []byte) (*PortLayout, error) {
	l := &PortLayout{source: source}
	var err error
	if bytes.HasPrefix(bytes.TrimLeft(text, space), []byte("{")) {
		l.cages, err = parsePlatform(text)
	} else {
		l.ports, err = parsePortConfig(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return l, nil
}

// parsePortConfig reads the columns that the line "# name lanes alias …" names.
func parsePortConfig(text string) (map[string]Fields, error) {
	titles := []string{"name", "lanes", "alias", "index"}
	ports := map[string]Fields{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			if words := strings.Fields(head); slices.Contains(words, "name") && slices.Contains(words, "lanes") {
				titles = words
			}
			continue
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		row := Fields{}
		for i, title := range titles[:min(len(titles), len(words))] {
			row[title] = words[i]
		}
		name := row["name"]
		delete(row, "name")
		if _, err := parseNumbers(row["lanes"], 0, 1<<32-1); err != nil || row["lanes"] == "" || checkName(name) != nil {
			return nil, fmt.Errorf("line %d: want the columns %s", number, strings.Join(titles, " "))
		}
		ports[name] = row
	}
	return ports, nil
}

// Complete gives lanes, and what else the layout knows, to the PORT rows that have none;
// what a row says itself stays. It returns, by row, why others get none.
func (l *PortLayout) Complete(rows RawRows) Faults {
	var left Faults
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		if k.Table() != "PORT" || has(rows[k], "lanes") || rows[k].IsNotHash() {
			continue
		}
		known, err := l.fields(k.Key(), rows)
		if err != nil {
			left = append(left, &Fault{Row: k, Field: "lanes", Err: fmt.Errorf("%s: %w", l.source, err)})
			continue
		}
		rows[k] = completed(rows[k], known)
	}
	return left
}

// completed adds to a row the fields of PORT that it lacks.
func completed(row, known Fields) Fields {
	whole := Fields{}
	for name, value := range known {
		if _, ok := portTable.Field(name); ok && !has(row, name) {
			whole[name] = value
		}
	}
	return merged(maps.Clone(row), whole)
}

// fields are what the layout knows of a port.
func (l *PortLayout) fields(port string, rows RawRows) (Fields, error) {
	if f, ok := l.ports[port]; ok {
		return f, nil
	}
	for i := range l.cages {
		if _, ok := l.cages[i].offset(port); ok {
			return l.cages[i].fields(port, rows)
		}
	}
	return nil, errors.New("does not have the port")
}

// cage is a port of a platform.json with all its lanes.
type cage struct {
	prefix  string // of its name, without the number
	number  int
	lanes   []string
	indexes []string
	modes   []breakout
}

// breakout is one way to use a cage: the ports that it makes, from the first lane on.
type breakout struct {
	name    string
	sizes   []int // how many lanes each port has
	speeds  []map[uint64]bool
	aliases []string
}

func parsePlatform(text []byte) ([]cage, error) {
	var file struct {
		Interfaces map[string]struct {
			Index string          `json:"index"`
			Lanes string          `json:"lanes"`
			Modes json.RawMessage `json:"breakout_modes"`
		} `json:"interfaces"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	var cages []cage
	for _, name := range slices.SortedFunc(maps.Keys(file.Interfaces), CompareNatural) {
		f := file.Interfaces[name]
		c := cage{lanes: splitList(f.Lanes), indexes: splitList(f.Index)}
		c.prefix = strings.TrimRight(name, "0123456789")
		n, err := strconv.Atoi(name[len(c.prefix):])
		if _, bad := parseNumbers(f.Lanes, 0, 1<<32-1); err != nil || bad != nil || len(c.lanes) == 0 {
			return nil, fmt.Errorf("interface %s: want a name that ends in a number, and its lanes", quote(name))
		}
		c.number = n
		if c.modes, err = parseModes(f.Modes, len(c.lanes)); err != nil {
			return nil, fmt.Errorf("interface %s: %w", quote(name), err)
		}
		cages = append(cages, c)
	}
	return cages, nil
}

// parseModes reads {"2x50G": ["Eth1/1", "Eth1/2"]} or, as older files have it,
// "1x100G[40G],2x50G".
func parseModes(text json.RawMessage, lanes int) ([]breakout, error) {
	names := map[string][]string{}
	var list string
	if json.Unmarshal(text, &list) == nil {
		for _, name := range splitModes(list) {
			names[name] = nil
		}
	} else if err := json.Unmarshal(text, &names); err != nil && len(text) > 0 {
		return nil, fmt.Errorf("breakout_modes: %w", err)
	}
	var modes []breakout
	for _, name := range slices.Sorted(maps.Keys(names)) {
		m, err := parseMode(name, lanes)
		if err != nil {
			return nil, err
		}
		m.aliases = names[name]
		modes = append(modes, m)
	}
	return modes, nil
}

// splitModes splits at the commas that are not in brackets.
func splitModes(list string) []string {
	depth := 0
	return strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return depth == 0 && (r == ',' || r == ' ')
	})
}

// parseMode reads "1x100G[40G]" or "1x50G(2)+2x25G(2)": how many ports, how fast each
// can be, and of how many lanes together.
func parseMode(name string, lanes int) (breakout, error) {
	m := breakout{name: name}
	used := 0
	for group := range strings.SplitSeq(name, "+") {
		shape, width, split := strings.Cut(strings.TrimSuffix(group, ")"), "(")
		count, rates, _ := strings.Cut(shape, "x")
		n, err := strconv.Atoi(count)
		of := lanes
		if err == nil && split {
			of, err = strconv.Atoi(width)
		}
		if err != nil || n < 1 || of < n || of%n != 0 {
			return m, fmt.Errorf("breakout mode %s: want a form like 1x100G[40G] or 1x50G(2)+2x25G(2)", quote(name))
		}
		used += of
		for range n {
			m.sizes = append(m.sizes, of/n)
			m.speeds = append(m.speeds, speedsOf(rates))
		}
	}
	if used > lanes {
		return m, fmt.Errorf("breakout mode %s needs %d lanes of %d", quote(name), used, lanes)
	}
	return m, nil
}

// speedsOf reads "100G[40G,10G]" in Mb/s.
func speedsOf(rates string) map[uint64]bool {
	speeds := map[uint64]bool{}
	for _, word := range strings.FieldsFunc(rates, func(r rune) bool { return r == '[' || r == ']' || r == ',' || r == ' ' }) {
		unit := uint64(1)
		if digits, ok := strings.CutSuffix(word, "G"); ok {
			word, unit = digits, 1000
		}
		if n, err := strconv.ParseUint(word, 10, 32); err == nil {
			speeds[n*unit] = true
		}
	}
	return speeds
}
