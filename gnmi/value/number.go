package value

import (
	"math"
	"strconv"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/schema/countersdb"
)

// scalarOf makes a value of PROTO.
func scalarOf(kind countersdb.Kind, text string) *gpb.TypedValue {
	if n, ok := count(kind, text); ok {
		return &gpb.TypedValue{Value: &gpb.TypedValue_UintVal{UintVal: n}}
	}
	if f, ok := rate(kind, text); ok {
		return &gpb.TypedValue{Value: &gpb.TypedValue_DoubleVal{DoubleVal: f}}
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_StringVal{StringVal: text}}
}

// appendNatural writes a JSON number where there is one, else a string.
func appendNatural(b []byte, kind countersdb.Kind, text string) []byte {
	if n, ok := count(kind, text); ok {
		return strconv.AppendUint(b, n, 10)
	}
	if f, ok := rate(kind, text); ok {
		return strconv.AppendFloat(b, f, 'g', -1, 64)
	}
	return AppendText(b, text)
}

func count(kind countersdb.Kind, text string) (uint64, bool) {
	if kind != countersdb.Count {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil
}

// rate reads a decimal number; infinities and NaN, which JSON does not have, are none.
func rate(kind countersdb.Kind, text string) (float64, bool) {
	if kind != countersdb.Rate {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}
