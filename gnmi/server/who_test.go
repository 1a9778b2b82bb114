package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"xon/gnmi/server"
	"xon/schema/configdb"
)

// set changes a field at a server and returns the request that its Transactor got.
func set(t *testing.T, l net.Listener, target string, serving, dialing credentials.TransportCredentials) server.Request {
	t.Helper()
	asked := make(chan server.Request, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- server.New(server.Config{Databases: content(), Transactor: asker(asked)}).Serve(ctx, l, serving)
	}()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(dialing))
	if err != nil {
		t.Fatal(err)
	}
	req := &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet0")}}
	if _, err := gpb.NewGNMIClient(conn).Set(ctx, req); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	return <-asked
}

// asker is a Transactor that hands over what it is asked.
type asker chan server.Request

func (a asker) Transact(_ context.Context, req server.Request) (server.Outcome, error) {
	a <- req
	return server.Outcome{}, nil
}

func TestWhoUnix(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	l, err := server.ListenUnix(t.Context(), socket)
	if err != nil {
		t.Fatal(err)
	}
	got := set(t, l, "unix:"+socket, nil, insecure.NewCredentials()).Who
	if want := fmt.Sprintf(`^uid %d( \(\S+\))? by unix socket$`, os.Getuid()); !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("%q, want %s", got, want)
	}
}

func TestWhoPlain(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := set(t, l, l.Addr().String(), nil, insecure.NewCredentials()).Who
	if !regexp.MustCompile(`^127\.0\.0\.1:\d+$`).MatchString(got) {
		t.Errorf("%q", got)
	}
}

func TestWhoCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true}
	ca := issue(t, authority, nil)
	client := issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "ops\nroot"}, EmailAddresses: []string{"ops@example.net"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, &ca)
	caFile := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Certificate[0]}), 0o600); err != nil {
		t.Fatal(err)
	}
	creds, err := server.TLS{Dir: dir, ClientCAFile: caFile}.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(read(t, filepath.Join(dir, server.OwnCertFile))))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dialing := credentials.NewTLS(&tls.Config{RootCAs: pool, Certificates: []tls.Certificate{client}})
	got := set(t, l, l.Addr().String(), creds, dialing).Who
	if !regexp.MustCompile(`^CN=ops\\nroot SAN=ops@example.net from 127\.0\.0\.1:\d+$`).MatchString(got) {
		t.Errorf("%q", got)
	}
}

// issue makes a certificate, signed by another or by itself.
func issue(t *testing.T, template *x509.Certificate, by *tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, any(key)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func TestSetOptions(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	req := &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet0")}}
	for _, tt := range []struct {
		keys       []string
		disruptive bool
		confirmed  bool
	}{
		{nil, false, false},
		{[]string{server.DisruptiveKey, "true"}, true, false},
		{[]string{server.ConfirmKey, "true", server.DisruptiveKey, "false"}, false, true},
	} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), tt.keys...)
		if _, err := r.client.Set(ctx, req); err != nil {
			t.Fatal(err)
		}
		if got := r.tr.Last(); got.Disruptive != tt.disruptive || got.Confirmed != tt.confirmed {
			t.Errorf("%v: %+v", tt.keys, got)
		}
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), server.ConfirmKey, "maybe")
	_, err := r.client.Set(ctx, req)
	want(t, "bad option", err, codes.InvalidArgument, `metadata xon-confirm: want true or false, not "maybe"`)
}

func TestHeldAndAborted(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for _, tt := range []struct {
		err  error
		code codes.Code
		text string
	}{
		{&server.Held{ID: 7, Why: "60 of 100 objects would go"}, codes.FailedPrecondition, "xonctl confirm 7"},
		{&server.Held{Why: "60 of 100 objects would go"}, codes.FailedPrecondition, "xon-confirm: true"},
		{fmt.Errorf("transaction: %w", server.ErrAborted), codes.Aborted, "undone"},
	} {
		r.tr.Refuse = func([]configdb.Op) error { return tt.err }
		_, err := r.client.Set(t.Context(), &gpb.SetRequest{Delete: []*gpb.Path{at("sonic-db:/CONFIG_DB/PORT/Ethernet0")}})
		want(t, tt.err.Error(), err, tt.code, tt.text)
	}
}
