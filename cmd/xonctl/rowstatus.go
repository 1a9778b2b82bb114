package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xon/gnmi/admin"
	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// states are those that a row can be in, in the order of their columns.
var states = []string{string(statedb.Applied), string(statedb.Waiting), string(statedb.Refused), string(statedb.Ignored)}

// fatesCommand is "status rows" by the name that it had first, for scripts.
func (a *app) fatesCommand() *cobra.Command {
	cmd := a.rowsCommand()
	cmd.Use, cmd.Hidden = "fates [PATTERN...]", true
	return cmd
}

// rowsCommand is the part of "status" that lists rows.
func (a *app) rowsCommand() *cobra.Command {
	var only []string
	warned := false
	cmd := &cobra.Command{
		Use:   "rows [PATTERN...]",
		Short: "the status of each row, and why",
		Long: `status rows shows the status of each row of the configuration: applied; waiting, for what;
refused, why; or ignored, when xon does not manage its table. A pattern names a table or
rows, and * in it stands for any text. --warnings lists only what rows are warned of,
the same of several rows once, and first what may cost lossless packets.`,
		Example: `  xonctl status rows
  xonctl status rows BUFFER_PG 'PORT|Ethernet1*'
  xonctl status rows --state refused,waiting
  xonctl status rows --warnings`,
		ValidArgsFunction: a.completePattern,
		RunE: func(c *cobra.Command, args []string) error {
			req := &admin.FatesRequest{Rows: args, Warned: warned}
			for _, s := range only {
				i := slices.Index(states, s)
				if i < 0 {
					return usagef("--state %q: there are %s", s, strings.Join(states, ", "))
				}
				req.States = append(req.States, admin.State(i+1)) // they are in the same order, behind "unspecified"
			}
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				resp, err := cl.Admin().Fates(ctx, req)
				if err != nil {
					return err
				}
				if warned {
					return a.print(c.OutOrStdout(), warningsTable(resp.GetFates()))
				}
				return a.print(c.OutOrStdout(), fatesTable(resp.GetFates()))
			})
		},
	}
	cmd.Flags().StringSliceVar(&only, "state", nil, "only rows in these `states`: "+strings.Join(states, ", "))
	cmd.Flags().BoolVar(&warned, "warnings", false, "only what rows are warned of")
	_ = cmd.RegisterFlagCompletionFunc("state", func(_ *cobra.Command, _ []string, typed string) ([]string, directive) {
		return begin(nextOf(typed, states), typed), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func fatesTable(fates []*admin.Fate) *table {
	t := &table{
		columns:  []string{"ROW", "STATE", "SINCE", "REVISION", "FIELD", "WAITS FOR", "NEXT TRY", "REASON", "WARNINGS"},
		optional: true,
	}
	for _, f := range fates {
		t.add(f.GetRow(), stateName(f.GetState()), moment(f.GetSince().AsTime()), f.GetRevision(), f.GetField(), f.GetOn(), moment(f.GetNextTry().AsTime()), f.GetReason(), listed(f.GetWarnings()))
	}
	return t
}

// warningsTable lists warnings, those that rows share once.
func warningsTable(fates []*admin.Fate) *table {
	var all []statedb.Said
	for _, f := range fates {
		for i, w := range f.GetWarnings() {
			all = append(all, statedb.Said{Row: configdb.RowKey(f.GetRow()), Text: w, Loses: i < int(f.GetLoses())})
		}
	}
	t := &table{columns: []string{"ROWS", "COUNT", "LOSS", "WARNING"}}
	for _, s := range statedb.Group(all) {
		loss := shown{text: "-", value: s.Loses}
		if s.Loses {
			loss.text = "may be"
		}
		t.add(shown{text: s.Who(), value: s.Rows}, uint64(len(s.Rows)), loss, s.Text)
	}
	return t
}

func stateName(s admin.State) string {
	return strings.ToLower(strings.TrimPrefix(s.String(), "STATE_"))
}

// moment is a time, nil if there is none.
func moment(t time.Time) any {
	if t.IsZero() || t.Unix() == 0 {
		return nil
	}
	return shown{text: t.UTC().Format("2006-01-02 15:04:05Z07:00"), value: t}
}

// listed are one after the other for people, and a list for programs.
func listed(all []string) any {
	if len(all) == 0 {
		return nil
	}
	return shown{text: strings.Join(all, "; "), value: all}
}

// fateIn is what became of a row of a table, among the fates asked for. What can't
// be read of it, because another version wrote it, is left out.
func fateIn(fates client.Rows, table, key string) (f statedb.Fate, ok bool) {
	fields, ok := fates[string(configdb.Key(table, key))]
	f, _ = statedb.ParseFate(fields) // has what could be read
	return f, ok
}

// shortFate is a fate in a word or two.
func shortFate(fates client.Rows, table, key string) string {
	f, _ := fateIn(fates, table, key)
	if len(f.Warnings) > 0 && f.State == statedb.Applied {
		return "applied (warnings)"
	}
	return string(f.State)
}
