package bufmgr

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Lookup is headroom by speed and cable length.
//
// Source: SONiC's pg_profile_lookup.ini.
type Lookup struct {
	Source  string // where it was read, for people
	Entries []LookupEntry
}

// LookupEntry is one line of a Lookup.
type LookupEntry struct {
	Line         int    // in its file, from 1
	Speed        uint32 // Mb/s
	Metres       uint32
	Size         uint64 // bytes
	Xon          uint64 // bytes
	Xoff         uint64 // bytes
	Threshold    int64  // dynamic_th or static_th, as the pool's mode says
	XonOffset    uint64 // bytes
	HasXonOffset bool
}

// maxFile is how large a file may be that is read here, in bytes: far above any that
// is in use.
const maxFile = 1 << 20

// maxFaults is how many faults of one file are told.
const maxFaults = 10

// ParseLookup reads a lookup file: a line for each speed (Mb/s) and cable length
// ("5m"), with size, xon, xoff (bytes), threshold and, as one likes, xon_offset
// (bytes), separated by white space. What follows a # is a comment. source names the
// file in messages. A file with a fault is refused as a whole; the error names each
// faulty line and its limits, up to ten of them.
func ParseLookup(source string, text []byte) (*Lookup, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes are too many for a lookup file: at most %d", source, len(text), maxFile)
	}
	l := &Lookup{Source: source}
	var faults []error
	n := 0
	for line := range bytes.Lines(text) {
		n++
		content, _, _ := strings.Cut(string(line), "#")
		words := strings.Fields(content)
		if len(words) == 0 {
			continue
		}
		if err := l.add(n, words); err != nil && len(faults) < maxFaults {
			faults = append(faults, fmt.Errorf("%s:%d: %w", source, n, err))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return l, nil
}

func (l *Lookup) add(line int, words []string) error {
	e, err := parseEntry(words)
	if err != nil {
		return err
	}
	if twin := l.Find(e.Speed, e.Metres); twin != nil {
		return fmt.Errorf("%d Mb/s with %dm is in line %d already", e.Speed, e.Metres, twin.Line)
	}
	e.Line = line
	l.Entries = append(l.Entries, e)
	return nil
}

func parseEntry(words []string) (e LookupEntry, err error) {
	if len(words) < 6 || len(words) > 7 {
		return e, fmt.Errorf("%d columns; want 6 or 7: speed cable size xon xoff threshold [xon_offset]", len(words))
	}
	number := func(i int, name string, most uint64) (n uint64) {
		if err == nil {
			n, err = parseNumber(name, words[i], most)
		}
		return n
	}
	e.Speed = uint32(number(0, "speed", maxSpeed))
	metres, unit := strings.CutSuffix(words[1], "m")
	if err == nil && !unit {
		return e, fmt.Errorf("cable %q is not a length in whole metres, like 5m", words[1])
	}
	words[1] = metres
	e.Metres = uint32(number(1, "cable", math.MaxUint32))
	e.Size = number(2, "size", math.MaxUint64)
	e.Xon = number(3, "xon", math.MaxUint64)
	e.Xoff = number(4, "xoff", math.MaxUint64)
	if e.HasXonOffset = len(words) > 6; e.HasXonOffset {
		e.XonOffset = number(6, "xon_offset", math.MaxUint64)
	}
	if err != nil {
		return e, err
	}
	if e.Speed == 0 {
		return e, fmt.Errorf("speed 0 is out of range (1 to %d)", maxSpeed)
	}
	e.Threshold, err = strconv.ParseInt(words[5], 10, 64)
	if err != nil {
		return e, fmt.Errorf("threshold %q is not a whole number", words[5])
	}
	return e, nil
}

// maxSpeed is the highest speed of a port, Mb/s.
//
// Source: sonic-port.yang.
const maxSpeed = 1_600_000

func parseNumber(name, word string, most uint64) (uint64, error) {
	n, err := strconv.ParseUint(word, 10, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%s %q is not a whole number (0 to %d)", name, word, most)
	}
	if err != nil || n > most {
		return 0, fmt.Errorf("%s %q is out of range (0 to %d)", name, word, most)
	}
	return n, nil
}

// Find returns the entry for a speed (Mb/s) and a cable length; nil if there is none.
func (l *Lookup) Find(speed, metres uint32) *LookupEntry {
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Speed == speed && e.Metres == metres {
			return e
		}
	}
	return nil
}

// has says what a lookup has that comes near a speed, for messages.
func (l *Lookup) has(speed uint32) string {
	var metres, speeds []uint32
	for _, e := range l.Entries {
		if e.Speed == speed {
			metres = append(metres, e.Metres)
		}
		speeds = append(speeds, e.Speed)
	}
	slices.Sort(speeds)
	slices.Sort(metres)
	switch {
	case len(speeds) == 0:
		return "it has no line at all"
	case len(metres) == 0:
		return "it has the speeds " + list(slices.Compact(speeds), "") + " Mb/s"
	}
	return fmt.Sprintf("for %d Mb/s it has %s", speed, list(metres, "m"))
}

// list is numbers with a unit, separated by commas.
func list(numbers []uint32, unit string) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.FormatUint(uint64(n), 10) + unit
	}
	return strings.Join(words, ", ")
}
