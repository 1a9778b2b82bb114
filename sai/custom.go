package sai

import (
	"cmp"
	"slices"
)

// customRange is where the ids of attributes begin that vendors add
// (SAI_WRED_ATTR_CUSTOM_RANGE_START, saiwred.h, and its like).
const customRange = 0x10000000

// WredAttrXonMarkAtDequeue has a WRED profile mark packets when they leave their
// queue, by what they leave behind, instead of when they enter it: the sender hears of
// congestion earlier by as long as the packet waits. It is xon's own; AttrCapability
// says whether a library has it.
var WredAttrXonMarkAtDequeue = Attr[Wred, bool]{&AttrMeta{
	ID: customRange, Kind: KindBool, Flags: Settable, Name: "XON_MARK_AT_DEQUEUE", full: "SAI_WRED_ATTR_XON_MARK_AT_DEQUEUE",
	Default: "false", hasDef: true,
}}

// SwitchAttrXonHwLaneList is all hardware lanes that the chip can make ports of, which
// SAI has no attribute for: its ports name those that they have now. It is xon's own, and
// a library may lack it.
var SwitchAttrXonHwLaneList = Attr[SwitchObject, []uint32]{&AttrMeta{
	ID: customRange, Kind: KindU32List, Flags: ReadOnly, Name: "XON_HW_LANE_LIST", full: "SAI_SWITCH_ATTR_XON_HW_LANE_LIST",
}}

func init() {
	metaWred.add(WredAttrXonMarkAtDequeue.AttrMeta)
	metaSwitchObject.add(SwitchAttrXonHwLaneList.AttrMeta)
}

// add gives an object type one more attribute, at its place by id.
func (o *ObjectMeta) add(a *AttrMeta) {
	place, _ := slices.BinarySearchFunc(o.Attrs, a.ID, func(have *AttrMeta, id uint32) int { return cmp.Compare(have.ID, id) })
	for i, at := range o.attrNames {
		if int(at) >= place {
			o.attrNames[i]++
		}
	}
	o.Attrs = slices.Insert(o.Attrs, place, a)
	at, _ := slices.BinarySearchFunc(o.attrNames, a.Name, func(i uint16, n string) int { return cmp.Compare(o.Attrs[i].Name, n) })
	o.attrNames = slices.Insert(o.attrNames, at, uint16(place))
}
