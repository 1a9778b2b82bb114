package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"xon/gnmi/client"
	"xon/gnmi/path"
	"xon/schema/configdb"
	"xon/schema/statedb"
)

// tableDepth is how many elements the path of a table has.
const tableDepth = 2

// maxIndex is above any queue's or priority group's.
const maxIndex = 255

// everyPort is how SONiC names ports.
const everyPort = "Ethernet*"

// read is one thing to be asked for; ask fills in what came back.
type read struct {
	elems []string
	rows  client.Rows // by the key of a row, or the last name before the field
}

// ask asks for all at once.
func ask(ctx context.Context, cl *client.Client, reads ...*read) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, r := range reads {
		g.Go(func() error { return r.ask(ctx, cl) })
	}
	return g.Wait()
}

func (r *read) ask(ctx context.Context, cl *client.Client) error {
	r.rows = client.Rows{}
	values, err := cl.Get(ctx, client.Path(r.elems...))
	if client.Code(err) == codes.NotFound {
		return nil
	}
	for _, v := range values {
		if err := r.take(v); err != nil {
			return fmt.Errorf("answer at %s: %w", path.String(v.Path), err)
		}
	}
	r.plain()
	return err
}

// plain has rows of the configuration plainly spelled, as all that follows reads names,
// numbers and lists.
func (r *read) plain() {
	if r.elems[0] != configDB || len(r.elems) != 2 {
		return
	}
	for key, f := range r.rows {
		if row, _, err := configdb.Parse(configdb.Key(r.elems[1], key), f); err == nil {
			r.rows[key] = configdb.Plain(row, f)
		}
	}
}

// take sorts a value in: a table, a row or a field.
func (r *read) take(v client.Value) error {
	elems := v.Path.GetElem()
	last := elems[len(elems)-1].GetName()
	if len(elems) == tableDepth {
		return json.Unmarshal(v.JSON, &r.rows)
	}
	var row map[string]string
	if json.Unmarshal(v.JSON, &row) == nil {
		r.rows[last] = row
		return nil
	}
	var text string
	if err := json.Unmarshal(v.JSON, &text); err != nil {
		return err
	}
	key := elems[len(elems)-2].GetName()
	if r.rows[key] == nil {
		r.rows[key] = map[string]string{}
	}
	r.rows[key][last] = text
	return nil
}

func configTable(table string) *read { return &read{elems: []string{configDB, table}} }

// applTable asks for a table of APPL_DB: what the agent made of the configuration.
func applTable(table string) *read { return &read{elems: []string{applDB, table}} }

// fatesOf asks what became of the rows of a table.
func fatesOf(table string) *read {
	return &read{elems: []string{stateDB, statedb.FateTable, table + "|*"}}
}

// portFilter is the flag --port: names of ports, with wildcards if you like.
type portFilter []string

func (f portFilter) has(port string) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(p string) bool { return path.Match(p, port) })
}

// check finds names without wildcards that no port has.
func (f portFilter) check(ctx context.Context, cl *client.Client) error {
	if !slices.ContainsFunc(f, func(p string) bool { return !path.IsPattern(p) }) {
		return nil
	}
	ports := configTable("PORT")
	if err := ask(ctx, cl, ports); err != nil {
		return err
	}
	for _, p := range f {
		if !path.IsPattern(p) && ports.rows[p] == nil {
			return fmt.Errorf("there is no port %q; there are %s", p, some(sorted(ports.rows)))
		}
	}
	return nil
}

// pattern is what to ask the agent for: less than everything if that is easy.
func (f portFilter) pattern() string {
	if len(f) == 1 {
		return f[0]
	}
	return everyPort
}

// spans calls f for each port and index that rows are about, but for rows that are
// not right.
func spans(rows client.Rows, f func(port string, index int, key string)) {
	for key := range rows {
		span, err := configdb.ParseSpan(key, maxIndex)
		if err != nil {
			continue
		}
		for _, port := range span.Ports {
			for i := span.Lo; i <= span.Hi; i++ {
				f(port, i, key)
			}
		}
	}
}
