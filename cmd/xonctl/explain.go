package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xon/gnmi/admin"
	"xon/gnmi/client"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "why a number is what it is",
		RunE: func(c *cobra.Command, args []string) error {
			if err := noArgs(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	cmd.AddCommand(a.explainHeadroomCommand())
	return cmd
}

// explainHeadroomCommand takes what a port may have.
//
// Source: sonic-port.yang.
func (a *app) explainHeadroomCommand() *cobra.Command {
	req := &admin.ExplainHeadroomRequest{}
	cmd := &cobra.Command{
		Use:   "headroom PORT",
		Short: "how the headroom of a port comes about, and whether it fits",
		Long: `headroom prints what the headroom of a lossless priority group of a port is worked out
of: every input with where it is from, every step with its formula, and the result. It is
compared with what may still arrive, with the shared headroom, the port, the pools and
the chip's memory; what a "fits" depends on, and what is not known, is said with it. With
--speed, --cable or --mtu it answers as if the port had that: would it fit? Nothing is
changed. It ends with 1 if something is refused or too little.

xoff is what may still arrive after a sender was told to pause; xon the fill below which
it may go on; size what is reserved for the priority group.`,
		Example: `  xonctl explain headroom Ethernet0
  xonctl explain headroom Ethernet0 --cable 300m        # would a longer cable fit?
  xonctl explain headroom Ethernet0 --speed 400000 --mtu 9216 --json`,
		Args:              needs("a port, as in Ethernet0"),
		ValidArgsFunction: a.completePort,
		RunE: func(c *cobra.Command, args []string) error {
			if err := atMost(1)(c, args); err != nil {
				return err
			}
			req.Port = args[0]
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error {
				return a.explainHeadroom(ctx, c, cl, req)
			})
		},
	}
	f := cmd.Flags()
	f.Var(&wholeNumber{lo: 1, hi: 1_600_000, set: into(&req.Speed)}, "speed", "as if the port ran at so many `Mb/s`")
	f.Var(&wholeNumber{hi: math.MaxUint32, unit: "m", set: func(n uint32) { req.Metres = &n }}, "cable", "as if its cable had this `length`, as in 40m")
	f.Var(&wholeNumber{lo: 68, hi: 9216, set: into(&req.Mtu)}, "mtu", "as if its MTU were so many `octets`")
	return cmd
}

func (a *app) explainHeadroom(ctx context.Context, c *cobra.Command, cl *client.Client, req *admin.ExplainHeadroomRequest) error {
	e, err := cl.Admin().ExplainHeadroom(ctx, req)
	switch {
	case err != nil:
		return err
	case a.json:
		err = a.printMessage(c, e)
	default:
		err = printHeadroom(c.OutOrStdout(), e)
	}
	if err == nil && !e.GetFits() {
		return errSaid
	}
	return err
}

func printHeadroom(w io.Writer, e *admin.ExplainHeadroomResponse) error {
	title := fmt.Sprintf("%s, %s model", e.GetPort(), e.GetModel())
	if e.GetProfile() != "" {
		title += ": BUFFER_PROFILE " + e.GetProfile()
	}
	steps := &table{title: printable(title), columns: []string{"NAME", "VALUE", "UNIT", "FROM"}}
	for _, s := range e.GetSteps() {
		from := s.GetSource()
		if s.GetFormula() != "" {
			from = "= " + s.GetFormula()
		}
		steps.add(printable(s.GetName()), digits(s.GetValue()), s.GetUnit(), printable(from))
	}
	result := &table{title: "result, in bytes", columns: []string{"XON", "XOFF", "SIZE", "PORT RESERVES", "PORT MAY"}, optional: true}
	var limit any
	if e.GetPortLimit() > 0 {
		limit = e.GetPortLimit()
	}
	result.add(e.GetXon(), e.GetXoff(), e.GetSize(), e.GetPortBytes(), limit)
	pools := &table{title: "pools, in bytes", columns: []string{"POOL", "SIZE NOW", "SIZE THEN", "SHARED HEADROOM NOW", "SHARED HEADROOM THEN"}}
	for _, p := range e.GetPools() {
		pools.add(printable(p.GetPool()), p.GetBefore(), p.GetAfter(), p.GetXoffBefore(), p.GetXoffAfter())
	}
	all := []*table{steps, result, headroomChecks(e.GetChecks())}
	if len(pools.rows) > 0 {
		all = append(all, pools)
	}
	if err := (&app{}).print(w, all...); err != nil {
		return err
	}
	for i, n := range e.GetNotes() {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, "note: "+printable(n))
	}
	_, err := fmt.Fprintln(w, "\n"+printable(e.GetVerdict()))
	return err
}

func headroomChecks(checks []*admin.HeadroomCheck) *table {
	t := &table{title: "compared, in bytes", columns: []string{"WHAT", "NEEDED", "THERE ARE", "RESULT", "BY"}}
	for _, c := range checks {
		var available any
		if c.GetResult() != "not known" {
			available = c.GetAvailable()
		}
		t.add(printable(c.GetWhat()), c.GetNeeded(), available, c.GetResult(), printable(c.GetBy()))
	}
	return t
}

// digits prints a number with as many digits as say something.
func digits(v float64) string {
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

func (a *app) restartCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart",
		Short: "have a part of the agent begin anew",
		RunE: func(c *cobra.Command, args []string) error {
			if err := noArgs(c, args); err != nil {
				return err
			}
			return c.Help()
		},
	}
	cmd.AddCommand(a.restartBuffersCommand())
	return cmd
}

func (a *app) restartBuffersCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "buffers",
		Short: "have the buffer manager read its files and its model anew",
		Long: `buffers has the buffer manager begin anew, as restarting buffermgrd does on SONiC: it
reads its files (pg_profile_lookup.ini and the others, see xond --buffers) and takes the
model that DEVICE_METADATA|localhost asks for in buffer_model. With nothing changed the
chip is not written. Files, or a model, that would take headroom from under lossless
traffic are refused, with the rows that would lose it and what they lack. Then, and if a
file is wrong, it goes on with what it had. It ends with 1 if a plan waits to be confirmed
before the chip follows.`,
		Example: `  xonctl set 'DEVICE_METADATA|localhost' buffer_model=dynamic
  xonctl restart buffers`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(ctx context.Context, cl *client.Client) error { return a.restartBuffers(ctx, c, cl) })
		},
	}
}

func (a *app) restartBuffers(ctx context.Context, c *cobra.Command, cl *client.Client) error {
	resp, err := cl.Admin().RestartBuffers(ctx, &admin.RestartBuffersRequest{})
	switch {
	case err != nil:
		return a.refused(c, err, nil)
	case a.json:
		err = a.printMessage(c, resp)
	default:
		from := ""
		if s := resp.GetSources(); len(s) > 0 {
			from = ", by " + printable(strings.Join(s, " and "))
		}
		_, err = fmt.Fprintf(c.OutOrStdout(), "the buffer manager began anew: %s model%s\n", resp.GetModel(), from)
	}
	if err != nil {
		return err
	}
	now, err := cl.Admin().Status(ctx, &admin.StatusRequest{})
	if err != nil {
		return err
	}
	if now.GetLosing() > 0 { // the other model may not know the headroom of this one
		fmt.Fprintf(c.ErrOrStderr(), "warning: %s\n", warnedRows(now.GetWarned(), now.GetLosing()))
	}
	if h := now.GetHeld(); h != nil {
		fmt.Fprintf(c.ErrOrStderr(), "the chip does not follow yet: plan %d is held: %s\nxonctl history --plans shows it, xonctl confirm %d lets it go on\n", h.GetId(), printable(h.GetReason()), h.GetId())
		return errSaid
	}
	return nil
}
