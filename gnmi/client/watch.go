package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"xon/gnmi/path"
	"xon/gnmi/value"
)

// Change is one field that has a value, or one path that is gone.
type Change struct {
	Time       time.Time // when it was read
	Path       *gpb.Path // absolute
	Value      string
	Gone       bool
	Duplicates uint32 // values between the last one sent and this
}

// Watch is how to watch.
type Watch struct {
	Paths []*gpb.Path
	// Sample is the time between samples; 0 leaves it to the server, which tells of
	// changes but samples counters.
	Sample time.Duration
	// UpdatesOnly leaves out what is there at the start.
	UpdatesOnly bool
}

func (w *Watch) list() *gpb.SubscriptionList {
	l := &gpb.SubscriptionList{Encoding: gpb.Encoding_PROTO, UpdatesOnly: w.UpdatesOnly}
	for _, p := range w.Paths {
		s := &gpb.Subscription{Path: p}
		if w.Sample > 0 {
			s.Mode, s.SampleInterval = gpb.SubscriptionMode_SAMPLE, uint64(w.Sample)
		}
		l.Subscription = append(l.Subscription, s)
	}
	return l
}

// Watch calls changed for each change, and synced once, behind what was there at
// the start, until ctx ends or one of them returns an error.
func (c *Client) Watch(ctx context.Context, w Watch, changed func(Change) error, synced func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Subscribe(ctx)
	if err != nil {
		return c.said(err)
	}
	req := &gpb.SubscribeRequest{Request: &gpb.SubscribeRequest_Subscribe{Subscribe: w.list()}}
	if err := stream.Send(req); err != nil && !errors.Is(err, io.EOF) { // EOF: Recv says why
		return c.said(err)
	}
	for {
		resp, err := stream.Recv()
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return c.said(err)
		case resp.GetSyncResponse():
			err = synced()
		default:
			err = each(resp.GetUpdate(), changed)
		}
		if err != nil {
			return err
		}
	}
}

// each takes a notification apart.
func each(n *gpb.Notification, changed func(Change) error) error {
	at := time.Unix(0, n.GetTimestamp())
	for _, p := range n.GetDelete() {
		full, err := path.Full(n.GetPrefix(), p)
		if err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		if err := changed(Change{Time: at, Path: full, Gone: true}); err != nil {
			return err
		}
	}
	for _, u := range n.GetUpdate() {
		full, err := path.Full(n.GetPrefix(), u.GetPath())
		if err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		node, err := value.Decode(u.GetVal())
		if err != nil {
			return fmt.Errorf("answer at %s: %w", path.String(full), err)
		}
		c := Change{Time: at, Path: full, Value: node.Text, Duplicates: u.GetDuplicates()}
		if err := changed(c); err != nil {
			return err
		}
	}
	return nil
}
