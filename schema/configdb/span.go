package configdb

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Span is the part of a row key that names objects of ports: every port of
// Ports with every index from Lo to Hi. The key of a table without an index has
// Lo and Hi 0.
type Span struct {
	Ports  []string
	Lo, Hi int
}

// Len is how many objects the span names.
func (s Span) Len() int { return len(s.Ports) * (s.Hi - s.Lo + 1) }

// Key is the canonical key of the span: "Ethernet0,Ethernet4|3-4". It is the
// inverse of ParseSpan.
func (s Span) Key() string {
	key := strings.Join(s.Ports, ",") + "|" + strconv.Itoa(s.Lo)
	if s.Hi != s.Lo {
		key += "-" + strconv.Itoa(s.Hi)
	}
	return key
}

// ParseSpan reads the key of a row that belongs to objects of ports, without the
// table: ports separated by commas, a bar, and one index or a range "lo-hi" with
// lo < hi. No port may be named twice; no index may be above most.
func ParseSpan(key string, most int) (Span, error) {
	left, index, ok := strings.Cut(key, "|")
	if !ok {
		return Span{}, fmt.Errorf("key %s: want ports and an index, like Ethernet0|3 or Ethernet0,Ethernet4|3-4", quote(key))
	}
	if strings.Contains(index, "|") {
		return Span{}, fmt.Errorf("key %s has more than two parts: keys of system ports (host|asic|port|index) are not supported", quote(key))
	}
	ports, err := parsePorts(left)
	if err != nil {
		return Span{}, wrapKey(key, err)
	}
	lo, hi, err := parseIndexes(index, most)
	if err != nil {
		return Span{}, wrapKey(key, err)
	}
	return Span{Ports: ports, Lo: lo, Hi: hi}, nil
}

// parsePorts reads "Ethernet0,Ethernet4".
func parsePorts(s string) ([]string, error) {
	ports := strings.Split(s, ",")
	for _, p := range ports {
		if err := checkName(p); err != nil {
			return nil, err
		}
	}
	if p, twice := duplicate(ports); twice {
		return nil, fmt.Errorf("%s is named twice", p)
	}
	return ports, nil
}

// duplicate returns an element that list has twice.
func duplicate[T cmp.Ordered](list []T) (T, bool) {
	sorted := slices.Sorted(slices.Values(list))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return sorted[i], true
		}
	}
	var none T
	return none, false
}

// parseIndexes reads "3" or "3-4". Digits have one spelling only, so that no two
// keys of a table mean the same.
func parseIndexes(s string, most int) (lo, hi int, err error) {
	first, last, isRange := strings.Cut(s, "-")
	lo, err = parseIndex(first, most)
	if err != nil || !isRange {
		return lo, lo, err
	}
	hi, err = parseIndex(last, most)
	if err == nil && lo >= hi {
		err = fmt.Errorf("range %s: the first index is not below the last (a single index stands alone)", quote(s))
	}
	return lo, hi, err
}

func parseIndex(s string, most int) (int, error) {
	n, err := parseUint(s, 0, uint64(most))
	if err != nil {
		return 0, fmt.Errorf("index %w", err)
	}
	if !isNumber(s) {
		return 0, fmt.Errorf("index %s has more than digits", quote(s))
	}
	if len(s) > 1 && s[0] == '0' {
		return 0, fmt.Errorf("index %s has a leading zero", quote(s))
	}
	return int(n), nil
}

// spanForm is what the key of a table with spans looks like.
const spanForm = "<port>[,<port>...]|<index>[-<index>]"

// spanKey reads a key that is a span.
func spanKey[R any](most int, at func(*R) *Span) func(*R, string) error {
	return func(r *R, key string) (err error) {
		*at(r), err = ParseSpan(key, most)
		return err
	}
}

// titleKey reads a key that is a name of somebody's choice.
func titleKey[R any](at func(*R) *string) func(*R, string) error {
	return func(r *R, key string) error {
		*at(r) = key
		return wrapKey(key, checkTitle(key))
	}
}

// nameKey reads a key that is the name of a port, or of a group.
func nameKey[R any](at func(*R) *string) func(*R, string) error {
	return func(r *R, key string) error {
		*at(r) = key
		return wrapKey(key, checkName(key))
	}
}

func wrapKey(key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("key %s: %w", quote(key), err)
}
