package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	library "xon/test/scenario"
)

// scenarioNames are those that xonctl brings along.
func scenarioNames() []string {
	files, _ := fs.Glob(library.Files, "*.yaml") // the pattern is good
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".yaml")
	}
	return files
}

// completeScenario completes a scenario of the library, or a file or folder.
func completeScenario(c *cobra.Command, args []string, typed string) ([]string, directive) {
	if compare := c.Flags().Lookup("compare"); compare != nil && compare.Changed {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if len(args) > 0 {
		return nil, wholeWords
	}
	names := begin(scenarioNames(), typed)
	how := wholeWords
	dir, base := filepath.Split(typed)
	entries, _ := os.ReadDir(filepath.Join(dir, ".")) // a folder that can't be read has nothing to offer
	for _, e := range entries {
		name := e.Name()
		switch {
		case !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, "."):
		case e.IsDir():
			names, how = append(names, dir+name+"/"), beginnings
		case strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"):
			names = append(names, dir+name)
		}
	}
	return names, how
}

func completeExample(_ *cobra.Command, _ []string, typed string) ([]string, directive) {
	return begin(scenarioNames(), typed), wholeWords
}
