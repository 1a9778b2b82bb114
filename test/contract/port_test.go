package contract

import (
	"errors"
	"testing"

	"xon/schema/redisdb"
)

var errNews = errors.New("not both of up and down were told")

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
