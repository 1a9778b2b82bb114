// Package lborch derives how flows are spread over the paths of a route and the
// members of a LAG, from SWITCH_HASH and SWITCH_TABLE, and with the latter how long
// the chip remembers addresses.
//
// What is not for here: which paths and members there are.
package lborch

import (
	"cmp"
	"fmt"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// spread is what SAI and the tables have for one kind of spreading.
type spread struct {
	object    graph.Key     // the chip's own HASH object
	algorithm *sai.AttrMeta // of the switch
	able      func(*intent.Device) intent.Hashing
	row       func(*configdb.SwitchHash) (fields []string, algorithm string)
	what      string // "ECMP"
	names     [2]string
}

// spreads are the kinds. Source: saihash.h, saiswitch.h.
var spreads = []spread{
	{
		intent.ECMPHashKey, sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta, func(d *intent.Device) intent.Hashing { return d.ECMP },
		func(r *configdb.SwitchHash) ([]string, string) { return r.ECMP, r.ECMPAlgorithm },
		"ECMP",
		[2]string{"ecmp_hash", "ecmp_hash_algorithm"},
	},
	{
		intent.LAGHashKey, sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta, func(d *intent.Device) intent.Hashing { return d.LAG },
		func(r *configdb.SwitchHash) ([]string, string) { return r.LAG, r.LAGAlgorithm },
		"LAG",
		[2]string{"lag_hash", "lag_hash_algorithm"},
	},
}

// Feature is what the agent needs of the package.
var Feature = intent.Feature{
	Shared: deriveShared,
	Reads:  []string{"SWITCH_HASH", "SWITCH_TABLE"},
	Fields: fields,
}

// fields maps the attributes set here to fields of SWITCH_HASH and SWITCH_TABLE. A
// list of hash fields is of ecmp_hash or lag_hash by its object: neither is named.
var fields = map[*sai.AttrMeta]string{
	sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta: "ecmp_hash_algorithm",
	sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta:  "lag_hash_algorithm",
	sai.SwitchAttrECMPDefaultHashSeed.AttrMeta:      "ecmp_hash_seed",
	sai.SwitchAttrLAGDefaultHashSeed.AttrMeta:       "lag_hash_seed",
	sai.SwitchAttrECMPDefaultHashOffset.AttrMeta:    "ecmp_hash_offset",
	sai.SwitchAttrLAGDefaultHashOffset.AttrMeta:     "lag_hash_offset",
	sai.SwitchAttrFDBAgingTime.AttrMeta:             "fdb_aging_time",
}

// deriveShared derives what there is to derive.
//
// Source: sonic-hash.yang, SONiC's switchorch.
func deriveShared(s *intent.Snapshot, b *graph.Builder) {
	for _, row := range s.Rows.SwitchHashes {
		addHash(s.Device, row, b)
	}
	for _, row := range s.Rows.SwitchTables {
		addTable(row, b)
	}
}

// addHash derives one row, or refuses it whole for what the chip can't do.
func addHash(d *intent.Device, row *configdb.SwitchHash, b *graph.Builder) {
	id := row.ID
	var algorithms []graph.Attr
	for i := range spreads {
		x := &spreads[i]
		fields, algorithm := x.row(row)
		able := x.able(d)
		if fields != nil {
			list, err := x.fields(able.Fields, fields)
			if err != nil {
				b.Refuse(id, x.names[0], err)
				continue
			}
			k := x.object
			k.Facet = graph.Hash
			b.Add(id, k, graph.Attr{AttrMeta: sai.HashAttrNativeHashFieldList.AttrMeta, Value: list})
		}
		if algorithm != "" {
			v, err := x.function(able.Algorithm, algorithm)
			if err != nil {
				b.Refuse(id, x.names[1], err)
				continue
			}
			algorithms = append(algorithms, graph.Attr{AttrMeta: x.algorithm, Value: v})
		}
	}
	if len(algorithms) > 0 {
		k := intent.SwitchKey
		k.Facet = graph.Hash
		b.Add(id, k, algorithms...)
	}
}

// fields is a list of hash fields in SAI's order, which makes no difference to a
// chip: the same fields in any order are the same value.
func (x *spread) fields(c intent.Choice, names []string) (graph.Value, error) {
	if !c.Able {
		return graph.Value{}, fmt.Errorf("the chip does not let anybody choose what it hashes for %s", x.what)
	}
	a := sai.HashAttrNativeHashFieldList
	list := make([]int32, len(names))
	for i, name := range names {
		n, ok := a.AttrMeta.Enum.Value(name)
		if !ok || !c.Takes(n) {
			return graph.Value{}, fmt.Errorf("the chip can't hash %s: it can %s", name, describe(a.AttrMeta, c))
		}
		list[i] = n
	}
	slices.Sort(list)
	return graph.Text(a.AttrMeta.Format(sai.Value{Ref: list})), nil
}

// function is a hash function.
func (x *spread) function(c intent.Choice, name string) (graph.Value, error) {
	if !c.Able {
		return graph.Value{}, fmt.Errorf("the chip does not let anybody choose its hash function for %s", x.what)
	}
	n, ok := x.algorithm.Enum.Value(name)
	if !ok || !c.Takes(n) {
		return graph.Value{}, fmt.Errorf("the chip does not have the hash function %s: it has %s", name, describe(x.algorithm, c))
	}
	return graph.Uint(uint64(n)), nil
}

// describe lists what a chip takes, by name.
func describe(a *sai.AttrMeta, c intent.Choice) string { return cmp.Or(c.List(a, ", "), "none") }

// addTable derives the row SWITCH_TABLE|switch.
func addTable(row *configdb.SwitchTable, b *graph.Builder) {
	k := intent.SwitchKey
	k.Facet = graph.Global
	var attrs []graph.Attr
	add := func(has bool, a *sai.AttrMeta, n uint64) {
		if has {
			attrs = append(attrs, graph.Attr{AttrMeta: a, Value: graph.Uint(n)})
		}
	}
	add(row.HasECMPSeed, sai.SwitchAttrECMPDefaultHashSeed.AttrMeta, uint64(row.ECMPSeed))
	add(row.HasLAGSeed, sai.SwitchAttrLAGDefaultHashSeed.AttrMeta, uint64(row.LAGSeed))
	add(row.HasECMPOffset, sai.SwitchAttrECMPDefaultHashOffset.AttrMeta, uint64(row.ECMPOffset))
	add(row.HasLAGOffset, sai.SwitchAttrLAGDefaultHashOffset.AttrMeta, uint64(row.LAGOffset))
	add(row.HasFDBAging, sai.SwitchAttrFDBAgingTime.AttrMeta, uint64(row.FDBAgingSeconds))
	b.Add(row.ID, k, attrs...)
}
