package server

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"os/user"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// Who says who makes a call, for people and the record: what the client proved
// ("uid 0 (root) by unix socket", "CN=ops SAN=ops@example.net from 10.0.0.1:1234")
// or, if it proved nothing, where it comes from ("10.0.0.1:1234").
func Who(ctx context.Context) string {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return "unknown"
	}
	switch info := p.AuthInfo.(type) {
	case localUser:
		return info.String() + " by unix socket"
	case credentials.TLSInfo:
		if certs := info.State.PeerCertificates; len(certs) > 0 {
			return subject(certs[0]) + " from " + p.Addr.String()
		}
	}
	if p.Addr.Network() == "unix" {
		return "somebody by unix socket"
	}
	return p.Addr.String()
}

// subject names the holder of a certificate.
func subject(c *x509.Certificate) string {
	names := []string{"CN=" + c.Subject.CommonName}
	for _, san := range [][]string{c.EmailAddresses, c.DNSNames} {
		for _, n := range san {
			names = append(names, "SAN="+n)
		}
	}
	for _, ip := range c.IPAddresses {
		names = append(names, "SAN="+ip.String())
	}
	for _, uri := range c.URIs {
		names = append(names, "SAN="+uri.String())
	}
	return printable(strings.Join(names, " "))
}

// printable keeps a name from writing lines of its own into a record.
func printable(name string) string {
	quoted := strconv.Quote(name)
	return quoted[1 : len(quoted)-1]
}

// localUser is the user at the other end of a unix socket, by the kernel's word.
type localUser struct {
	credentials.CommonAuthInfo

	uid  uint32
	name string // "" if the system knows none
}

// AuthType implements credentials.AuthInfo.
func (localUser) AuthType() string { return "unix" }

func (u localUser) String() string {
	if u.name == "" {
		return fmt.Sprintf("uid %d", u.uid)
	}
	return fmt.Sprintf("uid %d (%s)", u.uid, u.name)
}

// plain is no TLS, but asks the kernel who is at the other end of a unix socket.
type plain struct {
	credentials.TransportCredentials
}

// ServerHandshake implements credentials.TransportCredentials.
func (p plain) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	if local, ok := conn.(*net.UnixConn); ok {
		if u, err := userOf(local); err == nil {
			return conn, u, nil
		}
	}
	return p.TransportCredentials.ServerHandshake(conn)
}

// Clone implements credentials.TransportCredentials.
func (p plain) Clone() credentials.TransportCredentials {
	return plain{p.TransportCredentials.Clone()}
}

func userOf(conn *net.UnixConn) (localUser, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return localUser{}, err
	}
	var cred *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return localUser{}, err
	}
	if failed != nil {
		return localUser{}, failed
	}
	u := localUser{
		CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, // it leaves no other process's hands
		uid:            cred.Uid,
	}
	if known, err := user.LookupId(strconv.FormatUint(uint64(cred.Uid), 10)); err == nil {
		u.name = known.Username
	}
	return u, nil
}
