package sai

// An Injector is a Driver that lets tests set counters and read-only attributes, such
// as a virtual chip. A driver that carries calls to another process is one too, and
// returns StatusNotSupported if the chip there is not.
type Injector interface {
	// InjectStat sets a counter, which continues from there.
	InjectStat(o *ObjectMeta, id OID, stat uint32, value uint64) Status
	// InjectAttr sets a read-only attribute, which overrides what the chip reports.
	InjectAttr(o *ObjectMeta, id OID, a Attribute) Status
}
