package broker

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
)

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
