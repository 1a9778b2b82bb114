package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"xon/schema/countersdb"
)

// watermarkFlag is the value of --watermark: whose peaks to show. They differ in who
// clears them.
type watermarkFlag countersdb.Watermark

const watermarkHelp = "`which` watermarks: user or persistent, which only people clear, or periodic, which the telemetry interval does"

// markFlag adds --watermark.
func markFlag(cmd *cobra.Command, want *choice) *cobra.Command {
	want.mark = watermarkFlag(countersdb.User)
	cmd.Flags().Var(&want.mark, "watermark", watermarkHelp)
	_ = cmd.RegisterFlagCompletionFunc("watermark", cobra.FixedCompletions(watermarkNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func watermarkNames() []string {
	var names []string
	for _, w := range countersdb.Watermarks {
		names = append(names, strings.ToLower(w.Name()))
	}
	return names
}

// Set implements pflag.Value.
func (f *watermarkFlag) Set(text string) error {
	for i, name := range watermarkNames() {
		if name == text {
			*f = watermarkFlag(countersdb.Watermarks[i])
			return nil
		}
	}
	return fmt.Errorf("there are %s", strings.Join(watermarkNames(), ", "))
}

// String implements pflag.Value.
func (f *watermarkFlag) String() string {
	return strings.ToLower(countersdb.Watermark(*f).Name())
}

// Type implements pflag.Value.
func (*watermarkFlag) Type() string { return "which" }

// table is where the watermarks are.
func (f watermarkFlag) table() string { return countersdb.Watermark(f).Table() }
