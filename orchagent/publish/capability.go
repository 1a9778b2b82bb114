package publish

import (
	"strconv"

	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// capabilities is the row SWITCH_CAPABILITY|switch.
func capabilities(dev *intent.Device) redisdb.Fields {
	algorithm := sai.EnumOf(sai.SwitchAttrECMPDefaultHashAlgorithm)
	fields := dev.ECMP.Fields
	if !fields.Able {
		fields = dev.LAG.Fields
	}
	t := dev.Trimming
	return redisdb.Fields{
		statedb.HashFieldList:            names(sai.EnumOf(sai.HashAttrNativeHashFieldList), fields),
		statedb.ECMPHashCapable:          strconv.FormatBool(dev.ECMP.Fields.Able),
		statedb.LAGHashCapable:           strconv.FormatBool(dev.LAG.Fields.Able),
		statedb.ECMPHashAlgorithm:        names(algorithm, dev.ECMP.Algorithm),
		statedb.ECMPHashAlgorithmCapable: strconv.FormatBool(dev.ECMP.Algorithm.Able),
		statedb.LAGHashAlgorithm:         names(algorithm, dev.LAG.Algorithm),
		statedb.LAGHashAlgorithmCapable:  strconv.FormatBool(dev.LAG.Algorithm.Able),
		statedb.TrimmingCapable:          strconv.FormatBool(t.Able()),
		statedb.TrimmingDSCPModes:        names(sai.EnumOf(sai.SwitchAttrPacketTrimDSCPResolutionMode), t.DSCPModes),
		statedb.TrimmingQueueModes:       names(sai.EnumOf(sai.SwitchAttrPacketTrimQueueResolutionMode), t.QueueModes),
		statedb.TrafficClasses:           number(dev.TrafficClasses),
		statedb.UnicastQueues:            number(dev.UnicastQueues),
		statedb.PFCDLRInitCapable:        strconv.FormatBool(dev.PFCDLRInit),
	}
}

// names lists the values that a chip takes.
func names(known *sai.EnumMeta, c intent.Choice) string {
	if !c.Able || !c.Told {
		return statedb.NotAvailable
	}
	return c.List(known, ",")
}

func number(n int) string {
	if n == 0 {
		return statedb.NotAvailable
	}
	return strconv.Itoa(n)
}
