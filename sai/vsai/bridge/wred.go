package bridge

import (
	"math"

	"xon/sai"
	"xon/sai/vsai/dataplane"
)

// curveAttrs are the SAI attributes of a curve: 32-bit thresholds, and 64-bit
// thresholds, which take precedence if set.
type curveAttrs struct {
	min, max, min64, max64, percent *sai.AttrMeta
}

// colours are the curves of each colour, and the modes that mark it.
var colours = [dataplane.Colours]struct {
	enable     *sai.AttrMeta
	drop, mark curveAttrs
	modes      []sai.ECNMarkMode
}{
	dataplane.Green: {
		sai.WredAttrGreenEnable.AttrMeta,
		curveAttrs{
			sai.WredAttrGreenMinThreshold.AttrMeta, sai.WredAttrGreenMaxThreshold.AttrMeta,
			sai.WredAttrGreenMinThreshold64.AttrMeta, sai.WredAttrGreenMaxThreshold64.AttrMeta, sai.WredAttrGreenDropProbability.AttrMeta,
		},
		curveAttrs{
			sai.WredAttrECNGreenMinThreshold.AttrMeta, sai.WredAttrECNGreenMaxThreshold.AttrMeta,
			sai.WredAttrECNGreenMinThreshold64.AttrMeta, sai.WredAttrECNGreenMaxThreshold64.AttrMeta, sai.WredAttrECNGreenMarkProbability.AttrMeta,
		},
		[]sai.ECNMarkMode{sai.ECNMarkModeGreen, sai.ECNMarkModeGreenYellow, sai.ECNMarkModeGreenRed, sai.ECNMarkModeAll},
	},
	dataplane.Yellow: {
		sai.WredAttrYellowEnable.AttrMeta,
		curveAttrs{
			sai.WredAttrYellowMinThreshold.AttrMeta, sai.WredAttrYellowMaxThreshold.AttrMeta,
			sai.WredAttrYellowMinThreshold64.AttrMeta, sai.WredAttrYellowMaxThreshold64.AttrMeta, sai.WredAttrYellowDropProbability.AttrMeta,
		},
		curveAttrs{
			sai.WredAttrECNYellowMinThreshold.AttrMeta, sai.WredAttrECNYellowMaxThreshold.AttrMeta,
			sai.WredAttrECNYellowMinThreshold64.AttrMeta, sai.WredAttrECNYellowMaxThreshold64.AttrMeta, sai.WredAttrECNYellowMarkProbability.AttrMeta,
		},
		[]sai.ECNMarkMode{sai.ECNMarkModeYellow, sai.ECNMarkModeGreenYellow, sai.ECNMarkModeYellowRed, sai.ECNMarkModeAll},
	},
	dataplane.Red: {
		sai.WredAttrRedEnable.AttrMeta,
		curveAttrs{
			sai.WredAttrRedMinThreshold.AttrMeta, sai.WredAttrRedMaxThreshold.AttrMeta,
			sai.WredAttrRedMinThreshold64.AttrMeta, sai.WredAttrRedMaxThreshold64.AttrMeta, sai.WredAttrRedDropProbability.AttrMeta,
		},
		curveAttrs{
			sai.WredAttrECNRedMinThreshold.AttrMeta, sai.WredAttrECNRedMaxThreshold.AttrMeta,
			sai.WredAttrECNRedMinThreshold64.AttrMeta, sai.WredAttrECNRedMaxThreshold64.AttrMeta, sai.WredAttrECNRedMarkProbability.AttrMeta,
		},
		[]sai.ECNMarkMode{sai.ECNMarkModeRed, sai.ECNMarkModeGreenRed, sai.ECNMarkModeYellowRed, sai.ECNMarkModeAll},
	},
}

// readWREDs reads all WRED profiles. An unchanged profile keeps its pointer.
func (r *reader) readWREDs() {
	out := map[sai.OID]*dataplane.WRED{}
	for _, id := range r.Objects(sai.Wred{}) {
		w := r.wred(id)
		if was := r.d.wreds[id]; was != nil && *was == w {
			out[id] = was
			continue
		}
		out[id] = &w
	}
	r.d.wreds = out
}

// wred reads a WRED profile. ECN-capable packets have separate curves if the switch
// enables them.
func (r *reader) wred(id sai.OID) dataplane.WRED {
	w := dataplane.WRED{
		Weight:  uint8(r.Num(id, sai.WredAttrWeight.AttrMeta)),
		Dequeue: r.Num(id, sai.WredAttrXonMarkAtDequeue.AttrMeta) != 0,
	}
	mode := sai.ECNMarkMode(r.Num(id, sai.WredAttrECNMarkMode.AttrMeta))
	separate := r.Num(r.sw, sai.SwitchAttrECNEctThresholdEnable.AttrMeta) != 0
	for c, x := range colours {
		w.Drop[c] = r.curve(id, &x.drop)
		w.Mark[c] = w.Drop[c]
		if separate {
			w.Mark[c] = r.curve(id, &x.mark)
		}
		w.Drop[c].On = r.Num(id, x.enable) != 0
		for _, m := range x.modes {
			w.Mark[c].On = w.Mark[c].On || m == mode
		}
		for _, curve := range []*dataplane.Curve{&w.Drop[c], &w.Mark[c]} {
			if !curve.On {
				*curve = dataplane.Curve{}
			}
		}
	}
	return w
}

// curve reads a curve. Without thresholds it starts beyond any queue length, because
// SAI's 0 stands for the whole memory.
func (r *reader) curve(id sai.OID, a *curveAttrs) dataplane.Curve {
	n := func(of32, of64 *sai.AttrMeta) int64 {
		if v := r.Num(id, of64); v != 0 {
			return amount(v)
		}
		return amount(r.Num(id, of32))
	}
	c := dataplane.Curve{Min: n(a.min, a.min64), Max: n(a.max, a.max64), Percent: uint8(r.Num(id, a.percent))}
	if c.Max == 0 {
		c.Max = math.MaxInt64
		if c.Min == 0 {
			c.Min = math.MaxInt64
		}
	}
	return c
}
