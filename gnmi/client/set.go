package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"xon/schema/configdb"
)

// Metadata keys of xon's server.
const (
	errorBytesKey = "xon-error-bytes"
	disruptiveKey = "xon-disruptive"
	confirmKey    = "xon-confirm"
	revisionKey   = "xon-revision"
	rowsKey       = "xon-rows"
	warningKey    = "xon-warning"
)

// Fault is what is wrong with one row of a Set.
type Fault struct {
	Reason    string `json:"reason"` // "INVALID", "MISSING", "IN_USE", "LIMIT", "CHIP" or "CONFLICT"
	Row       string `json:"row"`
	Field     string `json:"field,omitempty"`
	Attribute string `json:"attribute,omitempty"` // of SAI, when the chip refused
	Status    string `json:"status,omitempty"`    // of SAI
	Message   string `json:"message,omitempty"`
}

// Error is an answer that is not OK.
type Error struct {
	Code    codes.Code
	Message string
	Faults  []Fault // of a Set; as many as the server had room for
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Code returns the code of a call's error; Unknown if it has none.
func Code(err error) codes.Code {
	var e *Error
	switch {
	case err == nil:
		return codes.OK
	case errors.As(err, &e):
		return e.Code
	}
	return codes.Unknown
}

func faults(st *status.Status) []Fault {
	var all []Fault
	for _, d := range st.Details() {
		info, ok := d.(*errdetails.ErrorInfo)
		if !ok {
			continue
		}
		m := info.GetMetadata()
		all = append(all, Fault{
			Reason: info.GetReason(), Row: m["row"], Field: m["field"],
			Attribute: m["attribute"], Status: m["status"], Message: m["message"],
		})
	}
	return all
}

// Outcome is what a Set did, as far as the server says.
type Outcome struct {
	Revision uint64   // of the configuration that it made; 0 if the server does not say
	Warnings []string // about rows that look wrong, or are stored and have to wait
	Rows     configdb.RowCount
	Counted  bool // the server said how many rows came and went
}

// SetOptions are how a Set is to be carried out; the zero value is the usual.
type SetOptions struct {
	// Disruptive has changed objects taken out of use first: that needs no room for a
	// moment, but traffic notices.
	Disruptive bool
	// Confirm has it go on although it removes or resets a lot.
	Confirm bool
}

// Set carries out a request.
func (c *Client) Set(ctx context.Context, req *gpb.SetRequest, o SetOptions) (Outcome, error) {
	var header metadata.MD
	var out Outcome
	ctx = metadata.AppendToOutgoingContext(outgoing(ctx),
		disruptiveKey, strconv.FormatBool(o.Disruptive), confirmKey, strconv.FormatBool(o.Confirm))
	_, err := c.rpc.Set(ctx, req, grpc.Header(&header))
	if v := header.Get(revisionKey); len(v) == 1 {
		out.Revision, _ = strconv.ParseUint(v[0], 10, 64) // 0 when it is none
	}
	if v := header.Get(rowsKey); len(v) == 1 {
		out.Counted = json.Unmarshal([]byte(v[0]), &out.Rows) == nil
	}
	for _, v := range header.Get(warningKey) {
		if w, err := url.PathUnescape(v); err == nil {
			out.Warnings = append(out.Warnings, w)
		}
	}
	return out, c.said(err)
}

// Update makes one update of a Set.
func Update(p *gpb.Path, json []byte) *gpb.Update {
	return &gpb.Update{Path: p, Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: json}}}
}
