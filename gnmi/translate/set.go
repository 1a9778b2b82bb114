package translate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"xon/gnmi/path"
	"xon/gnmi/value"
	"xon/schema/configdb"
)

// The depths of paths in CONFIG_DB.
const (
	atDB = iota
	atTable
	atRow
	atField
)

// CheckWritable returns the status for a Set of a path that no Set may name. Behind a
// table "..." would mean all of it, and somebody who meant a row loses the others.
func (q *Query) CheckWritable() error {
	switch {
	case q.Writable() && q.rest:
		return status.Errorf(codes.InvalidArgument, "path %s/...: a Set takes no ...; it names the row, or the table alone for all of its rows", q)
	case q.Writable():
		return nil
	}
	return status.Errorf(codes.InvalidArgument, "path %s: %s is read only; only CONFIG_DB can be written", q, q.DB)
}

// DeleteOps says what deleting the path means. Wildcards are looked up in the
// database, unless they stand for a whole table or row. A row whose key has letters of a
// wildcard goes alone if it is named. What is not there is nothing to delete and no error.
func (q *Query) DeleteOps(ctx context.Context, dbs Databases) ([]configdb.Op, error) {
	if ops, err := q.namedOps(ctx, dbs); len(ops) > 0 || err != nil {
		return ops, err
	}
	whole := *q
	for _, last := range []*string{&whole.field, &whole.key, &whole.table} {
		if *last != "" && *last != path.Any {
			break
		}
		if *last == path.Any {
			*last, whole.depth = "", whole.depth-1
		}
	}
	if !whole.IsPattern() {
		return []configdb.Op{{Table: whole.table, Key: whole.key, Field: whole.field}}, nil
	}
	rows, err := whole.Open(dbs).All(ctx)
	if err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	return whole.deletions(rows), nil
}

// namedOps are the operations that delete, or delete from, the row whose key is the very
// pattern: none if there is no such row.
func (q *Query) namedOps(ctx context.Context, dbs Databases) ([]configdb.Op, error) {
	if path.IsPattern(q.table) || !path.IsPattern(q.key) {
		return nil, nil
	}
	rows, err := q.Open(dbs).All(ctx)
	if err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	others := func(r Row) bool { return len(r.Elems) < 2 || r.Elems[1] != q.key }
	return q.deletions(slices.DeleteFunc(rows, others)), nil
}

// deletions are the operations that delete what a pattern found. A table that is not
// named, only matched, loses nothing if it is another program's; the operations say so, as
// the answer counts what they pass over. No operation can name a row without a key.
func (q *Query) deletions(rows []Row) []configdb.Op {
	var ops []configdb.Op
	tables := map[string]bool{}
	for _, r := range rows {
		op := configdb.Op{Table: r.Elems[0], Matched: path.IsPattern(q.table)}
		switch {
		case len(r.Elems) > 1 && r.Elems[1] == "":
		case q.depth == atTable && !tables[op.Table]:
			tables[op.Table] = true
			ops = append(ops, op)
		case q.depth == atRow && len(r.Elems) > 1:
			op.Key = r.Elems[1]
			ops = append(ops, op)
		case q.depth == atField && len(r.Elems) > 1:
			op.Key = r.Elems[1]
			for _, field := range slices.Sorted(maps.Keys(r.Fields)) {
				op.Field = field
				ops = append(ops, op)
			}
		}
	}
	return ops
}

// WriteOps says what a replace (kind configdb.Replace) or an update
// (configdb.Update) of the path with a value means. Errors are gRPC statuses.
func (q *Query) WriteOps(kind configdb.OpKind, v value.Node) ([]configdb.Op, error) {
	if q.IsPattern() {
		return nil, status.Errorf(codes.InvalidArgument, "path %s: only a delete takes wildcards", q)
	}
	w := writing{kind: kind}
	var err error
	switch q.depth {
	case atDB:
		w.clear("")
		err = w.tables(v)
	case atTable:
		w.clear(q.table)
		err = w.rows(q.table, v)
	case atRow:
		err = w.row(q.table, q.key, v)
	case atField:
		w.kind = configdb.Update // of the row
		err = w.leaf(q.table, q.key, q.field, v)
	}
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "path %s: %v", q, err)
	}
	return w.ops, nil
}

// writing gathers the operations of one value.
type writing struct {
	kind configdb.OpKind
	ops  []configdb.Op
}

// clear has a replace begin with nothing.
func (w *writing) clear(table string) {
	if w.kind == configdb.Replace {
		w.ops = append(w.ops, configdb.Op{Kind: configdb.Delete, Table: table})
	}
}

func (w *writing) tables(v value.Node) error {
	return members(v, "tables", func(table string, rows value.Node) error { return w.rows(table, rows) })
}

func (w *writing) rows(table string, v value.Node) error {
	return members(v, "rows by their keys", func(key string, row value.Node) error { return w.row(table, key, row) })
}

func (w *writing) row(table, key string, v value.Node) error {
	fields := configdb.Fields{}
	err := members(v, "fields", func(name string, v value.Node) error {
		if isEmptyList(v) {
			w.empty(table, key, name)
			return nil
		}
		return put(fields, name, v)
	})
	w.ops = append(w.ops, configdb.Op{Kind: w.kind, Table: table, Key: key, Fields: fields})
	return err
}

// isEmptyList reports whether a value is a list without entries: a leaf-list that has
// none is not there.
func isEmptyList(v value.Node) bool { return v.Kind == value.List && len(v.Items) == 0 }

// empty has an update take a field away; a replace leaves out what it does not have.
func (w *writing) empty(table, key, field string) {
	if w.kind == configdb.Update {
		w.ops = append(w.ops, configdb.Op{Table: table, Key: key, Field: field})
	}
}

// leaf takes the bare value, or an object with it under the field's name: some
// clients wrap it.
func (w *writing) leaf(table, key, field string, v value.Node) error {
	if v.Kind == value.Object && len(v.Members) == 1 && matchField(field, v.Members[0].Name) {
		v = v.Members[0].Node
	}
	if isEmptyList(v) {
		w.empty(table, key, field)
		return nil
	}
	fields := configdb.Fields{}
	err := put(fields, field, v)
	w.ops = append(w.ops, configdb.Op{Kind: w.kind, Table: table, Key: key, Fields: fields})
	return err
}

// members calls f for each member of an object of what.
func members(v value.Node, what string, f func(name string, v value.Node) error) error {
	if v.Kind != value.Object {
		return fmt.Errorf("want an object of %s, not %s", what, v.Kind)
	}
	for _, m := range v.Members {
		if m.Name == "" {
			return fmt.Errorf("an empty name in an object of %s", what)
		}
		if err := f(m.Name, m.Node); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// put adds a field. A list is written as SONiC writes one: its items with commas
// between them, an @ behind the name. The field that stands for a row without
// any is left out.
func put(fields configdb.Fields, name string, v value.Node) error {
	switch v.Kind {
	case value.Text:
		if name != "NULL" || v.Text != "NULL" {
			fields[name] = v.Text
		}
		return nil
	case value.List:
		for _, item := range v.Items {
			if strings.Contains(item, ",") {
				return fmt.Errorf("item %q of a list has a comma, which stands between items", item)
			}
		}
		fields[strings.TrimSuffix(name, "@")+"@"] = strings.Join(v.Items, ",")
		return nil
	case value.Null:
		return errors.New("null is no value; a delete takes a field away")
	default:
		return fmt.Errorf("want a value or a list of values, not %s", v.Kind)
	}
}
