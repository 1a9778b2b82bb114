// Command saifacts extracts, checks and compares facts.
package main

import (
	"fmt"
	"os"

	"xon/sai/facts"
	"xon/hack/saifacts/headers"
)

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	var err error
	switch os.Args[1] {
	case "metacmp":
		err = metaCmp(os.Args[2:])
	case "since":
		err = since(os.Args[2:])
	case "scope":
		err = scope(os.Args[2:])
	case "diff":
		err = diff(os.Args[2:])
	case "checksrc":
		err = checkSrc(os.Args[2:])
	case "check":
		err = check(os.Args[2:])
	case "extract":
		err = extract(os.Args[2:])
	default:
		usage()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "saifacts:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: saifacts extract DIR... > facts")
	os.Exit(2)
}

func extract(dirs []string) error {
	f, err := headers.Read(dirs...)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, f.Count())
	return f.Write(os.Stdout)
}

var _ facts.Facts
