// Package notifications hears what the chip notifies, once for everybody: parts of the agent
// that ask for it (On), and programs that listen to the channel NOTIFICATIONS, where
// SONiC's syncd tells them the same. Of links it also reads now and then how they are,
// since a chip may lose a notification.
//
// What is not for here: what follows from a notification.
package notifications

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"xon/sai"
	"xon/schema/redisdb"
)

// Channel is where other programs hear of notifications. A change of ports' states is
// ["port_state_change","[{\"port_id\":\"oid:0x1000000000002\",\"port_state\":\"SAI_PORT_OPER_STATUS_UP\"}]"].
const Channel = "NOTIFICATIONS"

// Config is what a Hub needs.
type Config struct {
	Switch *sai.Switch
	Client *redisdb.Client
	Log    logrus.FieldLogger
	// Compare is how often links are read; 10 s if 0.
	Compare time.Duration
}

// Hub hands out notifications.
type Hub struct {
	cfg     Config
	log     logrus.FieldLogger
	heard   map[*sai.NotifyMeta][]func(sai.Notification)
	publish chan sai.Notification

	mu    sync.Mutex // guards the rest, and keeps notifications in order
	links map[sai.OID]sai.PortOperStatus
	fresh map[sai.OID]bool // ports of which was heard while links are being read; nil if they are not
}

// mostWaiting is how many notifications wait for the database. Those that come then
// are not told there.
const mostWaiting = 4096

// New returns a Hub that does nothing yet.
func New(cfg Config) *Hub {
	if cfg.Compare == 0 {
		cfg.Compare = 10 * time.Second
	}
	return &Hub{
		cfg: cfg, log: cfg.Log.WithField("component", "events"), heard: map[*sai.NotifyMeta][]func(sai.Notification){},
		links: map[sai.OID]sai.PortOperStatus{}, publish: make(chan sai.Notification, mostWaiting),
	}
}

// On has f get notifications of a kind, in order, from Listen on and until Run ends. f
// must not block: it runs where the chip's driver calls. On must not be called after
// Listen.
func (h *Hub) On(n *sai.NotifyMeta, f func(sai.Notification)) { h.heard[n] = append(h.heard[n], f) }

// Listen has the chip notify, and returns of each port whether its link is up: who
// begins with that and takes up what On tells him knows all links. It must be called
// once, before Run. A chip that does not notify of something is told of in the log; it
// is an error if links can't be read.
func (h *Hub) Listen() (up map[sai.OID]bool, err error) {
	h.On(sai.OnPortStateChange, h.enqueue)
	for n := range h.heard {
		if st := h.arm(n, h.cfg.Switch.Notify(n, h.hand)); st != 0 {
			h.log.WithError(st).WithField("notification", n.Name).Warn("the chip does not notify")
		}
	}
	list, err := h.read()
	up = make(map[sai.OID]bool, len(list))
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range list {
		up[s.PortID] = s.PortState == sai.PortOperStatusUp
		if _, heard := h.links[s.PortID]; !heard {
			h.links[s.PortID] = s.PortState
		}
	}
	return up, err
}

// Run tells programs what is heard until ctx ends, which is no error, and compares links
// meanwhile.
func (h *Hub) Run(ctx context.Context) error {
	for n := range h.heard {
		defer h.cfg.Switch.Notify(n, nil)
	}
	tick := time.NewTicker(h.cfg.Compare)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case n := <-h.publish:
			h.tell(ctx, n)
		case <-tick.C:
			if err := h.compare(); err != nil {
				h.log.WithError(err).Warn("links were not compared")
			}
		}
	}
}

// arm has the chip notify. One that does so already is not written to.
func (h *Hub) arm(n *sai.NotifyMeta, token sai.Value) sai.Status {
	o, key := sai.SwitchObject{}.Meta(), sai.Key{OID: h.cfg.Switch.ID.OID()}
	a := []sai.Attribute{{AttrMeta: o.Attr(n.Attr)}}
	if h.cfg.Switch.Get(o, key, a) == 0 && a[0].Num == token.Num {
		return 0
	}
	a[0].Value = token
	return h.cfg.Switch.Set(o, key, a[0])
}

func (h *Hub) hand(n sai.Notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n.NotifyMeta == sai.OnPortStateChange {
		for _, s := range sai.Elems[sai.PortOperStatusNotification](n) {
			h.links[s.PortID] = s.PortState
			if h.fresh != nil {
				h.fresh[s.PortID] = true
			}
		}
	}
	h.spread(n)
}

// spread tells all who asked for it.
func (h *Hub) spread(n sai.Notification) {
	for _, f := range h.heard[n.NotifyMeta] {
		f(n)
	}
}

func (h *Hub) enqueue(n sai.Notification) {
	select {
	case h.publish <- n:
	default:
		h.log.WithField("notification", n.Name).Warn("too many notifications wait to be published, one is dropped")
	}
}

// tell publishes a change of ports' states.
func (h *Hub) tell(ctx context.Context, n sai.Notification) {
	type state struct {
		ID    string `json:"port_id"`
		State string `json:"port_state"`
	}
	var states []state
	for _, s := range sai.Elems[sai.PortOperStatusNotification](n) {
		now := sai.PortAttrOperStatus.Is(s.PortState)
		states = append(states, state{s.PortID.String(), now.Format(now.Value)})
	}
	data, err := json.Marshal(states)
	if err == nil {
		_, err = h.cfg.Client.Notify(ctx, Channel, redisdb.Notification{Op: "port_state_change", Data: string(data)})
	}
	if err != nil && ctx.Err() == nil {
		h.log.WithError(err).Warn("a notification was not published")
	}
}
