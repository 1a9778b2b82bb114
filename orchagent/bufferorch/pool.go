package bufferorch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

var directions = map[string]sai.BufferPoolType{
	configdb.Ingress: sai.BufferPoolTypeIngress,
	configdb.Egress:  sai.BufferPoolTypeEgress,
	configdb.Both:    sai.BufferPoolTypeBoth,
}

// addPools derives the pools. Each must fit into the chip's memory, and so must
// the ingress pools together: they divide it. Egress pools are another view of the
// same memory and may overlap. Where there is too little, pools in force keep
// theirs and of the others the first by name gets it. u is nil if sizes are compared with
// the chip.
//
// Source: sonic-buffer-pool.yang, saibuffer.h.
func addPools(s *intent.Snapshot, u *unchecked, b *graph.Builder) {
	names := slices.SortedFunc(maps.Keys(s.Rows.BufferPools), func(x, y string) int {
		return cmp.Or(cmp.Compare(changed(s, x), changed(s, y)), cmp.Compare(x, y))
	})
	var ingress uint64
	for _, name := range names {
		row := s.Rows.BufferPools[name]
		if !row.HasSize {
			b.Lack(row.ID, "size", intent.DynamicModel, fmt.Errorf("it has no size: %w", intent.ErrTraditional))
			continue
		}
		if field, err := fits(row, ingress, s.Device.MMUBytes); err != nil {
			b.Refuse(row.ID, field, err)
			continue
		}
		if row.Type != configdb.Egress {
			ingress += row.Size
		}
		addPool(row, b)
		if u != nil {
			u.pool(row, b)
		}
	}
}

// changed is 0 for a pool in force and 1 for any other. One whose size is computed is in
// force with any size.
func changed(s *intent.Snapshot, name string) int {
	if s.Accepted == nil || s.Accepted.BufferPools[name] == nil {
		return 1
	}
	now, was := s.Rows.BufferPools[name], s.Accepted.BufferPools[name]
	if now == was || !was.HasSize && now.Type == was.Type && now.Mode == was.Mode {
		return 0
	}
	return 1
}

// fits checks a pool against the chip's memory, of which ingress pools have taken
// some. A chip that does not tell its memory judges for itself.
func fits(row *configdb.BufferPool, ingress, memory uint64) (field string, err error) {
	switch {
	case memory == 0:
		return "", nil
	case row.Size > memory:
		return "size", fmt.Errorf("%d bytes: the chip has %d", row.Size, memory)
	case row.Type != configdb.Egress && row.Size > memory-ingress:
		return "size", fmt.Errorf("%d bytes: other ingress pools have %d of the chip's %d", row.Size, ingress, memory)
	case row.Xoff > memory:
		return "xoff", fmt.Errorf("%d bytes of shared headroom: the chip has %d", row.Xoff, memory)
	}
	return "", nil
}

func addPool(row *configdb.BufferPool, b *graph.Builder) {
	mode := sai.BufferPoolThresholdModeStatic
	if row.Mode == configdb.Dynamic {
		mode = sai.BufferPoolThresholdModeDynamic
	}
	attrs := []graph.Attr{
		graph.Of(sai.BufferPoolAttrType.Is(directions[row.Type])),
		graph.Of(sai.BufferPoolAttrSize.Is(row.Size)),
		graph.Of(sai.BufferPoolAttrThresholdMode.Is(mode)),
	}
	attrs = graph.AppendIf(attrs, row.HasXoff, sai.BufferPoolAttrXoffSize.Is(row.Xoff))
	b.Add(row.ID, PoolKey(row.Name), attrs...)
}
