package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"

	"xon/gnmi/client"
	"xon/gnmi/path"
	"xon/schema/configdb"
)

// keepStored has a replace leave what is stored where the file has something of which no
// row, field or table can be made: that part of the file is refused alone, and nobody asked
// for what is stored to go.
func (a *app) keepStored(ctx context.Context, file *configdb.File) error {
	if len(file.Refused) == 0 {
		return nil
	}
	return a.with(ctx, func(ctx context.Context, cl *client.Client) error {
		for _, f := range file.Refused {
			if err := keepPart(ctx, cl, file.Rows, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// keepPart adds to rows what is stored of one refused part.
func keepPart(ctx context.Context, cl *client.Client, rows configdb.RawRows, f *configdb.Fault) error {
	table, key, isRow := strings.Cut(string(f.Row), "|")
	if table == "" || path.IsPattern(table) || isRow && key == "" {
		return nil
	}
	stored, err := storedRows(ctx, cl, table)
	if err != nil {
		return err
	}
	for k, was := range stored {
		id := configdb.Key(table, k)
		row := rows[id]
		switch {
		case isRow && k != key:
		case row == nil && f.Field == "":
			rows[id] = was
		case row != nil && f.Field != "":
			keepField(row, was, f.Field)
		}
	}
	return nil
}

// storedRows are the rows of a table by their keys, lists as they are stored.
func storedRows(ctx context.Context, cl *client.Client, table string) (map[string]configdb.Fields, error) {
	values, err := cl.Get(ctx, client.Path(configDB, table))
	if client.Code(err) == codes.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc bytes.Buffer
	for _, v := range values {
		fmt.Fprintf(&doc, `{%q: %s}`, table, v.JSON)
	}
	file, err := configdb.Decode(&doc, configdb.FileOptions{Verbatim: true})
	if err != nil {
		return nil, err
	}
	rows := map[string]configdb.Fields{}
	for k, f := range file.Rows {
		rows[k.Key()] = f
	}
	return rows, nil
}

// keepField adds a field that is stored, in either spelling, unless the row has it.
func keepField(row, was configdb.Fields, field string) {
	name := strings.TrimSuffix(field, "@")
	_, plain := row[name]
	_, list := row[name+"@"]
	if plain || list {
		return
	}
	for _, spelled := range []string{name, name + "@"} {
		if v, ok := was[spelled]; ok {
			row[spelled] = v
		}
	}
}
