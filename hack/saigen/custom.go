package main

import "xon/sai/facts"

// customAttr is an attribute that SAI's headers do not have.
type customAttr struct {
	facts.Attr
	doc string // comment of the Go variable
}

// customAttrs are xon's own attributes by object type, in the range that SAI reserves
// for vendors (SAI_WRED_ATTR_CUSTOM_RANGE_START, saiwred.h, and its like).
var customAttrs = map[string][]customAttr{
	"wred": {{
		Attr: facts.Attr{ID: facts.CustomBase, Name: "XON_MARK_AT_DEQUEUE", Type: "bool", Flags: "S", Default: "false"},
		doc: `WredAttrXonMarkAtDequeue makes a WRED profile mark packets when they leave their
queue, by the length that remains, instead of when they enter it: the sender learns
of congestion earlier by the time that the packet waits. It is xon's own attribute;
AttrCapability says whether a library has it.`,
	}},
	"switch": {{
		Attr: facts.Attr{ID: facts.CustomBase, Name: "XON_HW_LANE_LIST", Type: "u32_list_t", Flags: "R"},
		doc: `SwitchAttrXonHwLaneList lists all hardware lanes from which the chip can create
ports. SAI has no such attribute: its ports report only the lanes that they use. It
is xon's own attribute; a library may lack it.`,
	}},
}
