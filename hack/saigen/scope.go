package main

// scope lists the APIs of SAI that package sai has: what a lossless switch needs,
// with the static L2 and L3 forwarding that it stands on.
//
// SAI has 26 more outside of DASH, OTN and BMTOR. They are in the facts file, so
// that one more is one more name here.
var scope = []string{
	"acl", "ars", "ars_profile", "bridge", "buffer", "counter", "debug_counter", "fdb", "hash", "hostif",
	"lag", "mirror", "neighbor", "next_hop", "next_hop_group", "policer", "port", "qos_map", "queue", "route",
	"router_interface", "samplepacket", "scheduler", "scheduler_group", "switch", "tam", "virtual_channel",
	"virtual_router", "vlan", "wred",
}
