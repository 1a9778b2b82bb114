// Package wredorch derives WRED and ECN profiles, and which queues use them, from
// WRED_PROFILE, XON_WRED and QUEUE.
//
// What is not for here: a queue's scheduler (schedorch) and buffer (bufferorch).
package wredorch

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
	name                          string // in field names
	enable, min, max, probability *sai.AttrMeta
}

var curves = [configdb.NumColours]curve{
	configdb.Green: {
		"green", sai.WredAttrGreenEnable.AttrMeta, sai.WredAttrGreenMinThreshold.AttrMeta,
		sai.WredAttrGreenMaxThreshold.AttrMeta, sai.WredAttrGreenDropProbability.AttrMeta,
	},
	configdb.Yellow: {
		"yellow", sai.WredAttrYellowEnable.AttrMeta, sai.WredAttrYellowMinThreshold.AttrMeta,
		sai.WredAttrYellowMaxThreshold.AttrMeta, sai.WredAttrYellowDropProbability.AttrMeta,
	},
	configdb.Red: {
		"red", sai.WredAttrRedEnable.AttrMeta, sai.WredAttrRedMinThreshold.AttrMeta,
		sai.WredAttrRedMaxThreshold.AttrMeta, sai.WredAttrRedDropProbability.AttrMeta,
	},
}

// Feature is what the agent needs of the package.
var Feature = intent.Feature{
	Shared: deriveShared,
	Reads:  []string{"WRED_PROFILE", "XON_WRED"},
	Port:   derivePort,
	Fields: fields,
}

// fields maps the attributes set here to fields of WRED_PROFILE, XON_WRED and QUEUE.
var fields = func() map[*sai.AttrMeta]string {
	m := map[*sai.AttrMeta]string{
		sai.WredAttrECNMarkMode.AttrMeta:      "ecn",
		sai.WredAttrXonMarkAtDequeue.AttrMeta: "mark",
		sai.QueueAttrWredProfileID.AttrMeta:   "wred_profile",
	}
	for _, c := range curves {
		m[c.enable] = "wred_" + c.name + "_enable"
		m[c.min] = c.name + "_min_threshold"
		m[c.max] = c.name + "_max_threshold"
		m[c.probability] = c.name + "_drop_probability"
	}
	return m
}()

// Key returns the key of a profile.
func Key(name string) graph.Key { return graph.Key{Type: sai.ObjectTypeWred, Name: name} }

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

// deriveShared derives the profiles.
//
// The average queue that WRED works on is the present one (weight 0), as in SONiC:
// ECN for RoCE must answer within a round trip.
//
// Source: sonic-wred-profile.yang, saiwred.h.
func deriveShared(s *intent.Snapshot, b *graph.Builder) {
	for _, row := range s.Rows.XonWREDs {
		checkMark(s, row, b)
	}
	for _, row := range s.Rows.WREDProfiles {
		attrs := []graph.Attr{{AttrMeta: sai.WredAttrWeight.AttrMeta}}
		var marked uint8
		for i := range row.Curves {
			attrs = appendCurve(attrs, row, i, b)
			if row.ECN[i] {
				marked |= 1 << i
			}
		}
		attrs = append(attrs, graph.Attr{AttrMeta: sai.WredAttrECNMarkMode.AttrMeta, Value: graph.Uint(uint64(markModes[marked]))})
		rows := []configdb.RowKey{row.ID}
		if x := s.Rows.XonWREDs[row.Name]; x != nil && s.Device.MarkAtDequeue {
			rows = append(rows, x.ID)
			attrs = append(attrs, graph.Attr{AttrMeta: sai.WredAttrXonMarkAtDequeue.AttrMeta, Value: graph.Bool(x.AtDequeue())})
		}
		b.AddFrom(rows, Key(row.Name), attrs...)
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
	if c.HasEnable {
		attrs = append(attrs, graph.Attr{AttrMeta: is.enable, Value: graph.Bool(c.Enable)})
	}
	if c.HasMin {
		attrs = append(attrs, graph.Attr{AttrMeta: is.min, Value: threshold(row, is.min, c.Min, b)})
	}
	if c.HasMax {
		attrs = append(attrs, graph.Attr{AttrMeta: is.max, Value: threshold(row, is.max, c.Max, b)})
	}
	if c.HasProb || c.Enable {
		attrs = append(attrs, graph.Attr{AttrMeta: is.probability, Value: graph.Uint(uint64(c.Probability))})
	}
	return attrs
}

// threshold checks that a threshold fits into SAI's 32 bits.
func threshold(row *configdb.WREDProfile, a *sai.AttrMeta, n uint64, b *graph.Builder) graph.Value {
	if n > math.MaxUint32 {
		b.Refuse(row.ID, fields[a], fmt.Errorf("%d bytes: the chip's interface takes at most %d", n, uint32(math.MaxUint32)))
	}
	return graph.Uint(n)
}

// derivePort derives the profiles of a port's queues.
//
// Source: sonic-queue.yang, saiqueue.h.
func derivePort(_ *intent.Device, v *intent.PortView, b *graph.Builder) {
	for i, row := range v.WRED {
		if row != nil {
			b.Add(row.ID, v.Queues[i].WRED, graph.Attr{
				AttrMeta: sai.QueueAttrWredProfileID.AttrMeta, Value: graph.Ref(Key(row.WRED)),
			})
		}
	}
}
