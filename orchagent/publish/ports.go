package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"xon/orchagent/intent"
	"xon/orchagent/notifications"
	"xon/orchagent/report"
	"xon/sai"
	"xon/schema/appldb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/statedb"
)

// ports keeps the rows of ports in APPL_DB and what STATE_DB says of them: those that
// have a row in force and are on the chip, and whether their links are up.
type ports struct {
	app, state *redisdb.DB
	sw         *sai.Switch
	news       *notifications.Links

	mu     sync.Mutex
	rows   *configdb.Config
	device *intent.Device
	found  map[sai.OID]*found
	shown  map[string]redisdb.Fields // rows of APPL_DB
	told   map[string]redisdb.Fields // rows of STATE_DB
	ours   map[string]redisdb.Fields // of these, the fields that are written here
	names  map[sai.OID]string
}

// found is what the chip says of a port.
type found struct {
	up     bool
	speed  uint64 // Mb/s
	speeds []uint32
}

func newPorts(client *redisdb.Client, sw *sai.Switch) *ports {
	return &ports{
		app: client.DB(redisdb.ApplDB), state: client.DB(redisdb.StateDB), sw: sw,
		news: notifications.NewLinks(), found: map[sai.OID]*found{}, shown: map[string]redisdb.Fields{},
	}
}

// Links takes up a notification that links went up or down. It does not wait: Run
// writes it.
func (p *Publisher) Links(n sai.Notification) { p.ports.news.Hear(n) }

// Run writes what Links was told of until ctx ends, which is no error. What can't be
// written is written later.
func (p *Publisher) Run(ctx context.Context) error {
	return p.ports.news.Run(ctx, func(ctx context.Context, up map[sai.OID]bool) error {
		err := p.ports.links(ctx, up)
		if err != nil && ctx.Err() == nil {
			p.log.WithError(err).WithField("links", len(up)).Warn("the state of links was not written, and will be tried again")
		}
		return err
	})
}

// links writes the states of links.
func (t *ports) links(ctx context.Context, up map[sai.OID]bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var app, state redisdb.Batch
	for id, up := range up {
		t.link(&app, &state, id, up)
	}
	if err := t.app.Write(ctx, &app); err != nil {
		return err
	}
	return t.state.Write(ctx, &state)
}

// link takes up the state of one link.
func (t *ports) link(app, state *redisdb.Batch, id sai.OID, up bool) {
	x, name := t.found[id], t.names[id]
	if x == nil || name == "" { // it is read when the port gets a row
		return
	}
	x.up = up
	key, told := redisdb.ApplDB.Key(appldb.PortTable, name), redisdb.StateDB.Key(statedb.PortTable, name)
	if t.shown[key] == nil || t.told[told] == nil { // the report that makes the rows has yet to be written
		return
	}
	t.shown[key], t.told[told], t.ours[told] = maps.Clone(t.shown[key]), maps.Clone(t.told[told]), maps.Clone(t.ours[told])
	t.shown[key][appldb.PortOper], t.told[told][statedb.PortNetdev], t.ours[told][statedb.PortNetdev] = upOrDown(up), upOrDown(up), upOrDown(up)
	app.Set(key, t.shown[key])
	state.Set(told, t.ours[told])
}

func upOrDown(up bool) string {
	if up {
		return appldb.Up
	}
	return appldb.Down
}

// publish makes the rows those of a report. PortInitDone comes last, when all rows of
// PORT in force have their port.
func (t *ports) publish(ctx context.Context, r report.Report) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Rows == nil || !r.Full && r.Rows == t.rows && r.Device == t.device {
		return nil
	}
	have := t.shown
	if r.Full {
		var err error
		if have, err = stored(ctx, t.app, appldb.PortTable); err != nil {
			return err
		}
		clear(t.found)
	}
	if err := t.look(r); err != nil {
		return err
	}
	app, state := t.wanted(r)
	init := redisdb.Fields(nil)
	if len(t.names) == len(r.Rows.Ports) {
		init = appldb.PortInitDoneFields()
	}
	was := have[appldb.PortInitDone]
	have = maps.Clone(have)
	delete(have, appldb.PortInitDone)
	if err := write(ctx, t.app, have, app); err != nil {
		return err
	}
	if err := t.tell(ctx, state, r.Full); err != nil {
		return err
	}
	var last redisdb.Batch
	last.Change(appldb.PortInitDone, was, init)
	if err := t.app.Write(ctx, &last); err != nil {
		return err
	}
	if init != nil {
		app[appldb.PortInitDone] = init
	}
	t.shown, t.rows, t.device = app, r.Rows, r.Device
	return nil
}

// tell sets fields of STATE_DB that are not so yet. anew says that what is there is not
// known.
func (t *ports) tell(ctx context.Context, state map[string]redisdb.Fields, anew bool) error {
	keys := slices.Sorted(maps.Keys(state))
	if anew {
		rows, err := t.state.RowsAsFound(ctx, keys...)
		if err != nil {
			return err
		}
		t.told = make(map[string]redisdb.Fields, len(keys))
		for i, key := range keys {
			t.told[key] = rows[i]
		}
	}
	var b redisdb.Batch
	next := make(map[string]redisdb.Fields, len(keys))
	for _, key := range keys {
		f := redisdb.Fields{}
		if !configdb.Fields(t.told[key]).IsNotHash() {
			maps.Copy(f, t.told[key])
		}
		maps.Copy(f, state[key])
		b.Rewrite(key, t.told[key], f)
		next[key] = f
	}
	if err := t.state.Write(ctx, &b); err != nil {
		return err
	}
	t.told, t.ours = next, state
	return nil
}

// look reads what the chip says of ports that have a row and were not read before.
func (t *ports) look(r report.Report) error {
	t.names = map[sai.OID]string{}
	var ids []sai.OID
	for _, p := range r.Device.Ports {
		id := r.Handles[p.Object]
		if !p.Configured || id == sai.Null || r.Rows.Ports[p.Name] == nil {
			continue
		}
		t.names[id] = p.Name
		if t.found[id] == nil {
			ids = append(ids, id)
		}
	}
	maps.DeleteFunc(t.found, func(id sai.OID, _ *found) bool { return t.names[id] == "" })
	want := []*sai.AttrMeta{sai.PortAttrOperStatus.AttrMeta, sai.PortAttrSpeed.AttrMeta, sai.PortAttrSupportedSpeed.AttrMeta}
	keys, attrs := make([]sai.Key, len(ids)), make([][]sai.Attribute, len(ids))
	for i, id := range ids {
		keys[i].OID = id
		for _, a := range want {
			attrs[i] = append(attrs[i], sai.Attribute{AttrMeta: a})
		}
	}
	for i, err := range sai.GetAll(t.sw, sai.Port{}.Meta(), keys, attrs) {
		if err != nil {
			return fmt.Errorf("read port %s: %w", ids[i], err)
		}
	}
	for i, id := range ids {
		t.found[id] = newFound(attrs[i])
	}
	return nil
}

func newFound(attrs []sai.Attribute) *found {
	x := &found{}
	for _, a := range attrs {
		switch a.AttrMeta {
		case sai.PortAttrOperStatus.AttrMeta:
			x.up = sai.PortOperStatus(a.Num) == sai.PortOperStatusUp
		case sai.PortAttrSpeed.AttrMeta:
			x.speed = a.Num
		default:
			x.speeds, _ = a.Ref.([]uint32)
		}
	}
	return x
}

// wanted returns the rows of APPL_DB but for PortInitDone, and the fields to set in
// STATE_DB.
func (t *ports) wanted(r report.Report) (app, state map[string]redisdb.Fields) {
	app, state = map[string]redisdb.Fields{}, map[string]redisdb.Fields{}
	for id, name := range t.names {
		x, row := t.found[id], r.Rows.Ports[name]
		f := portFields(row)
		if row.Speed == 0 && x.speed != 0 {
			f["speed"] = strconv.FormatUint(x.speed, 10)
		}
		f[appldb.PortOper] = upOrDown(x.up)
		app[redisdb.ApplDB.Key(appldb.PortTable, name)] = f
		state[redisdb.StateDB.Key(statedb.PortTable, name)] = redisdb.Fields{
			statedb.PortState: statedb.PortOK, statedb.PortNetdev: upOrDown(x.up), statedb.PortTxReady: strconv.FormatBool(row.AdminUp), statedb.PortSpeeds: numbers(x.speeds),
		}
	}
	app[appldb.PortConfigDone] = appldb.PortConfigDoneFields(len(r.Rows.Ports))
	return app, state
}

// portFields are the fields of a port's row of APPL_DB that come from its row PORT, with
// the defaults that SONiC's port manager fills in.
func portFields(row *configdb.Port) redisdb.Fields {
	f := redisdb.Fields{"lanes": numbers(row.Lanes), "mtu": strconv.FormatUint(uint64(row.MTU), 10), "admin_status": upOrDown(row.AdminUp)}
	for name, text := range row.Passive {
		f[strings.TrimSuffix(name, "@")] = text
	}
	for name, text := range map[string]string{
		"alias": row.Alias, "fec": row.FEC, "autoneg": row.Autoneg, "adv_speeds": numbers(row.AdvSpeeds),
		"interface_type": row.InterfaceType, "adv_interface_types": strings.Join(row.AdvInterfaceTypes, ","), "link_training": row.LinkTraining,
		"index": strconv.FormatUint(uint64(row.Index), 10), "speed": strconv.FormatUint(uint64(row.Speed), 10),
	} {
		if text != "" && (text != "0" || name == "index") {
			f[name] = text
		}
	}
	if row.TPID != 0 {
		f["tpid"] = fmt.Sprintf("0x%x", row.TPID)
	}
	if row.PFCAsym {
		f["pfc_asym"] = "on"
	}
	return f
}

func numbers(list []uint32) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.FormatUint(uint64(n), 10)
	}
	return strings.Join(parts, ",")
}
