package report

import (
	"fmt"
	"math"
	"strconv"

	"xon/sai/vsai/dataplane"
)

// timeUnit is the unit for times of a span.
func timeUnit(span dataplane.Time) (dataplane.Time, string) {
	switch {
	case span <= 10*dataplane.Microsecond:
		return dataplane.Nanosecond, "ns"
	case span <= 10*dataplane.Millisecond:
		return dataplane.Microsecond, "µs"
	case span <= 10*dataplane.Second:
		return dataplane.Millisecond, "ms"
	}
	return dataplane.Second, "s"
}

// number formats a number with as few digits as needed.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
}

// scaled formats three digits with a unit prefix.
func scaled(v float64, prefixes []string) string {
	i := 0
	for ; math.Abs(v) >= 1000 && i < len(prefixes)-1; i++ {
		v /= 1000
	}
	switch {
	case v == math.Trunc(v) || math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f %s", v, prefixes[i])
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f %s", v, prefixes[i])
	}
	return fmt.Sprintf("%.2f %s", v, prefixes[i])
}

func duration(t dataplane.Time) string {
	if t == 0 {
		return "0"
	}
	return scaled(float64(t), []string{"ps", "ns", "µs", "ms", "s"})
}

func bytes(n float64) string { return scaled(n, []string{"B", "KB", "MB", "GB", "TB"}) }

func rate(v float64) string { return scaled(v, []string{"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"}) }

// bytesUnit is the unit for levels up to most.
func bytesUnit(most float64) (float64, string) {
	switch {
	case most < 10e3:
		return 1, "B"
	case most < 10e6:
		return 1e3, "KB"
	}
	return 1e6, "MB"
}

// percent formats a share of 1.
func percent(share float64) string {
	switch v := share * 100; {
	case v == 0 || v >= 10:
		return fmt.Sprintf("%.0f %%", v)
	case v < 0.01:
		return "< 0.01 %"
	default:
		return fmt.Sprintf("%.2g %%", v)
	}
}

// count formats a number with separators for thousands.
func count[T ~int | ~int64 | ~uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// times formats a number of times, in words if that reads better.
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return count(n) + " times"
}

// plural formats a number with its noun.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + more
}
