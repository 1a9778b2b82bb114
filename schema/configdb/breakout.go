package configdb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// offset is the lane of the cage that a port begins at, by its name.
func (c *cage) offset(port string) (int, bool) {
	digits, ok := strings.CutPrefix(port, c.prefix)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < c.number || n >= c.number+len(c.lanes) {
		return 0, false
	}
	return n - c.number, true
}

// fields are what is known of a port once it is known how its cage is broken out: by the
// row BREAKOUT_CFG, or else as the ports of the configuration say it. A guess would put
// the wrong lanes in use, so none is made.
func (c *cage) fields(port string, rows RawRows) (Fields, error) {
	name := c.prefix + strconv.Itoa(c.number)
	set := rows[Key("BREAKOUT_CFG", name)]["brkout_mode"]
	exact, partly := c.fitting(rows, set)
	fitting := exact
	if len(fitting) == 0 {
		fitting = partly
	}
	at, _ := c.offset(port)
	var found Fields
	for _, m := range fitting {
		f, ok := c.part(m, at)
		switch {
		case !ok:
			continue
		case found == nil:
			found = f
		case found["lanes"] != f["lanes"]:
			return nil, fmt.Errorf("more than one breakout mode of %s fits the ports; say which with BREAKOUT_CFG|%s", name, name)
		}
	}
	switch {
	case found != nil:
		return found, nil
	case set != "":
		return nil, fmt.Errorf("the breakout mode %s of %s does not fit the ports", quote(set), name)
	case len(c.modes) == 0:
		return nil, errors.New("names no breakout modes for " + name)
	}
	return nil, fmt.Errorf("no breakout mode of %s fits the ports and their speeds", name)
}

// fitting are the modes that make all ports that the configuration has of the cage, and
// those of them that make no others. set is the one in use; "" if nobody says.
func (c *cage) fitting(rows RawRows, set string) (exact, all []*breakout) {
	for i := range c.modes {
		m := &c.modes[i]
		if set != "" && m.name != set {
			continue
		}
		n, fits := 0, true
		for k, f := range rows {
			at, ok := c.offset(k.Key())
			if k.Table() != "PORT" || !ok {
				continue
			}
			n++
			fits = fits && m.makes(at, f)
		}
		if fits {
			all = append(all, m)
		}
		if fits && n == len(m.sizes) {
			exact = append(exact, m)
		}
	}
	return exact, all
}

// index is which port of a mode begins at a lane; -1 if none does.
func (m *breakout) index(at int) int {
	for i, size := range m.sizes {
		if at == 0 {
			return i
		}
		at -= size
	}
	return -1
}

// makes reports whether a mode has a port at a lane that can be what a row asks for.
func (m *breakout) makes(at int, row Fields) bool {
	i := m.index(at)
	if i < 0 {
		return false
	}
	if lanes, ok := row["lanes"]; ok && len(splitList(lanes)) != m.sizes[i] {
		return false
	}
	speed, err := parseUint(row["speed"], 1, maxSpeed)
	return err != nil || len(m.speeds[i]) == 0 || m.speeds[i][speed]
}

// part is the port of a mode that begins at a lane.
func (c *cage) part(m *breakout, at int) (Fields, bool) {
	i := m.index(at)
	if i < 0 {
		return nil, false
	}
	f := Fields{"lanes": strings.Join(c.lanes[at:at+m.sizes[i]], ",")}
	if at < len(c.indexes) {
		f["index"] = c.indexes[at]
	}
	if len(m.aliases) == len(m.sizes) {
		f["alias"] = m.aliases[i]
	}
	return f, true
}
