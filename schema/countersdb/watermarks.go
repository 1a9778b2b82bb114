package countersdb

// Watermark is one of the hashes that keep the highest readings of an object's
// watermarks since they were last cleared. To clear is to write 0.
type Watermark uint8

// The hashes.
const (
	Periodic   Watermark = iota // cleared by a timer
	Persistent                  // by hand
	User                        // by hand
)

// Watermarks are all of them.
var Watermarks = []Watermark{Periodic, Persistent, User}

var watermarkNames = [...]string{Periodic: "PERIODIC", Persistent: "PERSISTENT", User: "USER"}

// Name is what a request to clear calls it: "USER".
func (w Watermark) Name() string { return watermarkNames[w] }

// Key is the row of an object: "USER_WATERMARKS:oid:0x15000000000001". Its fields are
// statistics by their SAI names.
func (w Watermark) Key(oid string) string { return w.Table() + ":" + oid }

// Table is the table of the rows: "USER_WATERMARKS".
func (w Watermark) Table() string { return watermarkNames[w] + watermarkSuffix }

const watermarkSuffix = "_WATERMARKS"

// ClearChannel is the channel of APPL_DB on which programs ask for watermarks to be
// cleared: op is Watermark.Name of Persistent or User, data one of Clearings.
const ClearChannel = "WATERMARK_CLEAR_REQUEST"

// Clearing is what a request to clear is about.
type Clearing struct {
	Group string // one of Groups by name
	Stat  string
	Queue string // with queues: of this type only
}

// Clearings are by the name in a request.
//
// Source: SONiC's watermarkorch.
var Clearings = map[string]Clearing{
	"PG_HEADROOM":    {Group: PGWatermarkGroup, Stat: "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES"},
	"PG_SHARED":      {Group: PGWatermarkGroup, Stat: "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"},
	"Q_SHARED_UNI":   {Group: QueueWatermarkGroup, Stat: "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", Queue: UnicastQueue},
	"Q_SHARED_MULTI": {Group: QueueWatermarkGroup, Stat: "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", Queue: MulticastQueue},
	"Q_SHARED_ALL":   {Group: QueueWatermarkGroup, Stat: "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", Queue: AnyQueue},
	"BUFFER_POOL":    {Group: PoolWatermarkGroup, Stat: "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES"},
	"HEADROOM_POOL":  {Group: PoolWatermarkGroup, Stat: "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES"},
}
