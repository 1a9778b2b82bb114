package contract

import (
	"errors"
	"fmt"
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

var errNews = errors.New("not both of up and down were told")

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

// TestPortNotification: programs hear on NOTIFICATIONS that a port came up.
func TestPortNotification(t *testing.T) {
	t.Parallel()
	s := newSite(t, virtualSwitch())
	heard := s.db.Notifications(t.Context(), "NOTIFICATIONS")
	id, err := s.resolve("{port Ethernet0}")
	must(t, err)
	up, down := 0, 0
	s.eventually("the news of a port", func() error {
		status := "up"
		if up > down {
			status = "down"
		}
		s.set("PORT|Ethernet0", redisdb.Fields{"admin_status": status})
		for {
			select {
			case n := <-heard:
				switch n.Data {
				case `[{"port_id":"` + id + `","port_state":"SAI_PORT_OPER_STATUS_UP"}]`:
					up++
				case `[{"port_id":"` + id + `","port_state":"SAI_PORT_OPER_STATUS_DOWN"}]`:
					down++
				}
				continue
			default:
			}
			break
		}
		if up == 0 || down == 0 {
			return errNews
		}
		return nil
	})
}
