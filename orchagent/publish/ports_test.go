package publish_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xon/orchagent/publish"
	"xon/sai"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/test/scale"
)

// TestPorts: each port with a row has one in APPL_DB as SONiC's tools read it, and
// STATE_DB says what it can do; links that go down are seen; what goes with a port does.
func TestPorts(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	go func() { _ = r.pub.Run(t.Context()) }()
	a, b := scale.PortName(0), scale.PortName(1)
	r.load(configdb.RawRows{
		configdb.Key("PORT", a): {"lanes": "1,2,3,4", "alias": "etp1", "index": "1", "speed": "100000", "fec": "rs", "admin_status": "up", "description": "spine 1"},
		configdb.Key("PORT", b): {"lanes": "5,6,7,8", "mtu": "1500"},
	})
	want := map[string]redisdb.Fields{
		"PORT_TABLE:" + a: {
			"lanes": "1,2,3,4", "alias": "etp1", "index": "1", "speed": "100000", "fec": "rs", "admin_status": "up",
			"mtu": "9100", "description": "spine 1", "oper_status": "up",
		},
		"PORT_TABLE:" + b:           {"lanes": "5,6,7,8", "index": "0", "speed": "100000", "admin_status": "down", "mtu": "1500", "oper_status": "down"},
		"PORT_TABLE:PortConfigDone": {"count": "2"},
		"PORT_TABLE:PortInitDone":   {"lanes": "0"},
	}
	if diff := cmp.Diff(want, r.all(redisdb.ApplDB, "PORT_TABLE*")); diff != "" {
		t.Errorf("APPL_DB: %s", diff)
	}
	state := redisdb.Fields{"state": "ok", "netdev_oper_status": "up", "host_tx_ready": "true", "supported_speeds": "1000,10000,25000,40000,50000,100000,200000,400000"}
	if diff := cmp.Diff(state, r.row(redisdb.StateDB, "PORT_TABLE|"+a)); diff != "" {
		t.Errorf("STATE_DB: %s", diff)
	}
	if err := r.chip.SetLink(r.chip.Ports()[0], false); err != nil {
		t.Fatal(err)
	}
	n := sai.Notification{NotifyMeta: sai.OnPortStateChange, Data: sai.Bytes(sai.PortOperStatusNotification{PortID: r.chip.Ports()[0], PortState: sai.PortOperStatusDown})}
	r.pub.Links(n)
	redistest.Eventually(t, "the link is seen to be down", func() bool {
		return r.row(redisdb.ApplDB, "PORT_TABLE:"+a)["oper_status"] == "down" && r.row(redisdb.StateDB, "PORT_TABLE|"+a)["netdev_oper_status"] == "down"
	})
	r.put(r.rows)
	r.transact(configdb.Op{Kind: configdb.Delete, Table: "PORT", Key: b})
	if got := slices.Sorted(maps.Keys(r.all(redisdb.ApplDB, "PORT_TABLE*"))); !slices.Equal(got, []string{"PORT_TABLE:" + a, "PORT_TABLE:PortConfigDone", "PORT_TABLE:PortInitDone"}) {
		t.Errorf("APPL_DB has %v", got)
	}
	if f := r.row(redisdb.StateDB, "PORT_TABLE|"+b); f != nil {
		t.Errorf("STATE_DB has %v", f)
	}
	r.check()
}

// TestNotRows: what is in the way of the agent's own rows, and is no row, goes.
func TestNotRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	a := scale.PortName(0)
	keys := map[redisdb.ID][]string{
		redisdb.ApplDB: {"PORT_TABLE:" + a}, redisdb.StateDB: {"PORT_TABLE|" + a, "SWITCH_CAPABILITY|switch", "XON_AGENT|xond"},
		redisdb.ASICDB: {"VIDTORID"}, redisdb.CountersDB: {"COUNTERS_BUFFER_POOL_NAME_MAP"},
	}
	for id, keys := range keys {
		var b redisdb.Batch
		for _, key := range keys {
			b.SetText(key, "no row")
		}
		if err := r.client.DB(id).Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	r.load(scale.Load(2))
	for id, keys := range keys {
		for _, key := range keys {
			if r.row(id, key) == nil {
				t.Errorf("%s has no row %s", id, key)
			}
		}
	}
	r.check()
}

// TestLinkAgain: a link whose state could not be written is written when that works.
func TestLinkAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	go func() { _ = r.pub.Run(t.Context()) }()
	a, state := scale.PortName(0), r.client.DB(redisdb.StateDB)
	r.load(configdb.RawRows{configdb.Key("PORT", a): {"lanes": "1,2,3,4", "admin_status": "up"}})
	row := r.row(redisdb.StateDB, "PORT_TABLE|"+a)
	var inTheWay, back redisdb.Batch
	inTheWay.Delete("PORT_TABLE|" + a)
	inTheWay.SetText("PORT_TABLE|"+a, "no row")
	if err := state.Write(t.Context(), &inTheWay); err != nil {
		t.Fatal(err)
	}
	down := sai.PortOperStatusNotification{PortID: r.chip.Ports()[0], PortState: sai.PortOperStatusDown}
	r.pub.Links(sai.Notification{NotifyMeta: sai.OnPortStateChange, Data: sai.Bytes(down)})
	redistest.Eventually(t, "half of it is written", func() bool { return r.row(redisdb.ApplDB, "PORT_TABLE:"+a)["oper_status"] == "down" })
	back.Delete("PORT_TABLE|" + a)
	back.Set("PORT_TABLE|"+a, row)
	if err := state.Write(t.Context(), &back); err != nil {
		t.Fatal(err)
	}
	redistest.Eventually(t, "the rest is written", func() bool { return r.row(redisdb.StateDB, "PORT_TABLE|"+a)["netdev_oper_status"] == "down" })
}

// TestLinkEarly: a link that changes before the rows of its port could be written does
// no harm, and is seen once they are.
func TestLinkEarly(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	a, b := scale.PortName(0), scale.PortName(1)
	rows := configdb.RawRows{configdb.Key("PORT", a): {"lanes": "1,2,3,4"}}
	r.put(rows)
	r.load(rows)
	r.transact(configdb.Op{Kind: configdb.Update, Table: "PORT", Key: b, Fields: configdb.Fields{"lanes": "5,6,7,8"}})
	_, full, other := r.pub.seen()

	server := redistest.Start(t)
	client := redistest.Connect(t, server.Addr())
	app, state := client.DB(redisdb.ApplDB), client.DB(redisdb.StateDB)
	pub := publish.New(publish.Config{Client: client, Switch: r.sw, Log: r.log})
	go func() { _ = pub.Run(t.Context()) }()
	if err := pub.Publish(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	var inTheWay, away redisdb.Batch
	inTheWay.SetText("PORT_TABLE|"+b, "no row")
	away.Delete("PORT_TABLE|" + b)
	if err := state.Write(t.Context(), &inTheWay); err != nil {
		t.Fatal(err)
	}
	if err := pub.Publish(t.Context(), other); err == nil {
		t.Fatal("written over what is no row, of which the publisher did not know")
	}
	pub.Links(sai.Notification{NotifyMeta: sai.OnPortStateChange, Data: sai.Bytes([2]sai.PortOperStatusNotification{
		{PortID: r.chip.Ports()[1], PortState: sai.PortOperStatusUp},
		{PortID: r.chip.Ports()[0], PortState: sai.PortOperStatusUp},
	})})
	oper := func(port string) string {
		f, err := app.Row(t.Context(), "PORT_TABLE:"+port)
		if err != nil {
			t.Error(err)
		}
		return f["oper_status"]
	}
	redistest.Eventually(t, "the other link is seen to be up", func() bool { return oper(a) == "up" })
	if err := state.Write(t.Context(), &away); err != nil {
		t.Fatal(err)
	}
	if err := pub.Publish(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if oper(b) != "up" {
		t.Errorf("%s is %s", b, oper(b))
	}
}
