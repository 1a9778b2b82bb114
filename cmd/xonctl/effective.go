package main

import (
	"maps"
	"slices"
	"strings"

	"xon/gnmi/client"
	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Where a buffer row or a binding comes from.
const (
	configured     = "configured"         // as in CONFIG_DB
	partlyComputed = "partly computed"    // in CONFIG_DB, but the dynamic model filled something in
	computed       = "computed"           // by the dynamic model
	lookedUp       = "looked up"          // by the traditional model, in pg_profile_lookup.ini
	zeroed         = "zero_profiles.json" // of a port that is down
	staged         = "staged"             // by another program, in APPL_DB
	lastApplied    = "last applied"       // CONFIG_DB has another version, which is not applied
)

// zeroMark is in the names of profiles without buffers.
const zeroMark = "_zero_"

// effective is what the agent made of the buffer rows of CONFIG_DB. What both buffer
// models come to is in APPL_DB.
type effective struct {
	config, appl   map[string]*read // by table of CONFIG_DB
	staged         *read
	derived, fates *read
	ports          *read
}

func newEffective(tables ...string) *effective {
	e := &effective{
		config: map[string]*read{}, appl: map[string]*read{},
		staged:  applTable(appldb.StagedTable),
		derived: &read{elems: []string{stateDB, statedb.DerivedTable}},
		fates:   &read{elems: []string{stateDB, statedb.FateTable, "BUFFER_*"}},
		ports:   configTable("PORT"),
	}
	for _, table := range tables {
		e.config[table], e.appl[table] = configTable(table), applTable(twin(table))
	}
	return e
}

// twin is the table of APPL_DB with what a table of CONFIG_DB comes to.
func twin(table string) string {
	name, _, _ := appldb.InputOf(configdb.Key(table, ""))
	return name
}

func (e *effective) reads() []*read {
	all := []*read{e.staged, e.derived, e.fates, e.ports}
	for table, r := range e.config {
		all = append(all, r, e.appl[table])
	}
	return all
}

// rows returns the rows of a table that has no ports in its keys: as they are applied,
// or else as they are configured.
func (e *effective) rows(table string) client.Rows {
	all := maps.Clone(e.config[table].rows)
	maps.Copy(all, e.appl[table].rows)
	return all
}

// origin says where a row of such a table comes from.
func (e *effective) origin(table, key string) string {
	config, appl := e.config[table].rows[key], e.appl[table].rows[key]
	if config == nil {
		return e.unwritten(table, key, key)
	}
	switch {
	case e.isDerived(table, key):
		return lookedUp
	case appl == nil || canonical(table, key, config) == canonical(table, key, appl):
		return configured
	case unapplied(e.fates.rows, table, key) != "":
		return lastApplied
	}
	return partlyComputed
}

// unwritten says where something comes from that CONFIG_DB does not have. profile is the
// name of the profile that it is, or is bound to.
func (e *effective) unwritten(table, key, profile string) string {
	switch {
	case e.staged.rows[twin(table)+":"+strings.ReplaceAll(key, "|", ":")] != nil:
		return staged
	case strings.Contains(profile, zeroMark):
		return zeroed
	}
	return computed
}

// isDerived reports that a row of CONFIG_DB is as the traditional model wrote it.
func (e *effective) isDerived(table, key string) bool {
	mark, ok := e.derived.rows[string(configdb.Key(table, key))]
	return ok && slices.Contains(statedb.DerivedDigests(mark), configdb.Fields(e.config[table].rows[key]).Digest())
}

// canonical writes the fields that APPL_DB has of a row in one way.
func canonical(table, key string, f map[string]string) string {
	row, _, err := configdb.Parse(configdb.Key(table, key), configdb.Fields(f))
	if err != nil {
		return configdb.Fields(f).Digest()
	}
	fields := configdb.Format(row)
	delete(fields, "percentage")
	delete(fields, "headroom_type")
	return fields.Digest()
}

// binding is the profile of a priority group or a queue.
type binding struct {
	port    string
	index   int
	profile string // "" when none is applied
	from    string
	fate    string // of the row of CONFIG_DB, "" if there is none
}

// bindings returns the profiles of a table, by "Ethernet0:3".
func (e *effective) bindings(table string) map[string]*binding {
	all, wanted := map[string]*binding{}, map[string]string{}
	spans(e.config[table].rows, func(port string, i int, key string) {
		name := queueName(port, i)
		wanted[name] = profileOf(table, key, e.config[table].rows[key])
		all[name] = &binding{port: port, index: i, fate: shortFate(e.fates.rows, table, key)}
		if e.isDerived(table, key) {
			all[name].from = lookedUp
		}
	})
	applied := barred(e.appl[table].rows)
	spans(applied, func(port string, i int, key string) {
		name := queueName(port, i)
		if all[name] == nil {
			all[name] = &binding{port: port, index: i, from: e.unwritten(table, key, applied[key]["profile"])}
		}
		all[name].profile = applied[key]["profile"]
	})
	for name, b := range all {
		if b.from == "" || b.profile == "" {
			b.from = e.bound(b, wanted[name])
		}
	}
	return all
}

// bound says where the profile of a binding that CONFIG_DB has comes from.
func (e *effective) bound(b *binding, wanted string) string {
	switch {
	case b.profile == "" && b.trouble() == "" && e.ports.rows[b.port]["admin_status"] != "up":
		return "none: the port is down"
	case b.profile == "":
		return "none; asked for: " + wanted
	case b.profile == wanted:
		return configured
	case b.trouble() != "":
		return lastApplied
	case strings.Contains(b.profile, zeroMark):
		return zeroed
	}
	return computed
}

// barred are rows of APPL_DB under keys as CONFIG_DB has them.
func barred(rows client.Rows) client.Rows {
	all := client.Rows{}
	for key, f := range rows {
		all[strings.Replace(key, ":", "|", 1)] = f
	}
	return all
}

// profileOf is the profile that a row asks for, whatever way it is written.
func profileOf(table, key string, f map[string]string) string {
	row, _, err := configdb.Parse(configdb.Key(table, key), configdb.Fields(f))
	if err == nil {
		f = configdb.Format(row)
	}
	return f["profile"]
}
