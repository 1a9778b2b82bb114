package redisdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/sirupsen/logrus"
)

// MinVersion is the oldest server that is accepted, the one of SONiC's oldest
// maintained releases.
const MinVersion = "6.0"

const (
	dialTimeout = 3 * time.Second
	// ioTimeout is how long a server may think about one command, or one chunk
	// of a batch.
	ioTimeout = 10 * time.Second
	poolSize  = 16
)

// Options are the optional parts of Open.
type Options struct {
	Username, Password string
	Log                logrus.FieldLogger // nil: none
	// EventsCheck is how often the server is asked, while anything is watched, whether
	// it still tells of changes; 5 s if 0.
	EventsCheck time.Duration
}

// Client is a server, with a handful of connections per database that is used.
// It is safe for concurrent use. Commands on a lost connection return an error
// at once; a later one makes a new connection. Session tells when that was.
type Client struct {
	network, address string
	opt              Options
	log              logrus.FieldLogger

	mu      sync.Mutex
	dbs     map[ID]*DB
	watches map[*Watch]struct{}

	link   *link
	stop   context.CancelFunc
	closed chan struct{} // by Close
	done   sync.WaitGroup
}

// DB is one database of a server.
type DB struct {
	ID     ID
	client *Client
	rdb    *redis.Client
}

var silence = sync.OnceFunc(logging.Disable) // the library writes to standard error

// Open connects to a server: "unix:/path/to/socket" or "host:port". It waits,
// until ctx ends, for a server that is not there yet or that is still loading.
// A server that is too old or that refuses the password is an error at once.
func Open(ctx context.Context, addr string, opt Options) (*Client, error) {
	silence()
	network, address, err := parseAddr(addr)
	if err != nil {
		return nil, err
	}
	c := &Client{network: network, address: address, opt: opt, log: orDiscard(opt.Log), dbs: map[ID]*DB{}, watches: map[*Watch]struct{}{}, closed: make(chan struct{})}
	c.log = c.log.WithFields(logrus.Fields{"component": "redis", "addr": c.Addr()})
	if err := c.wait(ctx); err != nil {
		return nil, errors.Join(err, c.closeDBs())
	}
	linkCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop, c.link = stop, newLink()
	c.done.Go(func() { c.keepLink(linkCtx) })
	c.done.Go(func() { c.keepEvents(linkCtx) })
	select {
	case <-c.link.up:
		return c, nil
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("connect to redis at %s: %w", c.Addr(), ctx.Err()), c.Close())
	}
}

func orDiscard(log logrus.FieldLogger) logrus.FieldLogger {
	if log != nil {
		return log
	}
	none := logrus.New()
	none.SetOutput(io.Discard)
	return none
}

func parseAddr(addr string) (network, address string, err error) {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		if path = strings.TrimPrefix(path, "//"); !strings.HasPrefix(path, "/") {
			return "", "", fmt.Errorf("redis address %q: want unix:/absolute/path", addr)
		}
		return "unix", path, nil
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", "", fmt.Errorf("redis address %q: want unix:/path or host:port", addr)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", "", fmt.Errorf("redis address %q: port %q is not in 1..65535", addr, port)
	}
	return "tcp", addr, nil
}

// Addr is the address of the server, as Open takes it.
func (c *Client) Addr() string {
	if c.network == "unix" {
		return "unix:" + c.address
	}
	return c.address
}

// DB returns one of the server's databases.
func (c *Client) DB(id ID) *DB {
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.dbs[id]
	if d == nil {
		d = &DB{ID: id, client: c, rdb: redis.NewClient(c.options(id))}
		c.dbs[id] = d
	}
	return d
}

// options says how to connect. Nothing is retried here: an upper layer knows
// what may be done twice, and the pool throws away connections that died idle.
func (c *Client) options(id ID) *redis.Options {
	return &redis.Options{
		Network: c.network, Addr: c.address, DB: int(id),
		Username: c.opt.Username, Password: c.opt.Password,
		Protocol: 2, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		MaxRetries:               -1,
		DialTimeout:              dialTimeout, DialerRetries: 1,
		ReadTimeout: ioTimeout, WriteTimeout: ioTimeout, ContextTimeoutEnabled: true,
		PoolSize: poolSize, PipelinePoolSize: 4,
	}
}

// ErrClosed is what watches end with when their client is closed.
var ErrClosed = errors.New("the connection to redis was closed")

// Close ends all connections, and all watches. It must be called once.
func (c *Client) Close() error {
	close(c.closed)
	c.stop()
	c.done.Wait()
	return c.closeDBs()
}

func (c *Client) closeDBs() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all error
	for _, d := range c.dbs {
		all = errors.Join(all, d.rdb.Close())
	}
	return all
}

// wait returns once the server answers.
func (c *Client) wait(ctx context.Context) error {
	var pause backoff
	var cause error // the last that is more than "out of time"
	for {
		err := c.hello(ctx)
		if err == nil || isRefusal(err) {
			return err
		}
		if cause == nil || ctx.Err() == nil {
			cause = err
		}
		pause.complain(c.log, err, "redis is not there yet, waiting")
		if pause.sleep(ctx) != nil {
			return fmt.Errorf("connect to redis at %s: %w", c.Addr(), cause)
		}
	}
}

// hello asks for the server's version, which one that is loading does not tell.
func (c *Client) hello(ctx context.Context) error {
	rdb := c.DB(ApplDB).rdb
	if err := rdb.Ping(ctx).Err(); err != nil {
		return err
	}
	info, err := rdb.Info(ctx, "server").Result()
	if err != nil {
		return fmt.Errorf("ask redis at %s for its version: %w", c.Addr(), err)
	}
	if v := infoValue(info, "redis_version"); olderThan(v, MinVersion) {
		return &refusal{fmt.Errorf("redis at %s has version %s, want %s or later", c.Addr(), v, MinVersion)}
	}
	return nil
}

// refusal is an error that waiting does not mend.
type refusal struct{ error }

func (r *refusal) Unwrap() error { return r.error }

func isRefusal(err error) bool {
	var r *refusal
	return errors.As(err, &r) || redis.IsAuthError(err) || redis.HasErrorPrefix(err, "WRONGPASS") || redis.IsPermissionError(err)
}

// infoValue finds a line of INFO's answer.
func infoValue(info, name string) string {
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// olderThan compares versions by their numbers. A version that can't be read is
// not old: forks of Redis may call themselves what they like.
func olderThan(version, than string) bool {
	have, want := strings.Split(version, "."), strings.Split(than, ".")
	for i := range min(len(have), len(want)) {
		h, err1 := strconv.Atoi(have[i])
		w, err2 := strconv.Atoi(want[i])
		if err1 != nil || err2 != nil {
			return false
		}
		if h != w {
			return h < w
		}
	}
	return false
}
