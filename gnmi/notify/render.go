package notify

import (
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/path"
	"xon/gnmi/value"
)

// Send sends one response of a stream.
type Send func(*gpb.SubscribeResponse) error

// mostUpdates is how many updates go in one message, well below what clients
// take by default (4 MB).
const mostUpdates = 4096

// writer makes messages of deltas: one Notification for each row, the row's path
// as the prefix and the fields' names as paths. It is for one goroutine.
type writer struct {
	send     Send
	encoding gpb.Encoding
	leaves   map[string]*gpb.Path
}

func newWriter(send Send, e gpb.Encoding) *writer {
	return &writer{send: send, encoding: e, leaves: map[string]*gpb.Path{}}
}

func (w *writer) sync() error {
	return w.send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

func (w *writer) item(it *item) error {
	if it.sync {
		return w.sync()
	}
	if it.gone {
		if err := w.gone(&it.delta); err != nil {
			return err
		}
	}
	n := &gpb.Notification{Timestamp: it.time.UnixNano(), Prefix: it.path}
	for _, f := range it.del {
		n.Delete = append(n.Delete, w.leaf(f))
	}
	names := slices.Sorted(maps.Keys(it.set))
	for len(names) > mostUpdates {
		n.Update = w.updates(it, names[:mostUpdates])
		if err := w.notify(n); err != nil {
			return err
		}
		n, names = &gpb.Notification{Timestamp: n.Timestamp, Prefix: n.Prefix}, names[mostUpdates:]
	}
	n.Update = w.updates(it, names)
	return w.notify(n)
}

// updates are backed by two arrays instead of one allocation each.
func (w *writer) updates(it *item, names []string) []*gpb.Update {
	store := make([]gpb.Update, len(names))
	all := make([]*gpb.Update, len(names))
	for i, f := range names {
		u := &store[i]
		u.Path, u.Val, u.Duplicates = w.leaf(f), value.Leaf(w.encoding, it.kind(f), it.set[f]), it.covered[f]
		all[i] = u
	}
	return all
}

// gone tells that a row, as far as it was subscribed to, is no more. The path
// stands in full beside the prefix's origin and target: an empty path below the
// row would be right too, but not all clients take it.
func (w *writer) gone(d *delta) error {
	whole := d.path
	n := &gpb.Notification{
		Timestamp: d.time.UnixNano(),
		Prefix:    &gpb.Path{Target: whole.GetTarget(), Origin: whole.GetOrigin()},
		Delete:    []*gpb.Path{{Elem: whole.GetElem()}},
	}
	return w.notify(n)
}

func (w *writer) notify(n *gpb.Notification) error {
	if len(n.GetUpdate()) == 0 && len(n.GetDelete()) == 0 {
		return nil
	}
	return w.send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: n}})
}

func (w *writer) leaf(field string) *gpb.Path {
	p := w.leaves[field]
	if p == nil {
		p = &gpb.Path{Elem: path.Of(field)}
		w.leaves[field] = p
	}
	return p
}
