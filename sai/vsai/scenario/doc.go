// Package scenario simulates traffic over a switch configuration before a switch gets
// it: a file describes switches, hosts and links, traffic, faults and assertions; a run
// reports what happened and which assertions hold.
//
// A switch gets its configuration from CONFIG_DB rows, through an agent that drives its
// virtual chip (Programmer), or directly as dataplane parameters (Model). The package
// does not depend on the agent, and knows rows only as TABLE, key and field.
//
// File is the format; the comments of its fields are the reference. Measures lists what
// assertions can use.
package scenario
