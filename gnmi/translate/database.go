// Package translate says what a gNMI path means: which fields of which rows, and
// what a Set of it does. It knows the origin sonic-db: tables as they lie in the
// databases, and SONiC's paths that name a port where the database has an
// object's number.
//
// How rows are read and watched is said by an interface (Databases); how answers
// are sent is not for here.
package translate

import "context"

// Fields is one hash. A row with a key and nothing else is empty, not nil.
type Fields = map[string]string

// Databases is what is needed of Redis. Databases and hashes go by SONiC's names,
// "CONFIG_DB" and "PORT|Ethernet0".
type Databases interface {
	// Scan returns the hashes of a table by their names, or all with table "". Keys
	// that are no hashes are left out.
	Scan(ctx context.Context, db, table string) (map[string]Fields, error)
	// Read returns hashes in the order of names, nil for one that does not exist.
	Read(ctx context.Context, db string, names []string) ([]Fields, error)
	// Watch sends the names of the hashes that changed since Watch returned; no
	// names at all mean that some may have been missed. The channel is closed when
	// ctx ends, or when the server can tell no more.
	Watch(ctx context.Context, db string) (<-chan []string, error)
}

// kind is what is to be known of a database.
type kind struct {
	separator string
	writable  bool
	mirror    bool // of configuration, so not OPERATIONAL
}

var databases = map[string]kind{
	"CONFIG_DB":       {separator: "|", writable: true},
	"APPL_DB":         {separator: ":", mirror: true},
	"STATE_DB":        {separator: "|"},
	"COUNTERS_DB":     {separator: ":"},
	"ASIC_DB":         {separator: ":"},
	"FLEX_COUNTER_DB": {separator: ":", mirror: true},
	"APPL_STATE_DB":   {separator: ":", mirror: true},
}

// keyless tells the tables that are a single hash, named as the table.
func keyless(db, table string) bool {
	switch db {
	case "COUNTERS_DB":
		return len(table) > 4 && table[len(table)-4:] == "_MAP"
	case "ASIC_DB":
		switch table {
		case "VIDTORID", "RIDTOVID", "LANES", "HIDDEN", "COLDVIDS":
			return true
		}
	}
	return false
}
