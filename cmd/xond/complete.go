package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"xon/cmd/completion"
)

// completions makes the shell complete the values of flags that have a few.
func completions(root *cobra.Command) {
	for _, cmd := range append(root.Commands(), root) {
		for flag, values := range map[string][]string{
			"profile":   profileNames(),
			"log-level": levels,
			"chip":      {"process", "inproc", "unix:"},
		} {
			if cmd.Flags().Lookup(flag) != nil {
				_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
			}
		}
	}
	completion.Add(root, func() *cobra.Command { return newCommand(context.Background(), io.Discard, io.Discard) })
}
