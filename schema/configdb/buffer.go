package configdb

// Directions and modes of buffers, as they are spelled in rows.
const (
	Ingress = "ingress"
	Egress  = "egress"
	Both    = "both"
	Static  = "static"
	Dynamic = "dynamic"
)

// BufferPool is a row BUFFER_POOL|<name>.
//
// Source: sonic-buffer-pool.yang.
type BufferPool struct {
	ID         RowKey
	Name       string
	Type       string // Ingress, Egress or Both
	Mode       string // Static or Dynamic: how its profiles' thresholds are meant
	Size       uint64 // bytes
	HasSize    bool   // false: to be computed from the headroom model
	Xoff       uint64 // bytes of shared headroom
	HasXoff    bool
	Percentage uint8 // of the computed size, 1 to 100; 0 when absent
}

// BufferProfile is a row BUFFER_PROFILE|<name>.
//
// Source: sonic-buffer-profile.yang.
type BufferProfile struct {
	ID           RowKey
	Name         string
	Pool         string
	Size         uint64 // reserved bytes
	HasSize      bool   // false only with HeadroomType Dynamic
	Mode         string // Dynamic: DynamicTh holds; Static: StaticTh; "" when neither field is there
	DynamicTh    int8   // the threshold is 2^n of the free buffer, -8 to 7
	StaticTh     uint64 // bytes
	Xon          uint64 // bytes
	XonOffset    uint64 // bytes
	Xoff         uint64 // bytes of headroom
	HasXon       bool
	HasXonOffset bool
	HasXoff      bool   // makes the profile lossless
	HeadroomType string // Static (default) or Dynamic: computed by the headroom model
	Trim         bool   // packet_discard_action is "trim"
}

// Lossless reports whether the profile has headroom.
func (p *BufferProfile) Lossless() bool { return p.HasXoff || p.HeadroomType == Dynamic }

// DynamicHeadroom is the profile name that asks the headroom model for one.
const DynamicHeadroom = "NULL"

// BufferPG is a row BUFFER_PG|<ports>|<range>.
//
// Source: sonic-buffer-pg.yang.
type BufferPG struct {
	ID RowKey
	Span
	Profile string // a name, or DynamicHeadroom
}

// BufferQueue is a row BUFFER_QUEUE|<ports>|<range>.
//
// Source: sonic-buffer-queue.yang.
type BufferQueue struct {
	ID RowKey
	Span
	Profile string
}

// BufferProfileList is a row BUFFER_PORT_INGRESS_PROFILE_LIST|<ports> or
// BUFFER_PORT_EGRESS_PROFILE_LIST|<ports>.
//
// Source: sonic-buffer-port-ingress-profile-list.yang and its sibling.
type BufferProfileList struct {
	ID        RowKey
	Direction string // Ingress or Egress
	Ports     []string
	Profiles  []string // in the order given
}
