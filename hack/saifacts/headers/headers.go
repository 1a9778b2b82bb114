// Package headers reads SAI's public C headers, with the tags of their comments,
// into facts. It knows the small part of C that those headers use and refuses the
// rest, so that a header it does not understand is an error and never a wrong
// fact.
//
// It does not run a preprocessor: no file is included but those it is given, and
// of conditions it knows defined(NAME) alone.
package headers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"xon/sai/facts"
)

// File is the text of one header.
type File struct{ Name, Text string }

// Read parses all *.h in the given directories as one SAI version. Errors name
// the file and the line.
func Read(dirs ...string) (*facts.Facts, error) {
	var files []File
	for _, d := range dirs {
		names, err := filepath.Glob(filepath.Join(d, "*.h"))
		if err != nil {
			return nil, err
		}
		slices.Sort(names)
		for _, n := range names {
			text, err := os.ReadFile(n)
			if err != nil {
				return nil, err
			}
			files = append(files, File{filepath.Base(n), string(text)})
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no *.h in %s", strings.Join(dirs, ", "))
	}
	return Parse(files)
}

// Parse parses the headers of one SAI version.
func Parse(files []File) (*facts.Facts, error) {
	files = slices.Clone(files)
	// Types and statuses first, so that values defined from others resolve.
	slices.SortStableFunc(files, func(a, b File) int { return rank(a.Name) - rank(b.Name) })
	p := newParser()
	for _, f := range files {
		f.Text = strings.ToValidUTF8(f.Text, "?") // comments may be of another encoding
		toks, err := lex(f, &p.macros)
		if err != nil {
			return nil, err
		}
		p.toks = append(p.toks, toks...)
	}
	if err := p.parse(); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.f, nil
}

func rank(name string) int {
	switch {
	case name == "saitypes.h":
		return 0
	case name == "saistatus.h":
		return 1
	case name == "sai.h":
		return 2
	case name == "saiextensions.h" || name == "saitypesextensions.h":
		return 4
	case strings.Contains(name, "experimental") || strings.Contains(name, "extensions"):
		return 5
	}
	return 3
}

var errEnd = errors.New("unexpected end of the headers")
