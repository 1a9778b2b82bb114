package main

import (
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/client"
	"xon/gnmi/path"
)

const (
	configDB   = "CONFIG_DB"
	applDB     = "APPL_DB"
	stateDB    = "STATE_DB"
	countersDB = "COUNTERS_DB"
)

// parsePath reads a path as people write it: a row ("PORT|Ethernet0"), a path in
// CONFIG_DB ("PORT/Ethernet0"), one with its database, or one with its origin.
func parsePath(text string) (*gpb.Path, error) {
	if table, key, ok := strings.Cut(text, "|"); ok && !strings.Contains(table, "/") {
		return client.Path(configDB, table, key), nil
	}
	p, err := path.Parse(text)
	if err != nil {
		return nil, &usageError{err}
	}
	if p.GetOrigin() != "" || strings.HasPrefix(text, "/") && hasOrigin(p) {
		return p, nil
	}
	names, err := path.Names(p.GetElem())
	if err != nil {
		return nil, usagef("path %q: %w", text, err)
	}
	if len(names) == 0 || !strings.HasSuffix(names[0], "_DB") {
		names = append([]string{configDB}, names...)
	}
	return client.Path(names...), nil
}

// hasOrigin tells SONiC's "sonic-db:CONFIG_DB" in the first element.
func hasOrigin(p *gpb.Path) bool {
	return len(p.GetElem()) > 0 && strings.Contains(p.GetElem()[0].GetName(), ":")
}

func parsePaths(texts []string) ([]*gpb.Path, error) {
	var all []*gpb.Path
	for _, t := range texts {
		p, err := parsePath(t)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// parseRow reads the name of a row of CONFIG_DB: "PORT|Ethernet0".
func parseRow(text string) (table, key string, err error) {
	table, key, ok := strings.Cut(text, "|")
	if !ok || table == "" || key == "" || strings.Contains(table, "/") {
		return "", "", usagef("row %q: want TABLE|KEY, as in PORT|Ethernet0 (in quotes, for the shell)", text)
	}
	return table, key, nil
}

// place is where a path is, short: rows of CONFIG_DB as "PORT|Ethernet0", all else
// as a path that begins with the database.
func place(p *gpb.Path) string {
	elems := p.GetElem()
	if len(elems) == 3 && elems[0].GetName() == configDB {
		return elems[1].GetName() + "|" + elems[2].GetName()
	}
	return strings.TrimPrefix(path.String(&gpb.Path{Elem: elems}), "/")
}
