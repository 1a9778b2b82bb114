package configdb

// BufferProfileList is a row BUFFER_PORT_INGRESS_PROFILE_LIST|<ports> or
// BUFFER_PORT_EGRESS_PROFILE_LIST|<ports>.
//
// Source: sonic-buffer-port-ingress-profile-list.yang and its sibling.
type BufferProfileList struct {
	ID        RowKey
	Direction string // Ingress or Egress
	Ports     []string
	Profiles  []string // in the order given, each once; nil for none
}

// RowKey implements Row.
func (r *BufferProfileList) RowKey() RowKey { return r.ID }

var bufferIngressListTable = bufferListTable(Ingress, "BUFFER_PORT_INGRESS_PROFILE_LIST", "sonic-buffer-port-ingress-profile-list.yang",
	func(c *Config) *map[string]*BufferProfileList { return &c.BufferIngressLists })

var bufferEgressListTable = bufferListTable(Egress, "BUFFER_PORT_EGRESS_PROFILE_LIST", "sonic-buffer-port-egress-profile-list.yang",
	func(c *Config) *map[string]*BufferProfileList { return &c.BufferEgressLists })

func bufferListTable(direction, name, source string, at func(*Config) *map[string]*BufferProfileList) *Table {
	return define(Table{
		Name:   name,
		Doc:    "The buffer profiles that limit a port as a whole, " + direction + ", one for each pool.",
		Key:    "<port>[,<port>...]",
		Source: source,
	}, &spec[BufferProfileList, *BufferProfileList]{
		key: func(r *BufferProfileList, key string) (err error) {
			r.Direction = direction
			r.Ports, err = parsePorts(key)
			return wrapKey(key, err)
		},
		id: func(r *BufferProfileList) *RowKey { return &r.ID },
		columns: []column[BufferProfileList]{
			references(Field{Name: "profile_list", At: true, Example: "lossless_profile,lossy_profile", Doc: "The profiles. Absent or empty: none."},
				"BUFFER_PROFILE", func(r *BufferProfileList) *[]string { return &r.Profiles }),
		},
		place: placedPorts(func(r *BufferProfileList) *[]string { return &r.Ports }),
		at:    at,
	})
}
