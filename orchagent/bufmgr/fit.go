package bufmgr

import (
	"fmt"
	"slices"
	"strings"

	"xon/orchagent/graph"
	"xon/schema/configdb"
	"xon/schema/platform"
)

// Check is a limit that what a port may need was compared with.
type Check struct {
	What      string // "priority groups 3-4 of Ethernet0 after a pause"
	Needed    uint64 // bytes
	Available uint64 // bytes; 0 if Result is Unknown
	Result    Result
	By        string // the rows that both come from
	// Condition is what the result depends on and nobody has made sure of; "" if nothing.
	Condition string
	Unknown   string // what was left out of Needed, as it is not known; "" if nothing
}

// Result is what came of a Check.
type Result string

// The results.
const (
	Enough      Result = "enough"
	TooLittle   Result = "too little"
	Contended   Result = "not for all" // there is enough for each, not for all at the same time
	NotKnown    Result = "not known"   // there is no number to compare with
	Conditional Result = "enough if"   // there is enough if Condition holds
)

// compare is a check of two numbers.
func compare(what string, needed, available uint64, by string) Check {
	c := Check{What: what, Needed: needed, Available: available, Result: Enough, By: by}
	if needed > available {
		c.Result = TooLittle
	}
	return c
}

// Verdict says in a sentence whether it fits, and reports whether nothing is known to be
// too little.
func (e *Explanation) Verdict() (text string, fits bool) {
	var short, conditions, unknown []string
	for i := range e.Fit.Checks {
		c := &e.Fit.Checks[i]
		if c.Unknown != "" && !slices.Contains(unknown, c.Unknown) {
			unknown = append(unknown, c.Unknown)
		}
		switch c.Result {
		case TooLittle:
			short = append(short, fmt.Sprintf("%s: %d bytes are needed, there are %d (%s)", c.What, c.Needed, c.Available, c.By))
		case Contended, Conditional:
			if !slices.Contains(conditions, c.Condition) {
				conditions = append(conditions, c.Condition)
			}
		case NotKnown:
			unknown = append(unknown, c.What)
		case Enough:
		}
	}
	switch {
	case e.Refusal != "":
		return "it does not fit: " + e.Refusal, false
	case len(short) > 0:
		return "it is too little: " + strings.Join(short, "; "), false
	}
	text = "it fits"
	if len(conditions) > 0 {
		text += ", if " + strings.Join(conditions, ", and if ")
	}
	if len(unknown) > 0 {
		text = strings.Replace(text, "it fits", "nothing that is known speaks against it", 1) + "; not known: " + strings.Join(unknown, ", ")
	}
	return text, true
}

// checks compares what a port may need with each limit. would is the output that has it.
func (x *explainer) checks(would *Output) {
	c := x.check(would)
	x.linkChecks(c)
	for i := range c.shared {
		x.sharedChecks(c, &c.shared[i])
	}
	x.portCheck(c)
	x.poolChecks(c)
}

func (x *explainer) add(c Check) { x.Fit.Checks = append(x.Fit.Checks, c) }

// own are the port's lossless groups.
func (x *explainer) own(c *limits) []group {
	var own []group
	for _, g := range c.book.of(x.Port) {
		if g.profile.HasXoff {
			own = append(own, g)
		}
	}
	return own
}

// linkChecks compares what groups have after a pause with what may still come. Without a
// group it is the profile that one would have.
func (x *explainer) linkChecks(c *limits) {
	n, known := x.leastOf(x.Port)
	if !known {
		x.add(Check{What: "what may come after a pause (the port has no speed)", Result: NotKnown})
		return
	}
	own := x.own(c)
	for i := range own {
		g := &own[i]
		pool := c.rows.BufferPools[g.profile.Pool]
		if pool == nil {
			continue
		}
		given, why := x.given(g.profile, pool)
		check := x.linkCheck(&n, fmt.Sprintf("%s after a pause", g), given, string(g.profile.ID)+" xoff"+why)
		if usable := x.usable(given, pool); check.Result != TooLittle && usable < n.bytes() {
			check.require(fmt.Sprintf("no more than %d bytes come, as chips of class %s have been seen to drop before their xoff is used up", usable, x.sw.Class))
		}
		x.add(check)
		if g.profile.Name != x.Profile && x.Profile != "" {
			x.Notes = append(x.Notes, fmt.Sprintf("%s: %s counts, which somebody wrote; the result above is what the model would give", g, g.profile.ID))
		}
	}
	if len(own) == 0 {
		x.Notes = append(x.Notes, "the port has no lossless priority group: nothing is reserved for one, and it is compared with its link alone")
		x.add(x.linkCheck(&n, "a priority group after a pause", x.Xoff, "xoff of the result"))
	}
}

// linkCheck compares what a group has with what its link may bring: at the least, and at
// worst.
func (x *explainer) linkCheck(n *least, what string, given uint64, by string) Check {
	c := compare(what, n.bytes(), given, by)
	if c.Result == TooLittle {
		c.By += "; " + n.String()
		return c
	}
	c.Unknown = strings.Join(n.unknown(), ", ")
	if worst := uint64(n.ceiling + n.extra); n.asic != nil && given < worst {
		c.require(fmt.Sprintf("packets are large enough, as up to %d bytes may come of packets that just begin another cell", worst))
	}
	if n.quick {
		c.require(fmt.Sprintf("the peer obeys a pause within %.0f bytes, as the files of this chip take it, though IEEE 802.3 allows %.0f", n.peer, n.slow))
	}
	return c
}

// require makes a check hold only if a further condition does.
func (c *Check) require(condition string) {
	if c.Condition != "" {
		condition = c.Condition + ", and if " + condition
	}
	c.Result, c.Condition = Conditional, condition
}

// sharedChecks compares the port's groups, and all, with the shared headroom.
func (x *explainer) sharedChecks(c *limits, s *Shared) {
	pool := string(configdb.Key(poolTable, s.Pool)) + " xoff"
	var sum, one uint64
	for _, g := range x.own(c) {
		if n := c.demand(g.profile); g.profile.Pool == s.Pool && n > 0 {
			one, sum = max(one, n), plus(sum, g.times(n))
		}
	}
	if sum > 0 {
		x.add(compare("one of the port's priority groups in the shared headroom", one, s.Most, pool+x.inParts()))
		all := compare("the port's priority groups in the shared headroom", sum, s.Most, pool+x.inParts())
		x.add(x.contended(all, "those of the port do not all need it at once"))
	}
	all := compare(fmt.Sprintf("all %d lossless priority groups in the shared headroom", s.Groups), s.Needed, s.Xoff, pool+x.inParts())
	if s.Short() {
		all.Result = TooLittle
	}
	x.add(x.contended(all, fmt.Sprintf("no more than %d of all %d lossless priority groups need their shared headroom at once", s.Together, s.Groups)))
}

// contended makes of a lack one that only shows if all come at once.
func (x *explainer) contended(c Check, condition string) Check {
	if c.Result == TooLittle {
		c.Result, c.Condition = Contended, condition
	}
	return c
}

// portCheck compares what the port's priority groups reserve with what it may.
func (x *explainer) portCheck(c *limits) {
	what := "what the port's priority groups reserve"
	x.Fit.PortLimit = x.view.limits.Headroom()
	by, most := "the chip's SAI_PORT_ATTR_QOS_MAXIMUM_HEADROOM_SIZE", x.Fit.PortLimit
	if x.dynamicModel() && x.asic != nil && x.sw.Vendor != platform.Barefoot {
		x.Fit.PortBytes = x.portBytes()
		by, most = "less than "+by, most-1
	} else {
		x.Fit.PortBytes = 0
		for _, g := range c.book.of(x.Port) {
			x.Fit.PortBytes = plus(x.Fit.PortBytes, g.times(max(g.profile.Size, g.profile.Xoff)))
		}
	}
	if x.Fit.PortLimit == 0 {
		x.add(Check{What: what + " (the chip does not say what a port may)", Needed: x.Fit.PortBytes, Result: NotKnown})
		return
	}
	x.add(compare(what, x.Fit.PortBytes, most, by))
}

// poolChecks compares the pools of the port's groups with what profiles reserve of them,
// and all ingress pools with the chip's memory.
func (x *explainer) poolChecks(c *limits) {
	var pools, reserved uint64
	for _, name := range sortedNames(c.rows.BufferPools) {
		p := c.rows.BufferPools[name]
		if p.Type == configdb.Egress || !p.HasSize {
			continue
		}
		pools = plus(pools, p.Size)
		if x.reservesBeside() {
			reserved = plus(reserved, plus(c.reserved[name], p.Xoff))
			continue
		}
		x.add(compare("what profiles reserve, with the shared headroom", plus(c.reserved[name], p.Xoff), p.Size, string(p.ID)+" size"))
	}
	what, by := "the ingress pools in the chip's memory", "the chip's SAI_SWITCH_ATTR_TOTAL_BUFFER_SIZE"
	if x.reservesBeside() {
		what = "the ingress pools, what profiles reserve and the shared headroom in the chip's memory"
	}
	memory := x.params.MMUBytes
	if x.params.StatedMMU > 0 {
		memory, by = x.params.StatedMMU, "BUFFER_MAX_PARAM_TABLE|global mmu_size of STATE_DB"
	}
	if memory == 0 && x.dynamicModel() {
		memory, by = x.memory(), string(configdb.Key(poolTable, egressLossless))+" size, as the chip does not say"
	}
	if memory == 0 {
		x.add(Check{What: what + " (the chip does not say how large it is)", Needed: plus(pools, reserved), Result: NotKnown})
		return
	}
	x.add(compare(what, plus(pools, reserved), memory, by))
}

// refused finds why the port can't have it.
func (x *explainer) refused(would *Output) {
	for _, p := range would.Problems {
		k := p.Row
		mine := k.Table() == poolTable || k == configdb.Key(portTable, x.Port) ||
			strings.HasPrefix(k.Key(), x.Port+"|") || slices.Contains(k.Ports(), x.Port)
		if mine && p.Severity != graph.Warned && x.Refusal == "" {
			x.Refusal = p.Err.Error()
		}
	}
}
