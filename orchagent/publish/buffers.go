package publish

import (
	"xon/orchagent/bufmgr"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// bufferTables are the tables that are the buffer manager's with these parameters: with
// the traditional model none, and if there are rows they are somebody else's.
func bufferTables(p *bufmgr.Params) []string {
	if p == nil || !p.IsDynamic() {
		return nil
	}
	return []string{statedb.ASICTable, statedb.PeripheralTable, statedb.PortPeripheralTable}
}

// constants are what the dynamic model reckons with, by key in STATE_DB. Of ports it
// says what was given: one that stands for all ports is a row too.
func constants(p *bufmgr.Params) map[string]redisdb.Fields {
	rows := map[string]redisdb.Fields{}
	if p == nil || !p.IsDynamic() {
		return rows
	}
	if a := p.ASIC; a != nil {
		rows[redisdb.StateDB.Key(statedb.ASICTable, a.Name)] = statedb.ASIC{
			CellBytes: a.CellBytes, PipelineLatency: a.PipelineLatency, MACPHYDelay: a.MACPHYDelay, PeerResponseTime: a.PeerResponseTime,
			PortReservedSHP: a.PortReservedSHP, PortMaxSHP: a.PortMaxSHP,
		}.Format()
	}
	for model, g := range p.Peripherals {
		rows[redisdb.StateDB.Key(statedb.PeripheralTable, model)] = redisdb.Fields{statedb.GearboxDelay: statedb.Fraction(g.Delay)}
	}
	for port, model := range p.PortGearbox {
		rows[redisdb.StateDB.Key(statedb.PortPeripheralTable, port)] = redisdb.Fields{statedb.GearboxModel: model}
	}
	return rows
}
