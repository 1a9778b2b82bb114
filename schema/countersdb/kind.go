package countersdb

import "strings"

// Kind is how the text of a field is to be read.
type Kind uint8

// The kinds.
const (
	Text  Kind = iota
	Count      // a whole number from 0 to 2^64-1
	Rate       // a decimal number
)

// KindOf returns what a field of a row holds, by the row's key and the field's name; Text
// for rows and fields that it does not know. A writer may still put "N/A" in place of a
// number.
//
// Source: SONiC's flex counters, port_rates.lua, watermarkorch and pfcwdorch.
func KindOf(key, field string) Kind {
	table, rest, keyed := strings.Cut(key, ":")
	switch {
	case !keyed:
		return Text
	case key == TimesKey:
		return countIf(strings.HasSuffix(field, timeSuffix))
	case table == RatesTable:
		return kindOfRate(rest, field)
	case table == CountersTable || strings.HasSuffix(table, watermarkSuffix):
		return countIf(isStatistic(field) || isWatchdogCount(field))
	}
	return Text
}

func countIf(is bool) Kind {
	if is {
		return Count
	}
	return Text
}

// kindOfRate is for the table of rates: an object's row, or the settings of a kind of
// object, as RateSettings.
func kindOfRate(key, field string) Kind {
	if !strings.HasPrefix(key, "oid:") {
		switch {
		case strings.HasSuffix(field, alphaSuffix):
			return Rate
		default:
			return countIf(strings.HasSuffix(field, intervalSuffix))
		}
	}
	switch field {
	case RxBytes, RxPackets, TxBytes, TxPackets:
		return Rate
	}
	return countIf(isStatistic(strings.TrimSuffix(field, LastSuffix)))
}

// isStatistic reports whether a name is one of SAI's statistics, such as "SAI_QUEUE_STAT_PACKETS".
func isStatistic(field string) bool {
	return strings.HasPrefix(field, "SAI_") && strings.Contains(field, "_STAT_")
}

// isWatchdogCount distinguishes what the PFC watchdog counts for a queue from its settings and
// its state: packets, storms, and times in microseconds.
func isWatchdogCount(field string) bool {
	return strings.HasPrefix(field, "PFC_WD_QUEUE_STATS_") ||
		strings.HasPrefix(field, "PFC_WD_DETECTION_TIME") || strings.HasPrefix(field, "PFC_WD_RESTORATION_TIME")
}
