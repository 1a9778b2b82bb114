package redisdb

import (
	"context"
	"sync"
)

// link is one connection that does nothing but be there, to know when the server
// was not.
type link struct {
	up chan struct{} // closed when it is made for the first time

	mu      sync.Mutex
	session uint64
	changed chan struct{} // closed and replaced with every session
}

func newLink() *link { return &link{up: make(chan struct{}), session: 1, changed: make(chan struct{})} }

// Session counts the connections to the server, from 1. When it grows, writes
// may have been lost and the server's content may be another: whoever keeps
// content there compares it afresh. changed is closed when that happens.
func (c *Client) Session() (n uint64, changed <-chan struct{}) {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	return c.link.session, c.link.changed
}

func (l *link) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session++
	close(l.changed)
	l.changed = make(chan struct{})
}

// linkChannel is one that nobody publishes to.
const linkChannel = "XON_LINK"

// keepLink holds the connection, and counts each time that it had to be made
// again.
func (c *Client) keepLink(ctx context.Context) {
	first, lost := true, false
	var pause backoff
	started := func() {
		if first {
			close(c.link.up)
		} else {
			c.link.next()
		}
		if lost {
			n, _ := c.Session()
			c.log.WithField("session", n).Info("redis is back")
		}
		first, lost, pause = false, false, backoff{}
	}
	for ctx.Err() == nil {
		err := c.ready(ctx)
		if err == nil {
			err = c.listen(ctx, &listener{channels: []string{linkChannel}, started: started})
		}
		if ctx.Err() != nil {
			return
		}
		lost = true
		pause.complain(c.log, err, "redis is away, waiting")
		if pause.sleep(ctx) != nil {
			return
		}
	}
}

// ready fails while the server is away or loading.
func (c *Client) ready(ctx context.Context) error { return c.DB(ApplDB).rdb.Ping(ctx).Err() }
