package countersdb

// RateSettings is the row with how the rates of ports are smoothed; people change it
// with "config rate smoothing-interval".
const RateSettings = RatesTable + ":PORT"

// RatesTable has the rates of objects and, by kind of object, the settings.
const RatesTable = "RATES"

// Fields of RateSettings, and what they are by default. A new rate counts as much as
// alpha says, from 0 to 1; the interval is what alpha was worked out of.
const (
	RateAlpha        = "PORT_ALPHA"
	RateInterval     = "PORT_SMOOTH_INTERVAL"
	DefaultRateAlpha = "0.18"
	DefaultInterval  = "10"
)

// RatesKey is the row of a port's rates, in bytes and packets a second: RateFields,
// and the statistics that they were worked out of last, each by its name and LastSuffix.
func RatesKey(oid string) string { return RatesTable + ":" + oid }

// Ends of the names of fields: LastSuffix in rows of objects, the others in settings.
const (
	LastSuffix     = "_last"
	alphaSuffix    = "_ALPHA"
	intervalSuffix = "_SMOOTH_INTERVAL"
)

// Rates are the fields of a row of rates.
const (
	RxBytes   = "RX_BPS"
	RxPackets = "RX_PPS"
	TxBytes   = "TX_BPS"
	TxPackets = "TX_PPS"
)

// RateStateKey is the row that says how far the rates of a port are, in RateState.
func RateStateKey(oid string) string { return RatesKey(oid) + ":PORT" }

// RateState is the only field of that row.
const (
	RateState   = "INIT_DONE"
	RateSeen    = "COUNTERS_LAST" // one reading, no rate yet
	RateWorking = "DONE"
)
