package sai

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
)

// Reps tells tests which kinds hold their values in Value.Ref.
func (k Kind) HasRef() bool { return codecs[k] != nil }

// Random makes a value of a kind for tests. Enums have a value of e.
func Random(r *rand.Rand, k Kind, e *EnumMeta) Value {
	bits, signed := k.width()
	switch {
	case k == KindEnum && e != nil:
		return Value{Num: uint64(int64(e.Values[r.IntN(len(e.Values))]))}
	case signed:
		return Value{Num: uint64(int64(r.Uint64()) >> (64 - bits))}
	case bits > 0:
		return Value{Num: r.Uint64() >> (64 - bits)}
	}
	return Value{Ref: randomRef(r, k, e)}
}

func randomRef(r *rand.Rand, k Kind, e *EnumMeta) any {
	switch x := codecs[k].(type) {
	case aclFieldCodec:
		f := FieldValue{Data: Random(r, x.of, e)}
		if x.masked() {
			f.Mask = Random(r, x.of, nil)
		}
		return f
	case aclParamCodec:
		return ParamValue{Random(r, x.of, e)}
	case stringCodec:
		b := make([]byte, 1+r.IntN(CharsMax))
		for i := range b {
			b[i] = byte(1 + r.IntN(255))
		}
		return string(b)
	case jsonCodec:
		return `{"a":[1,2]}`
	case s32ListListCodec:
		return [][]int32{{1, -2}, nil, {int32(r.Uint32())}}
	case aclCapabilityCodec:
		return ACLCapability{Actions: []ACLActionType{ACLActionTypePacketAction, ACLActionTypeCounter}, NonContiguousBits: true}
	case prefixCodec:
		return netip.PrefixFrom(randomAddr(r, 4), r.IntN(33))
	case addrCodec:
		if x.size == 0 {
			return randomAddr(r, 4+12*r.IntN(2))
		}
		return randomAddr(r, x.size)
	case listCodec[int32]:
		if x.elem == KindEnum && e != nil {
			return []int32{e.Values[0], e.Values[len(e.Values)-1]}
		}
	}
	return fromBytes(r, codecs[k])
}

// fromBytes has a random element or three of a kind made from bytes, and tries
// again where those are no value.
func fromBytes(r *rand.Rand, x valueCodec) any {
	for {
		b := binary.AppendUvarint(nil, uint64(1+r.IntN(3)))
		most := 1 + 254*r.IntN(2)
		for range 512 {
			b = append(b, byte(r.IntN(most+1)))
		}
		if ref, _, err := x.get(b); err == nil {
			return ref
		}
	}
}

func randomAddr(r *rand.Rand, n int) netip.Addr {
	b := make([]byte, n)
	for i := r.IntN(n); i < n; i++ {
		b[i] = byte(r.Uint32())
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
