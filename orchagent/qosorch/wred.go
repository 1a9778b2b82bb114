package qosorch

import (
	"errors"
	"fmt"
	"math"

	"xon/orchagent/graph"
	"xon/orchagent/intent"
	"xon/sai"
	"xon/schema/configdb"
)

// curve is what SAI has for one colour.
type curve struct {
	name                  string // in field names
	enable                sai.Attr[sai.Wred, bool]
	min, max, probability sai.Attr[sai.Wred, uint32]
}

var curves = [configdb.NumColours]curve{
	configdb.Green: {
		"green", sai.WredAttrGreenEnable, sai.WredAttrGreenMinThreshold,
		sai.WredAttrGreenMaxThreshold, sai.WredAttrGreenDropProbability,
	},
	configdb.Yellow: {
		"yellow", sai.WredAttrYellowEnable, sai.WredAttrYellowMinThreshold,
		sai.WredAttrYellowMaxThreshold, sai.WredAttrYellowDropProbability,
	},
	configdb.Red: {
		"red", sai.WredAttrRedEnable, sai.WredAttrRedMinThreshold,
		sai.WredAttrRedMaxThreshold, sai.WredAttrRedDropProbability,
	},
}

// WRED derives WRED profiles, and which of them queues use.
var WRED = intent.Feature{
	Shared: deriveWRED,
	Reads:  []string{"WRED_PROFILE", "XON_WRED"},
	Port:   derivePortWRED,
	Fields: wredFields,
}

// wredFields maps the attributes set here to fields of WRED_PROFILE, XON_WRED and QUEUE.
var wredFields = func() []graph.Field {
	list := []graph.Field{
		graph.FieldOf(sai.WredAttrECNMarkMode, "ecn"),
		graph.FieldOf(sai.WredAttrXonMarkAtDequeue, "mark"),
		graph.FieldOf(sai.QueueAttrWredProfileID, "wred_profile"),
	}
	for _, c := range curves {
		list = append(
			list, graph.FieldOf(c.enable, "wred_"+c.name+"_enable"), graph.FieldOf(c.min, c.name+"_min_threshold"),
			graph.FieldOf(c.max, c.name+"_max_threshold"), graph.FieldOf(c.probability, c.name+"_drop_probability"),
		)
	}
	return list
}()

// wredKey returns the key of a profile.
func wredKey(name string) graph.Key { return graph.Key{Type: sai.ObjectTypeWred, Name: name} }

// markModes are SAI's modes by the set of colours: bit n for colour n.
var markModes = [1 << configdb.NumColours]sai.ECNMarkMode{
	0: sai.ECNMarkModeNone,
	1: sai.ECNMarkModeGreen,
	2: sai.ECNMarkModeYellow,
	3: sai.ECNMarkModeGreenYellow,
	4: sai.ECNMarkModeRed,
	5: sai.ECNMarkModeGreenRed,
	6: sai.ECNMarkModeYellowRed,
	7: sai.ECNMarkModeAll,
}

// deriveWRED derives the profiles.
//
// The average queue that WRED works on is the present one (weight 0), as in SONiC:
// ECN for RoCE must answer within a round trip.
//
// Source: sonic-wred-profile.yang, saiwred.h.
func deriveWRED(s *intent.Snapshot, b *graph.Builder) {
	for _, row := range s.Rows.XonWREDs {
		checkMark(s, row, b)
	}
	for _, row := range s.Rows.WREDProfiles {
		attrs := []graph.Attr{graph.Of(sai.WredAttrWeight.Is(0))}
		var marked uint8
		for i := range row.Curves {
			attrs = appendCurve(attrs, row, i, b)
			if row.ECN[i] {
				marked |= 1 << i
			}
		}
		attrs = append(attrs, graph.Of(sai.WredAttrECNMarkMode.Is(markModes[marked])))
		rows := []configdb.RowKey{row.ID}
		if x := s.Rows.XonWREDs[row.Name]; x != nil && s.Device.MarkAtDequeue {
			rows = append(rows, x.ID)
			attrs = append(attrs, graph.Of(sai.WredAttrXonMarkAtDequeue.Is(x.AtDequeue())))
		}
		b.AddFrom(rows, wredKey(row.Name), attrs...)
	}
}

// checkMark wants the profile to be there, and the chip to be able to mark at dequeue.
func checkMark(s *intent.Snapshot, row *configdb.XonWRED, b *graph.Builder) {
	profile := configdb.Key("WRED_PROFILE", row.Name)
	switch {
	case s.Rows.WREDProfiles[row.Name] == nil:
		b.Wait(row.ID, "", profile, fmt.Errorf("%s does not exist", profile))
	case row.AtDequeue() && !s.Device.MarkAtDequeue:
		b.Refuse(row.ID, "mark", errors.New("the chip can't mark packets as they leave their queue (SAI_WRED_ATTR_XON_MARK_AT_DEQUEUE): leave mark out, or set it to enqueue"))
	}
}

// appendCurve adds what the row says about one colour. A colour that is dropped or
// marked without a probability has 100 percent.
func appendCurve(attrs []graph.Attr, row *configdb.WREDProfile, colour int, b *graph.Builder) []graph.Attr {
	c, is := row.Curves[colour], curves[colour]
	attrs = graph.AppendIf(attrs, c.HasEnable, is.enable.Is(c.Enable))
	attrs = graph.AppendIf(attrs, c.HasMin, is.min.Is(threshold(row, is.name+"_min_threshold", c.Min, b)))
	attrs = graph.AppendIf(attrs, c.HasMax, is.max.Is(threshold(row, is.name+"_max_threshold", c.Max, b)))
	return graph.AppendIf(attrs, c.HasProb || c.Enable, is.probability.Is(uint32(c.Probability)))
}

// threshold checks that a threshold fits into SAI's 32 bits.
func threshold(row *configdb.WREDProfile, field string, n uint64, b *graph.Builder) uint32 {
	if n > math.MaxUint32 {
		b.Refuse(row.ID, field, fmt.Errorf("%d bytes: the chip's interface takes at most %d", n, uint32(math.MaxUint32)))
	}
	return uint32(n)
}

// derivePortWRED derives the profiles of a port's queues.
//
// Source: sonic-queue.yang, saiqueue.h.
func derivePortWRED(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	for i, row := range v.WRED {
		if row != nil {
			b.Add(row.ID, v.Queues[i].WRED, graph.RefTo(sai.QueueAttrWredProfileID, wredKey(row.WRED)))
		}
	}
}
