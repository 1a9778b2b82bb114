package translate

import (
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/path"
)

// Origin is the one served; the second spelling is that of a design document and
// is in use.
const (
	Origin    = "sonic-db"
	altOrigin = "sonic_db"
)

// host may stand behind the database, as SONiC's tools have it.
const host = "localhost"

// Query is one path, understood: a set of fields of rows of one database. It
// remembers how the client spelled it, since answers are spelled alike.
type Query struct {
	DB string

	// Patterns; as many as the path is deep, the rest "".
	table, key, field string
	names             *byName // the key is a name, to be looked up

	prefix *gpb.Path // the client's
	origin string    // when the client had it in the path
	head   []string  // elements that chose the database
	depth  int       // elements behind head
	rest   bool      // the path ended with "...", which is left out
}

// Parse understands a path under its prefix. A path above the databases gives a
// Query for each. Errors are gRPC statuses.
func Parse(prefix, p *gpb.Path) ([]*Query, error) {
	full, err := path.Full(prefix, p)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	dbs, head, rest, err := chooseDB(full)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 && rest[0] == host {
		head, rest = append(head, host), rest[1:]
	}
	open := len(rest) > 0 && rest[len(rest)-1] == path.Rest
	if open {
		rest = rest[:len(rest)-1]
	}
	if slices.Contains(rest, path.Rest) {
		return nil, status.Errorf(codes.InvalidArgument, "path %s: ... may only be the last element", path.String(full))
	}
	var all []*Query
	for _, db := range dbs {
		q := &Query{DB: db.name, prefix: prefix, origin: p.GetOrigin(), depth: len(rest), rest: open}
		q.head = append(slices.Clone(db.head), head...)
		if err := q.fill(rest); err != nil {
			return nil, status.Errorf(codes.NotFound, "path %s: %v", path.String(full), err)
		}
		all = append(all, q)
	}
	return all, nil
}

// chosen is a database and the element that names it, if one does.
type chosen struct {
	name string
	head []string
}

// chooseDB finds the databases that p is about. More than one when p names none.
func chooseDB(p *gpb.Path) (dbs []chosen, head, rest []string, err error) {
	switch p.GetOrigin() {
	case Origin, altOrigin, "":
	default:
		return nil, nil, nil, status.Errorf(codes.Unimplemented, "origin %q is not served; %q is", p.GetOrigin(), Origin)
	}
	elems := p.GetElem()
	if len(elems) == 0 && databases[p.GetTarget()].separator == "" {
		return every(p.GetOrigin()), nil, nil, nil
	}
	if len(elems) > 0 {
		if db, ok := namedDB(elems[0].GetName()); ok {
			return oneDB(db, elems)
		}
		if elems[0].GetName() == path.Any && p.GetOrigin() != "" {
			rest, err := names(elems[1:])
			return every(p.GetOrigin()), nil, rest, err
		}
	}
	if _, ok := databases[p.GetTarget()]; ok {
		rest, err := names(elems)
		return []chosen{{name: p.GetTarget()}}, nil, rest, err
	}
	if p.GetOrigin() == "" {
		return nil, nil, nil, status.Errorf(codes.Unimplemented,
			"path %s: models of openconfig are not served yet; the databases are, as %s:/CONFIG_DB/…", path.String(p), Origin)
	}
	return nil, nil, nil, status.Errorf(codes.NotFound, "path %s: there is no database %q; there are %s",
		path.String(p), elems[0].GetName(), strings.Join(slices.Sorted(maps.Keys(databases)), ", "))
}

func oneDB(db string, elems []*gpb.PathElem) ([]chosen, []string, []string, error) {
	if _, ok := databases[db]; !ok {
		return nil, nil, nil, status.Errorf(codes.NotFound, "there is no database %q; there are %s",
			db, strings.Join(slices.Sorted(maps.Keys(databases)), ", "))
	}
	all, err := names(elems)
	if err != nil {
		return nil, nil, nil, err
	}
	return []chosen{{name: db, head: all[:1]}}, nil, all[1:], nil
}

// namedDB takes "CONFIG_DB" and "sonic-db:CONFIG_DB". What stands behind the
// origin is meant to be a database and need not be one.
func namedDB(elem string) (db string, ok bool) {
	if origin, db, ok := strings.Cut(elem, ":"); ok && (origin == Origin || origin == altOrigin) {
		return db, true
	}
	_, ok = databases[elem]
	return elem, ok
}

// every lists all databases, spelled for a client that named none.
func every(origin string) []chosen {
	var all []chosen
	for _, db := range slices.Sorted(maps.Keys(databases)) {
		elem := db
		if origin == "" {
			elem = Origin + ":" + db
		}
		all = append(all, chosen{name: db, head: []string{elem}})
	}
	return all
}

// names turns elements to the texts they are here: SONiC's tools write "~1" for a
// slash, as JSON pointers do.
func names(elems []*gpb.PathElem) ([]string, error) {
	all, err := path.Names(elems)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	for i, n := range all {
		all[i] = unescape(n)
	}
	return all, nil
}

// unescape reads "~1" as "/" and "~0" as "~" (RFC 6901). Other tildes are themselves.
func unescape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

// fill takes the elements behind the database.
func (q *Query) fill(rest []string) error {
	if q.DB == countersDB && len(rest) > 1 && isByName(rest[0], rest[1]) {
		return q.fillByName(rest)
	}
	table := ""
	if len(rest) > 0 {
		table = rest[0]
	}
	if keyless(q.DB, table) && len(rest) > 1 {
		rest = slices.Insert(slices.Clone(rest), 1, "")
	}
	if len(rest) > 3 {
		return errTooDeep
	}
	for i, to := range []*string{&q.table, &q.key, &q.field}[:len(rest)] {
		*to = rest[i]
	}
	return nil
}

// Depth is how many elements the path has behind the database: 1 for a table, 2
// for a row, 3 for a field; paths by name may be deeper.
func (q *Query) Depth() int { return q.depth }

// IsPattern reports whether the path has wildcards.
func (q *Query) IsPattern() bool {
	return path.IsPattern(q.table) || path.IsPattern(q.key) || path.IsPattern(q.field) || q.names.isPattern()
}

// Writable reports whether a Set may name the path.
func (q *Query) Writable() bool { return databases[q.DB].writable }

// Operational reports whether the path is state that mirrors no configuration.
func (q *Query) Operational() bool { return !q.Writable() && !databases[q.DB].mirror }

// Counters reports whether the path is about values that change all the time.
func (q *Query) Counters() bool { return q.DB == countersDB && !keyless(q.DB, q.table) }

// String is the path in the form of origin sonic-db, whatever the spelling was.
func (q *Query) String() string { return path.String(q.Path()) }

// Path is the absolute path of q, for those who decide about access.
func (q *Query) Path() *gpb.Path {
	return &gpb.Path{Origin: Origin, Elem: path.Of(append([]string{q.DB}, q.Asked()...)...)}
}

// Asked are the elements behind the database, wildcards included.
func (q *Query) Asked() []string {
	if q.names != nil {
		return q.names.patterns(q)
	}
	all := []string{q.table, q.key, q.field}
	if keyless(q.DB, q.table) {
		all = []string{q.table, q.field}
	}
	return all[:q.depth]
}

// Prefix is the prefix of an answer to a request with q: the client's, unless
// that has wildcards.
func (q *Query) Prefix() *gpb.Path {
	if q.prefix == nil {
		return nil
	}
	return &gpb.Path{
		Target: q.prefix.GetTarget(),
		Origin: q.prefix.GetOrigin(),
		Elem:   path.Of(q.asked()[:q.prefixed()]...),
	}
}

// asked is the absolute path that the client asked for.
func (q *Query) asked() []string { return slices.Concat(q.head, q.Asked()) }

// prefixed is how many elements an answer's prefix has.
func (q *Query) prefixed() int {
	elems := path.Elems(q.prefix)
	if slices.ContainsFunc(elems, func(e *gpb.PathElem) bool { return path.IsPattern(e.GetName()) }) {
		return 0
	}
	return len(elems)
}

// Under is the path of an answer, below Prefix, to the elements behind the
// database.
func (q *Query) Under(elems ...string) *gpb.Path {
	all := slices.Concat(q.head, elems)
	return &gpb.Path{Origin: q.origin, Elem: path.Of(all[min(q.prefixed(), len(all)):]...)}
}

// Whole is the absolute path, target and origin included, of the elements behind
// the database.
func (q *Query) Whole(elems ...string) *gpb.Path {
	return &gpb.Path{
		Target: q.prefix.GetTarget(),
		Origin: q.origin + q.prefix.GetOrigin(),
		Elem:   path.Of(slices.Concat(q.head, elems)...),
	}
}
