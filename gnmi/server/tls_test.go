package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"xon/gnmi/server"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// serve answers on a loopback port and returns its address.
func serve(t *testing.T, creds credentials.TransportCredentials) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	background(t, l, creds)
	return l.Addr().String()
}

func background(t *testing.T, l net.Listener, creds credentials.TransportCredentials) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.New(server.Config{Databases: content()}).Serve(ctx, l, creds) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func ask(t *testing.T, addr string, creds credentials.TransportCredentials) error {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = gpb.NewGNMIClient(conn).Capabilities(t.Context(), &gpb.CapabilityRequest{})
	return err
}

func TestOwnCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := server.TLS{Dir: dir, Names: []string{"switch1", "192.0.2.1"}}
	creds, err := own.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(dir, server.OwnCertFile), filepath.Join(dir, server.OwnKeyFile)
	if info, err := os.Stat(keyFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key: %v %v", info.Mode(), err)
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"localhost", "switch1", "127.0.0.1", "192.0.2.1", "::1"} {
		if err := pair.Leaf.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	before := read(t, certFile)
	addr := serve(t, creds)
	trust, err := credentials.NewClientTLSFromFile(certFile, "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "trusted", ask(t, addr, trust), codes.OK, "")
	want(t, "not trusted", ask(t, addr, credentials.NewTLS(&tls.Config{RootCAs: x509.NewCertPool()})), codes.Unavailable, "certificate")
	want(t, "plaintext", ask(t, addr, insecure.NewCredentials()), codes.Unavailable, "")
	if _, err := own.Credentials(); err != nil || read(t, certFile) != before {
		t.Errorf("made anew: %v", err)
	}
}

func TestClientCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := server.TLS{Dir: dir}
	if _, err := own.Credentials(); err != nil { // it serves as authority and client's too
		t.Fatal(err)
	}
	certFile, keyFile := filepath.Join(dir, server.OwnCertFile), filepath.Join(dir, server.OwnKeyFile)
	creds, err := server.TLS{CertFile: certFile, KeyFile: keyFile, ClientCAFile: certFile}.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(read(t, certFile)))
	want(t, "without", ask(t, serve(t, creds), credentials.NewTLS(&tls.Config{RootCAs: pool})), codes.Unavailable, "")
}

// A certificate that is exchanged is shown at the next handshake.
func TestExchange(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	creds, err := server.TLS{Dir: dir}.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (server.TLS{Dir: other}).Credentials(); err != nil {
		t.Fatal(err)
	}
	addr := serve(t, creds)
	for _, name := range []string{server.OwnCertFile, server.OwnKeyFile} {
		if err := os.Rename(filepath.Join(other, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	trust, err := credentials.NewClientTLSFromFile(filepath.Join(dir, server.OwnCertFile), "")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "exchanged", ask(t, addr, trust), codes.OK, "")
}

func TestCertificateErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, server.OwnCertFile), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, server.OwnKeyFile), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]server.TLS{
		"needs a key":            {CertFile: "x"},
		"remove gnmi-cert.pem":   {Dir: dir},
		"no such file":           {CertFile: "/nonexistent/c", KeyFile: "/nonexistent/k"},
		"make a certificate in ": {Dir: "/nonexistent"},
	} {
		if _, err := cfg.Credentials(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", cfg, err, want)
		}
	}
	good := t.TempDir()
	if _, err := (server.TLS{Dir: good, ClientCAFile: filepath.Join(dir, server.OwnKeyFile)}).Credentials(); err == nil || !strings.Contains(err.Error(), "holds no certificate") {
		t.Error(err)
	}
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := filepath.Join(dir, "xon.sock")
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	if _, err := server.ListenUnix(t.Context(), socket); err == nil || !strings.Contains(err.Error(), "another agent") {
		t.Error(err)
	}
	if err := left.Close(); err != nil { // as if its process had died
		t.Fatal(err)
	}
	l, err := server.ListenUnix(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	background(t, l, nil)
	want(t, "unix", ask(t, "unix:"+socket, insecure.NewCredentials()), codes.OK, "")

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.ListenUnix(t.Context(), file); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Error(err)
	}
}
