package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"xon/sai/vsai/scenario"
	"xon/sai/vsai/scenario/report"
)

// faultsOfReport finds what can't be asked for together.
func (s *simulation) faultsOfReport() error {
	switch {
	case s.report == "" && s.against != "":
		return usagef("--against %s: want --report too, which the comparison is part of", s.against)
	case s.report != "" && s.seeds > 1:
		return usagef("--report and --seeds %d: a report is of one run; give --seed to choose which", s.seeds)
	}
	return s.placeOfReport()
}

// placeOfReport finds before the run what would be in the page's way after it.
func (s *simulation) placeOfReport() error {
	if s.report == "" {
		return nil
	}
	if isDir(s.report) {
		return usagef("--report %s: it is a folder; name a file in it", s.report)
	}
	if dir := filepath.Dir(s.report); !isDir(dir) {
		return usagef("--report %s: there is no folder %s; make it, or name another file", s.report, dir)
	}
	return nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// writeReport writes the page about a run, and about the one that it is compared with,
// if it is asked for.
func (s *simulation) writeReport(ctx context.Context, r *scenario.Result, name string, text []byte, o scenario.Options) error {
	if s.report == "" {
		return nil
	}
	in := report.Input{Result: r}
	if s.against != "" {
		other, title, err := s.runAgainst(ctx, name, text, o)
		if err != nil {
			return badScenario(ctx, fmt.Errorf("--against %s: %w", s.against, err))
		}
		in.Against = &report.Input{Title: title, Result: other}
	}
	var page bytes.Buffer
	if err := report.Write(&page, in); err != nil {
		return err
	}
	return os.WriteFile(s.report, page.Bytes(), 0o644)
}

// runAgainst runs the same scenario with another config_db.json, or another scenario.
func (s *simulation) runAgainst(ctx context.Context, name string, text []byte, o scenario.Options) (*scenario.Result, string, error) {
	var title string
	if filepath.Ext(s.against) == ".json" {
		o.Config = s.against
		title = filepath.Base(s.against)
	} else {
		var err error
		if text, name, err = readScenario(s.against); err != nil {
			return nil, "", err
		}
		o.Dir = filepath.Dir(name)
	}
	r, err := scenario.Run(ctx, name, text, o)
	return r, title, err
}
