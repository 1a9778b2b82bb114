// Package offline runs an agent and a virtual chip in this process, without a database:
// what would become of a configuration, and what packets would meet.
package offline

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/bufmgr"
	"xon/orchagent/crash"
	"xon/orchagent/inventory"
	"xon/orchagent/report"
	"xon/sai/vsai"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// Agent is an agent at work on a chip.
type Agent struct {
	agent  *orchagent.Agent
	cancel context.CancelFunc
	ended  chan error
}

// Start brings up an agent and returns when the chip has followed all rows as far as
// it can. Close ends it.
func Start(ctx context.Context, chip *vsai.Chip, rows configdb.RawRows, buffers bufmgr.Params) (*Agent, error) {
	sw, _, err := inventory.Open(chip)
	if err != nil {
		return nil, err
	}
	a := &Agent{ended: make(chan error, 1)}
	a.agent = orchagent.New(orchagent.Config{Log: Silent(), Switch: sw, Names: chip, Store: noStore{}, Publisher: nobody{}, Buffers: buffers})
	run, cancel := context.WithCancel(ctx)
	a.cancel = cancel
	go func() { a.ended <- crash.Call(Silent(), "the agent", func() error { return a.agent.Run(run) }) }()
	if err := a.agent.Load(ctx, Changes(rows)); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Change changes rows and returns when the chip has followed as far as it can.
func (a *Agent) Change(ctx context.Context, rows []configdb.Change) error {
	return a.agent.Change(ctx, rows)
}

// Fates says what became of each row.
func (a *Agent) Fates() map[configdb.RowKey]statedb.Fate { return a.agent.Fates() }

// Close ends the agent. What the chip has stays.
func (a *Agent) Close() error {
	a.cancel()
	return <-a.ended
}

// Silent is a log that nobody reads.
func Silent() *logrus.Logger {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return log
}

// Changes are rows as changes, in the order of their keys.
func Changes(rows configdb.RawRows) []configdb.Change {
	changes := make([]configdb.Change, 0, len(rows))
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		changes = append(changes, configdb.Change{Row: k, Fields: rows[k]})
	}
	return changes
}

// nobody implements report.Publisher. A trial asks for the fates at its end.
type nobody struct{}

func (nobody) Publish(context.Context, report.Report) error { return nil }

// noStore refuses transactions, of which a trial has none.
type noStore struct{}

func (noStore) Commit(context.Context, map[configdb.RowKey]configdb.Fields, map[configdb.RowKey]configdb.Fields) error {
	return errNoDatabase
}

func (noStore) Row(context.Context, configdb.RowKey) (configdb.Fields, error) {
	return nil, errNoDatabase
}

var errNoDatabase = errors.New("a trial has no database")
