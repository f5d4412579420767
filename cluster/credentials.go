package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"tengen/internal/notation"
)

// Credentials are what a worker, or a trainer with an external broker, needs to connect.
type Credentials struct {
	KeyFile string // of its nkey's seed; "" for none
	CA      string // file of the certificates that sign the broker's; "" for those of the system
	// SHA-256 of the broker's certificate in hexadecimal, in place of CA; "" for none
	Pin string
}

// Options returns the options of a connection, and the public key, "" without a key.
func (c *Credentials) Options() (options []nats.Option, public string, err error) {
	if c.KeyFile != "" {
		pair, err := ReadKey(c.KeyFile)
		if err != nil {
			return nil, "", err
		}
		if public, err = pair.PublicKey(); err != nil {
			return nil, "", err
		}
		options = append(options,
			nats.Nkey(public, func(nonce []byte) ([]byte, error) { return pair.Sign(nonce) }),
			nats.CustomInboxPrefix("_INBOX."+public))
	}
	switch {
	case c.Pin != "":
		pin := strings.ToLower(strings.TrimPrefix(c.Pin, "sha256:"))
		if len(pin) != 2*sha256.Size {
			return nil, "",
				fmt.Errorf(
					"the pin %q has %d characters; the 64 that the trainer prints are wanted",
					c.Pin, len(pin))
		}
		options = append(options, nats.Secure(&tls.Config{
			MinVersion:         tls.VersionTLS13,
			InsecureSkipVerify: true, // the certificate itself is known
			VerifyConnection: func(s tls.ConnectionState) error {
				if len(s.PeerCertificates) == 0 || Pin(s.PeerCertificates[0]) != pin {
					return errPin
				}
				return nil
			},
		}))
	case c.CA != "":
		text, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, "", err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, "", fmt.Errorf("%s holds no certificate in PEM", c.CA)
		}
		options = append(options,
			nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}))
	}
	return append(options, nats.MaxReconnects(-1), nats.ReconnectWait(time.Second),
		nats.ReconnectJitter(time.Second, time.Second),
		nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(3),
		nats.FlusherTimeout(writeTime)), public, nil
}

// writeTime is the longest that a connection may take to write anything: then it is lost.
const writeTime = 5 * time.Second

// Pin returns the SHA-256 of a certificate in hexadecimal.
func Pin(c *x509.Certificate) string {
	sum := sha256.Sum256(c.Raw)
	return hex.EncodeToString(sum[:])
}

// ErrKeyis wrapped by errors about a file that should hold a worker's key.
var ErrKey = errors.New("not a worker's key")

// NewKey makes a worker's key, writes its seed to a new file that only its owner can read, and
// returns the public key.
func NewKey(path string) (public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	if err != nil {
		return "", err
	}
	if public, err = pair.PublicKey(); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, "%s\n", seed)
	return public, errors.Join(err, f.Close())
}

// ReadKey reads the seed of a key from a file.
func ReadKey(path string) (nkeys.KeyPair, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pair, err := nkeys.FromSeed(bytes.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrKey, err)
	}
	return pair, nil
}

// ReadWorkers reads a file of workers' public keys: one a line, which may be followed by a name.
// Empty lines, and those that begin with #, do not count.
func ReadWorkers(path string) (keys []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if !nkeys.IsValidPublicUserKey(words[0]) {
			return nil, fmt.Errorf("%s:%d: %w: %q; the public key that `%s` prints is wanted",
				path, i+1, ErrKey, words[0], notation.Command("worker", "--new-key", "FILE"))
		}
		keys = append(keys, words[0])
	}
	return keys, nil
}

// LoadTLS reads a certificate and its key.
func LoadTLS(certFile, keyFile string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}, nil
}

// SelfSigned returns the certificate in a folder, which it makes if there is none, and its pin.
// Workers know it by the pin.
func SelfSigned(folder string, now time.Time) (c *tls.Config, pin string, err error) {
	certFile, keyFile := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	if _, err := os.Stat(certFile); errors.Is(err, fs.ErrNotExist) {
		if err := makeCertificate(certFile, keyFile, now); err != nil {
			return nil, "", err
		}
	}
	if c, err = LoadTLS(certFile, keyFile); err != nil {
		return nil, "", err
	}
	c.MinVersion = tls.VersionTLS13
	parsed, err := x509.ParseCertificate(c.Certificates[0].Certificate[0])
	if err != nil {
		return nil, "", err
	}
	return c, Pin(parsed), nil
}

func makeCertificate(certFile, keyFile string, now time.Time) error {
	if err := os.MkdirAll(filepath.Dir(certFile), 0o755); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "tengen"},
		DNSNames:  []string{"tengen"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(10, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	// The key first: a certificate without a key would be found later.
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{
		Type: "PRIVATE KEY", Bytes: private,
	}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(certFile,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}
