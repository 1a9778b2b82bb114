// Package publish tells the databases what the agent did: ASIC_DB what the chip
// has, as SONiC writes it; STATE_DB the fate of every row and the versions that
// stand in for rows; APPL_DB the effective buffer rows; COUNTERS_DB the names of buffer
// pools; CONFIG_DB the rows that others ask for there.
//
// It writes what was executed, not what is wanted. What to write is in the reports
// it gets; a full one is compared with what the databases hold, so that rows that
// are right are not touched and what is stale goes. What it remembers of them, the rows
// of ports and of buffers, only says what differs: when a database was away, the agent
// sends a full report, with which it begins anew.
package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sirupsen/logrus"

	"xon/orchagent/bufmgr"
	"xon/orchagent/intent"
	"xon/orchagent/report"
	"xon/sai"
	"xon/schema/asicdb"
	"xon/schema/redisdb"
)

// Config is what a Publisher needs.
type Config struct {
	Client *redisdb.Client
	Switch *sai.Switch
	Log    logrus.FieldLogger
	// About are fields to show in the agent's own row of STATE_DB, beside its
	// revision: "version", "chip", what else a person may ask for.
	About map[string]string
}

// Publisher writes reports. It implements report.Publisher and is called by one
// goroutine.
type Publisher struct {
	asic, state, counters, config *redisdb.DB

	effects effects
	ports   *ports
	sw      *sai.Switch
	log     logrus.FieldLogger
	about   map[string]string
	device  *intent.Device // whose limits are written
	buffers *bufmgr.Params // whose constants are written
}

// New returns a Publisher.
func New(cfg Config) *Publisher {
	return &Publisher{
		asic: cfg.Client.DB(redisdb.ASICDB), state: cfg.Client.DB(redisdb.StateDB), counters: cfg.Client.DB(redisdb.CountersDB),
		config: cfg.Client.DB(redisdb.ConfigDB), effects: effects{client: cfg.Client, claims: map[string][]claim{}, shown: map[string]redisdb.Fields{}},
		ports: newPorts(cfg.Client, cfg.Switch), sw: cfg.Switch, log: cfg.Log.WithField("component", "publish"), about: cfg.About,
	}
}

// Publish implements report.Publisher. It returns when everything is written,
// fates last: who sees one finds everything else in place. After an error any part
// may be written, and the same report may be published again.
func (p *Publisher) Publish(ctx context.Context, r report.Report) error {
	start := time.Now()
	write := p.changes
	if r.Full {
		write = p.everything
	}
	if err := write(ctx, r); err != nil {
		return fmt.Errorf("publish revision %d: %w", r.Revision, err)
	}
	p.device, p.buffers = r.Device, r.Buffers
	if r.Full {
		level := logrus.InfoLevel
		if r.Routine {
			level = logrus.DebugLevel
		}
		p.log.WithFields(logrus.Fields{"revision": r.Revision, "rows": len(r.Fates), "writes": len(r.Writes), "took": time.Since(start)}).Log(level, "databases are in step")
	}
	return nil
}

// changes writes what one report adds to those before.
func (p *Publisher) changes(ctx context.Context, r report.Report) error {
	var asic, names redisdb.Batch
	replay(batch{&asic}, r.Writes)
	p.statements(r, batch{&asic}.set)
	if r.Device != p.device {
		asic.Replace(asicdb.Lanes, lanes(r.Device, r.Handles))
	}
	if err := p.asic.Write(ctx, &asic); err != nil {
		return err
	}
	namePools(&names, r.Writes)
	if err := p.counters.Write(ctx, &names); err != nil {
		return err
	}
	if err := p.ports.publish(ctx, r); err != nil {
		return err
	}
	if err := p.effects.change(ctx, r); err != nil {
		return err
	}
	if err := p.derive(ctx, r.Derived, false); err != nil {
		return err
	}
	return p.changeStates(ctx, r)
}

// everything makes the databases hold what a full report says.
func (p *Publisher) everything(ctx context.Context, r report.Report) error {
	p.device, p.buffers = nil, nil
	if err := p.everyObject(ctx, r); err != nil {
		return err
	}
	if err := p.everyPool(ctx, r.Handles); err != nil {
		return err
	}
	if err := p.ports.publish(ctx, r); err != nil {
		return err
	}
	if err := p.effects.everything(ctx, r); err != nil {
		return err
	}
	if err := p.derive(ctx, r.Derived, true); err != nil {
		return err
	}
	return p.everyState(ctx, r)
}

// write turns the rows that there are into those that are wanted.
func write(ctx context.Context, db *redisdb.DB, have, want map[string]redisdb.Fields) error {
	var b redisdb.Batch
	for _, key := range slices.Sorted(maps.Keys(have)) {
		b.Rewrite(key, have[key], want[key])
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if have[key] == nil {
			b.Change(key, nil, want[key])
		}
	}
	return db.Write(ctx, &b)
}

// stored reads all rows of tables.
func stored(ctx context.Context, db *redisdb.DB, tables ...string) (map[string]redisdb.Fields, error) {
	all := map[string]redisdb.Fields{}
	for _, t := range tables {
		rows, err := db.AllAsFound(ctx, db.ID.Pattern(t))
		if err != nil {
			return nil, err
		}
		maps.Copy(all, rows)
	}
	return all, nil
}
