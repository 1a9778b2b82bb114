package configdb

// Directions and modes of buffers, as they are spelled in rows.
const (
	Ingress = "ingress"
	Egress  = "egress"
	Both    = "both"
	Static  = "static"
	Dynamic = "dynamic"
)

const bytesUnit = "bytes"
