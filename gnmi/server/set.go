package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"xon/gnmi/path"
	"xon/gnmi/translate"
	"xon/gnmi/value"
	"xon/schema/configdb"
)

// Metadata of a Set's answer.
const (
	RevisionKey = "xon-revision" // the number of the configuration that it made
	RowsKey     = "xon-rows"     // how many rows came and went, a configdb.RowCount as JSON
	WarningKey  = "xon-warning"  // one each, percent-encoded, as metadata has no room for other letters
)

// Metadata of a Set, "true" or "false": see Request.
const (
	DisruptiveKey = "xon-disruptive"
	ConfirmKey    = "xon-confirm"
)

// maxWarnings bounds how many warnings an answer carries; the rest is in STATE_DB.
const maxWarnings = 16

// Set implements gpb.GNMIServer. The whole request is one transaction: deletes,
// then replaces, then updates, each in the order given.
func (s *Server) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	asked, err := request(ctx)
	if err != nil {
		return nil, err
	}
	set, err := s.understand(ctx, req, Write)
	if err != nil {
		return nil, err
	}
	asked.Ops = set.ops
	if err := s.transact(ctx, asked); err != nil {
		return nil, err
	}
	return &gpb.SetResponse{Prefix: req.GetPrefix(), Response: set.results, Timestamp: time.Now().UnixNano()}, nil
}

// request is all that a call says beside its operations.
func request(ctx context.Context) (Request, error) {
	req := Request{Who: Who(ctx)}
	md, _ := metadata.FromIncomingContext(ctx)
	for key, option := range map[string]*bool{DisruptiveKey: &req.Disruptive, ConfirmKey: &req.Confirmed} {
		for _, v := range md.Get(key) {
			var err error
			if *option, err = strconv.ParseBool(v); err != nil {
				return req, status.Errorf(codes.InvalidArgument, "metadata %s: want true or false, not %q", key, v)
			}
		}
	}
	return req, nil
}

// Operations says what a Set would do, to those who may read what it names. It
// changes nothing. Errors are those of Set.
func (s *Server) Operations(ctx context.Context, req *gpb.SetRequest) ([]configdb.Op, error) {
	set, err := s.understand(ctx, req, Read)
	if err != nil {
		return nil, err
	}
	return set.ops, nil
}

// understand gathers what a request asks for, from those who may go at it in a mode.
func (s *Server) understand(ctx context.Context, req *gpb.SetRequest, mode Mode) (*setting, error) {
	if err := checkExtensions(req.GetExtension()); err != nil {
		return nil, err
	}
	if len(req.GetUnionReplace()) > 0 {
		return nil, status.Error(codes.Unimplemented, "union_replace is not served")
	}
	set := &setting{server: s, mode: mode, prefix: req.GetPrefix()}
	for _, p := range req.GetDelete() {
		if err := set.delete(ctx, p); err != nil {
			return nil, err
		}
	}
	for _, u := range req.GetReplace() {
		if err := set.write(ctx, u, configdb.Replace); err != nil {
			return nil, err
		}
	}
	for _, u := range req.GetUpdate() {
		if err := set.write(ctx, u, configdb.Update); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// transact does what a request asks for, if that is anything.
func (s *Server) transact(ctx context.Context, req Request) error {
	if len(req.Ops) == 0 {
		return nil
	}
	outcome, err := s.cfg.Transactor.Transact(ctx, req)
	if err != nil {
		return refusal(ctx, err)
	}
	header := metadata.Pairs(RevisionKey, strconv.FormatUint(outcome.Revision, 10))
	if rows, err := json.Marshal(outcome.Rows); err == nil { // numbers always have a form
		header.Append(RowsKey, string(rows))
	}
	warnings := outcome.Warnings
	if more := len(warnings) - maxWarnings; more > 0 {
		warnings = append(warnings[:maxWarnings:maxWarnings], fmt.Sprintf("and %d more; xonctl status rows has those of rows", more))
	}
	for _, w := range warnings {
		header.Append(WarningKey, url.PathEscape(w))
	}
	_ = grpc.SetHeader(ctx, header) // fails outside of gRPC only
	return nil
}

// setting gathers what a request asks for.
type setting struct {
	server  *Server
	mode    Mode
	prefix  *gpb.Path
	ops     []configdb.Op
	results []*gpb.UpdateResult
}

// queries understands a path that is to be written.
func (s *setting) query(ctx context.Context, p *gpb.Path) (*translate.Query, error) {
	queries, err := translate.Parse(s.prefix, p)
	if err != nil {
		return nil, err
	}
	q := queries[0]
	if len(queries) > 1 {
		return nil, status.Errorf(codes.InvalidArgument, "path %s names no database; name CONFIG_DB", path.String(q.Path()))
	}
	if err := s.server.authorize(ctx, s.mode, q); err != nil {
		return nil, err
	}
	return q, q.CheckWritable()
}

func (s *setting) delete(ctx context.Context, p *gpb.Path) error {
	q, err := s.query(ctx, p)
	if err != nil {
		return err
	}
	ops, err := q.DeleteOps(ctx, s.server.cfg.Databases)
	if err != nil {
		return err
	}
	s.add(p, gpb.UpdateResult_DELETE, ops)
	return nil
}

func (s *setting) write(ctx context.Context, u *gpb.Update, kind configdb.OpKind) error {
	q, err := s.query(ctx, u.GetPath())
	if err != nil {
		return err
	}
	v, err := value.Decode(u.GetVal())
	if err != nil {
		return status.Errorf(decodeCode(err), "path %s: %v", q, err)
	}
	ops, err := q.WriteOps(kind, v)
	if err != nil {
		return err
	}
	op := gpb.UpdateResult_UPDATE
	if kind == configdb.Replace {
		op = gpb.UpdateResult_REPLACE
	}
	s.add(u.GetPath(), op, ops)
	return nil
}

func (s *setting) add(p *gpb.Path, op gpb.UpdateResult_Operation, ops []configdb.Op) {
	s.ops = append(s.ops, ops...)
	s.results = append(s.results, &gpb.UpdateResult{Path: p, Op: op})
}
