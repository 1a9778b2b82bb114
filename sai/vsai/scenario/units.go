package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"xon/sai/vsai/dataplane"
)

// Dimension is the dimension of a number.
type Dimension uint8

// Dimensions, and their units in text and JSON.
const (
	Count  Dimension = iota // no unit
	Bytes                   // bytes
	Span                    // picoseconds
	Rate                    // bit/s
	Ratio                   // 1 is all; printed as percent
	Length                  // metres of cable
)

func (d Dimension) String() string {
	return [...]string{"a number", "bytes (B KB MB GB KiB MiB GiB)", "a time (ps ns us ms s)", "a rate (Kbps Mbps Gbps Tbps)", "a share (0.2 or 20%)", "a length (m km)"}[d]
}

// unit is how numbers of a dimension are written.
type unit struct {
	name string
	dim  Dimension
	size float64
}

// units, longer names before their suffixes.
var units = []unit{
	{"KiB", Bytes, 1 << 10},
	{"MiB", Bytes, 1 << 20},
	{"GiB", Bytes, 1 << 30},
	{"KB", Bytes, 1e3},
	{"MB", Bytes, 1e6},
	{"GB", Bytes, 1e9},
	{"B", Bytes, 1},
	{"Kbps", Rate, 1e3},
	{"Mbps", Rate, 1e6},
	{"Gbps", Rate, 1e9},
	{"Tbps", Rate, 1e12},
	{"bps", Rate, 1},
	{"K", Rate, 1e3},
	{"M", Rate, 1e6},
	{"G", Rate, 1e9},
	{"T", Rate, 1e12},
	{"ps", Span, 1},
	{"ns", Span, 1e3},
	{"us", Span, 1e6},
	{"µs", Span, 1e6},
	{"ms", Span, 1e9},
	{"s", Span, 1e12},
	{"km", Length, 1e3},
	{"m", Length, 1},
	{"%", Ratio, 0.01},
}

// quantity parses a number with its unit. Without a unit it is a Count.
func quantity(text string) (float64, Dimension, error) {
	digits := strings.TrimRight(text, "KMGTiBbpsnuµkm%")
	name := text[len(digits):]
	v, err := strconv.ParseFloat(strings.TrimSpace(strings.ReplaceAll(digits, "_", "")), 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, Count, fmt.Errorf("%q is not a number", text)
	}
	if name == "" {
		return v, Count, nil
	}
	for _, u := range units {
		if u.name == name {
			return v * u.size, u.dim, nil
		}
	}
	return 0, Count, fmt.Errorf("%q: there is no unit %q", text, name)
}

// measureOf parses a number of a dimension. Times and rates need a unit: their base
// units, picoseconds and bit/s, are unlikely to be meant. For others the unit is
// optional.
func measureOf(text string, d Dimension) (float64, error) {
	v, got, err := quantity(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w, want %s", err, d)
	case got == Count && (d == Span || d == Rate) && v != 0:
		return 0, fmt.Errorf("%q has no unit, want %s", text, d)
	case got != d && got != Count:
		return 0, fmt.Errorf("%q is %s, want %s", text, got, d)
	case v < 0:
		return 0, fmt.Errorf("%q is below 0", text)
	}
	return v, nil
}

// Format formats a number with a suitable unit.
func (d Dimension) Format(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "never"
	case math.IsNaN(v):
		return "none"
	}
	switch d {
	case Bytes:
		return scaled(v, 1e3, "B", "KB", "MB", "GB")
	case Span:
		return scaled(v, 1e3, "ps", "ns", "us", "ms", "s")
	case Rate:
		return scaled(v, 1e3, "bps", "Kbps", "Mbps", "Gbps", "Tbps")
	case Ratio:
		return significant(v*100) + "%"
	case Length:
		return significant(v) + "m"
	default:
		return significant(v)
	}
}

func scaled(v, step float64, names ...string) string {
	i := 0
	for i < len(names)-1 && math.Abs(v) >= step {
		v /= step
		i++
	}
	return significant(v) + names[i]
}

// significant formats four digits, more only for integers.
func significant(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) >= 1e-4 && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return s
}

// Types of numbers in a file.
type (
	// Size is bytes: 1500, 64KB, 2MiB.
	Size int64
	// Speed is bit/s: 100G, 25Gbps.
	Speed uint64
	// Moment is a time: 1us, 2.5ms.
	Moment dataplane.Time
	// Share is 0 to 1: 0.001, 0.1%.
	Share float64
	// Metres of cable: 40m.
	Metres float64
)

// maxBytes of any quantity, so that the sum over all groups of a switch does not
// overflow.
const maxBytes = 100e12

func (s *Size) parse(text string) error {
	v, err := measureOf(text, Bytes)
	if err == nil && v > maxBytes {
		err = fmt.Errorf("%q is more than %s", text, Bytes.Format(maxBytes))
	}
	*s = Size(math.Round(v))
	return err
}

func (s *Speed) parse(text string) error {
	v, err := measureOf(text, Rate)
	if err == nil && v > 100e12 {
		err = fmt.Errorf("%q is more than 100 Tbps", text)
	}
	*s = Speed(math.Round(v))
	return err
}

func (m *Moment) parse(text string) error {
	v, err := measureOf(text, Span)
	if err == nil && v > 1e16 {
		err = fmt.Errorf("%q is more than 10000 s", text)
	}
	*m = Moment(math.Round(v))
	return err
}

func (s *Share) parse(text string) error {
	v, err := measureOf(text, Ratio)
	if err == nil && v > 1 {
		err = fmt.Errorf("%q is more than 100%%", text)
	}
	*s = Share(v)
	return err
}

func (m *Metres) parse(text string) error {
	v, err := measureOf(text, Length)
	if err == nil && v > 1e9 {
		err = fmt.Errorf("%q is more than a million km", text)
	}
	*m = Metres(v)
	return err
}
