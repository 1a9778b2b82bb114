package statedb

// The row SWITCH_CAPABILITY|switch: what the chip can do. SONiC's command line reads
// it before it writes SWITCH_HASH and SWITCH_TRIMMING.
//
// Source: SONiC's switchorch.
const (
	CapabilityTable  = "SWITCH_CAPABILITY"
	CapabilitySwitch = "switch"
)

// Fields of the row. Lists are names without SAI's prefix between commas, "N/A" if
// the chip does not have the attribute; what ends in CAPABLE is "true" or "false".
const (
	HashFieldList            = "HASH|NATIVE_HASH_FIELD_LIST"
	ECMPHashCapable          = "ECMP_HASH_CAPABLE"
	LAGHashCapable           = "LAG_HASH_CAPABLE"
	ECMPHashAlgorithm        = "ECMP_HASH_ALGORITHM"
	ECMPHashAlgorithmCapable = "ECMP_HASH_ALGORITHM_CAPABLE"
	LAGHashAlgorithm         = "LAG_HASH_ALGORITHM"
	LAGHashAlgorithmCapable  = "LAG_HASH_ALGORITHM_CAPABLE"
	TrimmingCapable          = "SWITCH_TRIMMING_CAPABLE"
	TrimmingDSCPModes        = "SWITCH|PACKET_TRIMMING_DSCP_RESOLUTION_MODE"
	TrimmingQueueModes       = "SWITCH|PACKET_TRIMMING_QUEUE_RESOLUTION_MODE"
	TrafficClasses           = "SWITCH|NUMBER_OF_TRAFFIC_CLASSES"
	UnicastQueues            = "SWITCH|NUMBER_OF_UNICAST_QUEUES"
	PFCDLRInitCapable        = "PFC_DLR_INIT_CAPABLE"
)

// NotAvailable stands for a list or a number that the chip does not tell.
const NotAvailable = "N/A"
