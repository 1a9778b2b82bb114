package orchagent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/bufmgr"
	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// metadata is the row that chooses the buffer model.
const metadata configdb.RowKey = "DEVICE_METADATA|localhost"

// effects are what the versions in effect come to once headroom and pool sizes are
// worked out: the effective rows, from which everything is derived.
//
// The model is that of the first DEVICE_METADATA row, and stays until elected anew:
// rows of one model mean other things to the other.
type effects struct {
	imposed statedb.Limits // that other programs state
	files   bufmgr.Params  // what is known beside rows and chip
	elected *configdb.DeviceMetadata
	manager *bufmgr.Manager // nil: to be made
	madeFor *intent.Device  // whose limits manager knows
	params  *bufmgr.Params  // of manager; another pointer with each
	eff     bufmgr.Output
	// former are the origins of effective rows that went, until settled: removing what
	// they asked for can fail.
	former map[configdb.RowKey][]configdb.RowKey
	// fresh are buffer rows that may not be as they were told last.
	fresh map[configdb.RowKey]bool
	// unsure are rows that CONFIG_DB may have otherwise than others ask for.
	unsure map[configdb.RowKey]bool
	lame   map[configdb.RowKey]bool // effective rows that were told to be out of force
	// applied are the effective rows of the last applied versions; nil: to be worked out.
	applied *bufmgr.Output
	swept   int // buffer rows that took effect otherwise since the pass began, with the row of their port
}

func newEffects(files bufmgr.Params) effects {
	return effects{files: files, former: map[configdb.RowKey][]configdb.RowKey{}, fresh: map[configdb.RowKey]bool{}, unsure: map[configdb.RowKey]bool{}}
}

// model is the buffer model in use.
func (e *effects) model() string {
	if e.elected != nil && e.elected.BufferModel == configdb.Dynamic {
		return configdb.Dynamic
	}
	return configdb.Traditional
}

// elect has the buffer manager work by another row from the next time on.
func (e *effects) elect(m *configdb.DeviceMetadata) {
	if e.elected != m {
		e.elected, e.manager = m, nil
	}
}

// chosen is the row that chooses the model: as CONFIG_DB has it, even if the chip refuses
// what comes of it, or else the one in effect; nil if there is none.
func (r *resolver) chosen() *configdb.DeviceMetadata {
	if rec := r.records[metadata]; rec != nil {
		if m, ok := rec.row.(*configdb.DeviceMetadata); ok {
			return m
		}
	}
	return r.rows.DeviceMetadata["localhost"]
}

// effect works out what rows come to. changed names those that differ from the last
// time, nil for none. It returns the effective rows and all that differ.
func (r *resolver) effect(rows *configdb.Config, changed []configdb.RowKey) (*configdb.Config, []configdb.RowKey) {
	if r.elected == nil {
		r.elect(r.chosen())
	}
	if r.madeFor != r.device {
		r.manager = nil
	}
	anew, before := r.manager == nil, r.eff
	switch {
	case anew:
		p := r.parameters()
		r.params, r.madeFor, r.applied = &p, r.device, nil
		r.manager = bufmgr.New(p)
	case changed == nil:
		return r.eff.Rows, nil
	}
	r.eff = r.manager.Effective(bufmgr.Input{Rows: rows, Derived: r.derivedRows(), Accepted: r.competing}, changed)
	differ := r.eff.Changed
	if anew && before.Rows != nil {
		differ = append(gone(before.Rows, r.eff.Rows), differ...)
	}
	r.note(&before, changed, differ)
	r.swept += swept(changed, differ)
	return r.eff.Rows, append(changed, differ...)
}

// swept counts buffer rows that take effect otherwise, of ports whose own rows changed:
// those of a port that is taken down give back their buffers.
func swept(changed, differ []configdb.RowKey) int {
	ports := map[string]bool{}
	for _, k := range changed {
		if k.Table() == "PORT" {
			ports[k.Key()] = true
		}
	}
	n := 0
	for _, k := range differ {
		if port, _, _ := strings.Cut(k.Key(), "|"); ports[port] && bufmgr.Makes(k) {
			n++
		}
	}
	return n
}

// gone are the rows of one configuration that another has not.
func gone(before, after *configdb.Config) []configdb.RowKey {
	var keys []configdb.RowKey
	for row := range before.All() {
		if after.Get(row.RowKey()) == nil {
			keys = append(keys, row.RowKey())
		}
	}
	return keys
}

// note takes note of what is to be looked at because rows take effect otherwise.
func (r *resolver) note(before *bufmgr.Output, changed, differ []configdb.RowKey) {
	for row := range r.rows.Unread() { // what is said of them depends on the model
		r.d.judged[row.RowKey()] = true
	}
	for _, list := range [][]configdb.RowKey{changed, differ} {
		for _, k := range list {
			if bufmgr.Makes(k) {
				r.fresh[k], r.unsure[k] = true, true
			}
			if o := before.Origins[k]; o != nil && r.eff.Rows.Get(k) == nil {
				r.former[k] = o
			}
		}
	}
	if sameProblems(before.Problems, r.eff.Problems) {
		return
	}
	for _, list := range [][]graph.Problem{before.Problems, r.eff.Problems} {
		for _, p := range list {
			r.d.judged[configdb.RowKey(p.Row)] = true
			if k := configdb.RowKey(p.Row); r.rows.Get(k) == nil || r.ours[k] {
				r.d.judged[configdb.RowKey(r.unmade(p).Row)] = true
			}
		}
	}
}

func sameProblems(a, b []graph.Problem) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// origins are the rows of CONFIG_DB that an effective row comes from; nil if it is one
// of them and nothing else plays a part.
func (r *resolver) origins(k configdb.RowKey) []configdb.RowKey {
	if o := r.eff.Origins[k]; o != nil {
		return o
	}
	return r.former[k]
}

// owner is the row of CONFIG_DB to put down to what is said of an effective row: itself
// if somebody wrote it, else the one of its origins that is to blame.
func (r *resolver) owner(k configdb.RowKey) configdb.RowKey { return r.ownerOf(k, r.eff.Origins[k]) }

// ownerOf is owner for a row that comes, or came, from the given rows.
func (r *resolver) ownerOf(k configdb.RowKey, o []configdb.RowKey) configdb.RowKey {
	if len(o) == 0 || r.rows.Get(k) != nil && !r.ours[k] {
		return k
	}
	return slices.MinFunc(o, func(a, b configdb.RowKey) int { return r.guilt(a) - r.guilt(b) })
}

// guilt is the lower the more a row is to blame for what is made of it and others: what
// changed comes before what did not, as that was in force, and of it first what has an
// accepted version to go back to.
func (r *resolver) guilt(k configdb.RowKey) int {
	place := slices.Index(bufmgr.Inputs, k.Table())
	if place < 0 {
		place = len(bufmgr.Inputs)
	}
	switch now, acc := r.rows.Get(k), r.accepted[k].row; {
	case now == acc || now == nil:
		return place + 2*len(bufmgr.Inputs) + 2
	case acc == nil:
		return place + len(bufmgr.Inputs) + 1
	}
	return place
}

// owners are the rows of CONFIG_DB behind a node, or behind one that is gone.
func (r *resolver) owners(k graph.Key) []string {
	rows := r.d.rows(k)
	if len(r.eff.Origins)+len(r.former) == 0 {
		return rows
	}
	var all []string
	for _, row := range rows {
		k := configdb.RowKey(row)
		if o := r.ownerOf(k, r.origins(k)); o != k {
			all = append(all, string(o))
		}
		if r.records[k] != nil || len(r.origins(k)) == 0 {
			all = append(all, row)
		}
	}
	return all
}

// problems yields what is wrong with rows of CONFIG_DB, in no order. What is wrong with
// an effective row that nobody wrote is put down to the row that made it so.
func (r *resolver) problems(yield func(graph.Problem) bool) {
	for _, p := range r.eff.Problems {
		if k := configdb.RowKey(p.Row); r.rows.Get(k) == nil || r.ours[k] {
			p = r.unmade(p)
		}
		if !yield(p) {
			return
		}
	}
	if !r.yieldManager(yield) {
		return
	}
	for p := range r.d.problems {
		if !r.attribute(p, yield) {
			return
		}
	}
}

// yieldManager warns, at the row that chooses the model, of a model and of files that are
// not those that the next restart of the buffer manager would take.
func (r *resolver) yieldManager(yield func(graph.Problem) bool) bool {
	if r.model() == configdb.Traditional && !r.yieldUnread(yield) {
		return false
	}
	m := r.rows.DeviceMetadata["localhost"]
	if m == nil {
		return true
	}
	warn := func(field string, err error) bool {
		return yield(graph.Problem{Row: string(metadata), Severity: graph.Warned, Field: field, Err: err})
	}
	if err := r.files.Stale; err != nil && !warn("", err) {
		return false
	}
	return m.BufferModel == r.model() ||
		warn("buffer_model", fmt.Errorf("the %s model stays in use until the buffer manager is restarted: xonctl restart buffers", r.model()))
}

// yieldUnread warns of rows that the traditional model does not read.
func (r *resolver) yieldUnread(yield func(graph.Problem) bool) bool {
	for row := range r.rows.Unread() {
		err := errors.New("the row has no effect: only the dynamic buffer model reads it, and the traditional one is in use")
		if !yield(graph.Problem{Row: string(row.RowKey()), Severity: graph.Warned, Err: err}) {
			return false
		}
	}
	return true
}

// modelProblems are those that the buffer manager has with a row.
func (r *resolver) modelProblems(k configdb.RowKey) []graph.Problem {
	byRow := func(p graph.Problem, k string) int { return strings.Compare(p.Row, k) }
	i, _ := slices.BinarySearchFunc(r.eff.Problems, string(k), byRow)
	n := slices.IndexFunc(r.eff.Problems[i:], func(p graph.Problem) bool { return p.Row != string(k) })
	if n < 0 {
		return r.eff.Problems[i:]
	}
	return r.eff.Problems[i : i+n]
}

// modelWaits reports whether the buffer manager has a row wait for what it needs.
func (r *resolver) modelWaits(k configdb.RowKey) bool {
	return slices.ContainsFunc(r.modelProblems(k), func(p graph.Problem) bool { return p.Severity == graph.Waiting })
}

// withheld says why a row has no effect although it is there; nil if it has, or is not.
// A pool has none for want of a size that can be computed.
func (r *resolver) withheld(k configdb.RowKey) error {
	if r.rows.Get(k) == nil || r.eff.Rows.Get(k) != nil {
		return nil
	}
	for _, p := range r.modelProblems(k) {
		if p.Severity != graph.Warned {
			return fmt.Errorf("%s is not in force: %w", k, p.Err)
		}
	}
	return nil
}

// notMade is what becomes of a row that others ask for and that can't be made.
const notMade = "is not made"

// unmade is a problem of a row that others ask for and that is not made, or not made
// anew: a warning of the row that asks for it.
func (r *resolver) unmade(p graph.Problem) graph.Problem {
	k := configdb.RowKey(p.Row)
	port, _, _ := strings.Cut(k.Key(), "|")
	asks := configdb.Key("PORT", port)
	var by *configdb.PortQoSMap
	for _, row := range r.rows.PortQoSMaps {
		if slices.Contains(row.Ports, port) && row.PFC != 0 && (by == nil || len(row.Ports) < len(by.Ports) || len(row.Ports) == len(by.Ports) && row.ID < by.ID) {
			by, asks = row, row.ID
		}
	}
	what := notMade
	if r.ours[k] {
		what = "stays as it was"
	}
	err := fmt.Errorf("%s %s: %w", k, what, r.untried(p).Err)
	if what == notMade {
		err = &graph.Loss{Err: err}
	}
	return graph.Problem{Row: string(asks), Severity: graph.Warned, Field: p.Field, Err: err}
}

// attribute yields a problem of an effective row as one of CONFIG_DB.
func (r *resolver) attribute(p graph.Problem, yield func(graph.Problem) bool) bool {
	k := configdb.RowKey(p.Row)
	row, on := r.owner(k), r.owner(configdb.RowKey(p.On))
	if p.Severity == graph.Waiting && on == row {
		return true // the row behind both has a problem for what is waited for
	}
	if why := r.withheld(on); why != nil {
		p.Err = why
	}
	p.On = string(on)
	if row == k {
		return yield(p)
	}
	if p.Severity == graph.Waiting && !bufmgr.Makes(row) { // it is right, and means more than this
		p.Severity, p.On = graph.Warned, ""
	}
	if r.rows.Get(k) != nil && p.Severity != graph.Warned {
		waits := graph.Problem{Row: p.Row, Severity: graph.Waiting, On: string(row), Err: p.Err}
		if !yield(waits) {
			return false
		}
	}
	p.Row, p.Field, p.Err = string(row), "", fmt.Errorf("%s: %w", k, p.Err)
	return yield(p)
}
