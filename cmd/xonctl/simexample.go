package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xon/sai/vsai/scenario"
	library "xon/test/scenario"
)

// alone finds flags and arguments that what is only printed has no use for.
func (s *simulation) alone(c *cobra.Command, args []string) error {
	uses := map[string][]string{"list": nil, "measures": nil, "compare": {"json"}, "example": {"config"}}
	for _, what := range []string{"list", "measures", "compare", "example"} {
		if !c.Flags().Changed(what) {
			continue
		}
		var odd []string
		c.Flags().Visit(func(f *pflag.Flag) {
			if f.Name != what && c.LocalNonPersistentFlags().Lookup(f.Name) != nil && !slices.Contains(uses[what], f.Name) {
				odd = append(odd, "--"+f.Name)
			}
		})
		if what != "compare" {
			odd = append(odd, args...)
		}
		if len(odd) > 0 {
			return usagef("--%s has no use for %s: nothing is run", what, strings.Join(odd, ", "))
		}
	}
	return nil
}

// buffersOfModels refuses the buffer manager's files where no agent reads them.
func (s *simulation) buffersOfModels(name string, text []byte) error {
	if s.buffers == "" || s.config != "" {
		return nil
	}
	f, err := scenario.Load(name, text)
	if err != nil {
		return &usageError{err}
	}
	if f.Models() {
		return usagef("--buffers %s: all switches of the scenario are models, which no agent configures; give --config too", s.buffers)
	}
	return nil
}

// printExample prints a scenario that is part of the program, or a file.
func (s *simulation) printExample(out io.Writer) error {
	text, _, err := readScenario(s.example)
	if err != nil {
		return err
	}
	if s.config != "" {
		text = withConfig(text, s.config)
	}
	_, err = out.Write(text)
	return err
}

// topLevel is where a line begins with a field.
var topLevel = regexp.MustCompile(`\n[a-z]`)

// withConfig gives a scenario's switches a config_db.json, in place of what the field
// switch says.
func withConfig(text []byte, config string) []byte {
	quoted, _ := json.Marshal(config) // a string has no fault; JSON's are YAML's
	line := "switch: {config: " + string(quoted) + "}\n"
	const field = "\nswitch:"
	at := bytes.Index(text, []byte(field))
	if at < 0 {
		return append(text, line...)
	}
	from, rest := at+1, at+len(field) // after which the next field begins, at a line's beginning
	to := len(text)
	if next := topLevel.FindIndex(text[rest:]); next != nil {
		to = rest + next[0] + 1
	}
	return slices.Concat(text[:from], []byte(line), text[to:])
}

// readScenario reads a file, or one of the scenarios that are part of the program.
func readScenario(name string) (text []byte, as string, err error) {
	text, err = os.ReadFile(name)
	if err == nil || strings.ContainsAny(name, "./") {
		return text, name, err
	}
	if own, e := fs.ReadFile(library.Files, name+".yaml"); e == nil {
		return own, name + ".yaml", nil
	}
	return nil, "", usagef("%s: there is neither such a file nor such a scenario; --list names them", name)
}

func listScenarios(out io.Writer) error {
	files, err := fs.Glob(library.Files, "*.yaml")
	if err != nil {
		return err
	}
	t := &table{columns: []string{"NAME", "WHAT IT SHOWS"}}
	for _, f := range files {
		text, err := fs.ReadFile(library.Files, f)
		if err != nil {
			return err
		}
		s, err := scenario.Load(f, text)
		if err != nil {
			return err
		}
		t.add(s.Name, s.About)
	}
	return t.text(out)
}
