package remote

import (
	"context"
	"net"

	"xon/sai"
)

// Hello is what an agent of this build says first.
func Hello(agent string) []byte {
	h := localHello()
	h.agent = agent
	return h.append(nil)
}

// Connect makes a client of a connection.
func Connect(ctx context.Context, conn net.Conn) (*Client, error) { return newClient(ctx, conn) }

// ServeConn serves one connection.
func ServeConn(ctx context.Context, conn net.Conn, drv sai.Driver, names sai.Names) {
	newServer(drv, names, nil).serve(ctx, conn)
}

// Welcome answers a hello.
func Welcome(conn net.Conn) error { return answerHello(conn, welcome, sai.FactsVersion, "") }
