package sai

import (
	"cmp"
	"slices"
)

// customRange is where the ids of attributes begin that vendors add
// (SAI_WRED_ATTR_CUSTOM_RANGE_START, saiwred.h).
const customRange = 0x10000000

// WredAttrXonMarkAtDequeue has a WRED profile mark packets when they leave their
// queue, by what they leave behind, instead of when they enter it: the sender hears of
// congestion earlier by as long as the packet waits. It is xon's own; AttrCapability
// says whether a library has it.
var WredAttrXonMarkAtDequeue = Attr[Wred, bool]{&AttrMeta{
	ID: customRange, Kind: KindBool, Flags: Settable, Name: "XON_MARK_AT_DEQUEUE", full: "SAI_WRED_ATTR_XON_MARK_AT_DEQUEUE",
	Default: "false", hasDef: true,
}}

// The attributes of SAI's headers come first, for their ids are smaller.
func init() { metaWred.add(WredAttrXonMarkAtDequeue.AttrMeta) }

// add gives an object type one more attribute, the last by its id.
func (o *ObjectMeta) add(a *AttrMeta) {
	at, _ := slices.BinarySearchFunc(o.attrNames, a.Name, func(i uint16, n string) int { return cmp.Compare(o.Attrs[i].Name, n) })
	o.attrNames = slices.Insert(o.attrNames, at, uint16(len(o.Attrs)))
	o.Attrs = append(o.Attrs, a)
}
