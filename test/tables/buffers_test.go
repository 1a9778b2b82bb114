package tables_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"xon/orchagent/bufmgr"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// What the files of the buffer manager say.
const (
	lookup = `# speed cable size xon xoff threshold xon_offset
100000 5m 56368 18432 55120 -3 2496
100000 300m 56368 18432 120832 -3
40000 5m 34816 18432 16384 -2
`
	zero = `[
 {"BUFFER_POOL_TABLE:ingress_zero_pool": {"mode": "static", "type": "ingress", "size": "0"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:ingress_lossy_pg_zero_profile": {"pool": "ingress_zero_pool", "size": "0", "static_th": "0"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:ingress_lossy_zero_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
 {"BUFFER_PROFILE_TABLE:egress_lossy_zero_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "-8"}, "OP": "SET"},
 {"control_fields": {"pgs_to_apply_zero_profile": "0", "ingress_zero_profile": "ingress_lossy_pg_zero_profile"}, "OP": "SET"}
]`
)

func buffers(t *testing.T) (p bufmgr.Params) {
	t.Helper()
	var err error
	if p.Lookup, err = bufmgr.ParseLookup("pg_profile_lookup.ini", []byte(lookup)); err != nil {
		t.Fatal(err)
	}
	if p.Zero, err = bufmgr.ParseZeroProfiles("zero_profiles.json", []byte(zero)); err != nil {
		t.Fatal(err)
	}
	return p
}

// others are the rows that are there because of others, as one line each: those of
// CONFIG_DB that are derived, and those of buffers in APPL_DB.
func (r *rig) others() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	state, config, appl := r.client.DB(redisdb.StateDB), r.client.DB(redisdb.ConfigDB), r.client.DB(redisdb.ApplDB)
	marks, err := state.All(r.t.Context(), state.ID.Pattern(statedb.DerivedTable))
	if err != nil {
		r.t.Fatal(err)
	}
	for key := range marks {
		k, _ := statedb.ParseDerivedKey(key)
		f, err := config.Row(r.t.Context(), string(k))
		if err != nil {
			r.t.Fatal(err)
		}
		all["= "+string(k)] = words(f)
	}
	rows, err := appl.All(r.t.Context(), "BUFFER_*")
	if err != nil {
		r.t.Fatal(err)
	}
	for key, f := range rows {
		all[": "+key] = words(f)
	}
	return all
}

func words(f redisdb.Fields) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		list = append(list, name+"="+f[name])
	}
	return strings.Join(list, " ")
}

// told says what became of rows between two moments.
func told(before, after map[string]string) []string {
	var lines []string
	for k, text := range after {
		if before[k] != text {
			lines = append(lines, k+" "+text)
		}
	}
	for k := range before {
		if _, ok := after[k]; !ok {
			lines = append(lines, k+" gone")
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return configdb.CompareNatural(a, b) })
	return lines
}
