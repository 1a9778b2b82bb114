package dataplane

// Packet is what a packet in flight takes.
type Packet = packet
