package server

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"xon/gnmi/path"
	"xon/gnmi/translate"
	"xon/gnmi/value"
)

// Get implements gpb.GNMIServer: one Notification for each path. In JSON a path
// that leads to more than a field is one object, and one with wildcards one
// object for each place that it matches; in other encodings it is all fields.
func (s *Server) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if err := checkGet(req); err != nil {
		return nil, err
	}
	paths := req.GetPath()
	if len(paths) == 0 && req.GetPrefix() != nil {
		paths = []*gpb.Path{{}}
	}
	resp := &gpb.GetResponse{}
	for _, p := range paths {
		n, err := s.get(ctx, req, p)
		if err != nil {
			return nil, err
		}
		resp.Notification = append(resp.Notification, n)
	}
	if size := proto.Size(resp); size > maxMessage {
		return nil, status.Errorf(codes.ResourceExhausted, "an answer of %d bytes: at most %d; subscribe with mode ONCE instead", size, maxMessage)
	}
	return resp, nil
}

func checkGet(req *gpb.GetRequest) error {
	if err := value.CheckEncoding(req.GetEncoding()); err != nil {
		return status.Error(codes.Unimplemented, err.Error())
	}
	if _, ok := gpb.GetRequest_DataType_name[int32(req.GetType())]; !ok {
		return status.Errorf(codes.InvalidArgument, "data type %d: there are ALL, CONFIG, STATE and OPERATIONAL", req.GetType())
	}
	if err := checkExtensions(req.GetExtension()); err != nil {
		return err
	}
	return checkModels(req.GetUseModels())
}

// get answers for one path.
func (s *Server) get(ctx context.Context, req *gpb.GetRequest, p *gpb.Path) (*gpb.Notification, error) {
	queries, err := translate.Parse(req.GetPrefix(), p)
	if err != nil {
		return nil, err
	}
	if err := s.authorize(ctx, Read, queries...); err != nil {
		return nil, err
	}
	n := &gpb.Notification{Timestamp: time.Now().UnixNano(), Prefix: queries[0].Prefix()}
	for _, q := range queries {
		if !ofType(q, req.GetType()) {
			continue
		}
		rows, err := q.Open(s.cfg.Databases).All(ctx)
		if err != nil {
			return nil, unavailable(ctx, err)
		}
		n.Update = append(n.Update, updates(q, rows, req.GetEncoding())...)
	}
	if len(n.GetUpdate()) == 0 && !queries[0].IsPattern() {
		return nil, status.Errorf(codes.NotFound, "path %s: nothing is there", path.String(queries[0].Whole(queries[0].Asked()...)))
	}
	return n, nil
}

// unavailable is the status of a database that does not answer.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	return status.Error(codes.Unavailable, err.Error())
}

// ofType tells whether a database holds what a Get of one type asks for.
func ofType(q *translate.Query, t gpb.GetRequest_DataType) bool {
	switch t {
	case gpb.GetRequest_CONFIG:
		return q.Writable()
	case gpb.GetRequest_STATE:
		return !q.Writable()
	case gpb.GetRequest_OPERATIONAL:
		return q.Operational()
	default:
		return true
	}
}

func updates(q *translate.Query, rows []translate.Row, e gpb.Encoding) []*gpb.Update {
	if value.Structured(e) {
		return objects(q, rows, e)
	}
	var all []*gpb.Update
	for _, r := range rows {
		all = append(all, leaves(q, r, r.Leaves(), e)...)
	}
	return all
}

func leaves(q *translate.Query, r translate.Row, fields translate.Fields, e gpb.Encoding) []*gpb.Update {
	all := make([]*gpb.Update, 0, len(fields))
	kind := q.Kinds(r.Name)
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		at := q.Under(append(slices.Clone(r.Elems), f)...)
		all = append(all, &gpb.Update{Path: at, Val: value.Leaf(e, kind(f), fields[f])})
	}
	return all
}

// objects gathers rows by the place that the path matches, and makes a document
// of each place.
func objects(q *translate.Query, rows []translate.Row, e gpb.Encoding) []*gpb.Update {
	var all []*gpb.Update
	trees := map[string]*value.Tree{}
	places := map[string][]string{}
	for _, r := range rows {
		if q.Depth() > len(r.Elems) {
			all = append(all, leaves(q, r, r.Fields, e)...)
			continue
		}
		place := strings.Join(r.Elems[:q.Depth()], "\x00")
		if trees[place] == nil {
			trees[place], places[place] = &value.Tree{}, r.Elems[:q.Depth()]
		}
		trees[place].At(r.Elems[q.Depth():]...).Put(r.Fields, q.Kinds(r.Name))
	}
	for _, place := range slices.Sorted(maps.Keys(trees)) {
		doc := trees[place].AppendJSON(nil, e)
		all = append(all, &gpb.Update{Path: q.Under(places[place]...), Val: value.JSON(e, doc)})
	}
	return all
}
