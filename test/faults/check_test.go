package faults

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/countersdb"
	"xon/schema/flexcounterdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// editsOf writes rows as they were found.
func editsOf(rows map[string]redisdb.Fields) []edit {
	var edits []edit
	for k, f := range rows {
		fields := configdb.Fields(f)
		edits = append(edits, edit{row: configdb.RowKey(k), fields: fields, text: fields.IsNotHash(), whole: true})
	}
	return edits
}

// checkFates: every row has a fate, and nothing else has one but rows that were
// removed and have to wait until nothing refers to them.
func (s *site) checkFates() error {
	rows, fates := s.rows(), s.fates()
	var wrong []error
	for k := range rows {
		if _, ok := fates[k]; !ok {
			wrong = append(wrong, fmt.Errorf("%q has no fate", k))
		}
	}
	for k, f := range fates {
		if _, ok := rows[k]; !ok && f.State != statedb.Waiting {
			wrong = append(wrong, fmt.Errorf("%q is %s and is no row", k, f.State))
		}
	}
	return errors.Join(wrong...)
}

// checkCounters: COUNTERS_DB names what ASIC_DB has.
func (s *site) checkCounters() error {
	asic := map[string]bool{}
	for k := range s.content(redisdb.ASICDB, redisdb.ASICDB.Pattern(asicdb.StateTable)) {
		_, id, _ := asicdb.ParseObjectKey(k)
		asic[id] = true
	}
	rows := s.content(redisdb.CountersDB, redisdb.Everything)
	var wrong []error
	for _, table := range []string{countersdb.PortNameMap, countersdb.QueueNameMap, countersdb.PGNameMap, countersdb.PoolNameMap} {
		for name, id := range rows[table] {
			if !asic[id] {
				wrong = append(wrong, fmt.Errorf("%s: %s is %s, which ASIC_DB does not have", table, name, id))
			}
		}
	}
	polled := 0
	for key := range s.content(redisdb.FlexCounterDB, redisdb.Everything) {
		if _, id, ok := flexcounterdb.ParseObjectKey(key); ok {
			polled++
			if rows[countersdb.CountersKey(id)] == nil {
				wrong = append(wrong, fmt.Errorf("%s: there are no counters", key))
			}
		}
	}
	if polled == 0 {
		wrong = append(wrong, errors.New("nothing is polled"))
	}
	for k, f := range s.fates() {
		if table, name, _ := strings.Cut(k, "|"); table == "PORT" && f.State == statedb.Applied && rows[countersdb.PortNameMap][name] == "" {
			wrong = append(wrong, fmt.Errorf("%s has no %s", name, countersdb.PortNameMap))
		}
	}
	return errors.Join(wrong...)
}

// checkLinks: the host interface of a port is up if the port is on, as all links of a
// virtual chip are connected. News of links is not in the order of rows: no fence waits
// for it.
func (s *site) checkLinks() error {
	rows := published(s.content(redisdb.ASICDB, redisdb.Everything))
	const hostif, admin = "SAI_OBJECT_TYPE_HOSTIF", "SAI_PORT_ATTR_ADMIN_STATE"
	var wrong []error
	for id, x := range rows {
		if x.kind != hostif {
			continue
		}
		port := rows[x.attrs["SAI_HOSTIF_ATTR_OBJ_ID"]]
		if port == nil || (port.attrs[admin] == "true") != (x.attrs["SAI_HOSTIF_ATTR_OPER_STATUS"] == "true") {
			wrong = append(wrong, fmt.Errorf("the host interface %s has %v, its port %v", id, x.attrs, port))
		}
	}
	return errors.Join(wrong...)
}

// checkClient: gNMI tells what the database has.
func (s *site) checkClient() error {
	c := s.dial()
	defer c.Close()
	want := s.rows()
	for _, table := range []string{"WRED_PROFILE", "SCHEDULER", "BUFFER_PROFILE"} {
		got, err := c.Table(s.Context(), "CONFIG_DB", table)
		if err != nil {
			return err
		}
		for k, f := range want {
			t, key, _ := strings.Cut(k, "|")
			if t == table && !configdb.Fields(f).IsNotHash() && !maps.Equal(got[key], f) {
				return fmt.Errorf("%s: gNMI tells %v, the database has %v", k, got[key], f)
			}
		}
	}
	return nil
}

// sameFates compares what became of rows.
func sameFates(got, want map[string]statedb.Fate) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if g, w := got[k], want[k]; g.State != w.State {
			fmt.Fprintf(&b, "  %s: %s (%s), a fresh agent: %s (%s)\n", k, g.State, g.Reason, w.State, w.Reason)
		}
	}
	return b.String()
}

// settled is what checkAll found out on its way.
type settled struct {
	recovered time.Duration // from the call until everything written was in force
	writes    int           // by a restart with nothing changed
}

// checkAll waits until everything is taken up, and checks all that must hold then.
// It leaves the agent restarted.
func (s *site) checkAll() (settled, error) {
	s.Helper()
	from := time.Now()
	s.fence()
	out := settled{recovered: time.Since(from)}
	if err := s.lasting(func() error { return errors.Join(s.checkFates(), s.checkLinks()) }); err != nil {
		return out, err
	}
	if err := errors.Join(s.lasting(s.checkCounters), s.checkClient()); err != nil {
		return out, err
	}
	o := ask(s)
	defer o.chip.kill()
	err := s.lasting(func() error {
		if d := differ(published(s.content(redisdb.ASICDB, redisdb.Everything)).canon(), o.asic); d != "" {
			return fmt.Errorf("ASIC_DB differs from that of a fresh agent:\n%s", d)
		}
		if d := sameFates(s.fates(), o.fates); d != "" {
			return fmt.Errorf("fates differ:\n%s", d)
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	return out, s.checkRestart(o, &out)
}

// checkRestart kills the agent, looks at the chip itself, and starts another agent,
// which must find nothing to write.
func (s *site) checkRestart(o *oracle, out *settled) error {
	s.agent.kill()
	before := calls(s, s.record)
	mine, attrs := lastLife(before), written(lastLife(before), o.record)
	delete(attrs, "SAI_OBJECT_TYPE_SWITCH")
	chip, named := look(s, s.chip, mine, attrs)
	fresh, _ := look(s, o.socket, o.record, attrs)
	var wrong []error
	if d := differ(chip.canon(), fresh.canon()); d != "" {
		wrong = append(wrong, fmt.Errorf("the chip differs from that of a fresh agent:\n%s", d))
	}
	if n := len(made(mine)) - 1; named < n { // the switch has no name
		wrong = append(wrong, fmt.Errorf("%d objects were made and %d have names", n, named))
	}
	retried := s.retried()
	s.start()
	s.fence()
	after := calls(s, s.record)
	if out.writes = len(after) - len(before); out.writes > 0 && retried == 0 {
		wrong = append(wrong, fmt.Errorf("a restart with nothing changed wrote %d times: %v", out.writes, after[len(before):]))
	}
	return errors.Join(wrong...)
}

// retried counts the rows that the chip is asked about again, from time to time.
func (s *site) retried() int {
	n := 0
	for _, f := range s.fates() {
		if !f.Next.IsZero() {
			n++
		}
	}
	return n
}

// lasting gives something time to come right: retries wait for seconds.
func (s *site) lasting(check func() error) error {
	var err error
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err = check(); err == nil {
			return nil
		}
	}
	return err
}

// about is the agent's own row.
func (s *site) about() redisdb.Fields {
	s.Helper()
	var f redisdb.Fields
	eventually(s, "read the agent's row", func() (err error) {
		f, err = s.db.DB(redisdb.StateDB).Row(s.Context(), statedb.AgentKey)
		return err
	})
	return f
}

// tail is the end of a log.
func (s *site) tail() string {
	text, err := os.ReadFile(s.log())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return filepath.Base(s.log()) + ":\n  " + strings.Join(lines[max(0, len(lines)-12):], "\n  ")
}

// headroom is an error if APPL_DB has no lossless priority groups of a port.
func (s *site) headroom(port string) error {
	s.Helper()
	key := "BUFFER_PG_TABLE:" + port + ":3-4"
	f := s.content(redisdb.ApplDB, key)[key]
	if !strings.HasPrefix(f["profile"], "pg_lossless_") {
		return fmt.Errorf("%s is %v", key, f)
	}
	return nil
}
