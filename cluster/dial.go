package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Errors of Dial, which errors.Is finds. Trying again does not help against any of them.
var (
	ErrAddress = errors.New("no address of a broker")
	// its key is missing, or not known there
	ErrRefused     = errors.New("the broker does not let this program in")
	ErrCertificate = errors.New("the broker's certificate is not trusted")
	ErrUnencrypted = errors.New("the broker has no TLS")
)

var errPin = errors.New("it is another than the pin says")

const dialTimeout = 5 * time.Second

// URLs returns an address as NATS wants it: nats://HOST:PORT, or tls://, and several with commas between. HOST:PORT alone is
// one of nats://.
func URLs(address string) (string, error) {
	list := strings.Split(address, ",")
	for i, a := range list {
		if a = strings.TrimSpace(a); !strings.Contains(a, "://") {
			a = "nats://" + a
		}
		u, err := url.Parse(a)
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" ||
			u.Path != "" && u.Path != "/" {
			return "", fmt.Errorf("%q: %w; nats://HOST:4222, or tls://HOST:4222, is wanted", list[i], ErrAddress)
		}
		list[i] = a
	}
	return strings.Join(list, ","), nil
}

// Dial connects to a broker, which must answer within a few seconds. Later the connection comes
// back by itself whenever it is lost.
func Dial(address string, options ...nats.Option) (*nats.Conn, error) {
	urls, err := URLs(address)
	if err != nil {
		return nil, err
	}
	options = append(options, nats.RetryOnFailedConnect(false), nats.Timeout(dialTimeout))
	conn, err := nats.Connect(urls, options...)
	if err == nil {
		return conn, nil
	}
	err = classify(err)
	var timeout net.Error
	switch {
	case errors.Is(err, nats.ErrNoServers):
		err = errors.New("nobody answers there")
	case errors.Is(err, nats.ErrNoInfoReceived), errors.As(err, &timeout) && timeout.Timeout():
		err = fmt.Errorf("no NATS server answers there (%w)", err)
	}
	return nil, fmt.Errorf("%s: %w", urls, err)
}

// Wait is Dial, but it waits for a broker that does not answer. It calls waiting with the reason,
// each time that it is another one. When ctx ends it returns its error.
func Wait(
	ctx context.Context, address string, waiting func(error), options ...nats.Option,
) (*nats.Conn, error) {
	last := ""
	for {
		conn, err := Dial(address, options...)
		if err == nil || final(err) {
			return conn, err
		}
		if ctx.Err() == nil && err.Error() != last {
			last = err.Error()
			waiting(err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// final reports whether trying again does not help.
func final(err error) bool {
	return errors.Is(err, ErrAddress) || errors.Is(err, ErrRefused) ||
		errors.Is(err, ErrCertificate) || errors.Is(err, ErrUnencrypted)
}

// Refused returns the error of a connection that is closed because the broker does not let this
// program in any more, else nil.
func Refused(conn *nats.Conn) error {
	if err := conn.LastError(); conn.IsClosed() && err != nil {
		if err = classify(err); final(err) {
			return err
		}
	}
	return nil
}

// classify adds one of the errors above.
func classify(err error) error {
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired),
		errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired),
		errors.Is(err, nats.ErrNkeysNotSupported),
		strings.Contains(err.Error(), "nkeys not supported"):
		return fmt.Errorf("%w (%w)", ErrRefused, err)
	case errors.Is(err, errPin):
		return fmt.Errorf("%w: %w", ErrCertificate, errPin)
	case errors.As(err, &untrusted):
		return fmt.Errorf("%w: %w", ErrCertificate, untrusted.Err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%w, and a connection with TLS is asked for", ErrUnencrypted)
	}
	return err
}

// Link tells requests that nobody will answer them: those that were sent over a connection that is
// lost.
type Link struct {
	conn   *nats.Conn
	status chan nats.Status
	there  atomic.Bool // there is a connection
	mu     sync.Mutex
	now    context.Context // ends when the present connection is lost
	lose   context.CancelFunc
}

// Watch watches a connection until Close is called.
func Watch(conn *nats.Conn) *Link {
	c := &Link{
		conn: conn, status: conn.StatusChanged(nats.CONNECTED, nats.RECONNECTING, nats.CLOSED),
	}
	c.there.Store(conn.IsConnected())
	c.now, c.lose = context.WithCancel(context.Background())
	go func() {
		for status := range c.status {
			if c.there.Store(status == nats.CONNECTED); status == nats.CONNECTED {
				continue
			}
			c.mu.Lock()
			c.lose()
			c.now, c.lose = context.WithCancel(context.Background())
			c.mu.Unlock()
		}
	}()
	return c
}

// Connected reports whether there is a connection, as far as is known: it does not wait, as
// nats.Conn does while it writes to a broker that reads nothing.
func (c *Link) Connected() bool { return c.there.Load() }

// Close ends Watch, and requests.
func (c *Link) Close() {
	c.conn.RemoveStatusListener(c.status)
	c.mu.Lock()
	c.lose()
	c.mu.Unlock()
}

// During returns a context for a request, which ends when the connection is lost, too. What is sent
// while there is no connection waits for the next one.
func (c *Link) During(ctx context.Context) (context.Context, context.CancelFunc) {
	c.mu.Lock()
	now := c.now
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(now, cancel)
	return ctx, func() { stop(); cancel() }
}
