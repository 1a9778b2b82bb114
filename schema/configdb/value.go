package configdb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is how long a name may be. SONiC's YANG allows 32 characters for most
// tables, its code any number; no name in use comes near this.
const maxName = 255

// nullName can't be the name of a row: in BUFFER_PG it asks for computed
// headroom, and as a field it marks a row without fields.
const nullName = "NULL"

// quote shows a value in a message: short enough, and printable whatever it is.
func quote(s string) string {
	const most = 64
	if len(s) <= most {
		return strconv.QuoteToASCII(s)
	}
	return strconv.QuoteToASCII(s[:most]) + fmt.Sprintf("... (%d bytes)", len(s))
}

// space is the white space that C's isspace knows. SONiC's daemons read numbers with
// stoi and its like, which skip it in front; behind a number they stop at it.
const space = " \t\n\v\f\r"

// parseUint reads decimal digits, with white space around them and a plus sign before
// them if there is one, as SONiC's daemons do. They also stop at whatever follows the
// digits; that is refused here, as nobody can know what was meant.
func parseUint(s string, lo, hi uint64) (uint64, error) {
	digits := numeral(s)
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil && !isNumber(digits) {
		return 0, fmt.Errorf("%s is not a whole number (%d to %d)", quote(s), lo, hi)
	}
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%s is out of range (%d to %d)", quote(s), lo, hi)
	}
	return n, nil
}

// parseInt is parseUint for numbers that may be negative.
func parseInt(s string, lo, hi int64) (int64, error) {
	digits := numeral(s)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil && !isNumber(digits) {
		return 0, fmt.Errorf("%s is not a whole number (%d to %d)", quote(s), lo, hi)
	}
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%s is out of range (%d to %d)", quote(s), lo, hi)
	}
	return n, nil
}

// numeral is a number as strconv reads it: without white space and without a plus sign.
// Anything else is left for strconv to refuse.
func numeral(s string) string {
	s = strings.Trim(s, space)
	if digits, plus := strings.CutPrefix(s, "+"); plus && strings.Trim(digits, "0123456789") == "" {
		return digits
	}
	return s
}

// isNumber reports whether s is digits, perhaps behind a minus sign: what is only
// too large or too small, rather than no number.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// checkName checks the name of a port or an interface. The signs left out are those
// that separate names in keys and messages.
func checkName(s string) error {
	switch {
	case s == "":
		return errors.New("a name is missing")
	case len(s) > maxName:
		return fmt.Errorf("name %s is too long (at most %d characters)", quote(s), maxName)
	case !isAlnum(s[0]) && s[0] != '_':
		return fmt.Errorf("name %s does not begin with a letter, a digit or _", quote(s))
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("_-.:/+", s[i]) < 0 {
			return fmt.Errorf("name %s has %s (only letters, digits and _ - . : / + are allowed)", quote(s), quote(runeAt(s, i)))
		}
	}
	return nil
}

// checkTitle checks the name that somebody chose for a row: a pool, a scheduler, a map.
// YANG has no pattern for most of them and SONiC's daemons for none, so any text will
// do that can be printed, told from a key with several parts, from a reference in the old
// notation, and from the names that the agent gives objects which have no row ("x~1").
func checkTitle(s string) error {
	switch {
	case s == "":
		return errors.New("a name is missing")
	case len(s) > maxName:
		return fmt.Errorf("name %s is too long (at most %d bytes)", quote(s), maxName)
	case strings.Trim(s, space) != s:
		return fmt.Errorf("name %s has white space at an end", quote(s))
	case bracketed(s):
		return fmt.Errorf("name %s is in brackets, as references once were", quote(s))
	}
	for i, r := range s {
		if r == '|' || r == '~' || !unicode.IsGraphic(r) || r == utf8.RuneError {
			return fmt.Errorf("name %s has %s (any printable letter or sign but | and ~ is allowed)", quote(s), quote(runeAt(s, i)))
		}
	}
	return nil
}

// bracketed reports whether a text is, or looks like, a reference in the old notation.
func bracketed(s string) bool { return strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") }

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func runeAt(s string, i int) string {
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i : i+n]
}

// parseReference reads the name of a row of a table. SONiC wrote "[TABLE|name]" until
// 2021, and configurations in use still have it: that is the name as well.
func parseReference(table, s string) (string, error) {
	name := s
	if bracketed(s) {
		var ok bool
		if name, ok = strings.CutPrefix(s[1:len(s)-1], table+"|"); !ok {
			return "", fmt.Errorf("%s is not a row of %s: a reference is the plain name of one, or [%s|NAME]", quote(s), table, table)
		}
	}
	if name == nullName {
		return "", fmt.Errorf("%q is not the name of a row of %s", nullName, table)
	}
	return name, checkTitle(name)
}

// splitList splits at commas. White space around an entry is not part of it; a text
// that is empty but for white space is an empty list.
func splitList(s string) []string {
	if strings.Trim(s, space) == "" {
		return nil
	}
	words := strings.Split(s, ",")
	for i, w := range words {
		words[i] = strings.Trim(w, space)
	}
	return words
}
