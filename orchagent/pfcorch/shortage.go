package pfcorch

import (
	"fmt"
	"strconv"
	"strings"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/schema/configdb"
)

// warnShort tells of priorities that are to be paused and for whose headroom the chip has
// no room: those that have none are not paused.
func warnShort(v *intent.PortView, mask uint8, b *graph.Builder) {
	short := shortOf(v, mask)
	for _, row := range shortRows(v, short) {
		var off, less []string
		var why string
		for p := range 8 {
			x := v.Shortage(p)
			switch {
			case short>>p&1 == 0 || x.Row != row:
				continue
			case v.NoRoom()>>p&1 != 0:
				off = append(off, strconv.Itoa(p))
			default:
				less = append(less, strconv.Itoa(p))
			}
			why = x.Why()
		}
		tell := func(list []string, text string) {
			if len(list) > 0 {
				b.Warn(v.QoS.ID, "pfc_enable", &graph.Loss{Err: fmt.Errorf(text, priorities(list), v.Name, why, row)})
			}
		}
		tell(off, "PFC of %s is off on %s: %s the headroom (%s)")
		tell(less, "PFC of %s on %s has the headroom of before: %s more (%s)")
	}
}

// shortOf are those of some priorities that are to have headroom which is not there.
func shortOf(v *intent.PortView, mask uint8) (short uint8) {
	for p := range 8 {
		if v.Shortage(p) != nil {
			short |= 1 << p
		}
	}
	return short & mask & v.Headroom &^ v.Stormed
}

// shortRows are the rows, in order of priorities, that ask for headroom which is not there.
func shortRows(v *intent.PortView, short uint8) (rows []configdb.RowKey) {
	for p := range 8 {
		x := v.Shortage(p)
		if short>>p&1 != 0 && (len(rows) == 0 || rows[len(rows)-1] != x.Row) {
			rows = append(rows, x.Row)
		}
	}
	return rows
}

func priorities(list []string) string {
	if len(list) == 1 {
		return "priority " + list[0]
	}
	return "priorities " + strings.Join(list, ",")
}
