package faults

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
	"xon/test/scale"
)

// oracle is what a fresh agent with a fresh chip makes of a database.
type oracle struct {
	asic   []string // of ASIC_DB
	fates  map[string]statedb.Fate
	record []call
	socket string // of the chip, to which no agent is connected any more
	chip   *process
}

// ask copies the rows and the accepted versions of a site to a database of its own,
// and starts an agent on it with a chip of the same layout.
func ask(s *site) *oracle {
	s.Helper()
	dir := filepath.Join(s.dir, "oracle")
	must(s, os.RemoveAll(dir))
	must(s, os.Mkdir(dir, 0o755))
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	server, err := redisdb.StartServer(ctx, redisdb.ServerConfig{Dir: filepath.Join(dir, "redis")}, nil)
	must(s, err)
	defer func() { must(s, server.Stop(context.WithoutCancel(s.Context()))) }()
	fresh := &site{TB: s.TB, dir: dir, redis: strings.TrimPrefix(server.Addr(), "unix:"), record: filepath.Join(dir, "record"), chip: filepath.Join(dir, "chip.sock")}
	fresh.open()
	defer func() { must(s, fresh.db.Close()) }()
	copyRows(s, fresh)

	chip := launch(s, filepath.Join(dir, "chip.log"), nil, "xond", "chip", "--socket", fresh.chip, "--ports", layoutOf(s), "--record", fresh.record)
	s.Cleanup(chip.kill)
	eventually(s, "start a chip", func() error {
		if listener(fresh.chip) == 0 {
			return fmt.Errorf("nobody listens on %s", fresh.chip)
		}
		return nil
	})
	fresh.args = []string{"--buffers", s.buffers, "--dir", dir, "--gnmi", "", "--web", "", "--redis", server.Addr(), "--chip", "unix:" + fresh.chip}
	fresh.start()
	defer fresh.agent.kill()
	fresh.fence()
	eventually(s, "take up links", fresh.checkLinks)
	return &oracle{
		asic:   published(fresh.content(redisdb.ASICDB, redisdb.Everything)).canon(),
		fates:  fresh.fates(),
		record: calls(s, fresh.record), socket: fresh.chip, chip: chip,
	}
}

// layoutOf writes the layout of a site's chip to a file. It is what the chip was
// started with, and need not be what the rows say by now.
func layoutOf(s *site) string {
	s.Helper()
	lanes := map[string][]int{} // by port
	for lane, port := range s.content(redisdb.ASICDB, asicdb.Lanes)[asicdb.Lanes] {
		n, err := strconv.Atoi(lane)
		must(s, err)
		lanes[port] = append(lanes[port], n)
	}
	rows := configdb.RawRows{}
	last := 0
	for _, port := range slices.Sorted(maps.Keys(lanes)) {
		of := lanes[port]
		slices.Sort(of)
		if of[0] < last { // in no order of rows: it is the profile's own layout
			rows = configdb.RawRows{}
			break
		}
		last = of[0]
		list := strings.ReplaceAll(strings.Trim(fmt.Sprint(of), "[]"), " ", ",")
		rows[configdb.Key("PORT", "Ethernet"+strconv.Itoa(of[0]))] = configdb.Fields{"lanes": list, "speed": strconv.Itoa(scale.SpeedMbps), "alias": port}
	}
	name := filepath.Join(s.dir, "layout.json")
	must(s, configdb.WriteFile(name, rows))
	return name
}

func copyRows(from, to *site) {
	var b redisdb.Batch
	for _, table := range []string{statedb.AcceptedTable, statedb.DerivedTable} {
		for k, f := range from.content(redisdb.StateDB, redisdb.StateDB.Pattern(table)) {
			b.Set(k, f)
		}
	}
	must(to, to.db.DB(redisdb.StateDB).Write(to.Context(), &b))
	b.Reset()
	batch(&b, editsOf(from.rows()))
	b.SetText("CONFIG_DB_INITIALIZED", "1")
	must(to, to.db.DB(redisdb.ConfigDB).Write(to.Context(), &b))
}
