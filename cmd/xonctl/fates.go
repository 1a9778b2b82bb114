package main

import (
	"strings"

	"xon/gnmi/client"
	"xon/schema/statedb"
)

// states are those that a row can be in, in the order of their columns.
var states = []string{string(statedb.Applied), string(statedb.Waiting), string(statedb.Refused), string(statedb.Ignored)}

// fateIn is what became of a row of a table, among the fates asked for. What can't
// be read of it, because another version wrote it, is left out.
func fateIn(fates client.Rows, table, key string) (f statedb.Fate, ok bool) {
	fields, ok := fates[table+"|"+key]
	f, _ = statedb.ParseFate(fields) // has what could be read
	return f, ok
}

// shortFate is a fate in a word or two.
func shortFate(fates client.Rows, table, key string) string {
	f, _ := fateIn(fates, table, key)
	if len(f.Warnings) > 0 && f.State == statedb.Applied {
		return "applied (warnings)"
	}
	return string(f.State)
}

// warnings are one after the other for people, and a list for programs.
func warnings(f statedb.Fate) any {
	if len(f.Warnings) == 0 {
		return nil
	}
	return shown{text: strings.Join(f.Warnings, "; "), value: f.Warnings}
}

// since is when a row got its fate.
func since(f statedb.Fate) any {
	if f.Since.IsZero() {
		return nil
	}
	return shown{text: f.Since.Format("2006-01-02 15:04:05Z07:00"), value: f.Since}
}
