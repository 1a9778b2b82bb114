package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/admin"
	"xon/gnmi/client"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// agentTable has one row about the agent itself, in STATE_DB.
const agentTable = "XON_AGENT"

func (a *app) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "the agent, and how many rows of each table are applied",
		Example: `  xonctl status
  xonctl status --json
  xonctl status rows --state refused,waiting        which rows are not applied, and why`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				s, err := a.status(ctx, cl)
				if err != nil {
					return err
				}
				if a.json {
					return indent(c.OutOrStdout(), s.json())
				}
				return s.print(c.OutOrStdout())
			})
		},
	}
	cmd.AddCommand(a.rowsCommand())
	return cmd
}

// status is what the command of that name shows.
type status struct {
	addr, gnmi string
	agent      map[string]string
	revision   uint64
	now        *admin.StatusResponse
	tables     *table
}

func (a *app) status(ctx context.Context, cl *client.Client) (*status, error) {
	version, err := cl.Version(ctx)
	if err != nil {
		return nil, err
	}
	now, err := cl.Admin().Status(ctx, &admin.StatusRequest{})
	if err != nil {
		return nil, err
	}
	fates, agent := &read{elems: []string{stateDB, statedb.FateTable}}, &read{elems: []string{stateDB, agentTable}}
	if err := ask(ctx, cl, fates, agent); err != nil {
		if len(now.GetTroubles()) == 0 {
			return nil, err
		}
		now.Troubles = append(now.Troubles, "rows: "+err.Error())
	}
	s := &status{addr: a.connect.Addr, gnmi: version, agent: map[string]string{}, now: now}
	for _, fields := range agent.rows {
		s.agent = fields
	}
	s.tables, s.revision = countFates(fates.rows)
	if n, ok := number(s.agent["revision"]).(uint64); ok {
		s.revision = n
	}
	return s, nil
}

// countFates counts rows by table and state, and finds the latest revision.
func countFates(rows client.Rows) (t *table, revision uint64) {
	counts := map[string]map[string]uint64{}
	for row := range rows {
		key := configdb.RowKey(row)
		f, _ := fateIn(rows, key.Table(), key.Key())
		if counts[key.Table()] == nil {
			counts[key.Table()] = map[string]uint64{}
		}
		counts[key.Table()][string(f.State)]++
		revision = max(revision, f.Revision)
	}
	t = &table{columns: []string{"TABLE"}}
	for _, s := range states {
		t.columns = append(t.columns, strings.ToUpper(s))
	}
	for _, name := range sorted(counts) {
		line := []any{name}
		for _, s := range states {
			line = append(line, counts[name][s])
		}
		t.add(line...)
	}
	return t, revision
}

func (s *status) json() map[string]any {
	m := map[string]any{
		"address": s.addr, "gnmi": s.gnmi, "agent": s.agent, "revision": s.revision, "tables": s.tables.objects(),
		"connected": s.now.GetConnected(), "warned": s.now.GetWarned(), "losing": s.now.GetLosing(),
	}
	if r := s.now.GetRunning(); r != nil {
		m["running"] = map[string]any{"source": r.GetSource(), "who": r.GetWho(), "since": r.GetSince().AsTime(), "done": r.GetDone(), "steps": r.GetSteps()}
	}
	if h := s.now.GetHeld(); h != nil {
		held := map[string]any{"id": h.GetId(), "who": h.GetWho(), "reason": h.GetReason(), "steps": h.GetSteps()}
		if h.GetSince() != nil { // it is not known of one that is held for long
			held["since"] = h.GetSince().AsTime()
		}
		m["held"] = held
	}
	if t := s.now.GetTroubles(); len(t) > 0 {
		m["troubles"] = t
	}
	if t := s.now.GetNextRetry(); t != nil {
		m["next_retry"] = t.AsTime()
	}
	return m
}

// activity is what the agent is at, beyond the usual.
func (s *status) activity() [][2]string {
	var lines [][2]string
	if n := s.now.GetWarned(); n > 0 {
		lines = append(lines, [2]string{"warnings", warnedRows(n, s.now.GetLosing())})
	}
	for _, t := range s.now.GetTroubles() {
		lines = append(lines, [2]string{"trouble", t})
	}
	if !s.now.GetConnected() {
		lines = append(lines, [2]string{"chip", "not connected; what follows is from before; xond's log says why"})
	}
	if r := s.now.GetRunning(); r != nil {
		lines = append(lines, [2]string{"running", fmt.Sprintf("%d of %s, for %s; xonctl abort ends it", r.GetDone(), count(int(r.GetSteps()), "step"), cmp.Or(r.GetWho(), r.GetSource()))})
	}
	if h := s.now.GetHeld(); h != nil {
		lines = append(lines, [2]string{"held", fmt.Sprintf("plan %d: %s; xonctl history --plans shows it", h.GetId(), h.GetReason())})
	}
	if t := s.now.GetNextRetry(); t != nil {
		lines = append(lines, [2]string{"retry", "what the chip refused is tried again at " + t.AsTime().Format("15:04:05")})
	}
	return lines
}

// warnedRows is "48 rows, 2 of them as lossless packets may be dropped; …".
func warnedRows(warned, losing uint32) string {
	text := "about " + count(int(warned), "row")
	if losing > 0 {
		text += fmt.Sprintf(", %d of them as lossless packets may be dropped", losing)
	}
	return text + "; xonctl status rows --warnings lists them"
}

func (s *status) print(w io.Writer) error {
	lines := [][2]string{{"address", s.addr}, {"gnmi", s.gnmi}}
	for _, name := range sorted(s.agent) {
		if name != "revision" {
			lines = append(lines, [2]string{name, s.agent[name]})
		}
	}
	lines = append(lines, [2]string{"revision", fmt.Sprint(s.revision)}, [2]string{"rows", s.summary()})
	lines = append(lines, s.activity()...)
	width := 0
	for _, l := range lines {
		width = max(width, len(l[0]))
	}
	for _, l := range lines {
		fmt.Fprintf(w, "%-*s  %s\n", width, l[0], l[1])
	}
	fmt.Fprintln(w)
	return s.tables.text(w)
}

// summary is "812 applied, 4 waiting".
func (s *status) summary() string {
	var parts []string
	for i, state := range states {
		var n uint64
		for _, row := range s.tables.rows {
			if cell, ok := row[i+1].(uint64); ok {
				n += cell
			}
		}
		if n > 0 || state == "applied" {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(parts, ", ")
}
