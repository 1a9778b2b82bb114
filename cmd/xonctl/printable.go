package main

import (
	"strconv"
	"strings"
	"unicode"
)

// printable writes control characters as Go does, line breaks apart: rows hold what
// anybody wrote to the database, and a terminal would act on it.
func printable(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return unicode.IsControl(r) && r != '\n' }
