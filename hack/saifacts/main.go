// Command saifacts extracts facts files from SAI's headers, checks them against the
// headers with a compiler, and compares them.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"xon/hack/saifacts/headers"
	"xon/sai/facts"
)

// command is a subcommand of saifacts.
type command struct {
	name, args string
	min        int // minimum number of arguments
	help       string
	run        func(args []string, out io.Writer) error
}

var commands = []command{
	{"extract", "DIR...", 1, `Writes the facts of the headers (*.h) in the folders, as one SAI version.
Give SAI's inc folder, and a vendor's folder of further headers behind it.`, extract},
	{"check", "FACTS DIR...", 2, `Compares a facts file with headers, both ways: every fact with what the C
compiler (gcc, or $CC) makes of the headers, and every enum value, struct and
member that the compiler's debug information has with the facts.`, check},
	{"diff", "OLD NEW", 2, `Tells what changed between two facts files: how many facts of each kind, then
"+" for new ones, "-" for those that are gone and "!" for those that changed.
A "-" or "!" breaks programs that were made for the old version.`, diff},
	{"since", "FACTS...", 2, `Writes the facts of the last file, each marked with the first file that has it
as it is now (since=). Give the versions in order, the oldest first: what it
has stays unmarked.`, since},
}

const intro = `saifacts makes facts files from the headers of a SAI version, and checks them.

A facts file holds what a program must know to call a SAI library: names,
numbers, types, flags and layouts, one a line. Package sai is made from one, by
saigen. To make it from a vendor's headers:

	saifacts extract /usr/include/sai > vendor.facts
	saifacts check vendor.facts /usr/include/sai
	saifacts diff sai/facts/sai-1.18.facts vendor.facts
	saigen -facts vendor.facts

Commands:

`

func usage(w io.Writer) {
	fmt.Fprint(w, intro)
	for _, c := range commands {
		fmt.Fprintf(w, "  saifacts %s %s\n\t%s\n\n", c.name, c.args, strings.ReplaceAll(c.help, "\n", "\n\t"))
	}
}

func main() {
	switch err := run(os.Args[1:], os.Stdout); {
	case errors.Is(err, errUsage):
		usage(os.Stderr)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "saifacts:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("no such command")

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(out)
		return nil
	}
	for _, c := range commands {
		if c.name != args[0] {
			continue
		}
		if len(args)-1 < c.min {
			return fmt.Errorf("usage: saifacts %s %s", c.name, c.args)
		}
		return c.run(args[1:], out)
	}
	return errUsage
}

func extract(dirs []string, out io.Writer) error {
	f, err := headers.Read(dirs...)
	if err != nil {
		return err
	}
	return f.Write(out)
}

func load(file string) (*facts.Facts, error) {
	r, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := facts.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}
