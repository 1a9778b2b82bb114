package bufmgr

// Lookup is headroom by speed and cable length.
//
// Source: SONiC's pg_profile_lookup.ini.
type Lookup struct {
	Source  string // where it was read, for people
	Entries []LookupEntry
}

// LookupEntry is one line of a Lookup.
type LookupEntry struct {
	Line         int    // in its file, from 1
	Speed        uint32 // Mb/s
	Metres       uint32
	Size         uint64 // bytes
	Xon          uint64 // bytes
	Xoff         uint64 // bytes
	Threshold    int64  // dynamic_th or static_th, as the pool's mode says
	XonOffset    uint64 // bytes
	HasXonOffset bool
}
