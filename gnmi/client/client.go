// Package client is a small gNMI client for the origin sonic-db: tables as maps,
// a Set's refusal as rows and reasons, subscriptions as changes of fields.
package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"xon/gnmi/admin"
	"xon/gnmi/path"
	"xon/gnmi/translate"
)

// Options say where the server is and whether to believe it.
type Options struct {
	// Addr is "unix:/path/to/socket", without TLS, or "host:port", with TLS.
	Addr string
	// CA is a file of the certificates (PEM) that the server's must come from; ""
	// means those that the system trusts.
	CA string
	// Cert and Key are files (PEM) of a certificate for a server that asks for one.
	Cert, Key string
	// SkipVerify takes any certificate, Insecure no TLS at all.
	SkipVerify, Insecure bool
}

// Client is a connection to one server.
type Client struct {
	addr string
	conn *grpc.ClientConn
	rpc  gpb.GNMIClient
}

// maxAnswer is the size of the largest answer that is taken.
const maxAnswer = 256 << 20

// Dial makes a Client. Whether anybody answers shows with the first call.
func Dial(o Options) (*Client, error) {
	target, creds, err := o.target()
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(target,
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(maxAnswer)))
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", o.Addr, err)
	}
	return &Client{addr: o.Addr, conn: conn, rpc: gpb.NewGNMIClient(conn)}, nil
}

func (o Options) target() (string, credentials.TransportCredentials, error) {
	if p, ok := strings.CutPrefix(o.Addr, "unix:"); ok {
		if p = strings.TrimPrefix(p, "//"); !strings.HasPrefix(p, "/") {
			return "", nil, fmt.Errorf("address %q: want unix:/absolute/path", o.Addr)
		}
		return "unix:" + p, insecure.NewCredentials(), nil
	}
	if _, _, err := net.SplitHostPort(o.Addr); err != nil {
		return "", nil, fmt.Errorf("address %q: want unix:/path or host:port", o.Addr)
	}
	if o.Insecure {
		return "dns:///" + o.Addr, insecure.NewCredentials(), nil
	}
	creds, err := o.tls()
	return "dns:///" + o.Addr, creds, err
}

func (o Options) tls() (credentials.TransportCredentials, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.SkipVerify} //nolint:gosec // the user's choice
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, err
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate in PEM", o.CA)
		}
	}
	if o.Cert != "" || o.Key != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(cfg), nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// ErrUnreachable is what a call's error matches when nobody answers.
var ErrUnreachable = errors.New("nobody answers")

// said gives an error of a call its meaning.
func (c *Client) said(err error) error {
	st, ok := status.FromError(err)
	switch {
	case err == nil || !ok:
		return err
	case st.Code() == codes.Unavailable && strings.Contains(st.Message(), "connection error"):
		return fmt.Errorf("%w at %s: %s", ErrUnreachable, c.addr, st.Message())
	}
	return &Error{Code: st.Code(), Message: st.Message(), Faults: faults(st)}
}

// Admin is the service xon.admin.v1 of the same server. Errors are as those of the
// Client's own methods.
func (c *Client) Admin() admin.AdminClient { return admin.NewAdminClient(translated{c}) }

// translated is a connection whose errors have their meaning.
type translated struct{ c *Client }

// Invoke implements grpc.ClientConnInterface.
func (t translated) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	return t.c.said(t.c.conn.Invoke(outgoing(ctx), method, args, reply, opts...))
}

// NewStream implements grpc.ClientConnInterface.
func (t translated) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := t.c.conn.NewStream(ctx, d, method, opts...)
	return s, t.c.said(err)
}

// Version asks for the version of gNMI and so whether the server is there.
func (c *Client) Version(ctx context.Context) (string, error) {
	resp, err := c.rpc.Capabilities(ctx, &gpb.CapabilityRequest{})
	return resp.GetGNMIVersion(), c.said(err)
}

// Value is what is at one place.
type Value struct {
	Path *gpb.Path // absolute
	JSON []byte
}

// Get asks for paths, with wildcards if you like. It is an error that matches
// codes.NotFound when nothing is at one without.
func (c *Client) Get(ctx context.Context, paths ...*gpb.Path) ([]Value, error) {
	resp, err := c.rpc.Get(ctx, &gpb.GetRequest{Path: paths, Encoding: gpb.Encoding_JSON_IETF})
	if err != nil {
		return nil, c.said(err)
	}
	var all []Value
	for _, n := range resp.GetNotification() {
		for _, u := range n.GetUpdate() {
			full, err := path.Full(n.GetPrefix(), u.GetPath())
			if err != nil {
				return nil, fmt.Errorf("answer: %w", err)
			}
			all = append(all, Value{Path: full, JSON: u.GetVal().GetJsonIetfVal()})
		}
	}
	return all, nil
}

// Path makes a path of origin sonic-db from its elements, taken as they are: what a
// server would read as an escape is escaped.
func Path(elems ...string) *gpb.Path {
	escaped := make([]string, len(elems))
	for i, e := range elems {
		if escaped[i] = e; strings.Contains(e, "~0") || strings.Contains(e, "~1") {
			escaped[i] = strings.ReplaceAll(e, "~", "~0")
		}
	}
	return &gpb.Path{Origin: translate.Origin, Elem: path.Of(escaped...)}
}

// Rows are the rows of a table by key.
type Rows map[string]map[string]string

// Table reads a table, or what else has rows with fields at a path; nothing is
// there is no error.
func (c *Client) Table(ctx context.Context, elems ...string) (Rows, error) {
	rows := Rows{}
	return rows, c.read(ctx, &rows, elems)
}

// Tables reads a whole database.
func (c *Client) Tables(ctx context.Context, db string) (map[string]Rows, error) {
	var tables map[string]Rows
	return tables, c.read(ctx, &tables, []string{db})
}

func (c *Client) read(ctx context.Context, into any, elems []string) error {
	p := Path(elems...)
	values, err := c.Get(ctx, p)
	if Code(err) == codes.NotFound {
		return nil
	}
	for _, v := range values {
		if err := json.Unmarshal(v.JSON, into); err != nil {
			return fmt.Errorf("answer to %s: %w", path.String(p), err)
		}
	}
	return err
}

// outgoing asks for all that is wrong, as this client can take it.
func outgoing(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, errorBytesKey, "1000000")
}
