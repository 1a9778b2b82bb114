package main

import (
	"fmt"
	"strconv"
	"strings"
)

// wholeNumber is the value of a flag that takes a whole number from lo to hi, with its unit
// behind it or without.
type wholeNumber struct {
	lo, hi uint32
	unit   string // "" is none
	set    func(uint32)
	text   string // as it was given
}

// into returns what sets a flag's number.
func into(to *uint32) func(uint32) { return func(n uint32) { *to = n } }

// Set implements pflag.Value.
func (n *wholeNumber) Set(text string) error {
	v, err := strconv.ParseUint(strings.TrimSuffix(text, n.unit), 10, 32)
	if err != nil || v < uint64(n.lo) || v > uint64(n.hi) {
		return fmt.Errorf("it takes a whole number from %d to %d%s", n.lo, n.hi, n.unit)
	}
	n.text = text
	n.set(uint32(v))
	return nil
}

// String implements pflag.Value.
func (n *wholeNumber) String() string { return n.text }

// Type implements pflag.Value.
func (*wholeNumber) Type() string { return "number" }
