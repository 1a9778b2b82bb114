// Command saigen generates the Go API of a SAI version, the z*.go files of package sai,
// from the facts of that version.
//
// Run it with "go generate ./sai". The same facts give the same files, byte for byte.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"xon/sai/facts"
)

const usage = `saigen writes the z*.go files of package sai from a facts file.

	saigen [-facts FILE] [-out DIR] [API...]

Only the named APIs go in (default: those that the agent uses, see scope.go).
The facts of other headers come from "saifacts extract":

	go run ./hack/saifacts extract /usr/include/sai > vendor.facts
	go run ./hack/saigen -facts vendor.facts

`

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "saigen:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("saigen", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.Usage = func() {
		fmt.Fprint(out, usage)
		fs.PrintDefaults()
	}
	file := fs.String("facts", "sai/facts/sai-1.18.facts", "facts `file`")
	dir := fs.String("out", "sai", "`folder` of package sai")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	f, err := readFacts(*file)
	if err != nil {
		return err
	}
	apis := fs.Args()
	if len(apis) == 0 {
		apis = scope
	}
	files, err := generate(f, apis)
	if err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func readFacts(file string) (*facts.Facts, error) {
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

// generate returns the text of every file by name.
func generate(f *facts.Facts, apis []string) (map[string][]byte, error) {
	m, err := newModel(f, apis)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, write := range map[string]func(*model, *source){
		"zattr.go":   writeObjects,
		"zcodec.go":  writeCodecs,
		"zenum.go":   writeEnums,
		"zkind.go":   writeKinds,
		"znotify.go": writeNotifications,
		"zstat.go":   writeStats,
		"zstatus.go": writeStatuses,
		"zstruct.go": writeStructs,
	} {
		var s source
		write(m, &s)
		if files[name], err = s.file(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}
