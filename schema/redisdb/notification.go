package redisdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Notification is a message to whoever listens to a channel, as SONiC's programs send
// them to each other: PUBLISH <channel> '["op","data","field","value",…]'. Channels
// belong to the server, not to one of its databases.
type Notification struct {
	Op   string // what to do, or what happened: "set_stats"
	Data string // what with, in the terms of Op
	// Values are in the order of the message, which may name a field twice.
	Values []FieldValue
}

// FieldValue is a field and its value.
type FieldValue struct{ Field, Value string }

// The limits of a message. SONiC has none; its own are some hundred bytes.
const (
	longestNotification = 1 << 20 // bytes
	mostWaiting         = 4096    // messages of a channel that nobody has taken yet
)

// Format returns the text of the message.
func (n Notification) Format() string {
	words := make([]string, 0, 2+2*len(n.Values))
	words = append(words, n.Op, n.Data)
	for _, v := range n.Values {
		words = append(words, v.Field, v.Value)
	}
	text, err := json.Marshal(words)
	if err != nil {
		panic(err) // strings can't fail
	}
	return string(text)
}

// ParseNotification is the inverse of Format. The error says what is wrong with the
// message, which may come from anybody.
func ParseNotification(text string) (Notification, error) {
	if len(text) > longestNotification {
		return Notification{}, fmt.Errorf("message of %d bytes, at most %d are taken", len(text), longestNotification)
	}
	var words []*string
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		return Notification{}, fmt.Errorf("message is not a list of strings: %w", err)
	}
	if len(words) < 2 || len(words)%2 != 0 {
		return Notification{}, fmt.Errorf("message has %d strings, want two and then pairs", len(words))
	}
	for _, w := range words {
		if w == nil {
			return Notification{}, errors.New("message is not a list of strings: null is among them")
		}
	}
	n := Notification{Op: *words[0], Data: *words[1]}
	for i := 2; i < len(words); i += 2 {
		n.Values = append(n.Values, FieldValue{*words[i], *words[i+1]})
	}
	return n, nil
}

// Notify sends a message and returns how many connections heard it.
func (c *Client) Notify(ctx context.Context, channel string, n Notification) (heard int64, err error) {
	heard, err = c.DB(ApplDB).rdb.Publish(ctx, channel, n.Format()).Result()
	if err != nil {
		return 0, fmt.Errorf("notify %s: %w", channel, err)
	}
	return heard, nil
}

// Notify adds a message to a batch.
func (b *Batch) Notify(channel string, n Notification) { b.Publish(channel, n.Format()) }

// Notifications hears a channel until ctx ends or the client is closed, and closes
// what it returns then. Messages that can't be read are logged and passed over, and so
// are those that find 4096 others waiting to be taken. What is sent while the
// connection is lost is missed, as it is by every subscriber of Redis.
func (c *Client) Notifications(ctx context.Context, channel string) <-chan Notification {
	waiting := make(chan Notification, mostWaiting)
	log := c.log.WithField("channel", channel)
	var bad, full backoff // only to complain now and again
	ctx, stop := context.WithCancel(ctx)
	l := &listener{
		channels: []string{channel},
		started:  func() {},
		heard: func(_, message string) {
			n, err := ParseNotification(message)
			if err != nil {
				bad.complain(log, err, "a notification can't be read")
				return
			}
			select {
			case waiting <- n:
			default:
				full.complain(log, errFull, "a notification is dropped")
			}
		},
	}
	go func() {
		select {
		case <-c.closed:
		case <-ctx.Done():
		}
		stop()
	}()
	go func() {
		defer close(waiting)
		defer stop()
		c.listenOn(ctx, l)
	}()
	return waiting
}

var errFull = errors.New("too many wait to be taken")

// listenOn listens again and again until ctx ends.
func (c *Client) listenOn(ctx context.Context, l *listener) {
	var pause backoff
	for ctx.Err() == nil {
		begun := time.Now()
		err := c.ready(ctx)
		if err == nil {
			err = c.listen(ctx, l)
		}
		c.log.WithError(err).Debug("a subscription was lost")
		if time.Since(begun) > lastPause {
			pause = backoff{}
		}
		_ = pause.sleep(ctx)
	}
}
