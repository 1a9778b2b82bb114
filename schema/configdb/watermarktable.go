package configdb

import "fmt"

// TelemetryInterval is the row WATERMARK_TABLE|TELEMETRY_INTERVAL: how often the
// periodic watermarks begin anew. Without the row they do with the default.
//
// Source: SONiC's watermarkcfg and watermarkorch; there is no YANG of it.
type TelemetryInterval struct {
	ID      RowKey
	Seconds uint32 // 0: never
}

// RowKey implements Row.
func (r *TelemetryInterval) RowKey() RowKey { return r.ID }

// DefaultTelemetrySeconds is the period of the periodic watermarks.
const DefaultTelemetrySeconds = 120

// TelemetryKey is the only key of WATERMARK_TABLE.
const TelemetryKey = "TELEMETRY_INTERVAL"

var watermarkTable = define(Table{
	Name:   "WATERMARK_TABLE",
	Doc:    "How often the periodic watermarks begin anew. One row.",
	Key:    TelemetryKey,
	Source: "SONiC's watermarkcfg",
}, &spec[TelemetryInterval, *TelemetryInterval]{
	key: func(_ *TelemetryInterval, key string) error {
		if key != TelemetryKey {
			return fmt.Errorf("key %s: the only row is %q", quote(key), TelemetryKey)
		}
		return nil
	},
	id: func(r *TelemetryInterval) *RowKey { return &r.ID },
	columns: []column[TelemetryInterval]{
		unsigned(Field{Name: "interval", Unit: "s", Default: fmt.Sprint(DefaultTelemetrySeconds), Example: "30", Doc: "The period; a change counts after the one that runs. 0: they never begin anew."},
			0, 1<<32-1, func(r *TelemetryInterval) *uint32 { return &r.Seconds }),
	},
	at: func(c *Config) *map[string]*TelemetryInterval { return &c.TelemetryIntervals },
})
