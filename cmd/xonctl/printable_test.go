package main

import "testing"

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"DWRR": "DWRR", "größe 5\n": "größe 5\n", "a\x1b[31mb": `a\x1b[31mb`, "\r\x00\u009b": `\r\x00\u009b`,
	} {
		if got := printable(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := cellText("x\a"); got != `x\a` {
		t.Errorf("a cell shows %q", got)
	}
}
