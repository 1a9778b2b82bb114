package sai

// An Injector is a Driver whose chip has counters and read-only attributes of
// anybody's choice, as tests want: a virtual one. A driver that carries calls to
// another process is one too, and answers StatusNotSupported if the chip there is not.
type Injector interface {
	// InjectStat gives a counter a value. It counts on from there.
	InjectStat(o *ObjectMeta, id OID, stat uint32, value uint64) Status
	// InjectAttr gives a read-only attribute a value, in place of what the chip tells.
	InjectAttr(o *ObjectMeta, id OID, a Attribute) Status
}
