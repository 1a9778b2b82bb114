package inventory_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"xon/orchagent/inventory"
	"xon/sai"
	"xon/sai/vsai"
)

// liar is a chip whose answers are good in form and nonsense in content.
type liar struct {
	sai.Driver
	rng *rand.Rand
}

func (l *liar) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	all := l.Driver.BulkGet(o, keys, attrs, st)
	for i := range attrs {
		for j := range attrs[i] {
			l.garble(&attrs[i][j].Value)
		}
	}
	return all
}

// garble repeats, drops and swaps elements of lists, and replaces numbers.
func (l *liar) garble(v *sai.Value) {
	if l.rng.IntN(4) > 0 {
		return
	}
	switch list := v.Ref.(type) {
	case []sai.OID:
		v.Ref = garbled(l.rng, list, sai.Null)
	case []uint32:
		v.Ref = garbled(l.rng, list, 1)
	default:
		v.Num = []uint64{0, 1, 300, 1 << 40, ^uint64(0)}[l.rng.IntN(5)]
	}
}

func garbled[V any](rng *rand.Rand, list []V, odd V) []V {
	list = append(slices.Clone(list), odd)
	for range rng.IntN(len(list) + 1) {
		list[rng.IntN(len(list))] = list[rng.IntN(len(list))]
	}
	return list[:rng.IntN(len(list)+1)]
}

// TestLiar: whatever a chip says of itself, there is an error, or every object has
// one name and every name one object.
func TestLiar(t *testing.T) {
	t.Parallel()
	config := rows(map[string][]uint32{"Ethernet0": {1}, "Ethernet4": {2}, "Ethernet8": {1, 2}})
	named := 0
	for seed := range uint64(300) {
		chip := vsai.New(vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{1}}, {Lanes: []uint32{2}}, {Lanes: []uint32{3, 4}}}})
		sw, _, err := inventory.Open(chip)
		if err != nil {
			t.Fatal(err)
		}
		sw.Driver = &liar{chip, rand.New(rand.NewPCG(seed, 0))}
		inv, err := inventory.Discover(sw)
		if err != nil {
			continue
		}
		named++
		dev, adopted := inv.Name(config)
		if len(dev.ByName) != len(dev.Ports) {
			t.Errorf("seed %d: %d ports with %d names", seed, len(dev.Ports), len(dev.ByName))
		}
		byID := map[sai.OID]string{}
		for k, id := range adopted {
			if k.Type == sai.ObjectTypePort && byID[id] != "" {
				t.Errorf("seed %d: %v is %s and %s", seed, id, k, byID[id])
			}
			byID[id] = k.String()
		}
	}
	if named < 100 {
		t.Errorf("only %d of 300 chips were taken", named)
	}
}

// TestSameLanes: of two ports with the same lanes the chip's first is the row's.
func TestSameLanes(t *testing.T) {
	t.Parallel()
	chip := vsai.New(vsai.Config{Ports: []vsai.PortLayout{{Lanes: []uint32{1, 2}}, {Lanes: []uint32{3, 4}}}})
	sw, _, err := inventory.Open(chip)
	if err != nil {
		t.Fatal(err)
	}
	sw.Driver = &sameLanes{chip}
	dev, _ := discover(t, sw).Name(rows(map[string][]uint32{"Ethernet0": {2, 1}}))
	if first, second := dev.Ports[0], dev.Ports[1]; first.Name != "Ethernet0" || !first.Configured ||
		second.Name == first.Name || second.Configured {
		t.Errorf("ports %+v and %+v", first, second)
	}
}

// sameLanes is a chip that gives every port the lanes 1 and 2.
type sameLanes struct{ sai.Driver }

func (s *sameLanes) BulkGet(o *sai.ObjectMeta, keys []sai.Key, attrs [][]sai.Attribute, st []sai.Status) sai.Status {
	all := s.Driver.BulkGet(o, keys, attrs, st)
	for i := range attrs {
		for j, a := range attrs[i] {
			if a.AttrMeta == sai.PortAttrHwLaneList.AttrMeta {
				attrs[i][j].Ref = []uint32{1, 2}
			}
		}
	}
	return all
}
