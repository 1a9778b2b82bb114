package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/credentials"
)

// TLS says with what a listener proves who it is. With no files named, a
// certificate of xon's own making is kept in Dir.
type TLS struct {
	Dir               string // the state directory
	CertFile, KeyFile string // PEM; both or none
	// ClientCAFile has the authorities (PEM) of which each client must show a
	// certificate; "" asks for none.
	ClientCAFile string
	Names        []string // names and addresses for the own certificate, besides the obvious
}

// The files of the own certificate.
const (
	OwnCertFile = "gnmi-cert.pem"
	OwnKeyFile  = "gnmi-key.pem"
)

// Times of the own certificate: it is made anew when it ends within a month.
const (
	ownLife  = 10 * 365 * 24 * time.Hour
	ownSpare = 30 * 24 * time.Hour
)

// Credentials loads or makes the certificate. Files that change later are taken
// at the next handshake; while they can't be read, what was read last stays in
// use.
func (t TLS) Credentials() (credentials.TransportCredentials, error) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return nil, errors.New("a certificate needs a key file, and a key a certificate file")
	}
	if t.CertFile == "" {
		t.CertFile, t.KeyFile = filepath.Join(t.Dir, OwnCertFile), filepath.Join(t.Dir, OwnKeyFile)
		if err := t.makeOwn(); err != nil {
			return nil, fmt.Errorf("make a certificate in %s: %w", t.Dir, err)
		}
	}
	pair := &keyPair{cert: t.CertFile, key: t.KeyFile}
	if err := pair.load(); err != nil {
		return nil, fmt.Errorf("load certificate %s: %w", t.CertFile, err)
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: pair.get}
	if t.ClientCAFile != "" {
		pool, err := authorities(t.ClientCAFile)
		if err != nil {
			return nil, err
		}
		cfg.ClientCAs, cfg.ClientAuth = pool, tls.RequireAndVerifyClientCert
	}
	return credentials.NewTLS(cfg), nil
}

func authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("load client authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("load client authorities: %s holds no certificate in PEM", file)
	}
	return pool, nil
}

// keyPair is a certificate in files that may be exchanged.
type keyPair struct {
	cert, key string

	mu   sync.Mutex
	last *tls.Certificate
	seen [2]fs.FileInfo // of the files when last was read
}

func (p *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.stat(); !sameFile(now[0], p.seen[0]) || !sameFile(now[1], p.seen[1]) {
		_ = p.reload(now) // half of an exchange; the next handshake tries again
	}
	return p.last, nil
}

func (p *keyPair) load() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reload(p.stat())
}

func (p *keyPair) reload(now [2]fs.FileInfo) error {
	c, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return err
	}
	p.last, p.seen = &c, now
	return nil
}

// stat looks at both files; nil for one that is not there.
func (p *keyPair) stat() (infos [2]fs.FileInfo) {
	for i, name := range []string{p.cert, p.key} {
		if info, err := os.Stat(name); err == nil {
			infos[i] = info
		}
	}
	return infos
}

func sameFile(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// makeOwn makes the own certificate unless there is one that will do.
func (t TLS) makeOwn() error {
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err == nil && time.Now().Add(ownSpare).Before(pair.Leaf.NotAfter) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("what is there can't be used; remove %s and %s to have new ones made: %w", OwnCertFile, OwnKeyFile, err)
	}
	cert, key, err := selfSigned(t.names(), time.Now())
	if err != nil {
		return err
	}
	if err := writeFile(t.KeyFile, "PRIVATE KEY", key, 0o600); err != nil {
		return err
	}
	return writeFile(t.CertFile, "CERTIFICATE", cert, 0o644)
}

// names are all that the certificate shall be good for.
func (t TLS) names() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	if host, err := os.Hostname(); err == nil {
		names = append(names, host)
	}
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && ip.IP.IsGlobalUnicast() {
				names = append(names, ip.IP.String())
			}
		}
	}
	names = append(names, t.Names...)
	slices.Sort(names)
	return slices.Compact(names)
}

// selfSigned makes a certificate and its key, both in DER.
func selfSigned(names []string, now time.Time) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "xon gnmi server", Organization: []string{"xon, made by itself"}},
		NotBefore:             now.Add(-time.Hour), // for clocks that are behind
		NotAfter:              now.Add(ownLife),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true, // so that a client can name it as its authority
		BasicConstraintsValid: true,
	}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, n)
		}
	}
	cert, err = x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	key, err = x509.MarshalPKCS8PrivateKey(private)
	return cert, key, err
}

// writeFile puts a PEM file in place at once or not at all.
func writeFile(name, kind string, der []byte, mode fs.FileMode) error {
	part := name + ".part"
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := errors.Join(os.RemoveAll(part), os.WriteFile(part, text, mode)); err != nil {
		return err
	}
	return os.Rename(part, name)
}
