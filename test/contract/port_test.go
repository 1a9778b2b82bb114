package contract

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"xon/schema/redisdb"
)

// TestPortTools: config interface and show interfaces.
func TestPortTools(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	s.reads("show interfaces status",
		read{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{
			"lanes": "25,26,27,28", "alias": "fortyGigE0/0", "index": "0", "speed": "100000", "mtu": "9100", "admin_status": "down", "oper_status": "down",
		}},
		read{redisdb.StateDB, "PORT_TABLE|Ethernet0", want{"state": "ok", "supported_speeds": some}},
	)
	s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": "up", "mtu": "1500"})
	s.reads("config interface startup, mtu",
		read{redisdb.ASICDB, asic("PORT", "port Ethernet0"), want{"SAI_PORT_ATTR_ADMIN_STATE": "true", "SAI_PORT_ATTR_MTU": "1522"}},
		read{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{"admin_status": "up", "mtu": "1500", "oper_status": "up"}},
		s.object("HOSTIF", "SAI_HOSTIF_ATTR_NAME", "Ethernet0", want{"SAI_HOSTIF_ATTR_TYPE": "SAI_HOSTIF_TYPE_NETDEV", "SAI_HOSTIF_ATTR_OBJ_ID": "{port Ethernet0}", "SAI_HOSTIF_ATTR_OPER_STATUS": "true"}),
	)
	s.set("PORT|Ethernet0", redisdb.Fields{"speed": "40000", "fec": "none"})
	s.reads("config interface speed",
		read{redisdb.ASICDB, asic("PORT", "port Ethernet0"), want{"SAI_PORT_ATTR_SPEED": "40000"}},
		read{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{"speed": "40000"}},
	)
	s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": "down"})
	s.reads("config interface shutdown",
		read{redisdb.ASICDB, asic("PORT", "port Ethernet0"), want{"SAI_PORT_ATTR_ADMIN_STATE": "false"}},
		read{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{"admin_status": "down", "oper_status": "down"}},
	)
}

// TestLinks: the host interface of a port is up while its link is, which goes up and down
// with the port.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	hostif := func(port, up string) read {
		return s.object("HOSTIF", "SAI_HOSTIF_ATTR_NAME", port, want{"SAI_HOSTIF_ATTR_OPER_STATUS": up})
	}
	s.reads("the kernel", hostif("Ethernet0", "false"))
	for _, status := range []string{"up", "down", "up"} {
		s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": status})
		s.reads("the kernel", hostif("Ethernet0", fmt.Sprint(status == "up")), hostif("Ethernet4", "false"),
			read{redisdb.ApplDB, "PORT_TABLE:Ethernet0", want{"oper_status": status}},
			read{redisdb.StateDB, "PORT_TABLE|Ethernet0", want{"netdev_oper_status": status}},
		)
	}
}

// TestPortNotification: programs hear on NOTIFICATIONS that a port came up, and that it
// went down.
func TestPortNotification(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	heard := s.subscribed("NOTIFICATIONS")
	var id string
	s.eventually("the handle of the port", func() (err error) { // published after the rows are taken up
		id, err = s.resolve("{port Ethernet0}")
		return err
	})
	for _, status := range []string{"up", "down"} {
		s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": status})
		want := `[{"port_id":"` + id + `","port_state":"SAI_PORT_OPER_STATUS_` + strings.ToUpper(status) + `"}]`
		s.eventually("the news that the port is "+status, func() error { return hears(heard, want) })
	}
}

var errNews = errors.New("it was not told")

// hears takes what was heard so far, up to a message with the data.
func hears(from <-chan redisdb.Notification, data string) error {
	for {
		select {
		case n := <-from:
			if n.Data == data {
				return nil
			}
		default:
			return errNews
		}
	}
}

// subscribed hears a channel from now on: a client subscribes some time after it is asked
// to, and hears nothing of what happens before.
func (s *site) subscribed(channel string) <-chan redisdb.Notification {
	s.Helper()
	const probe = "test/contract listens"
	heard := s.db.Notifications(s.Context(), channel)
	s.eventually("the subscription to "+channel, func() error {
		if _, err := s.db.Notify(s.Context(), channel, redisdb.Notification{Op: "probe", Data: probe}); err != nil {
			return err
		}
		return hears(heard, probe)
	})
	return heard
}
