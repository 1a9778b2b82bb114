package configdb

import (
	"iter"
)

// Config is all rows that xon understands, by the key behind the table's name.
// Rows are shared between copies and never change once parsed. The zero Config
// has none. A Config that others may hold is changed by Edit alone.
type Config struct {
	DeviceMetadata     map[string]*DeviceMetadata
	Ports              map[string]*Port
	CableLengths       map[string]*CableLength
	QoSMaps            [NumMapKinds]map[string]*QoSMap
	Schedulers         map[string]*Scheduler
	WREDProfiles       map[string]*WREDProfile
	Queues             map[string]*Queue
	PortQoSMaps        map[string]*PortQoSMap
	BufferPools        map[string]*BufferPool
	BufferProfiles     map[string]*BufferProfile
	BufferPGs          map[string]*BufferPG
	BufferQueues       map[string]*BufferQueue
	BufferIngressLists map[string]*BufferProfileList
	BufferEgressLists  map[string]*BufferProfileList
	SwitchHashes       map[string]*SwitchHash
	SwitchTrimmings    map[string]*SwitchTrimming
	SwitchTables       map[string]*SwitchTable
	FlexCounters       map[string]*FlexCounter
	TelemetryIntervals map[string]*TelemetryInterval
	XonPFCs            map[string]*XonPFC
	XonPorts           map[string]*XonPort
	XonWREDs           map[string]*XonWRED
	VLANs              map[string]*VLAN
	VLANMembers        map[string]*VLANMember
	Interfaces         map[string]*Interface
	VLANInterfaces     map[string]*Interface
	LoopbackInterfaces map[string]*Interface
	Neighbors          map[string]*Neighbor
	StaticRoutes       map[string]*StaticRoute

	DefaultLosslessBufferParameters map[string]*DefaultLosslessBufferParameter
	LosslessTrafficPatterns         map[string]*LosslessTrafficPattern
}

// Get returns a row; nil if it is not there or its table is none of Tables.
func (c *Config) Get(key RowKey) Row {
	t, ok := Lookup(key.Table())
	if !ok {
		return nil
	}
	return t.rows.get(c, key.Key())
}

// Has reports whether a table has a row with the key.
func (c *Config) Has(table, key string) bool {
	t, ok := Lookup(table)
	return ok && t.rows.get(c, key) != nil
}

// TakeTable makes the rows of a table, one of Tables, those of another Config. It is for a
// copy that nobody else holds yet.
func (c *Config) TakeTable(table string, from *Config) {
	t, _ := Lookup(table)
	t.rows.take(c, from)
}

// All yields every row, in the order of Tables and naturally by key.
func (c *Config) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, t := range tables {
			for _, row := range t.rows.all(c) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Diff yields the keys of the rows that are not the same, by pointer, in both, in no order
// within a table. Tables that the two share cost nothing.
func (c *Config) Diff(other *Config) iter.Seq[RowKey] {
	return func(yield func(RowKey) bool) {
		for _, t := range tables {
			if !t.rows.diff(c, other, yield) {
				return
			}
		}
	}
}

// With returns a copy of c with rows added or replaced; c stays as it is. For many
// steps Edit is faster.
func (c *Config) With(rows ...Row) *Config {
	e := c.Edit()
	for _, row := range rows {
		e.Put(row)
	}
	return e.Config()
}

// Editor makes a changed copy of a Config. It copies a table when it first touches
// it, and shares the others. It is for one goroutine.
type Editor struct {
	config *Config
	owned  []bool // by index of the table
}

// Edit begins a copy of c, which stays as it is.
func (c *Config) Edit() *Editor {
	e := &Editor{config: new(Config), owned: make([]bool, len(tables))}
	*e.config = *c
	return e
}

// Put adds or replaces the row with row's ID. An ID of an unknown table, or one
// that is another type's, is a bug and panics; Parse makes none.
func (e *Editor) Put(row Row) { e.own(row.RowKey()).rows.put(e.config, row) }

// Remove takes a row away. One that is not there, and one of a table that is none
// of Tables, needs no taking away.
func (e *Editor) Remove(key RowKey) {
	if e.Get(key) != nil {
		e.own(key).rows.remove(e.config, key.Key())
	}
}

// Get returns a row as it is by now; nil if it is not there.
func (e *Editor) Get(key RowKey) Row { return e.config.Get(key) }

// own makes the table of a row the editor's own and returns it.
func (e *Editor) own(key RowKey) *Table {
	i, ok := tableByName[key.Table()]
	if !ok {
		panic("configdb: no table has the row " + string(key))
	}
	if !e.owned[i] {
		tables[i].rows.own(e.config)
		e.owned[i] = true
	}
	return tables[i]
}

// Config returns the result. The editor may go on; what it does then is not seen
// in results it gave before.
func (e *Editor) Config() *Config {
	c := *e.config
	clear(e.owned)
	return &c
}
