package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"xon/gnmi/admin"
	"xon/gnmi/client"
	"xon/schema/configdb"
)

// part is one file of a bundle.
type part struct {
	name, what string
	get        func(context.Context) ([]byte, error)
}

// parts are all of them. The configuration comes first, as it tells what is secret.
func (b *bundle) parts() []part {
	parts := []part{
		{"config_db.json", "CONFIG_DB", b.database(configDB)},
		{"history.json", "the last changes, with plans", b.history},
		{"status.json", "versions, and what the agent is at", b.answer(func(ctx context.Context, c admin.AdminClient) (proto.Message, error) {
			return c.Status(ctx, &admin.StatusRequest{})
		})},
		{"fates.json", "what became of each row", b.fates},
		{"calls.json", "the last calls to the chip", b.answer(func(ctx context.Context, c admin.AdminClient) (proto.Message, error) {
			return c.Calls(ctx, &admin.CallsRequest{Reads: true, Limit: everything})
		})},
		{"state_db.json", "STATE_DB", b.database(stateDB)},
		{"appl_db.json", "APPL_DB", b.database("APPL_DB")},
		{"asic_db.json", "ASIC_DB, what the chip was told", b.database("ASIC_DB")},
		{"counters_db.json", "COUNTERS_DB", b.database(countersDB)},
		{"metrics.txt", "the agent's metrics", b.fetch("/metrics")},
		{"health.txt", "the agent's health", b.fetch("/healthz")},
	}
	for _, name := range b.o.logs {
		parts = append(parts, part{"log/" + filepath.Base(name), "log", func(context.Context) ([]byte, error) { return b.log(name) }})
	}
	dir, local := strings.CutPrefix(b.connect.Addr, "unix:")
	if !local {
		return parts // this machine is another
	}
	return append(parts,
		part{"log/journal.txt", "the system's log of xond", b.journal},
		part{"log/chip.log", "the chip process's log", func(context.Context) ([]byte, error) { return b.log(filepath.Join(filepath.Dir(dir), "chip.log")) }},
		part{"platform.txt", "the machine", b.platform},
	)
}

// everything is a limit that none reaches.
const everything = 1 << 30

// database reads a database.
func (b *bundle) database(name string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		values, err := b.cl.Get(ctx, client.Path(name))
		if err != nil {
			return nil, err
		}
		tables := map[string]any{}
		for _, v := range values {
			if err := json.Unmarshal(v.JSON, &tables); err != nil {
				return nil, fmt.Errorf("answer at %s: %w", name, err)
			}
		}
		if !b.o.noRedact {
			for _, table := range sorted(tables) {
				tables[table] = b.table(table, tables[table])
			}
		}
		return b.json(tables)
	}
}

// table returns what is below a table's name as others may see it: rows, or fields
// where a table is a single hash.
func (r *redactor) table(table string, rows any) any {
	object, ok := rows.(map[string]any)
	if !ok {
		return rows
	}
	out := map[string]any{}
	fields := map[string]string{}
	for _, key := range sorted(object) {
		switch v := object[key].(type) {
		case string:
			fields[key] = v
		case map[string]any:
			row := map[string]string{}
			for name, text := range v {
				row[name] = fmt.Sprint(text)
			}
			key, row = r.row(table, key, row)
			out[key] = row
		}
	}
	_, fields = r.row(table, "", fields)
	for name, v := range fields {
		out[name] = v
	}
	return out
}

// json writes a value, with the texts in it as they may be seen.
func (b *bundle) json(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	if !b.o.noRedact {
		tree = b.tree(tree)
	}
	var out bytes.Buffer
	err = indent(&out, tree)
	return out.Bytes(), err
}

// message writes an answer of the admin service.
func (b *bundle) message(m proto.Message) ([]byte, error) {
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	return b.json(json.RawMessage(text))
}

func (b *bundle) answer(ask func(context.Context, admin.AdminClient) (proto.Message, error)) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		m, err := ask(ctx, b.cl.Admin())
		if err != nil {
			return nil, err
		}
		return b.message(m)
	}
}

func (b *bundle) history(ctx context.Context) ([]byte, error) {
	resp, err := b.cl.Admin().History(ctx, &admin.HistoryRequest{Limit: everything})
	if err != nil {
		return nil, err
	}
	for _, r := range resp.GetRecords() {
		for _, c := range r.GetRows() {
			b.hideRow(c)
		}
	}
	return b.message(resp)
}

func (b *bundle) hideRow(c *admin.RowChange) {
	if b.o.noRedact {
		return
	}
	k := configdb.RowKey(c.GetRow())
	key := k.Key()
	for _, f := range []*admin.Fields{c.GetBefore(), c.GetAfter()} {
		if f != nil {
			key, f.Fields = b.row(k.Table(), k.Key(), f.GetFields())
		}
	}
	c.Row = k.Table() + "|" + key
}

func (b *bundle) fates(ctx context.Context) ([]byte, error) {
	resp, err := b.cl.Admin().Fates(ctx, &admin.FatesRequest{})
	if err != nil {
		return nil, err
	}
	for _, f := range resp.GetFates() {
		if k := configdb.RowKey(f.GetRow()); !b.o.noRedact {
			key, _ := b.row(k.Table(), k.Key(), nil)
			f.Row = k.Table() + "|" + key
		}
	}
	return b.message(resp)
}

// mostLog is how much of the end of a log is taken, in bytes.
const mostLog = 4 << 20

// fetch asks the agent's web server: that of --web, or the one on the socket beside
// gNMI's. An answer that is not OK is one too: health says so when something is wrong.
func (b *bundle) fetch(at string) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		base, transport := b.o.web, &http.Transport{}
		if socket, local := strings.CutPrefix(b.connect.Addr, "unix:"); base == "" && local {
			base = "http://xon"
			transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(filepath.Dir(socket), "web.sock"))
			}
		} else if base == "" {
			return nil, errors.New("say where the agent's web server is with --web URL")
		}
		defer transport.CloseIdleConnections()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(base, "/")+at, nil)
		if err != nil {
			return nil, err
		}
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, 4*mostLog))
		return []byte(b.shown("# " + resp.Status + "\n" + string(text))), err
	}
}

func (b *bundle) log(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-mostLog), mostLog))
	return []byte(b.shown(strings.ToValidUTF8(string(text), "\uFFFD"))), err
}

func (b *bundle) journal(ctx context.Context) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "journalctl", "--no-pager", "--unit=xond", "--lines=20000", "--output=short-iso-precise").Output()
	return []byte(b.shown(strings.ToValidUTF8(string(out), "\uFFFD"))), err
}

// platformFiles say what the machine is; each has one or some of them.
var platformFiles = []string{
	"/etc/os-release", "/etc/sonic/sonic_version.yml", "/host/machine.conf", "/proc/version", "/proc/uptime", "/proc/loadavg", "/proc/meminfo",
}

func (b *bundle) platform(context.Context) ([]byte, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "# xonctl\n%s %s/%s, %d processors\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, name := range platformFiles {
		if content, err := os.ReadFile(name); err == nil { // most machines lack some
			fmt.Fprintf(&text, "\n# %s\n%s", name, content)
		}
	}
	return []byte(b.shown(text.String())), nil
}
