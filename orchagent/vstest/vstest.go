// Package vstest gives a virtual chip counters and read-only attributes that tests ask
// for, in the way in which those of SONiC's virtual switch do: by messages on the
// channel SAI_VS_UNITTEST_CHANNEL.
//
//	["enable_unittests","true"]                                       or "false", as it is at the start
//	["set_ro","SAI_OBJECT_TYPE_SWITCH:oid:0x21000000000000","SAI_SWITCH_ATTR_…","5"]  only while enabled
//	["set_ro","SAI_OBJECT_TYPE_PORT:oid:0x1000000000002","SAI_PORT_ATTR_OPER_STATUS","SAI_PORT_OPER_STATUS_DOWN"]  the peer goes down, with a notification
//	["set_stats","oid:0x15000000000004","SAI_QUEUE_STAT_PACKETS","17", …]
//
// Ids are the chip's own, which tests look up in VIDTORID of ASIC_DB; values are in the
// text of ASIC_DB.
package vstest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sirupsen/logrus"

	"xon/sai"
	"xon/schema/redisdb"
)

// Channel is where the messages come from.
const Channel = "SAI_VS_UNITTEST_CHANNEL"

// Config is what Run needs.
type Config struct {
	Client *redisdb.Client
	Chip   sai.Injector
	// Changed is called when attributes of the chip are others than before: limits can be
	// among them. nil: nobody wants to know.
	Changed func(context.Context) error
	Log     logrus.FieldLogger
}

// Run does what messages ask for until ctx ends. What can't be done is logged.
func Run(ctx context.Context, cfg Config) error {
	i := &injector{chip: cfg.Chip}
	log := cfg.Log.WithField("component", "inject")
	for n := range cfg.Client.Notifications(ctx, Channel) {
		log := log.WithFields(logrus.Fields{"op": n.Op, "data": n.Data})
		if err := i.do(n); err != nil {
			log.WithError(err).Warn("a test asked for what can't be done")
			continue
		}
		log.Debug("did what a test asked for")
		if n.Op != "set_ro" || cfg.Changed == nil {
			continue
		}
		if err := cfg.Changed(ctx); err != nil {
			log.WithError(err).Warn("the agent did not take up what a test changed")
		}
	}
	return nil
}

type injector struct {
	chip    sai.Injector
	enabled bool
}

var errDisabled = errors.New(`attributes are set only after enable_unittests "true"`)

func (i *injector) do(n redisdb.Notification) error {
	switch n.Op {
	case "enable_unittests":
		i.enabled = n.Data == "true"
		return nil
	case "set_ro":
		if !i.enabled {
			return errDisabled
		}
		return i.setAttrs(n.Data, n.Values)
	case "set_stats":
		return i.setStats(n.Data, n.Values)
	}
	return fmt.Errorf("unknown operation %q", n.Op)
}

// setAttrs sets attributes of an object that is named with its type.
func (i *injector) setAttrs(object string, values []redisdb.FieldValue) error {
	name, text, _ := strings.Cut(object, ":")
	t, ok := sai.ObjectTypeByName(name)
	o := sai.ByType(t)
	if !ok || o == nil {
		return fmt.Errorf("unknown object type %q", name)
	}
	id, err := sai.ParseOID(text)
	if err != nil {
		return err
	}
	for _, v := range values {
		a := o.AttrByName(v.Field)
		if a == nil {
			return fmt.Errorf("a %s has no attribute %q", o.Name, v.Field)
		}
		value, err := a.Parse(v.Value)
		if err != nil {
			return err
		}
		if st := i.chip.InjectAttr(o, id, sai.Attribute{AttrMeta: a, Value: value}); st != 0 {
			return fmt.Errorf("set %s of %s: %w", v.Field, object, st)
		}
	}
	return nil
}

// setStats sets counters of an object, whose type their names tell.
func (i *injector) setStats(object string, values []redisdb.FieldValue) error {
	id, err := sai.ParseOID(object)
	if err != nil {
		return err
	}
	for _, v := range values {
		o, stat := statByFullName(v.Field)
		if stat == nil {
			return fmt.Errorf("unknown counter %q", v.Field)
		}
		n, err := strconv.ParseUint(v.Value, 10, 64)
		if err != nil {
			return fmt.Errorf("set %s: %w", v.Field, err)
		}
		if st := i.chip.InjectStat(o, id, stat.ID, n); st != 0 {
			return fmt.Errorf("set %s of %s: %w", v.Field, object, st)
		}
	}
	return nil
}

func statByFullName(name string) (*sai.ObjectMeta, *sai.StatMeta) {
	for _, o := range sai.Objects {
		if s := o.StatByName(name); s != nil && s.FullName() == name {
			return o, s
		}
	}
	return nil, nil
}
