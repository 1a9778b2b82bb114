package main

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/admin"
	"xon/gnmi/client"
	"xon/schema/configdb"
)

// aboutJSON is what the commands that change rows say of --json.
const aboutJSON = `

With --json it prints applied (false: nothing was changed, and faults says why), rows,
revision, changes, and, if there are any: warnings; fates, the rows named that are not in
force or that are warned of, each with its state; refused, what was left out of a file.`

// done is a change that was carried out.
type done struct {
	req   *gpb.SetRequest
	rows  int
	file  *configdb.File
	fates []rowFate
}

// rowFate is what became of a row, for programs.
type rowFate struct {
	Row      string   `json:"row"`
	State    string   `json:"state"`
	Field    string   `json:"field,omitempty"`
	On       string   `json:"on,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func (d *done) json(out client.Outcome) map[string]any {
	m := map[string]any{"applied": true, "rows": d.rows, "revision": out.Revision, "changes": out.Rows}
	if len(out.Warnings) > 0 {
		m["warnings"] = out.Warnings
	}
	if len(d.fates) > 0 {
		m["fates"] = d.fates
	}
	if left := leftOut(d.file); len(left) > 0 {
		m["refused"] = left
	}
	return m
}

// leftOut are the parts of a file that were refused alone.
func leftOut(file *configdb.File) (all []client.Fault) {
	if file == nil {
		return nil
	}
	for _, f := range file.Refused {
		fault := client.Fault{Reason: configdb.Invalid.String(), Row: string(f.Row), Field: f.Field}
		if f.Err != nil {
			fault.Message = f.Err.Error()
		}
		all = append(all, fault)
	}
	return all
}

// fatesNamed are those of the rows that a change named which are more than applied. A server
// that is not xon's reports none.
func fatesNamed(ctx context.Context, cl *client.Client, o *changeOptions) (all []rowFate) {
	named := map[string]bool{}
	for _, k := range o.named {
		named[string(k)] = true
	}
	if o.file != nil {
		for k := range o.file.Rows {
			named[string(k)] = true
		}
	}
	if len(named) == 0 {
		return nil
	}
	resp, err := cl.Admin().Fates(ctx, &admin.FatesRequest{})
	if err != nil {
		return nil
	}
	for _, f := range resp.GetFates() {
		if named[f.GetRow()] && (f.GetState() != admin.State_STATE_APPLIED || len(f.GetWarnings()) > 0) {
			all = append(all, rowFate{f.GetRow(), stateName(f.GetState()), f.GetField(), f.GetOn(), f.GetReason(), f.GetWarnings()})
		}
	}
	return all
}
