package bufmgr

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"xon/schema/configdb"
	"xon/schema/platform"
)

// Override is what an explanation assumes instead of what rows say.
type Override struct {
	Speed  uint32  // Mb/s; 0: as it is
	Metres *uint32 // of cable; nil: as it is
	MTU    uint32  // octets; 0: as it is
}

func (o *Override) any() bool { return o.Speed != 0 || o.Metres != nil || o.MTU != 0 }

// Explanation says how the headroom of a port comes about, and whether it fits.
type Explanation struct {
	Port    string
	Model   string // configdb.Traditional or configdb.Dynamic
	Profile string // the name of the profile that it makes
	Steps   []Step // inputs first, then what is worked out of them
	Xon     uint64 // bytes
	Xoff    uint64 // bytes
	Size    uint64 // bytes
	// Refusal says why the port can't have it; "": nothing is refused.
	Refusal string
	Notes   []string // what is to be known of the numbers
	Fit     Fit
}

// Step is one number of an Explanation.
type Step struct {
	Name    string  // "cable", "xoff"
	Formula string  // how it is worked out, in names of other steps; "" of an input
	Value   float64 // in Unit
	Unit    string  // "bytes", "Mb/s", "m"; "" for a pure number
	Source  string  // where an input is from: a row with its field, a file, the chip, or that it is built in
}

// Fit compares what a port reserves with what it may, and a pool with and without it.
type Fit struct {
	PortBytes uint64 // that the port's priority groups reserve together; 0: unknown
	PortLimit uint64 // 0: unknown
	Checks    []Check
	Pools     []PoolEffect
}

// PoolEffect is what an Override does to a pool.
type PoolEffect struct {
	Pool          string
	Before, After uint64 // its size, bytes; 0: it has none
	XoffBefore    uint64 // its shared headroom, bytes
	XoffAfter     uint64
}

// assumed is the source of what an Override says.
const assumed = "assumed"

// Headroom explains the headroom of a lossless priority group of a port: as it is, or
// as it would be. Nothing is changed. It is an error if an input is missing: the error
// names it.
func (m *Manager) Headroom(port string, with Override) (Explanation, error) {
	in := m.in
	row := in.Rows.Ports[port]
	if row == nil {
		return Explanation{}, fmt.Errorf("PORT|%s does not exist", port)
	}
	then := in
	then.Rows = with.apply(in.Rows, row)
	after := m.Next(then, slices.Collect(in.Rows.Diff(then.Rows)))
	was, would := m.Output(), after.Output()
	x := explainer{Manager: after, view: after.view(port), with: with}
	x.Explanation = Explanation{Port: port, Model: m.params.Model}
	if m.params.Model != configdb.Dynamic {
		x.Model = configdb.Traditional
	}
	if !row.AdminUp {
		x.Notes = append(x.Notes, fmt.Sprintf("%s is down (admin_status): this is as if it were up", row.ID))
	}
	if err := x.explain(); err != nil {
		if len(x.own(after.check(&would))) == 0 {
			return Explanation{}, fmt.Errorf("headroom of %s: %w", port, err)
		}
		x.Notes = append(x.Notes, "the model gives none: "+err.Error())
	}
	x.fit(&was, &would)
	return x.Explanation, nil
}

// apply is rows as an override has them.
func (o *Override) apply(rows *configdb.Config, port *configdb.Port) *configdb.Config {
	if !o.any() && port.AdminUp {
		return rows
	}
	row := *port
	row.AdminUp = true // or else nothing is reserved that could be compared
	if o.Speed != 0 {
		row.Speed, row.Autoneg = o.Speed, "off"
	}
	if o.MTU != 0 {
		row.MTU = o.MTU
	}
	c := rows.With(&row)
	if o.Metres == nil {
		return c
	}
	length := configdb.CableLength{ID: configdb.Key(cableTable, anyName), Name: anyName}
	if have := first(rows.CableLengths); have != nil {
		length = *have
	}
	metres := map[string]uint32{}
	for name, m := range length.Metres {
		metres[name] = m
	}
	metres[port.Name] = *o.Metres
	length.Metres = metres
	return c.With(&length)
}

// explainer makes an explanation of what a manager knows.
type explainer struct {
	*Manager
	Explanation
	view *view
	with Override
}

func (x *explainer) input(name string, value float64, unit, source string) {
	x.Steps = append(x.Steps, Step{Name: name, Value: value, Unit: unit, Source: source})
}

func (x *explainer) step(name, formula string, value float64, unit string) {
	x.Steps = append(x.Steps, Step{Name: name, Formula: formula, Value: value, Unit: unit})
}

func (x *explainer) explain() error {
	if x.dynamicModel() && slices.ContainsFunc(x.view.pgs, func(row *configdb.BufferPG) bool { return x.applied(row) && x.computes(row) }) {
		x.view, _ = x.view.withKept()
	}
	l, p := x.view.link(&x.common)
	if p != nil {
		return p.Err
	}
	x.input("speed", float64(l.speed), "Mb/s", x.speedSource())
	x.input("length", float64(l.metres), "m", or(x.with.Metres != nil, fmt.Sprintf("%s %s", x.view.cable.row, x.view.name)))
	if !x.dynamicModel() {
		return x.lookedUp(l)
	}
	if p := x.missing(); p != nil {
		return p.Err
	}
	x.input("mtu", float64(l.mtu), "bytes", or(x.with.MTU != 0, x.portField("mtu")))
	l.dynamicTh = x.common.parameter.DynamicTh
	x.computed(l)
	return nil
}

// or is the source of what may be assumed.
func or(isAssumed bool, source string) string {
	if isAssumed {
		return assumed
	}
	return source
}

func (x *explainer) portField(field string) string {
	return string(configdb.Key(portTable, x.view.name)) + " " + field
}

func (x *explainer) speedSource() string {
	switch row := x.view.row; {
	case x.with.Speed != 0:
		return assumed
	case row.Autoneg == "on" && len(row.AdvSpeeds) > 0:
		return x.portField("adv_speeds") + ", the highest"
	case row.Autoneg == "on" && len(x.view.limits.SupportedSpeeds) > 0:
		return "the chip, the highest that it supports"
	}
	return x.portField("speed")
}

// lookedUp explains the traditional model.
func (x *explainer) lookedUp(l link) error {
	mode := x.common.poolMode
	if mode == "" {
		return fmt.Errorf("%s does not exist", configdb.Key(poolTable, losslessPool))
	}
	e, err := x.params.Lookup.entry(l, mode, x.params.MMUBytes)
	if err != nil {
		return err
	}
	source := x.params.Lookup.Source + ":" + strconv.Itoa(e.Line)
	x.Profile = lookedUpName(l)
	x.Xon, x.Xoff, x.Size = e.Xon, e.Xoff, e.Size
	x.input("size", float64(e.Size), "bytes", source)
	x.input("xon", float64(e.Xon), "bytes", source)
	x.input("xoff", float64(e.Xoff), "bytes", source)
	if e.HasXonOffset {
		x.input("xon_offset", float64(e.XonOffset), "bytes", source)
	}
	x.input(mode+"_th", float64(e.Threshold), "", source)
	if l.metres == 0 {
		x.Refusal = "a cable of 0m leaves the port's buffers as they are"
	}
	x.physics()
	return nil
}

// physics adds what may come after a pause, which a lookup file does not say.
func (x *explainer) physics() {
	n, known := x.leastOf(x.Port)
	if !known {
		return
	}
	x.input("mtu", float64(n.link.mtu), "bytes", or(x.with.MTU != 0, x.portField("mtu")))
	x.input("packet", n.packet, "bytes", "built in, of RoCE: what the peer has begun")
	x.input("peer", n.peer, "bytes", n.peerSource())
	sum := "packet + mtu + cable + peer"
	if n.asic != nil {
		x.input("mac_phy", n.macPHY, "bytes", n.asic.Source+": "+n.asic.Name+" mac_phy_delay")
		sum += " + mac_phy"
	}
	x.step("cable", "2·length·speed·10⁹ / 198000000 / 8000", n.cable, "bytes")
	for _, t := range []struct {
		name  string
		bytes float64
	}{{"gearbox", 2 * n.gearbox}, {"tile", n.tile}, {"chip", n.extra}} {
		if t.bytes > 0 {
			x.step(t.name, "as in the dynamic model", t.bytes, "bytes")
			sum += " + " + t.name
		}
	}
	x.step("least", sum, float64(n.bytes()), "bytes")
	if n.asic != nil {
		x.step("at_worst", "packet + (the rest, with what IEEE 802.3 allows the peer)·cells that a packet takes over what it has bytes, at worst, in whole KiB", n.ceiling+n.extra, "bytes")
	}
}

// computed explains the dynamic model.
func (x *explainer) computed(l link) {
	t := x.traffic()
	r := t.compute(l, x.delay(l))
	pattern := string(x.common.pattern.ID)
	x.input("lanes", float64(l.lanes), "", x.portField("lanes"))
	x.input("lossless_mtu", float64(t.mtu), "bytes", pattern+" mtu")
	x.input("small_packets", float64(t.smallPercent), "percent", pattern+" small_packet_percentage")
	x.input("cell", float64(t.asic.CellBytes), "bytes", t.asic.Source+": "+t.asic.Name+" cell_size")
	x.input("pipeline", t.asic.PipelineLatency, "KiB", t.asic.Source+": "+t.asic.Name+" pipeline_latency")
	x.input("mac_phy", t.asic.MACPHYDelay, "KiB", t.asic.Source+": "+t.asic.Name+" mac_phy_delay")
	if r.known {
		x.input("peer", r.peer, "bytes", "IEEE 802.3 Annex 31B.3.7, for the speed")
	} else {
		x.input("peer", r.peer, "bytes", t.asic.Source+": "+t.asic.Name+" peer_response_time, as no standard has the speed")
	}
	if l.gearbox != "" {
		x.input("gearbox_delay", x.delay(l), "ns", "peripheral "+l.gearbox)
	}
	x.terms(l, &t, &r)
	h := r.bytes()
	x.Xon, x.Xoff, x.Size = h.xon, h.xoff, h.size
	x.Profile = profileName(l, x.common.parameter.DynamicTh, x.sw)
	if l.metres == 0 {
		x.Refusal = "a cable of 0m stands for no lossless traffic"
	}
}

// terms adds what is worked out of the inputs.
func (x *explainer) terms(l link, t *traffic, r *terms) {
	x.step("worst", "cells that a packet takes over what it has bytes, at worst", r.worst, "")
	x.step("small_bytes", "100·64 / ((small_packets·64 + (100−small_packets)·lossless_mtu) / 100)", r.small, "percent")
	x.step("occupancy", "(100 − small_bytes + small_bytes·worst) / 100", r.occupy, "")
	bits := "8000"
	if t.vendor == platform.Barefoot {
		bits = "8192"
	}
	x.step("cable", "2·length·speed·10⁹ / 198000000 / "+bits, r.cable, "bytes")
	sum := "mtu + cable + mac_phy·1024 + peer"
	if l.gearbox != "" {
		x.step("gearbox", "speed·gearbox_delay / 8192", r.gearbox, "bytes")
		sum += " + 2·gearbox"
	}
	if r.tile != 0 {
		x.step("tile", "speed/1000·120/8", r.tile, "bytes")
		sum += " + tile"
	}
	x.step("delay", sum, r.delay, "bytes")
	x.step("xoff", x.xoffFormula(t, r), r.xoff, "bytes")
	wideXon := ""
	if t.vendor != platform.Barefoot && l.lanes == wide {
		wideXon = "·2, for eight lanes"
	}
	x.step("xon", "pipeline·1024"+wideXon+", in whole KiB", r.xon, "bytes")
	size := "xon, as headroom is shared"
	if r.size != r.xon {
		size = "xoff + xon, in whole KiB"
		if wideXon != "" {
			size = "xoff + xon + mtu, for eight lanes, in whole KiB"
		}
	}
	x.step("size", size, r.size, "bytes")
}

func (x *explainer) xoffFormula(t *traffic, r *terms) string {
	f := "lossless_mtu + delay·occupancy, in whole KiB"
	rest := r.xoff - ceilKiB(r.average)
	if t.vendor != platform.Barefoot && endsIn(t.asic.Name, "6") {
		f += fmt.Sprintf(", + %d for this chip", generation6Xoff)
		rest -= generation6Xoff
	}
	if rest > 0 {
		f += fmt.Sprintf(", + %d as packets are of two sizes", averageXoff)
	}
	return f
}

// fit compares with what the port and the pools have.
func (x *explainer) fit(was, would *Output) {
	x.refused(would)
	x.checks(would)
	for _, name := range sortedNames(x.in.Rows.BufferPools) {
		e := PoolEffect{Pool: name}
		e.Before, e.XoffBefore = poolSize(was.Rows, name)
		e.After, e.XoffAfter = poolSize(would.Rows, name)
		x.Fit.Pools = append(x.Fit.Pools, e)
	}
}

// portBytes is what all rows of the port want together.
func (x *explainer) portBytes() uint64 {
	b := x.budget(x.view)
	b.limit, b.maxSHP = math.Inf(1), 0
	for _, row := range x.view.pgs {
		if c, p := x.claim(x.view, row); p == nil && !c.absent {
			_ = b.take(&c, false) // without limits it takes all
		}
	}
	return uint64(b.sum)
}

func poolSize(c *configdb.Config, name string) (size, xoff uint64) {
	if p := c.BufferPools[name]; p != nil {
		return p.Size, p.Xoff
	}
	return 0, 0
}
