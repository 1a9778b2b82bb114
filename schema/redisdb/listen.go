package redisdb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/push"
)

// pingEvery is how soon a connection that died without a word is noticed, at
// most twice that.
const pingEvery = 5 * time.Second

// listener is a connection on which the server speaks by itself. started and
// heard are called by the goroutine that runs listen, the others by any.
type listener struct {
	channels []string
	patterns []string
	// started: the server has confirmed, and from now on nothing is missed. It is
	// called again when the library has replaced the connection by itself.
	started func()
	heard   func(channel, message string)
	rest    func() // all that had arrived has been heard
	flushed func() // a database was emptied, for which there are no messages
}

// listen hears what the server says until the connection is lost or ctx ends.
// It always returns an error.
func (c *Client) listen(ctx context.Context, l *listener) error {
	rdb := redis.NewClient(c.listenOptions(l))
	defer rdb.Close()
	if l.flushed != nil {
		if err := rdb.RegisterPushNotificationHandler("invalidate", (*onFlush)(l), false); err != nil {
			return fmt.Errorf("listen to redis: %w", err)
		}
	}
	sub := rdb.Subscribe(ctx)
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() { sub.Close() })
	defer cancel()
	if err := l.subscribe(ctx, sub); err != nil {
		return err
	}
	var alive atomic.Bool
	go keepAsking(ctx, sub, &alive)
	for {
		m, err := sub.Receive(ctx)
		if err != nil {
			return err
		}
		alive.Store(true)
		switch m := m.(type) {
		case *redis.Subscription:
			if m.Count == len(l.channels)+len(l.patterns) { // the last of them
				l.started()
			}
		case *redis.Message:
			l.heard(m.Channel, m.Payload)
		}
	}
}

func (l *listener) subscribe(ctx context.Context, sub *redis.PubSub) error {
	if len(l.channels) > 0 {
		if err := sub.Subscribe(ctx, l.channels...); err != nil {
			return err
		}
	}
	if len(l.patterns) > 0 {
		return sub.PSubscribe(ctx, l.patterns...)
	}
	return nil
}

// keepAsking pings, and closes the connection when no answer comes. A read
// timeout would not do: it can strike in the middle of a message.
func keepAsking(ctx context.Context, sub *redis.PubSub, alive *atomic.Bool) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	alive.Store(true)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !alive.Swap(false) || sub.Ping(ctx) != nil {
			sub.Close()
			return
		}
	}
}

// listenOptions differ from those of commands in the protocol, which must be
// able to tell of an emptied database, and in the dialer.
func (c *Client) listenOptions(l *listener) *redis.Options {
	o := c.options(0)
	o.Protocol, o.PoolSize, o.PipelinePoolSize, o.ReadBufferSize = 3, 1, -1, listenBuffer
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, addr)
		if err != nil || l.rest == nil {
			return conn, err
		}
		return &restingConn{conn, l.rest}, nil
	}
	if l.flushed != nil {
		o.OnConnect = func(ctx context.Context, cn *redis.Conn) error {
			err := cn.Do(ctx, "CLIENT", "TRACKING", "ON").Err()
			if err != nil && !errors.As(err, new(redis.Error)) {
				return err
			}
			if err != nil {
				c.log.WithError(err).Warn("redis will not tell when a database is emptied")
			}
			return nil
		}
	}
	return o
}

// listenBuffer holds what a server sends at one go, which is 64 KiB: so the
// events of a transaction of some hundred commands are heard together.
const listenBuffer = 128 << 10

// restingConn calls rest before it waits for more: whoever reads through a
// buffer asks only when the buffer is used up.
type restingConn struct {
	net.Conn
	rest func()
}

func (c *restingConn) Read(b []byte) (int, error) {
	c.rest()
	return c.Conn.Read(b)
}

// onFlush hears of invalidated keys. A client that has tracking on and reads
// nothing is told of nothing but an emptied database: then there are no keys.
type onFlush listener

func (l *onFlush) HandlePushNotification(_ context.Context, _ push.NotificationHandlerContext, _ []any) error {
	l.flushed()
	return nil
}
