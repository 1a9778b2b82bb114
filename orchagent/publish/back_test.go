package publish_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xon/sai"
	"xon/schema/asicdb"
	"xon/schema/configdb"
	"xon/schema/redisdb"
	"xon/schema/redistest"
	"xon/test/scale"
)

var everyDatabase = []redisdb.ID{redisdb.ApplDB, redisdb.ASICDB, redisdb.CountersDB, redisdb.StateDB, redisdb.ApplStateDB}

// published is all that is published, by database and key.
func (r *rig) published() map[redisdb.ID]map[string]redisdb.Fields {
	r.t.Helper()
	all := map[redisdb.ID]map[string]redisdb.Fields{}
	for _, id := range everyDatabase {
		all[id] = r.all(id, redisdb.Everything)
	}
	return all
}

func (r *rig) remove(id redisdb.ID, keys ...string) {
	r.t.Helper()
	var b redisdb.Batch
	b.Delete(keys...)
	if err := r.client.DB(id).Write(r.t.Context(), &b); err != nil {
		r.t.Fatal(err)
	}
}

// TestComeBack: rows that somebody removes come back whole though nothing else happens,
// each of every kind, and whole databases; the chip is not written to.
func TestComeBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.stop()
	r.every = 20 * time.Millisecond
	r.start()
	rows := scale.Load(2)
	rows["BUFFER_QUEUE|Ethernet99|3"] = configdb.Fields{"profile": "queue3_profile"} // waits
	r.load(rows)
	want, writes := r.published(), r.chip.Writes()
	whole := func(what string) {
		t.Helper()
		redistest.Eventually(t, what+" comes back", func() bool { return cmp.Equal(want, r.published()) })
	}
	for id, rows := range want {
		kinds := map[string]bool{}
		for key := range rows {
			table, _ := id.Split(key)
			if typ, _, ok := asicdb.ParseObjectKey(key); ok {
				table = typ
			}
			if kinds[table] {
				continue
			}
			kinds[table] = true
			r.remove(id, key)
		}
		whole("a row of each table of " + id.String())
		r.clear(id)
		whole(id.String())
	}
	if n := r.chip.Writes() - writes; n > 0 {
		t.Errorf("%d writes to the chip", n)
	}
}

// TestEventsAreWhole: a row that changes, or whose port does, is written with all its fields:
// if somebody removed it, it is whole again.
func TestEventsAreWhole(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	go func() { _ = r.pub.Run(t.Context()) }()
	rows := scale.Load(2)
	r.put(rows)
	r.load(rows)
	want := r.published()
	r.remove(redisdb.ApplDB, "PORT_TABLE:Ethernet0", "BUFFER_PROFILE_TABLE:queue3_profile")
	r.remove(redisdb.StateDB, "PORT_TABLE|Ethernet0")
	down := sai.PortOperStatusNotification{PortID: r.chip.Ports()[0], PortState: sai.PortOperStatusDown}
	r.pub.Links(sai.Notification{NotifyMeta: sai.OnPortStateChange, Data: sai.Bytes(down)})
	redistest.Eventually(t, "the link is seen to be down", func() bool {
		return r.row(redisdb.StateDB, "PORT_TABLE|Ethernet0")["netdev_oper_status"] == "down"
	})
	r.transact(configdb.Op{Kind: configdb.Update, Table: "BUFFER_PROFILE", Key: "queue3_profile", Fields: configdb.Fields{"size": "2048"}})
	app, state := want[redisdb.ApplDB], want[redisdb.StateDB]
	app["PORT_TABLE:Ethernet0"]["oper_status"] = "down"
	app["BUFFER_PROFILE_TABLE:queue3_profile"]["size"] = "2048"
	state["PORT_TABLE|Ethernet0"]["netdev_oper_status"] = "down"
	for key, want := range map[string]redisdb.Fields{
		"PORT_TABLE:Ethernet0": app["PORT_TABLE:Ethernet0"], "BUFFER_PROFILE_TABLE:queue3_profile": app["BUFFER_PROFILE_TABLE:queue3_profile"],
	} {
		if diff := cmp.Diff(want, r.row(redisdb.ApplDB, key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if diff := cmp.Diff(state["PORT_TABLE|Ethernet0"], r.row(redisdb.StateDB, "PORT_TABLE|Ethernet0")); diff != "" {
		t.Errorf("STATE_DB (-want +got):\n%s", diff)
	}
}
