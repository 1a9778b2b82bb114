package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"xon/orchagent/intent"
	"xon/orchagent/report"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// changeStates writes STATE_DB in one step.
func (p *Publisher) changeStates(ctx context.Context, r report.Report) error {
	var b redisdb.Batch
	for k, f := range r.Accepted {
		if f == nil {
			b.Delete(statedb.AcceptedKey(k))
		} else {
			b.Replace(statedb.AcceptedKey(k), redisdb.Fields(f))
		}
	}
	for k, x := range r.Refused {
		if x == nil {
			b.Delete(statedb.RefusalKey(k))
		} else {
			b.Replace(statedb.RefusalKey(k), x.Format())
		}
	}
	for _, k := range r.Gone {
		b.Delete(statedb.FateKey(k))
	}
	for k, f := range r.Fates {
		setFate(&b, statedb.FateKey(k), f.Format())
	}
	if r.Device != p.device {
		if err := p.changeLimits(ctx, &b, p.device, r.Device); err != nil {
			return err
		}
	}
	if r.Buffers != p.buffers {
		turn(&b, constants(p.buffers), constants(r.Buffers))
	}
	b.Set(statedb.AgentKey, progress(r))
	return p.state.WriteAtomic(ctx, &b)
}

// turn turns rows into others; it uses up before.
func turn(b *redisdb.Batch, before, after map[string]redisdb.Fields) {
	for key, f := range after {
		b.Rewrite(key, before[key], f)
		delete(before, key)
	}
	b.Delete(slices.Collect(maps.Keys(before))...)
}

// allFateFields are the fields that a fate may have.
var allFateFields = slices.Sorted(maps.Keys(statedb.Fate{Reason: "x", On: "x", Field: "x", Next: time.Unix(1, 0), Warnings: []string{"x"}}.Format()))

// setFate writes a fate over another one, without the row being gone in between.
func setFate(b *redisdb.Batch, key string, f redisdb.Fields) {
	b.Set(key, f)
	b.DeleteFields(key, slices.DeleteFunc(slices.Clone(allFateFields), func(name string) bool {
		_, has := f[name]
		return has
	})...)
}

// progress is what the agent's own row says of a report.
func progress(r report.Report) redisdb.Fields {
	f := redisdb.Fields{statedb.AgentRevision: strconv.FormatUint(r.Revision, 10), statedb.AgentModel: r.Model}
	if r.Buffers != nil {
		f[statedb.AgentMemory] = strconv.FormatUint(r.Buffers.StatedMMU, 10)
	}
	return f
}

// agent is the agent's own row.
func (p *Publisher) agent(r report.Report) redisdb.Fields {
	f := progress(r)
	for name, text := range p.about {
		if _, ours := f[name]; !ours {
			f[name] = text
		}
	}
	return f
}

// everyState makes STATE_DB hold all fates, accepted versions and limits.
func (p *Publisher) everyState(ctx context.Context, r report.Report) error {
	have, err := stored(ctx, p.state, append(bufferTables(r.Buffers), statedb.FateTable, statedb.AcceptedTable, statedb.RefusalTable, statedb.MaxParamTable, statedb.OwnMaxParamTable)...)
	if err != nil {
		return err
	}
	want := limits(r.Device)
	shareLimits(have, want)
	maps.Copy(want, constants(r.Buffers))
	for k, f := range r.Fates {
		key := statedb.FateKey(k)
		want[key] = since(have[key], f).Format()
	}
	for k, f := range r.Accepted {
		want[statedb.AcceptedKey(k)] = redisdb.Fields(f)
	}
	for k, x := range r.Refused {
		want[statedb.RefusalKey(k)] = x.Format()
	}
	if err := p.portStates(ctx, have, want); err != nil {
		return err
	}
	if err := write(ctx, p.state, have, want); err != nil {
		return err
	}
	was, err := p.state.RowsAsFound(ctx, statedb.AgentKey)
	if err != nil {
		return err
	}
	var b redisdb.Batch
	b.Change(statedb.AgentKey, was[0], p.agent(r)) // last: it says that the rest is there
	return p.state.Write(ctx, &b)
}

// since dates a fate back if it was published before, by an agent before this one:
// the row has been in that state since then, not since this agent's start.
func since(old redisdb.Fields, f statedb.Fate) statedb.Fate {
	was, err := statedb.ParseFate(old)
	if err == nil && was.State == f.State && was.Reason == f.Reason && was.On == f.On && was.Field == f.Field &&
		slices.Equal(was.Warnings, f.Warnings) && !was.Since.After(f.Since) {
		f.Since, f.Revision = was.Since, was.Revision
	}
	return f
}

// portStates reads the rows of ports and of what the chip can do, of which not all
// fields are ours: the others are wanted as they are. The ports that had limits and have none now are gone.
func (p *Publisher) portStates(ctx context.Context, have, want map[string]redisdb.Fields) error {
	var keys []string
	for key := range want {
		if table, _ := p.state.ID.Split(key); table == statedb.PortTable || table == statedb.CapabilityTable {
			keys = append(keys, key)
		}
	}
	for key := range have {
		if table, port := p.state.ID.Split(key); table == statedb.MaxParamTable && want[key] == nil {
			keys = append(keys, p.state.ID.Key(statedb.PortTable, port))
		}
	}
	rows, err := p.state.RowsAsFound(ctx, keys...)
	if err != nil {
		return fmt.Errorf("ports: %w", err)
	}
	for i, key := range keys {
		if rows[i] == nil {
			continue
		}
		if have[key] = rows[i]; configdb.Fields(rows[i]).IsNotHash() {
			continue
		}
		for name, text := range rows[i] {
			if _, ours := want[key][name]; want[key] != nil && !ours {
				want[key][name] = text
			}
		}
	}
	return nil
}

// limits are what each port and the chip have for buffer rows to use, which ports
// there are, and what the chip can do; by key.
func limits(dev *intent.Device) map[string]redisdb.Fields {
	rows := map[string]redisdb.Fields{}
	if dev == nil {
		return rows
	}
	rows[redisdb.StateDB.Key(statedb.CapabilityTable, statedb.CapabilitySwitch)] = capabilities(dev)
	for _, port := range dev.Ports {
		if !port.Configured {
			continue
		}
		m := statedb.MaxParams{PriorityGroups: len(port.PGs), Queues: len(port.Queues), Headroom: port.MaxHeadroom}
		rows[redisdb.StateDB.Key(statedb.MaxParamTable, port.Name)] = m.Format()
		rows[redisdb.StateDB.Key(statedb.PortTable, port.Name)] = redisdb.Fields{statedb.PortState: statedb.PortOK}
	}
	if dev.MMUBytes > 0 {
		rows[redisdb.StateDB.Key(statedb.MaxParamTable, statedb.MaxParamGlobal)] = redisdb.Fields{
			statedb.MMUSize: strconv.FormatUint(dev.MMUBytes, 10),
		}
	}
	return rows
}

// State is what an agent takes over from the one before it.
type State struct {
	Accepted map[configdb.RowKey]configdb.Fields
	Refused  map[configdb.RowKey]statedb.Refusal
	Derived  map[configdb.RowKey][]string // digests of rows that were put into CONFIG_DB because of others
	About    map[string]string            // its own row
	Limits   statedb.Limits               // that other programs state
	Revision uint64
	// Model is the buffer model that it went by, "" if it does not say so, and StatedMMU the
	// packet memory that another program stated, 0 for none.
	Model     string
	StatedMMU uint64
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
			if len(f) == 0 {
				f = redisdb.Fields{placeholder: placeholder} // as rows of CONFIG_DB have it
			}
			s.Accepted[row] = f
		}
	}
	if s.Refused, err = restoreRefused(ctx, db); err != nil {
		return State{}, err
	}
	if s.Derived, err = restoreDerived(ctx, db); err != nil {
		return State{}, err
	}
	if s.Limits, _, err = statedLimits(ctx, db); err != nil { // a bad one counts as none, and RunLimits says so
		return State{}, fmt.Errorf("read limits: %w", err)
	}
	if s.About, err = db.Row(ctx, statedb.AgentKey); err != nil {
		return State{}, fmt.Errorf("read the revision: %w", err)
	}
	if text := s.About[statedb.AgentRevision]; text != "" {
		if s.Revision, err = strconv.ParseUint(text, 10, 64); err != nil {
			return State{}, fmt.Errorf("read the revision: %w", err)
		}
	}
	s.Model = s.About[statedb.AgentModel]
	if text := s.About[statedb.AgentMemory]; text != "" {
		if s.StatedMMU, err = strconv.ParseUint(text, 10, 64); err != nil {
			return State{}, fmt.Errorf("read the memory that was stated: %w", err)
		}
	}
	return s, nil
}

// restoreRefused reads refusals. One that can't be read is passed over: then the chip
// is asked again.
func restoreRefused(ctx context.Context, db *redisdb.DB) (map[configdb.RowKey]statedb.Refusal, error) {
	rows, err := db.All(ctx, db.ID.Pattern(statedb.RefusalTable))
	if err != nil {
		return nil, fmt.Errorf("read refusals: %w", err)
	}
	refused := make(map[configdb.RowKey]statedb.Refusal, len(rows))
	for key, f := range rows {
		if row, ok := statedb.ParseRefusalKey(key); ok {
			if x, err := statedb.ParseRefusal(f); err == nil {
				refused[row] = x
			}
		}
	}
	return refused, nil
}
