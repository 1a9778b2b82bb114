// Package switchorch derives how flows are spread over the paths of a route and the
// members of a LAG, from SWITCH_HASH and SWITCH_TABLE, and with the latter how long
// the chip remembers addresses.
//
// What is not for here: which paths and members there are.
package switchorch

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
	object    graph.Key // the chip's own HASH object
	algorithm sai.Attr[sai.SwitchObject, sai.HashAlgorithm]
	able      func(*intent.Device) intent.Hashing
	row       func(*configdb.SwitchHash) (fields []string, algorithm string)
	what      string // "ECMP"
	names     [2]string
}

// spreads are the kinds. Source: saihash.h, saiswitch.h.
var spreads = []spread{
	{
		intent.ECMPHashKey, sai.SwitchAttrECMPDefaultHashAlgorithm, func(d *intent.Device) intent.Hashing { return d.ECMP },
		func(r *configdb.SwitchHash) ([]string, string) { return r.ECMP, r.ECMPAlgorithm },
		"ECMP",
		[2]string{"ecmp_hash", "ecmp_hash_algorithm"},
	},
	{
		intent.LAGHashKey, sai.SwitchAttrLAGDefaultHashAlgorithm, func(d *intent.Device) intent.Hashing { return d.LAG },
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
var fields = []graph.Field{
	graph.FieldOf(sai.SwitchAttrECMPDefaultHashAlgorithm, "ecmp_hash_algorithm"),
	graph.FieldOf(sai.SwitchAttrLAGDefaultHashAlgorithm, "lag_hash_algorithm"),
	graph.FieldOf(sai.SwitchAttrECMPDefaultHashSeed, "ecmp_hash_seed"),
	graph.FieldOf(sai.SwitchAttrLAGDefaultHashSeed, "lag_hash_seed"),
	graph.FieldOf(sai.SwitchAttrECMPDefaultHashOffset, "ecmp_hash_offset"),
	graph.FieldOf(sai.SwitchAttrLAGDefaultHashOffset, "lag_hash_offset"),
	graph.FieldOf(sai.SwitchAttrFDBAgingTime, "fdb_aging_time"),
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
			b.Add(id, k, graph.Of(sai.HashAttrNativeHashFieldList.Is(list)))
		}
		if algorithm != "" {
			v, err := x.function(able.Algorithm, algorithm)
			if err != nil {
				b.Refuse(id, x.names[1], err)
				continue
			}
			algorithms = append(algorithms, graph.Of(x.algorithm.Is(v)))
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
func (x *spread) fields(c intent.Choice, names []string) ([]sai.NativeHashField, error) {
	if !c.Able {
		return nil, fmt.Errorf("the chip does not let anybody choose what it hashes for %s", x.what)
	}
	known := sai.EnumOf(sai.HashAttrNativeHashFieldList)
	list := make([]sai.NativeHashField, len(names))
	for i, name := range names {
		n, ok := known.Value(name)
		if !ok || !c.Takes(n) {
			return nil, fmt.Errorf("the chip can't hash %s: it can %s", name, describe(known, c))
		}
		list[i] = sai.NativeHashField(n)
	}
	slices.Sort(list)
	return list, nil
}

// function is a hash function.
func (x *spread) function(c intent.Choice, name string) (sai.HashAlgorithm, error) {
	if !c.Able {
		return 0, fmt.Errorf("the chip does not let anybody choose its hash function for %s", x.what)
	}
	known := sai.EnumOf(x.algorithm)
	n, ok := known.Value(name)
	if !ok || !c.Takes(n) {
		return 0, fmt.Errorf("the chip does not have the hash function %s: it has %s", name, describe(known, c))
	}
	return sai.HashAlgorithm(n), nil
}

// describe lists what a chip takes, by name.
func describe(known *sai.EnumMeta, c intent.Choice) string {
	return cmp.Or(c.List(known, ", "), "none")
}

// addTable derives the row SWITCH_TABLE|switch.
func addTable(row *configdb.SwitchTable, b *graph.Builder) {
	k := intent.SwitchKey
	k.Facet = graph.Global
	var attrs []graph.Attr
	add := func(has bool, s sai.Setting[sai.SwitchObject]) { attrs = graph.AppendIf(attrs, has, s) }
	add(row.HasECMPSeed, sai.SwitchAttrECMPDefaultHashSeed.Is(row.ECMPSeed))
	add(row.HasLAGSeed, sai.SwitchAttrLAGDefaultHashSeed.Is(row.LAGSeed))
	add(row.HasECMPOffset, sai.SwitchAttrECMPDefaultHashOffset.Is(row.ECMPOffset))
	add(row.HasLAGOffset, sai.SwitchAttrLAGDefaultHashOffset.Is(row.LAGOffset))
	add(row.HasFDBAging, sai.SwitchAttrFDBAgingTime.Is(row.FDBAgingSeconds))
	b.Add(row.ID, k, attrs...)
}
