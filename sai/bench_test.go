package sai_test

import (
	"testing"

	"xon/sai"
)

// profile is a typical create.
func profile() []sai.Attribute {
	return settings(
		sai.BufferProfileAttrPoolID.Is(0x18000000000001), sai.BufferProfileAttrReservedBufferSize.Is(18432),
		sai.BufferProfileAttrThresholdMode.Is(sai.BufferProfileThresholdModeDynamic), sai.BufferProfileAttrSharedDynamicTH.Is(-2),
		sai.BufferProfileAttrXoffTH.Is(72704), sai.BufferProfileAttrXonTH.Is(0), sai.BufferProfileAttrXonOffsetTH.Is(2496))
}

// dscpMap is a map with all 64 entries.
func dscpMap() sai.Attribute {
	list := make([]sai.QoSMapItem, 64)
	for i := range list {
		list[i] = sai.QoSMapItem{Key: sai.QoSMapParams{DSCP: uint8(i)}, Value: sai.QoSMapParams{TC: uint8(i / 8)}}
	}
	return sai.QoSMapAttrMapToValueList.Is(list).Attribute
}

func BenchmarkCheck(b *testing.B) {
	attrs := profile()
	o := sai.BufferProfile{}.Meta()
	b.ReportAllocs()
	for b.Loop() {
		if st := o.Check(attrs); st != 0 {
			b.Fatal(st)
		}
	}
}

func benchEach(b *testing.B, attrs []sai.Attribute, f func(a sai.Attribute)) {
	b.ReportAllocs()
	for b.Loop() {
		for _, a := range attrs {
			f(a)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	text := func(a sai.Attribute) { a.Format(a.Value) }
	b.Run("profile", func(b *testing.B) { benchEach(b, profile(), text) })
	b.Run("map64", func(b *testing.B) { benchEach(b, []sai.Attribute{dscpMap()}, text) })
}

func BenchmarkParse(b *testing.B) {
	for name, attrs := range map[string][]sai.Attribute{"profile": profile(), "map64": {dscpMap()}} {
		texts := map[*sai.AttrMeta]string{}
		for _, a := range attrs {
			texts[a.AttrMeta] = a.Format(a.Value)
		}
		b.Run(name, func(b *testing.B) {
			benchEach(b, attrs, func(a sai.Attribute) {
				if _, err := a.Parse(texts[a.AttrMeta]); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

func BenchmarkWire(b *testing.B) {
	for name, c := range map[string]struct {
		o     *sai.ObjectMeta
		attrs []sai.Attribute
	}{
		"profile": {sai.BufferProfile{}.Meta(), profile()},
		"map64":   {sai.QoSMap{}.Meta(), []sai.Attribute{dscpMap()}},
	} {
		var buf []byte
		b.Run("encode/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = buf[:0]
				for _, a := range c.attrs {
					buf = sai.AppendAttribute(buf, a)
				}
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
		b.Run("decode/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for rest := buf; len(rest) > 0; {
					var err error
					if _, rest, err = sai.ReadAttribute(c.o, rest); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	port := sai.Port{}.Meta()
	b.Run("attribute by id", func(b *testing.B) {
		for b.Loop() {
			port.Attr(sai.PortAttrPriorityFlowControl.AttrMeta.ID)
		}
	})
	b.Run("attribute by name", func(b *testing.B) {
		for b.Loop() {
			port.AttrByName("SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL")
		}
	})
	b.Run("type", func(b *testing.B) {
		for b.Loop() {
			sai.ByType(sai.ObjectTypePort)
		}
	})
}
