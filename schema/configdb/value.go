package configdb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
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

// parseUint reads decimal digits.
func parseUint(s string, lo, hi uint64) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if (err != nil && !isNumber(s)) || s[0] == '+' {
		return 0, fmt.Errorf("%s is not a whole number (%d to %d)", quote(s), lo, hi)
	}
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%s is out of range (%d to %d)", quote(s), lo, hi)
	}
	return n, nil
}

// parseInt is parseUint for numbers that may be negative.
func parseInt(s string, lo, hi int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if (err != nil && !isNumber(s)) || s[0] == '+' {
		return 0, fmt.Errorf("%s is not a whole number (%d to %d)", quote(s), lo, hi)
	}
	if err != nil || n < lo || n > hi {
		return 0, fmt.Errorf("%s is out of range (%d to %d)", quote(s), lo, hi)
	}
	return n, nil
}

// isNumber reports whether s is digits, perhaps behind a minus sign: what is only
// too large or too small, rather than no number.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// checkName checks the name of a row or a port. YANG is stricter, by table; the
// signs left out here are those that separate names in keys and messages.
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

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func runeAt(s string, i int) string {
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i : i+n]
}

// checkReference checks the name that a field refers to.
func checkReference(table, s string) error {
	if strings.ContainsAny(s, "[]") {
		name := strings.TrimPrefix(strings.Trim(s, "[]"), table+"|")
		return fmt.Errorf("%s has brackets: a reference is the plain name of a row of %s, here %s", quote(s), table, quote(name))
	}
	if s == nullName {
		return fmt.Errorf("%q is not the name of a row of %s", nullName, table)
	}
	return checkName(s)
}

// splitList splits at commas. An empty text is an empty list.
func splitList(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}
