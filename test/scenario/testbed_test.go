package scenario_test

import (
	"fmt"
	"maps"
	"net/netip"
	"path/filepath"
	"testing"

	"xon/cmd/offline"
	"xon/sai/vsai"
	"xon/sai/vsai/bridge"
	"xon/sai/vsai/dataplane"
	"xon/schema/configdb"
)

// testbed is a configuration as a test of trigger points uses it: two of its ports are
// of one VLAN, and packets of the first are sent to the second, which sends none. All
// cables have one length, so that all ports have their lossless groups: not every length
// of a published configuration is in its lookup file for every speed, and the published
// numbers are of switches where all ports have them.
type testbed struct {
	folder  string   // of config_db.json and pg_profile_lookup.ini
	in, out string   // ports
	more    []string // of the VLAN too
	cable   string   // "": as the configuration says
	bytes   int      // of a packet, with FCS
	what    string   // rows are changed for
	rows    configdb.RawRows
	chip    string // profile; "": that of the platform
}

// read reads the configuration.
func (b *testbed) read(t *testing.T) configdb.RawRows {
	t.Helper()
	file, err := configdb.ReadFile(filepath.Join(b.folder, "config_db.json"), configdb.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := file.Rows
	set := func(table, key string, f configdb.Fields) {
		have := maps.Clone(rows[configdb.Key(table, key)])
		if have == nil {
			have = configdb.Fields{}
		}
		maps.Copy(have, f)
		rows[configdb.Key(table, key)] = have
	}
	if b.cable != "" {
		for port := range rows[configdb.Key("CABLE_LENGTH", "AZURE")] {
			set("CABLE_LENGTH", "AZURE", configdb.Fields{port: b.cable})
		}
	}
	set("VLAN", "Vlan10", configdb.Fields{"vlanid": "10"})
	for _, p := range append([]string{b.in, b.out}, b.more...) {
		set("VLAN_MEMBER", "Vlan10|"+p, configdb.Fields{"tagging_mode": "untagged"})
	}
	for k, f := range b.rows {
		set(k.Table(), k.Key(), f)
	}
	return rows
}

// bench is a switch with a host at each of two ports, that at the second being one to
// which nothing is sent until it is let go.
type bench struct {
	*dataplane.Sim
	chip    *vsai.Chip
	dev     *bridge.Device
	rows    configdb.RawRows
	in, out *dataplane.Port
	hosts   []*dataplane.Host // at in, at out, and at more ports
	payload int
	gap     dataplane.Time // of packets, more than one takes on the wire
}

// headers are the bytes of a packet beside its payload.
const headers = 62

// start has an agent bring up a chip of the configuration's platform.
func (b *testbed) start(t *testing.T) *bench {
	t.Helper()
	rows := b.read(t)
	buffers, _, err := offline.ReadBuffers(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	chip := b.newChip(t, rows)
	x := &bench{Sim: dataplane.New(dataplane.Config{Overhead: 20}), chip: chip, rows: rows, payload: b.bytes - headers}
	if x.dev, err = bridge.Attach(x.Sim, chip, "sw"); err != nil {
		t.Fatal(err)
	}
	agent, err := offline.Start(t.Context(), chip, rows, buffers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Close() }() // it ends as it is told to
	for k, f := range agent.Fates() {
		if f.State == "refused" {
			t.Errorf("%s: %s %s %s", k, f.State, f.Reason, f.On)
		}
	}
	if err := x.dev.Sync(); err != nil {
		t.Fatal(err)
	}
	x.in, x.out = x.join(t, b.in), x.join(t, b.out)
	x.gap = dataplane.Time(b.bytes+30) * 8 * dataplane.Second / dataplane.Time(x.in.Config().Rate)
	x.stop(true)
	return x
}

func (b *testbed) newChip(t *testing.T, rows configdb.RawRows) *vsai.Chip {
	t.Helper()
	if b.chip == "" {
		return offline.NewChip(nil, rows)
	}
	p, err := vsai.ProfileByName(b.chip)
	if err != nil {
		t.Fatal(err)
	}
	return offline.NewChip(p, rows)
}

// join puts a host at a port, which a row names.
func (x *bench) join(t *testing.T, name string) *dataplane.Port {
	t.Helper()
	row, _, err := configdb.Parse(configdb.Key("PORT", name), x.rows[configdb.Key("PORT", name)])
	port, ok := row.(*configdb.Port)
	if !ok {
		t.Fatalf("%s: %v", name, err)
	}
	p, n := x.dev.PortByLane(port.Lanes[0]), len(x.hosts)
	h, err := x.AddHost(dataplane.HostConfig{
		Name: name, MAC: dataplane.MAC{2, 1, 0, 0, 0, byte(n)}, Addr: netip.MustParsePrefix(fmt.Sprintf("10.0.0.%d/24", n+1)),
		Port: dataplane.PortConfig{Rate: p.Config().Rate}, AckClass: -1,
	})
	if err == nil {
		err = x.Connect(h.Port(), p, dataplane.Link{Delay: 10 * dataplane.Nanosecond})
	}
	if err != nil {
		t.Fatal(err)
	}
	x.hosts = append(x.hosts, h)
	return p
}

// stop stops the transmitter of the second port, or lets it go.
func (x *bench) stop(off bool) {
	cfg := x.out.Config()
	cfg.TxOff = off
	x.SetPort(x.out, cfg)
}

// send has the first host send n packets to the second, and waits for them.
func (x *bench) send(t *testing.T, n int, dscp uint8) {
	t.Helper()
	x.sendFrom(t, 0, n, dscp)
}

func (x *bench) sendFrom(t *testing.T, host, n int, dscp uint8) {
	t.Helper()
	_, err := x.AddFlow(dataplane.FlowConfig{From: x.hosts[host], To: x.hosts[1], Bytes: uint64(x.payload * n), Payload: x.payload, DSCP: dscp, Class: dscp & 7, ECN: true, AckEvery: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Run(x.Now() + dataplane.Time(n)*x.gap + dataplane.Microsecond); err != nil {
		t.Fatal(err)
	}
}
