package main

import (
	"strconv"
	"strings"
	"time"
)

// fateTable has what became of each row of CONFIG_DB, in STATE_DB.
const fateTable = "XON_ROW"

// fate is what became of a row.
type fate struct {
	row      string
	state    string
	reason   string
	on       string // what it waits for
	field    string
	warnings string
	since    time.Time
	revision uint64
}

// States, in the order of their columns.
var states = []string{"applied", "waiting", "refused", "ignored"}

func parseFate(row string, f map[string]string) fate {
	since, _ := time.Parse(time.RFC3339Nano, f["since"]) // zero if it is not there
	revision, _ := strconv.ParseUint(f["revision"], 10, 64)
	return fate{
		row: row, state: f["state"], reason: f["reason"], on: f["on"], field: f["field"],
		warnings: strings.TrimSpace(f["warnings"]), since: since, revision: revision,
	}
}

// short is the state, and a mark when there is more to say.
func (f fate) short() string {
	if f.state == "applied" && f.warnings != "" {
		return "applied (warnings)"
	}
	return f.state
}

// shortFate is the fate of a row of a table among those asked for.
func shortFate(fates map[string]map[string]string, table, key string) string {
	row := table + "|" + key
	f, ok := fates[row]
	if !ok {
		return ""
	}
	return parseFate(row, f).short()
}
