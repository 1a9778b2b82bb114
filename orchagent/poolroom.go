package orchagent

import (
	"errors"
	"fmt"

	"xon/orchagent/graph"
	"xon/sai"
	"xon/schema/configdb"
)

// poolRoom says with numbers what a pool asks for that the chip has no room for, and what the
// chip has; "" for other objects and failures. The chip alone knows whether shared headroom
// lies beside the pool, so the sizes are told apart.
func (a *Agent) poolRoom(k graph.Key, rows *configdb.Config, err error) string {
	var st sai.Status
	if k.Type != sai.ObjectTypeBufferPool || !errors.As(err, &st) || !sai.Retriable(st) {
		return ""
	}
	pool := rows.BufferPools[k.Name]
	if pool == nil {
		return ""
	}
	if most := a.mostPools(pool.Type); most > 0 && poolsBeside(rows, pool).count >= most {
		return fmt.Sprintf("; the chip has %d %s pools at most", most, direction(pool))
	}
	memory := a.cur.Device.MMUBytes
	if memory == 0 {
		return ""
	}
	text := fmt.Sprintf("; its size is %d bytes", pool.Size)
	if pool.Xoff > 0 {
		text += fmt.Sprintf(" and its shared headroom (xoff) %d", pool.Xoff)
	}
	if o := poolsBeside(rows, pool); o.size+o.xoff > 0 && pool.Type != configdb.Egress {
		text += fmt.Sprintf(", other ingress pools have %d and %d", o.size, o.xoff)
	}
	return text + fmt.Sprintf("; the chip has %d for all of that and for what profiles reserve", memory)
}

// direction is the word for the pools that share a pool's memory.
func direction(pool *configdb.BufferPool) string {
	if pool.Type == configdb.Egress {
		return configdb.Egress
	}
	return configdb.Ingress
}

// mostPools is how many pools of a direction the chip has; 0 if it does not say.
func (a *Agent) mostPools(kind string) int {
	attr := sai.SwitchAttrIngressBufferPoolNum
	if kind == configdb.Egress {
		attr = sai.SwitchAttrEgressBufferPoolNum
	}
	n, err := sai.Get(a.cfg.Switch, a.cfg.Switch.ID, attr)
	if err != nil {
		return 0
	}
	return int(n)
}

// beside is what the other pools of a direction have.
type beside struct {
	count      int
	size, xoff uint64
}

func poolsBeside(rows *configdb.Config, pool *configdb.BufferPool) (b beside) {
	for _, o := range rows.BufferPools {
		if o.Name != pool.Name && direction(o) == direction(pool) && o.HasSize {
			b.count++
			b.size, b.xoff = b.size+o.Size, b.xoff+o.Xoff
		}
	}
	return b
}
