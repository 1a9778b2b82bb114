package main

// scope lists the SAI APIs in package sai: those that a lossless switch needs,
// including static L2 and L3 forwarding.
//
// SAI has 26 more outside of DASH, OTN and BMTOR. The facts file has them, so adding
// one takes only its name here.
var scope = []string{
	"acl", "ars", "ars_profile", "bridge", "buffer", "counter", "debug_counter", "fdb", "hash", "hostif",
	"lag", "mirror", "neighbor", "next_hop", "next_hop_group", "policer", "port", "qos_map", "queue", "route",
	"router_interface", "samplepacket", "scheduler", "scheduler_group", "switch", "tam", "virtual_channel",
	"virtual_router", "vlan", "wred",
}
