package vsai

import (
	"slices"

	"xon/sai"
)

// choices are the values that a chip accepts for attributes where SAI allows more; for
// lists, of each element. nil: the chip does not have the attribute.
var choices = map[*sai.AttrMeta]func(*Profile) []int32{
	sai.HashAttrNativeHashFieldList.AttrMeta:        hashFields,
	sai.SwitchAttrECMPDefaultHashAlgorithm.AttrMeta: hashAlgorithms,
	sai.SwitchAttrLAGDefaultHashAlgorithm.AttrMeta:  hashAlgorithms,

	sai.SwitchAttrPacketTrimDSCPResolutionMode.AttrMeta: func(p *Profile) []int32 {
		return whereTrimmed(p, int32(sai.PacketTrimDSCPResolutionModeDSCPValue), int32(sai.PacketTrimDSCPResolutionModeFromTC))
	},
	sai.SwitchAttrPacketTrimQueueResolutionMode.AttrMeta: func(p *Profile) []int32 {
		return whereTrimmed(p, int32(sai.PacketTrimQueueResolutionModeStatic), int32(sai.PacketTrimQueueResolutionModeDynamic))
	},
	sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta: func(p *Profile) []int32 {
		drop := []int32{int32(sai.BufferProfilePacketAdmissionFailActionDrop)}
		return append(drop, whereTrimmed(p, int32(sai.BufferProfilePacketAdmissionFailActionDropAndTrim))...)
	},
}

// trims are the attributes that only chips with packet trimming have.
var trims = []*sai.AttrMeta{
	sai.SwitchAttrPacketTrimSize.AttrMeta, sai.SwitchAttrPacketTrimDSCPResolutionMode.AttrMeta, sai.SwitchAttrPacketTrimDSCPValue.AttrMeta,
	sai.SwitchAttrPacketTrimTCValue.AttrMeta, sai.SwitchAttrPacketTrimQueueResolutionMode.AttrMeta, sai.SwitchAttrPacketTrimQueueIndex.AttrMeta,
}

func whereTrimmed(p *Profile, values ...int32) []int32 {
	if !p.Trims {
		return nil
	}
	return values
}

func hashFields(p *Profile) []int32 { return numbers(p.HashFields) }

func hashAlgorithms(p *Profile) []int32 { return numbers(p.HashAlgorithms) }

func numbers[E ~int32](list []E) []int32 {
	out := make([]int32, len(list))
	for i, v := range list {
		out[i] = int32(v)
	}
	return out
}

// lacksAttr reports whether the chip does not have an attribute that other chips have.
func (c *Chip) lacksAttr(a *sai.AttrMeta) bool {
	return !c.profile.Trims && slices.Contains(trims, a) || !c.profile.FastECN && a == sai.WredAttrXonMarkAtDequeue.AttrMeta
}

// acceptsChoice reports whether the chip accepts an enum value, or each value of a list
// without duplicates.
func (c *Chip) acceptsChoice(a sai.Attribute) bool {
	values := choices[a.AttrMeta]
	if values == nil {
		return true
	}
	list, isList := a.Ref.([]int32)
	if !isList && a.Kind == sai.KindEnum {
		list = []int32{int32(a.Num)}
	}
	able := values(c.profile)
	for i, v := range list {
		if !slices.Contains(able, v) || slices.Contains(list[:i], v) {
			return false
		}
	}
	return true
}

// trimmed reports whether a buffer profile trims packets that do not fit.
func trimmed(action uint64) bool {
	return sai.BufferProfilePacketAdmissionFailAction(action) == sai.BufferProfilePacketAdmissionFailActionDropAndTrim
}

// drops reports whether a buffer profile drops packets that do not fit. Only queues can
// trim: a packet that was not admitted at ingress cannot be sent.
func (c *Chip) drops(profile sai.OID) bool {
	x := c.byID(profile)
	return x == nil || !trimmed(x.num(sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta))
}

// checkBufferProfile refuses trimming for a profile that a priority group or a port
// uses.
func checkBufferProfile(c *Chip, v candidate) *sai.AttrMeta {
	a := sai.BufferProfileAttrPacketAdmissionFailAction.AttrMeta
	if v.x == nil || !v.inCall(a) || !trimmed(v.num(a)) {
		return nil
	}
	for _, pg := range c.list(sai.IngressPriorityGroup{}.Meta()) {
		if sai.OID(pg.num(sai.IngressPriorityGroupAttrBufferProfile.AttrMeta)) == v.x.id {
			return a
		}
	}
	for _, p := range c.ports {
		for list := range profileLists {
			val, _ := p.x.value(list.ID)
			if ids, _ := val.Ref.([]sai.OID); slices.Contains(ids, v.x.id) {
				return a
			}
		}
	}
	return nil
}
