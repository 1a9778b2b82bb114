// Package scenario runs a configuration against traffic before a switch sees it:
// a file describes switches, hosts and links, what is sent, what goes wrong and
// what is to hold; a run says whether it does, and what was seen.
//
// A switch gets its configuration from rows of CONFIG_DB, by an agent that drives
// its virtual chip (Programmer), or directly as parameters of the dataplane
// (Model). The package knows neither the agent nor the form of the rows beyond
// TABLE, key and field.
//
// File is the format; its fields' comments are the reference. Measures lists what
// assertions can speak of.
package scenario
