// Package publish tells the databases what the agent did: ASIC_DB what the chip
// has, as SONiC writes it; STATE_DB the fate of every row and the versions that
// stand in for rows; COUNTERS_DB the names of buffer pools.
//
// It writes what was executed, not what is wanted. What to write is in the reports
// it gets; a full one is compared with what the databases hold, so that rows that
// are right are not touched and what is stale goes.
package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// Config is what a Publisher needs.
type Config struct {
	Client *redisdb.Client
	Switch *sai.Switch
	Log    logrus.FieldLogger
}

// Publisher writes reports. It implements orchagent.Publisher and is called by one
// goroutine.
type Publisher struct {
	asic, state, counters *redisdb.DB

	sw     *sai.Switch
	log    logrus.FieldLogger
	device *intent.Device // whose limits are written
}

// New returns a Publisher.
func New(cfg Config) *Publisher {
	return &Publisher{
		asic: cfg.Client.DB(redisdb.ASICDB), state: cfg.Client.DB(redisdb.StateDB), counters: cfg.Client.DB(redisdb.CountersDB),
		sw: cfg.Switch, log: cfg.Log.WithField("component", "publish"),
	}
}

// Publish implements orchagent.Publisher. Fates come last: who sees one finds
// everything else in place.
func (p *Publisher) Publish(ctx context.Context, r orchagent.Report) error {
	start := time.Now()
	if err := p.publish(ctx, r); err != nil {
		return fmt.Errorf("publish revision %d: %w", r.Revision, err)
	}
	if r.Full {
		p.log.WithFields(logrus.Fields{"revision": r.Revision, "rows": len(r.Fates), "writes": len(r.Writes), "took": time.Since(start)}).Info("databases are in step")
	}
	return nil
}

func (p *Publisher) publish(ctx context.Context, r orchagent.Report) error {
	if r.Full {
		p.device = nil
		if err := p.fullASIC(ctx, r); err != nil {
			return err
		}
	} else if err := p.writes(ctx, r.Writes); err != nil {
		return err
	}
	if err := p.pools(ctx, r); err != nil {
		return err
	}
	return p.states(ctx, r)
}

// states writes STATE_DB.
func (p *Publisher) states(ctx context.Context, r orchagent.Report) error {
	var b redisdb.Batch
	if r.Full {
		if err := p.fullStates(ctx, &b, r); err != nil {
			return err
		}
	} else {
		for k, f := range r.Accepted {
			if f == nil {
				b.Delete(statedb.AcceptedKey(k))
			} else {
				b.Replace(statedb.AcceptedKey(k), f)
			}
		}
		for _, k := range r.Gone {
			b.Delete(statedb.FateKey(k))
		}
		for k, f := range r.Fates {
			b.Replace(statedb.FateKey(k), f.Format())
		}
	}
	p.limits(&b, r.Device)
	b.Set(statedb.AgentKey, redisdb.Fields{statedb.AgentRevision: strconv.FormatUint(r.Revision, 10)})
	if err := p.state.WriteAtomic(ctx, &b); err != nil {
		return err
	}
	p.device = r.Device
	return nil
}

// fullStates compares what STATE_DB holds with all fates and accepted versions.
func (p *Publisher) fullStates(ctx context.Context, b *redisdb.Batch, r orchagent.Report) error {
	want := make(map[string]redisdb.Fields, len(r.Fates)+len(r.Accepted))
	for k, f := range r.Fates {
		want[statedb.FateKey(k)] = f.Format()
	}
	for k, f := range r.Accepted {
		want[statedb.AcceptedKey(k)] = f
	}
	return compare(ctx, p.state, b, want, statedb.FateTable, statedb.AcceptedTable)
}

// compare adds to a batch what turns the rows of tables into those of want.
func compare(ctx context.Context, db *redisdb.DB, b *redisdb.Batch, want map[string]redisdb.Fields, tables ...string) error {
	for _, table := range tables {
		have, err := db.All(ctx, db.ID.Pattern(table))
		if err != nil {
			return err
		}
		for key, from := range have {
			b.Change(key, from, want[key])
			delete(want, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		b.Change(key, nil, want[key])
	}
	return nil
}

// limits writes what each port and the chip have for buffer rows to use.
func (p *Publisher) limits(b *redisdb.Batch, dev *intent.Device) {
	if dev == nil || dev == p.device {
		return
	}
	gone := map[string]bool{}
	if p.device != nil {
		for _, port := range p.device.Ports {
			gone[port.Name] = true
		}
	}
	for _, port := range dev.Ports {
		delete(gone, port.Name)
		if port.Configured {
			m := statedb.MaxParams{PriorityGroups: len(port.PGs), Queues: len(port.Queues)}
			b.Set(statedb.MaxParamTable+"|"+port.Name, m.Format())
			b.SetField(statedb.PortTable+"|"+port.Name, statedb.PortState, statedb.PortOK)
		}
	}
	for name := range gone {
		b.Delete(statedb.MaxParamTable+"|"+name, statedb.PortTable+"|"+name)
	}
	if dev.MMUBytes > 0 {
		b.SetField(statedb.MaxParamTable+"|"+statedb.MaxParamGlobal, statedb.MMUSize, strconv.FormatUint(dev.MMUBytes, 10))
	}
}

// State is what an agent takes over from the one before it.
type State struct {
	Accepted map[configdb.RowKey]configdb.Fields
	Revision uint64
}

// Restore reads what the agent before this one published. A database that holds
// nothing of the kind gives an empty State.
func Restore(ctx context.Context, client *redisdb.Client) (State, error) {
	db := client.DB(redisdb.StateDB)
	rows, err := db.All(ctx, db.ID.Pattern(statedb.AcceptedTable))
	if err != nil {
		return State{}, fmt.Errorf("read accepted versions: %w", err)
	}
	s := State{Accepted: make(map[configdb.RowKey]configdb.Fields, len(rows))}
	for key, f := range rows {
		if row, ok := statedb.ParseAcceptedKey(key); ok {
			s.Accepted[row] = f
		}
	}
	agent, err := db.Row(ctx, statedb.AgentKey)
	if err != nil {
		return State{}, fmt.Errorf("read the revision: %w", err)
	}
	if text := agent[statedb.AgentRevision]; text != "" {
		if s.Revision, err = strconv.ParseUint(text, 10, 64); err != nil {
			return State{}, fmt.Errorf("read the revision: %w", err)
		}
	}
	return s, nil
}
