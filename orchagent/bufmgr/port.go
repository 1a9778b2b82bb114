package bufmgr

import (
	"fmt"
	"slices"

	"xon/orchagent/graph"
	"xon/schema/configdb"
)

// The rows of a lossless switch that SONiC's buffer managers know by name.
const (
	losslessPool     = "ingress_lossless_pool"
	egressLossless   = "egress_lossless_pool"
	egressLossy      = "egress_lossy_pool"
	poolTable        = "BUFFER_POOL"
	profileTable     = "BUFFER_PROFILE"
	pgTable          = "BUFFER_PG"
	queueTable       = "BUFFER_QUEUE"
	ingressListTable = "BUFFER_PORT_INGRESS_PROFILE_LIST"
	egressListTable  = "BUFFER_PORT_EGRESS_PROFILE_LIST"
	portTable        = "PORT"
	cableTable       = "CABLE_LENGTH"
	qosTable         = "PORT_QOS_MAP"
	parameterTable   = "DEFAULT_LOSSLESS_BUFFER_PARAMETER"
	patternTable     = "LOSSLESS_TRAFFIC_PATTERN"
	pfcTable         = "XON_PFC"

	// anyName is what SONiC calls the rows of tables that have one row.
	anyName = "AZURE"
)

// tables are the tables of which the buffer manager makes rows.
var tables = []string{poolTable, profileTable, pgTable, queueTable, ingressListTable, egressListTable}

// Makes reports whether a row is of a table of which the buffer manager makes rows.
func Makes(k configdb.RowKey) bool { return slices.Contains(tables, k.Table()) }

// Inputs are the tables that rows are made from, the one first whose row matters to the
// fewest others: of several rows that may be to blame for what is made, that comes first.
var Inputs = []string{
	pgTable, queueTable, profileTable, ingressListTable, egressListTable, cableTable, patternTable, parameterTable, poolTable, qosTable, portTable,
}

// common is what all ports depend on. It is comparable.
type common struct {
	parameter *configdb.DefaultLosslessBufferParameter // nil: none
	pattern   *configdb.LosslessTrafficPattern         // nil: none
	poolMode  string                                   // of losslessPool; "": there is none
	shared    bool                                     // headroom comes from the shared headroom pool
	cables    configdb.RowKey                          // the row to look for lengths in
	zero      string                                   // the zero profiles in effect, each before a comma
}

func commonOf(c *configdb.Config) common {
	r := common{
		parameter: first(c.DefaultLosslessBufferParameters), pattern: first(c.LosslessTrafficPatterns),
		cables: configdb.Key(cableTable, anyName),
	}
	if pool := c.BufferPools[losslessPool]; pool != nil {
		r.poolMode, r.shared = pool.Mode, pool.Xoff != 0
	}
	if r.parameter != nil && r.parameter.OverSubscribeRatio != 0 {
		r.shared = true
	}
	if row := first(c.CableLengths); row != nil {
		r.cables = row.ID
	}
	return r
}

// view is one port with all that concerns it alone.
type view struct {
	*portRows
	name    string
	row     *configdb.Port // nil: there is none
	limits  PortLimits
	cable   cable
	cabled  bool  // whether a row has a length for its cable
	kept    cable // the last applied length, if there is none any more or 0 m
	gearbox string
}

// rows yields every buffer row that names the port.
func (v *view) rows(yield func(configdb.Row) bool) {
	_ = each(v.pgs, yield) && each(v.queues, yield) && each(v.ingress, yield) && each(v.egress, yield)
}

func each[R configdb.Row](rows []R, yield func(configdb.Row) bool) bool {
	for _, r := range rows {
		if !yield(r) {
			return false
		}
	}
	return true
}

// lanes is how many lanes the port has.
func (v *view) lanes() int { return len(v.row.Lanes) }

// speed is the speed that the port may come to have, Mb/s: the highest that it
// offers if it negotiates. 0: unknown.
func (v *view) speed() uint32 {
	if v.row.Autoneg != "on" {
		return v.row.Speed
	}
	offered := v.row.AdvSpeeds
	if len(offered) == 0 {
		offered = v.limits.SupportedSpeeds
	}
	if len(offered) == 0 {
		return v.row.Speed
	}
	best := offered[0]
	for _, s := range offered {
		best = max(best, s)
	}
	return best
}

// withKept is the port with the last applied length of its cable: for what is applied
// already and would lose its headroom otherwise. ok is false if there is none, or if it
// is not needed.
func (v *view) withKept() (kept *view, ok bool) {
	if v.cable.known() || !v.kept.known() {
		return v, false
	}
	was := *v
	was.cable, was.cabled = v.kept, true
	return &was, true
}

// link is what the port's headroom depends on. p is what keeps it from being known, as
// a problem of a row that is to be filled in; nil if nothing does.
func (v *view) link(c *common) (l link, p *graph.Problem) {
	id := configdb.Key(portTable, v.name)
	switch {
	case v.speed() == 0:
		return l, waiting(id, fmt.Errorf("%s has no speed", id))
	case !v.cabled:
		return l, waiting(c.cables, fmt.Errorf("%s has no length for %s", c.cables, v.name))
	}
	return link{speed: v.speed(), metres: v.cable.metres, mtu: v.row.MTU, gearbox: v.gearbox, lanes: v.lanes()}, nil
}

// waiting is a problem of a row yet to be named.
func waiting(on configdb.RowKey, err error) *graph.Problem {
	return &graph.Problem{Severity: graph.Waiting, On: on, Err: err}
}

// lacking is a problem of a row yet to be named that waits for something other than a row.
func lacking(thing graph.Missing, err error) *graph.Problem {
	return &graph.Problem{Severity: graph.Waiting, Lacks: thing, Err: err}
}

// fate is what becomes of a row of CONFIG_DB at one of its ports.
type fate uint8

const (
	kept     fate = iota // as it is
	hidden               // without effect
	replaced             // with other profiles
	covered              // the port has a row of the same key in its place
)

// outcome is the fate of a row at a port.
type outcome struct {
	row      configdb.Row
	fate     fate
	profiles []string // replaced: the new ones; of a list all, else one
}

// side is what takes from a profile.
type side uint8

const (
	byPG     side = iota
	byWidePG      // of a port that passes the pipeline twice
	byQueue
	byList
)

// use is how many times something takes what a profile reserves.
type use struct {
	profile string
	by      side
}

// result is what comes of a port.
type result struct {
	outcomes []outcome
	extra    []entry // rows that the port has because of no row of its own table
	made     []made  // profiles that it needs
	problems []graph.Problem
	uses     map[use]int
	sought   []string // profiles that it would make, but for what is wrong

	up       bool
	wide     bool // it passes the pipeline twice
	lossless bool // it has a lossless priority group
}

// made is a profile that a port needs and nobody wrote.
type made struct {
	name  string
	link  link         // dynamic model
	entry *LookupEntry // traditional model
	// old says that the profile is kept for the sake of a row that is kept.
	old bool
}

func (r *result) count(profile string, by side, n int) {
	if r.uses == nil {
		r.uses = map[use]int{}
	}
	r.uses[use{profile, by}] += n
}

func (r *result) keep(row configdb.Row) {
	r.outcomes = append(r.outcomes, outcome{row: row, fate: kept})
}

func (r *result) hide(row configdb.Row) {
	r.outcomes = append(r.outcomes, outcome{row: row, fate: hidden})
}

func (r *result) replace(row configdb.Row, profiles ...string) {
	r.outcomes = append(r.outcomes, outcome{row: row, fate: replaced, profiles: profiles})
}

// complain adds a problem of a row.
func (r *result) complain(row configdb.RowKey, p graph.Problem) {
	p.Row = row
	r.problems = append(r.problems, p)
}

// entry is an effective row in the place of the one that CONFIG_DB has, if any.
type entry struct {
	key     configdb.RowKey
	row     configdb.Row // nil: none takes effect
	origins []configdb.RowKey
	derived bool // CONFIG_DB shall hold it
}
