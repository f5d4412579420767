package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/internal/random"
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

// Secret is the key with which a run proves that it has given a block out. It stays the same for
// the whole run, so that games count that were given out before the trainer was started anew.
type Secret []byte

// SecretSize is the length of a Secret in bytes.
const SecretSize = 32

// Token returns the token of a block.
func (s Secret) Token(b *Block) string {
	c := *b
	c.Token = ""
	return s.sign(&c)
}

func (s Secret) sign(block any) string {
	text, err := json.Marshal(block)
	if err != nil {
		return "" // a number that is not finite: no block has it
	}
	h := hmac.New(sha256.New, s)
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Given reports whether a block has the right token.
func (s Secret) Given(b *Block) bool {
	t := s.Token(b)
	return t != "" && hmac.Equal([]byte(t), []byte(b.Token))
}

// Draw returns a number from 0 up to 1, not included, that follows from the secret and a text.
func (s Secret) Draw(text string) float64 {
	h := hmac.New(sha256.New, s)
	h.Write([]byte("draw " + text))
	return float64(binary.LittleEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// MatchToken returns the token of a block of a match.
func (s Secret) MatchToken(b *MatchBlock) string {
	c := *b
	c.Token = ""
	return s.sign(&c)
}

// GivenMatch reports whether a block of a match has the right token.
func (s Secret) GivenMatch(b *MatchBlock) bool {
	t := s.MatchToken(b)
	return t != "" && hmac.Equal([]byte(t), []byte(b.Token))
}

const (
	rulesGames = 8
	rulesPlies = 200 // of a game, at most
)

// RulesDigest returns a digest of what the rules of a game do: the legal actions, observations and
// results of some random games. Programs whose rules differ have different digests, if those games
// show it.
func RulesDigest(g game.Game) string {
	h := sha256.New()
	number := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	floats := func(list []float32) {
		for _, x := range list {
			number(uint64(math.Float32bits(x)))
		}
	}
	h.Write([]byte(g.Name()))
	number(uint64(g.Players()))
	number(uint64(g.Actions()))
	state := g.NewState()
	observation := make([]float32, g.Planes().Size())
	returns := make([]float32, g.Players())
	var legal []game.Action
	var outcomes []game.Outcome
	for i := range rulesGames {
		rng := random.New(uint64(i), random.Test)
		state.CopyFrom(g.NewState())
		for range rulesPlies {
			mover := state.CurrentPlayer()
			number(uint64(int64(mover)))
			if mover == game.Nobody {
				state.Returns(returns)
				floats(returns)
				break
			}
			var a game.Action
			if mover == game.Chance {
				outcomes = state.(game.Chancer).Outcomes(outcomes[:0])
				for _, o := range outcomes {
					number(uint64(o.Action))
					number(math.Float64bits(float64(o.Probability)))
				}
				a = outcomes[rng.IntN(len(outcomes))].Action
			} else {
				clear(observation)
				state.Observation(observation)
				floats(observation)
				legal = state.LegalActions(legal[:0])
				for _, x := range legal {
					number(uint64(x))
				}
				a = legal[rng.IntN(len(legal))]
			}
			state.Apply(a)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
