package sai_test

import (
	"errors"
	"fmt"

	"xon/sai"
	"xon/sai/vsai"
)

// A lossless class on the virtual chip: a pool, a profile with headroom, and a
// queue's counters.
func Example() {
	chip := vsai.New(vsai.Config{})
	sw := &sai.Switch{Driver: chip}
	var err error
	if sw.ID, err = sai.Create(sw, sai.SwitchAttrInitSwitch.Is(true)); err != nil {
		fmt.Println(err)
		return
	}
	pool, err := sai.Create(sw,
		sai.BufferPoolAttrType.Is(sai.BufferPoolTypeIngress),
		sai.BufferPoolAttrThresholdMode.Is(sai.BufferPoolThresholdModeDynamic),
		sai.BufferPoolAttrSize.Is(8<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	profile, err := sai.Create(sw,
		sai.BufferProfileAttrPoolID.Is(pool),
		sai.BufferProfileAttrReservedBufferSize.Is(18432),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic),
		sai.BufferProfileAttrSharedDynamicTH.Is(-2))
	if err != nil {
		fmt.Println(err)
		return
	}
	alpha, err := sai.Get(sw, profile, sai.BufferProfileAttrSharedDynamicTH)
	fmt.Println("alpha", alpha, err)

	// A profile's pool is for its life, and the error says so.
	err = sai.Set(sw, profile, sai.BufferProfileAttrPoolID.Is(pool))
	var e *sai.Error
	fmt.Println(errors.As(err, &e) && e.Attr == sai.BufferProfileAttrPoolID.AttrMeta, errors.Is(err, sai.StatusInvalidAttribute0))

	// Output:
	// alpha -2 <nil>
	// true true
}

// Values are written as SONiC's ASIC_DB has them, and read back.
func ExampleAttrMeta_Format() {
	lanes := sai.PortAttrHwLaneList.Is([]uint32{29, 30, 31, 32})
	text := lanes.Format(lanes.Value)
	fmt.Println(lanes.FullName(), text)

	_, err := sai.PortAttrPriorityFlowControl.AttrMeta.Parse("256")
	fmt.Println(err)

	// Output:
	// SAI_PORT_ATTR_HW_LANE_LIST 4:29,30,31,32
	// SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL: "256" is not a number of 0..255
}

// Check finds what is wrong with a create before any library sees it.
func ExampleObjectMeta_Check() {
	attrs := []sai.Attribute{sai.BufferProfileAttrReservedBufferSize.Is(18432).Attribute}
	fmt.Println(sai.BufferProfile{}.Meta().Check(attrs))

	// Output:
	// mandatory attribute missing
}
